//! Loads and stores in global memory.
//!
//! One check covers all lanes where they are in one allocation.

use super::context::{Context, LaneFault, RANGES, Range};
use super::element::Element;
use super::isa::handler;
use super::lanes::{Bits, FULL, LANES, lanes_of};
use super::pattern::{GROUP, Kind, Pattern, pattern};
use crate::fault::{Access, FaultKind, Nearest, Space};
use crate::program::Op;

impl Range {
    /// Whether it contains the bytes.
    #[inline(always)]
    fn contains(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.address);
        offset < self.bytes && self.bytes - offset >= bytes
    }
}

impl Context {
    /// Whether the bytes are in one live allocation; remembers it.
    #[inline(always)]
    pub(super) fn in_allocation(&mut self, cache: u16, address: u64, bytes: u64) -> bool {
        self.ranges[cache as usize % RANGES].contains(address, bytes)
            || self.look_up(cache, address, bytes)
    }

    #[cold]
    #[inline(never)]
    fn look_up(&mut self, cache: u16, address: u64, bytes: u64) -> bool {
        let Some(found) = self.table.at_or_before(address).filter(|found| found.is_live()) else {
            return false;
        };
        let range = Range { address: found.address, bytes: found.bytes };
        self.ranges[cache as usize % RANGES] = range;
        range.contains(address, bytes)
    }

    /// Whether one lane may make this access; describes the fault if not.
    #[inline(always)]
    pub(super) fn check_global(
        &mut self,
        cache: u16,
        lane: usize,
        address: u64,
        bytes: usize,
        access: Access,
    ) -> bool {
        if address & (bytes as u64 - 1) == 0 && self.in_allocation(cache, address, bytes as u64) {
            return true;
        }
        self.global_fault(lane, address, bytes, access);
        false
    }

    /// Whether all active lanes of an access are inside one allocation, and aligned.
    #[inline(always)]
    fn is_inside<M: Element, const N: usize>(&mut self, op: &Op, pattern: &Pattern) -> bool {
        let (first, extent) = (pattern.first(op.imm), pattern.extent(M::SIZE * N));
        pattern.is_aligned(op.imm, M::SIZE * N) && self.in_allocation(op.aux, first, extent)
    }

    #[cold]
    #[inline(never)]
    fn global_fault(&mut self, lane: usize, address: u64, bytes: usize, access: Access) {
        let (size, table) = (bytes as u64, &self.table);
        let before = table.at_or_before(address);
        let inside = before.filter(|a| address - a.address < a.bytes);
        let nearest =
            |a: &crate::memory::Allocation| Nearest { address: a.address, bytes: a.bytes };
        let bytes = bytes as u32;
        let kind = match inside {
            Some(a) if !a.is_live() => {
                FaultKind::UseAfterFree { access, bytes, address, freed: nearest(a) }
            }
            Some(a) if a.bytes - (address - a.address) >= size => {
                FaultKind::Misaligned { space: Space::Global, access, bytes, address }
            }
            _ => {
                let after = table.after(address);
                let closest = match (before, after) {
                    (Some(b), Some(a)) => {
                        let gap = address - b.address.wrapping_add(b.bytes).min(address);
                        Some(if a.address - address < gap { a } else { b })
                    }
                    (b, a) => b.or(a),
                };
                let nearest = closest.map(nearest);
                FaultKind::OutOfBounds { access, bytes, address, nearest }
            }
        };
        self.fault = Some(LaneFault { lane, kind });
    }
}

handler! {
    /// Slots d0, d1, d2, d3, address (64 bits); `imm` is the offset, `aux` the pattern.
    load [M: Element, const N: usize] [M, N] = run_load, by processor
}

#[inline(always)]
unsafe fn run_load<const AVX2: bool, M: Element, const N: usize>(
    cx: &mut Context,
    op: &Op,
    mask: u32,
) -> bool {
    // SAFETY: `Handler`'s contract.
    let pattern = unsafe { pattern::<AVX2, u64>(cx, op, op.slots[4], mask, M::SIZE * N) };
    if mask == FULL && cx.is_inside::<M, N>(op, &pattern) {
        let mut out = [[<M::Bits as Bits>::ZERO; LANES]; N];
        // SAFETY: `Handler`'s contract.
        let addresses = unsafe { cx.get::<u64>(op.slots[4]) };
        // SAFETY: all lanes are inside an allocation.
        let at =
            |address: u64, part| unsafe { M::load(address + (part * M::SIZE) as u64) }.to_bits();
        if pattern.all(Kind::Run) {
            for base in (0..LANES).step_by(GROUP) {
                let first = addresses[base].wrapping_add(op.imm);
                for lane in 0..GROUP {
                    for (part, out) in out.iter_mut().enumerate() {
                        out[base + lane] = at(first + (lane * N * M::SIZE) as u64, part);
                    }
                }
            }
        } else if pattern.all(Kind::Same) {
            for base in (0..LANES).step_by(GROUP) {
                let first = addresses[base].wrapping_add(op.imm);
                for (part, out) in out.iter_mut().enumerate() {
                    out[base..base + GROUP].fill(at(first, part));
                }
            }
        } else {
            for lane in 0..LANES {
                for (part, out) in out.iter_mut().enumerate() {
                    out[lane] = at(addresses[lane].wrapping_add(op.imm), part);
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
    let mut out = [[<M::Bits as Bits>::ZERO; LANES]; N];
    // SAFETY: the caller's.
    let addresses = unsafe { *cx.get::<u64>(op.slots[4]) };
    for lane in lanes_of(mask) {
        let address = addresses[lane].wrapping_add(op.imm);
        if !cx.check_global(op.aux, lane, address, M::SIZE * N, Access::Read) {
            return false;
        }
        for (part, out) in out.iter_mut().enumerate() {
            // SAFETY: just checked.
            out[lane] = unsafe { M::load(address + (part * M::SIZE) as u64) }.to_bits();
        }
    }
    for (part, out) in out.iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { cx.set(op.slots[part], out, mask) };
    }
    true
}

handler! {
    /// Slots v0, v1, v2, v3, address (64 bits); `imm` is the offset, `aux` the pattern.
    store [M: Element, const N: usize] [M, N] = run_store, by processor
}

#[inline(always)]
unsafe fn run_store<const AVX2: bool, M: Element, const N: usize>(
    cx: &mut Context,
    op: &Op,
    mask: u32,
) -> bool {
    // SAFETY: `Handler`'s contract.
    let pattern = unsafe { pattern::<AVX2, u64>(cx, op, op.slots[4], mask, M::SIZE * N) };
    if mask == FULL && pattern.all(Kind::Run) && cx.is_inside::<M, N>(op, &pattern) {
        // SAFETY: `Handler`'s contract.
        let addresses = unsafe { cx.get::<u64>(op.slots[4]) };
        // SAFETY: `Handler`'s contract.
        let values: [&[M::Bits; LANES]; N] =
            std::array::from_fn(|part| unsafe { cx.get::<M>(op.slots[part]) });
        for base in (0..LANES).step_by(GROUP) {
            let first = addresses[base].wrapping_add(op.imm);
            for lane in 0..GROUP {
                for (part, values) in values.iter().enumerate() {
                    let address = first + ((lane * N + part) * M::SIZE) as u64;
                    // SAFETY: all lanes are inside an allocation.
                    unsafe { M::from_bits(values[base + lane]).store(address) };
                }
            }
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
    let addresses = unsafe { *cx.get::<u64>(op.slots[4]) };
    for lane in lanes_of(mask) {
        let address = addresses[lane].wrapping_add(op.imm);
        if !cx.check_global(op.aux, lane, address, M::SIZE * N, Access::Write) {
            return false;
        }
        for part in 0..N {
            // SAFETY: the caller's.
            let value = M::from_bits(unsafe { cx.get::<M>(op.slots[part])[lane] });
            // SAFETY: just checked.
            unsafe { value.store(address + (part * M::SIZE) as u64) };
        }
    }
    true
}
