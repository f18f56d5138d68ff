//! Loads and stores in shared memory, which belongs to the host thread that runs the block.

use super::context::{Context, LaneFault};
use super::element::Element;
use super::isa::handler;
use super::lanes::{Bits, FULL, LANES, lanes_of};
use super::pattern::{GROUP, Kind, Pattern, pattern};
use crate::fault::{Access, FaultKind, Space};
use crate::program::Op;

/// Addresses of a warp in a small space; 0 in lanes that are switched off.
#[inline(always)]
pub(super) unsafe fn addresses(cx: &Context, op: &Op, slot: u16, mask: u32) -> [u32; LANES] {
    // SAFETY: the caller's: a 32-bit register.
    let base = unsafe { cx.get::<u32>(slot) };
    let offset = op.imm as u32;
    let mut at = [0; LANES];
    for lane in 0..LANES {
        at[lane] = base[lane].wrapping_add(offset);
    }
    if mask != FULL {
        for lane in 0..LANES {
            at[lane] = at[lane].choose(0, mask, lane);
        }
    }
    at
}

/// Whether all addresses are aligned and inside `size` bytes. A lane that is switched off has the
/// address 0, which is inside wherever another lane is.
#[inline(always)]
pub(super) fn all_inside(at: &[u32; LANES], bytes: usize, size: usize) -> bool {
    let (mut highest, mut bits) = (0, 0);
    for address in at {
        highest = highest.max(*address);
        bits |= *address;
    }
    bits & (bytes as u32 - 1) == 0 && highest as usize + bytes <= size
}

/// Describes the first lane's fault, after [`all_inside`] has found that there is one.
#[cold]
#[inline(never)]
pub(super) fn fault(
    cx: &mut Context,
    at: &[u32; LANES],
    mask: u32,
    bytes: usize,
    (space, access, size): (Space, Access, usize),
) {
    let wrong = |lane: &usize| {
        let address = at[*lane] as usize;
        !address.is_multiple_of(bytes) || address + bytes > size
    };
    // There is one among the lanes of the mask; were there none, lane 0 is as good as another.
    let lane = lanes_of(mask).find(wrong).unwrap_or(0);
    let (address, bytes) = (at[lane] as u64, bytes as u32);
    let kind = if address as usize + bytes as usize > size {
        FaultKind::OutOfSpace { space, access, bytes, address, size: size as u64 }
    } else {
        FaultKind::Misaligned { space, access, bytes, address }
    };
    cx.fault = Some(LaneFault { lane, kind });
}

/// Whether all active lanes of an access are inside the block's shared memory, and aligned.
#[inline(always)]
fn is_inside<M: Element, const N: usize>(cx: &Context, op: &Op, pattern: &Pattern) -> bool {
    let size = cx.shared.len() as u64;
    let first = pattern.first(op.imm);
    // Nothing wraps around if the first is inside: the extent has at most 33 bits.
    first < size
        && first + pattern.extent(M::SIZE * N) <= size
        && pattern.is_aligned(op.imm, M::SIZE * N)
}

handler! {
    /// Slots d0, d1, d2, d3, address (32 bits); `imm` is the offset, `aux` the pattern.
    load [M: Element, const N: usize] [M, N] = run_load, by processor
}

#[inline(always)]
unsafe fn run_load<const AVX2: bool, M: Element, const N: usize>(
    cx: &mut Context,
    op: &Op,
    mask: u32,
) -> bool {
    // SAFETY: `Handler`'s contract.
    let pattern = unsafe { pattern::<AVX2, u32>(cx, op, op.slots[4], mask, M::SIZE * N) };
    let (run, same) = (pattern.all(Kind::Run), pattern.all(Kind::Same));
    if mask == FULL && (run || same) && is_inside::<M, N>(cx, op, &pattern) {
        let mut out = [[<M::Bits as Bits>::ZERO; LANES]; N];
        let memory = cx.shared.as_ptr();
        // SAFETY: `Handler`'s contract.
        let addresses = unsafe { cx.get::<u32>(op.slots[4]) };
        for base in (0..LANES).step_by(GROUP) {
            let first = addresses[base].wrapping_add(op.imm as u32) as usize;
            // SAFETY: all lanes are inside.
            let first = unsafe { memory.add(first) };
            if run {
                // SAFETY: all lanes are inside, and the group is one run.
                let parts = unsafe { first.cast::<[[M; N]; GROUP]>().read_unaligned() };
                for lane in 0..GROUP {
                    for (part, out) in out.iter_mut().enumerate() {
                        out[base + lane] = parts[lane][part].to_bits();
                    }
                }
            } else {
                // SAFETY: all lanes are inside.
                let parts = unsafe { first.cast::<[M; N]>().read_unaligned() };
                for (part, out) in out.iter_mut().enumerate() {
                    out[base..base + GROUP].fill(parts[part].to_bits());
                }
            }
        }
        for (part, out) in out.iter().enumerate() {
            // SAFETY: `Handler`'s contract.
            unsafe { cx.set(op.slots[part], out, FULL) };
        }
        return true;
    }
    // SAFETY: the caller's.
    unsafe { load_each::<M, N>(cx, op, mask) }
}

/// Lane by lane.
///
/// # Safety
/// `Handler`'s contract.
#[inline(never)]
unsafe fn load_each<M: Element, const N: usize>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    // SAFETY: the caller's.
    let at = unsafe { addresses(cx, op, op.slots[4], mask) };
    let (bytes, size) = (M::SIZE * N, cx.shared.len());
    if !all_inside(&at, bytes, size) {
        fault(cx, &at, mask, bytes, (Space::Shared, Access::Read, size));
        return false;
    }
    let mut out = [[<M::Bits as Bits>::ZERO; LANES]; N];
    for lane in 0..LANES {
        // SAFETY: all lanes are inside.
        let parts: [M; N] =
            unsafe { cx.shared.as_ptr().add(at[lane] as usize).cast::<[M; N]>().read_unaligned() };
        for (part, out) in out.iter_mut().enumerate() {
            out[lane] = parts[part].to_bits();
        }
    }
    for (part, out) in out.iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { cx.set(op.slots[part], out, mask) };
    }
    true
}

handler! {
    /// Slots v0, v1, v2, v3, address (32 bits); `imm` is the offset, `aux` the pattern.
    store [M: Element, const N: usize] [M, N] = run_store, by processor
}

#[inline(always)]
unsafe fn run_store<const AVX2: bool, M: Element, const N: usize>(
    cx: &mut Context,
    op: &Op,
    mask: u32,
) -> bool {
    // SAFETY: `Handler`'s contract.
    let pattern = unsafe { pattern::<AVX2, u32>(cx, op, op.slots[4], mask, M::SIZE * N) };
    if mask == FULL && pattern.all(Kind::Run) && is_inside::<M, N>(cx, op, &pattern) {
        let memory = cx.shared.as_mut_ptr();
        // SAFETY: `Handler`'s contract.
        let addresses = unsafe { cx.get::<u32>(op.slots[4]) };
        // SAFETY: `Handler`'s contract.
        let values: [&[M::Bits; LANES]; N] =
            std::array::from_fn(|part| unsafe { cx.get::<M>(op.slots[part]) });
        for base in (0..LANES).step_by(GROUP) {
            let first = addresses[base].wrapping_add(op.imm as u32) as usize;
            let run: [[M; N]; GROUP] = std::array::from_fn(|lane| {
                std::array::from_fn(|part| M::from_bits(values[part][base + lane]))
            });
            // SAFETY: all lanes are inside, and the group is one run.
            unsafe { memory.add(first).cast::<[[M; N]; GROUP]>().write_unaligned(run) };
        }
        return true;
    }
    // SAFETY: the caller's.
    unsafe { store_each::<M, N>(cx, op, mask) }
}

/// Lane by lane, in order: of lanes that write the same element, the last one counts.
///
/// # Safety
/// `Handler`'s contract.
#[inline(never)]
unsafe fn store_each<M: Element, const N: usize>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    // SAFETY: the caller's.
    let at = unsafe { addresses(cx, op, op.slots[4], mask) };
    let (bytes, size) = (M::SIZE * N, cx.shared.len());
    if !all_inside(&at, bytes, size) {
        fault(cx, &at, mask, bytes, (Space::Shared, Access::Write, size));
        return false;
    }
    let memory = cx.shared.as_mut_ptr();
    for lane in lanes_of(mask) {
        // SAFETY: the caller's.
        let parts: [M; N] =
            std::array::from_fn(|part| unsafe { M::from_bits(cx.get::<M>(op.slots[part])[lane]) });
        // SAFETY: all lanes are inside.
        unsafe { memory.add(at[lane] as usize).cast::<[M; N]>().write_unaligned(parts) };
    }
    true
}
