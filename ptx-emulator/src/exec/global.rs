//! Loads and stores in global memory.
//!
//! Most accesses of a warp touch consecutive elements, or all the same one. That is found out for
//! eight lanes at a time, so that the rows of a 16 × 16 block are runs too; then one check covers
//! the run.

use std::sync::atomic::Ordering;

use super::context::{Context, LaneFault, RANGES, Range};
use super::element::Element;
use super::isa::handler;
use super::lanes::{Bits, LANES, lanes_of};
use crate::fault::{Access, FaultKind, Nearest, Space};
use crate::program::Op;

/// Lanes that are looked at together.
pub(super) const GROUP: usize = 8;

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

/// Whether the addresses rise by `step`.
#[inline(always)]
fn rises_by(addresses: &[u64; GROUP], step: u64) -> bool {
    let mut differs = 0;
    for (at, address) in addresses.iter().enumerate() {
        differs |= address.wrapping_sub(addresses[0]) ^ (at as u64 * step);
    }
    differs == 0
}

/// The addresses of a group of lanes.
#[inline(always)]
fn group_of(addresses: &[u64; LANES], group: usize, offset: u64) -> [u64; GROUP] {
    std::array::from_fn(|at| addresses[group * GROUP + at].wrapping_add(offset))
}

#[inline(always)]
fn order(strong: bool, access: Access) -> Ordering {
    match (strong, access) {
        (false, _) => Ordering::Relaxed,
        (true, Access::Read) => Ordering::Acquire,
        (true, _) => Ordering::Release,
    }
}

handler! {
    /// Slots d0, d1, d2, d3, address (64 bits); `imm` is the offset, `aux` the cache entry.
    /// `STRONG` is `ld.acquire`.
    load [M: Element, const N: usize, const STRONG: bool] [M, N, STRONG] = run_load
}

#[inline(always)]
unsafe fn run_load<M: Element, const N: usize, const STRONG: bool>(
    cx: &mut Context,
    op: &Op,
    mask: u32,
) -> bool {
    let order = order(STRONG, Access::Read);
    let bytes = M::SIZE * N;
    let mut out = [[<M::Bits as Bits>::ZERO; LANES]; N];
    // SAFETY: `Handler`'s contract. Other slots are not written before the last read.
    let addresses = unsafe { *cx.get::<u64>(op.slots[4]) };
    for group in 0..LANES / GROUP {
        let base = group * GROUP;
        let active = mask >> base & 0xff;
        if active == 0xff {
            let group = group_of(&addresses, group, op.imm);
            let first = group[0];
            let aligned = first & (bytes as u64 - 1) == 0;
            if aligned
                && rises_by(&group, bytes as u64)
                && cx.in_allocation(op.aux, first, (bytes * GROUP) as u64)
            {
                for at in 0..GROUP {
                    for (part, out) in out.iter_mut().enumerate() {
                        let address = first + (at * bytes + part * M::SIZE) as u64;
                        // SAFETY: aligned, and the run is in a live allocation.
                        out[base + at] = unsafe { M::load(address, order) }.to_bits();
                    }
                }
                continue;
            }
            if aligned && rises_by(&group, 0) && cx.in_allocation(op.aux, first, bytes as u64) {
                for (part, out) in out.iter_mut().enumerate() {
                    // SAFETY: aligned, and in a live allocation.
                    let value = unsafe { M::load(first + (part * M::SIZE) as u64, order) };
                    out[base..base + GROUP].fill(value.to_bits());
                }
                continue;
            }
        }
        for lane in lanes_of(active).map(|at| base + at) {
            let address = addresses[lane].wrapping_add(op.imm);
            if !cx.check_global(op.aux, lane, address, bytes, Access::Read) {
                return false;
            }
            for (part, out) in out.iter_mut().enumerate() {
                // SAFETY: just checked.
                let value = unsafe { M::load(address + (part * M::SIZE) as u64, order) };
                out[lane] = value.to_bits();
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
    /// Slots v0, v1, v2, v3, address (64 bits); `imm` is the offset, `aux` the cache entry.
    /// `STRONG` is `st.release`.
    store [M: Element, const N: usize, const STRONG: bool] [M, N, STRONG] = run_store
}

#[inline(always)]
unsafe fn run_store<M: Element, const N: usize, const STRONG: bool>(
    cx: &mut Context,
    op: &Op,
    mask: u32,
) -> bool {
    let order = order(STRONG, Access::Write);
    let bytes = M::SIZE * N;
    // SAFETY: `Handler`'s contract.
    let addresses = unsafe { *cx.get::<u64>(op.slots[4]) };
    // SAFETY: `Handler`'s contract.
    let values: [[M::Bits; LANES]; N] =
        std::array::from_fn(|part| unsafe { *cx.get::<M>(op.slots[part]) });
    for group in 0..LANES / GROUP {
        let base = group * GROUP;
        let active = mask >> base & 0xff;
        if active == 0xff {
            let group = group_of(&addresses, group, op.imm);
            let first = group[0];
            if first & (bytes as u64 - 1) == 0
                && rises_by(&group, bytes as u64)
                && cx.in_allocation(op.aux, first, (bytes * GROUP) as u64)
            {
                for at in 0..GROUP {
                    for (part, values) in values.iter().enumerate() {
                        let address = first + (at * bytes + part * M::SIZE) as u64;
                        // SAFETY: aligned, and the run is in a live allocation.
                        unsafe { M::from_bits(values[base + at]).store(address, order) };
                    }
                }
                continue;
            }
        }
        for lane in lanes_of(active).map(|at| base + at) {
            let address = addresses[lane].wrapping_add(op.imm);
            if !cx.check_global(op.aux, lane, address, bytes, Access::Write) {
                return false;
            }
            for (part, values) in values.iter().enumerate() {
                let address = address + (part * M::SIZE) as u64;
                // SAFETY: just checked.
                unsafe { M::from_bits(values[lane]).store(address, order) };
            }
        }
    }
    true
}
