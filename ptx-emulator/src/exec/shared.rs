//! Loads and stores in shared memory, which belongs to the host thread that runs the block.

use super::context::{Context, LaneFault};
use super::element::Element;
use super::global::GROUP;
use super::isa::handler;
use super::lanes::{Bits, LANES, lanes_of};
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
    if mask != u32::MAX {
        for lane in 0..LANES {
            at[lane] = if mask >> lane & 1 != 0 { at[lane] } else { 0 };
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
        address % bytes != 0 || address + bytes > size
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

/// Whether the addresses of a group rise by `step`.
#[inline(always)]
pub(super) fn rises_by(at: &[u32; LANES], base: usize, step: u32) -> bool {
    let mut differs = 0;
    for lane in 0..GROUP {
        differs |= at[base + lane].wrapping_sub(at[base]) ^ (lane as u32 * step);
    }
    differs == 0
}

handler! {
    /// Slots d0, d1, d2, d3, address (32 bits); `imm` is the offset.
    load [M: Element, const N: usize] [M, N] = run_load
}

#[inline(always)]
unsafe fn run_load<M: Element, const N: usize>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let bytes = M::SIZE * N;
    // SAFETY: `Handler`'s contract.
    let at = unsafe { addresses(cx, op, op.slots[4], mask) };
    if !all_inside(&at, bytes, cx.shared.len()) {
        fault(cx, &at, mask, bytes, (Space::Shared, Access::Read, cx.shared.len()));
        return false;
    }
    let memory = cx.shared.as_ptr();
    let mut out = [[<M::Bits as Bits>::ZERO; LANES]; N];
    for base in (0..LANES).step_by(GROUP) {
        if N == 1 && rises_by(&at, base, M::SIZE as u32) {
            // SAFETY: all lanes are inside, and the group is one run.
            let run: [M; GROUP] =
                unsafe { memory.add(at[base] as usize).cast::<[M; GROUP]>().read_unaligned() };
            for lane in 0..GROUP {
                out[0][base + lane] = run[lane].to_bits();
            }
        } else if rises_by(&at, base, 0) {
            // SAFETY: all lanes are inside.
            let parts: [M; N] =
                unsafe { memory.add(at[base] as usize).cast::<[M; N]>().read_unaligned() };
            for (part, out) in out.iter_mut().enumerate() {
                out[base..base + GROUP].fill(parts[part].to_bits());
            }
        } else {
            for lane in base..base + GROUP {
                // SAFETY: all lanes are inside.
                let parts: [M; N] =
                    unsafe { memory.add(at[lane] as usize).cast::<[M; N]>().read_unaligned() };
                for (part, out) in out.iter_mut().enumerate() {
                    out[lane] = parts[part].to_bits();
                }
            }
        }
    }
    for (part, out) in out.iter().enumerate() {
        // SAFETY: `Handler`'s contract.
        unsafe { cx.set(op.slots[part], out, mask) };
    }
    true
}

handler! {
    /// Slots v0, v1, v2, v3, address (32 bits); `imm` is the offset.
    store [M: Element, const N: usize] [M, N] = run_store
}

#[inline(always)]
unsafe fn run_store<M: Element, const N: usize>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let bytes = M::SIZE * N;
    // SAFETY: `Handler`'s contract.
    let at = unsafe { addresses(cx, op, op.slots[4], mask) };
    if !all_inside(&at, bytes, cx.shared.len()) {
        fault(cx, &at, mask, bytes, (Space::Shared, Access::Write, cx.shared.len()));
        return false;
    }
    // SAFETY: `Handler`'s contract.
    let values: [[M::Bits; LANES]; N] =
        std::array::from_fn(|part| unsafe { *cx.get::<M>(op.slots[part]) });
    let memory = cx.shared.as_mut_ptr();
    for base in (0..LANES).step_by(GROUP) {
        let active = mask >> base & 0xff;
        if N == 1 && active == 0xff && rises_by(&at, base, M::SIZE as u32) {
            let run: [M; GROUP] = std::array::from_fn(|lane| M::from_bits(values[0][base + lane]));
            // SAFETY: all lanes are inside, and the group is one run.
            unsafe { memory.add(at[base] as usize).cast::<[M; GROUP]>().write_unaligned(run) };
        } else {
            for lane in lanes_of(active).map(|lane| base + lane) {
                let parts: [M; N] = std::array::from_fn(|part| M::from_bits(values[part][lane]));
                // SAFETY: all lanes are inside.
                unsafe { memory.add(at[lane] as usize).cast::<[M; N]>().write_unaligned(parts) };
            }
        }
    }
    true
}
