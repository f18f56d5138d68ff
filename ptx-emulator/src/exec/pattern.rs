//! How a warp's addresses relate to each other.
//!
//! Most accesses touch consecutive elements, or all the same one, or do so in each row of a small
//! tile. A [`Pattern`] finds that out for eight lanes at a time. It belongs to an address register
//! and not to one access: an unrolled loop uses a register with many offsets, so `decode` adds an
//! operation that finds the pattern before the first of them in a basic block.

use super::context::Context;
use super::isa::handler;
use super::lanes::{Bits, FULL, LANES};
use crate::program::Op;

/// Lanes that are looked at together.
pub(crate) const GROUP: usize = 8;
/// Patterns that are remembered at a time; an access's `aux` picks one.
pub(crate) const PATTERNS: usize = 16;

/// The addresses in the active lanes of a register.
#[derive(Clone, Copy)]
pub(crate) struct Pattern {
    lowest: u64,
    /// The highest, less the lowest.
    span: u64,
    /// All of them, or-ed.
    bits: u64,
    /// A [`Kind`] for each group, one in each byte.
    kinds: u32,
}

/// How the lanes of a group access memory.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Neither.
    Scattered,
    /// All the same element.
    Same,
    /// Consecutive elements.
    Run,
}

impl Kind {
    /// [`Pattern::kinds`] if all groups are like this.
    #[inline(always)]
    const fn everywhere(self) -> u32 {
        u32::from_ne_bytes([self as u8; LANES / GROUP])
    }
}

impl Pattern {
    /// Of nothing.
    pub(crate) const NONE: Pattern =
        Pattern { lowest: 0, span: 0, bits: 0, kinds: Kind::Scattered.everywhere() };

    /// The lowest address of an access.
    #[inline(always)]
    pub(crate) fn first(&self, offset: u64) -> u64 {
        self.lowest.wrapping_add(offset)
    }

    /// How many bytes lie between the first and the last that an access touches.
    #[inline(always)]
    pub(crate) fn extent(&self, bytes: usize) -> u64 {
        self.span.saturating_add(bytes as u64)
    }

    /// Whether an access is aligned in all lanes. It may be where this says no, if neither the
    /// register nor the offset are aligned.
    #[inline(always)]
    pub(crate) fn is_aligned(&self, offset: u64, bytes: usize) -> bool {
        (self.bits | offset) & (bytes as u64 - 1) == 0
    }

    /// Whether all groups are of a kind.
    #[inline(always)]
    pub(crate) fn all(&self, kind: Kind) -> bool {
        self.kinds == kind.everywhere()
    }
}

/// Of addresses.
struct Bounds {
    lowest: u64,
    highest: u64,
    bits: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { lowest: u64::MAX, highest: 0, bits: 0 }
    }
}

impl Bounds {
    /// Adds a run of addresses that lie whole elements apart.
    #[inline(always)]
    fn add(&mut self, first: u64, last: u64) {
        self.lowest = self.lowest.min(first);
        self.highest = self.highest.max(last);
        self.bits |= first;
    }
}

/// A register that holds addresses.
pub(crate) trait AddressBits: Bits {
    /// Of active lanes, for accesses of so many bytes.
    fn pattern(addresses: &[Self; LANES], mask: u32, bytes: u64) -> Pattern;
}

macro_rules! address_bits {
    ($($ty:ty),*) => {$(
        impl AddressBits for $ty {
            #[inline(always)]
            fn pattern(addresses: &[$ty; LANES], mask: u32, bytes: u64) -> Pattern {
                let mut at = *addresses;
                if mask != FULL {
                    // Lanes that are switched off do as an active one does.
                    let first = addresses[mask.trailing_zeros() as usize & 31];
                    for lane in 0..LANES {
                        at[lane] = at[lane].choose(first, mask, lane);
                    }
                }
                let mut kinds = [Kind::Scattered as u8; LANES / GROUP];
                let mut bounds = Bounds::default();
                for (kind, group) in kinds.iter_mut().zip(at.as_chunks::<GROUP>().0) {
                    // Comparing whole arrays is what the compiler makes vector instructions of.
                    let first = group[0];
                    if *group == [first; GROUP] {
                        *kind = Kind::Same as u8;
                        bounds.add(first as u64, first as u64);
                        continue;
                    }
                    let run: [$ty; GROUP] = std::array::from_fn(|lane| {
                        first.wrapping_add((lane as $ty).wrapping_mul(bytes as $ty))
                    });
                    if *group == run && run[GROUP - 1] > first {
                        *kind = Kind::Run as u8;
                        bounds.add(first as u64, run[GROUP - 1] as u64);
                        continue;
                    }
                    for address in group {
                        bounds.add(*address as u64, *address as u64);
                    }
                }
                Pattern {
                    lowest: bounds.lowest,
                    span: bounds.highest - bounds.lowest,
                    bits: bounds.bits,
                    kinds: u32::from_ne_bytes(kinds),
                }
            }
        }
    )*};
}

address_bits!(u32, u64);

handler! {
    /// Finds the pattern of a register: slot a; `aux` is its number, `imm` the accesses' bytes.
    find [A: AddressBits] [A] = run_find
}

#[inline(always)]
unsafe fn run_find<A: AddressBits>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    // SAFETY: `Handler`'s contract.
    let pattern = A::pattern(unsafe { cx.lanes::<A>(op.slots[0]) }, mask, op.imm);
    cx.patterns[op.aux as usize % PATTERNS] = pattern;
    true
}
