//! How a warp's addresses relate to each other.
//!
//! Most accesses touch consecutive elements, or all the same one, or do so in each row of a small
//! tile. A [`Pattern`] finds that out for groups of eight lanes. It belongs to an address register
//! and not to one access: an unrolled loop uses a register with many offsets, so `decode` has the
//! first of them in a basic block find the pattern and the others use it.

use std::ops::BitOr;

use super::context::Context;
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
    kind: Kind,
}

/// How the lanes of each group access memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Neither, or not all groups alike.
    Scattered,
    /// All the same element.
    Same,
    /// Consecutive elements.
    Run,
}

impl Pattern {
    /// Of nothing.
    pub(crate) const NONE: Pattern = Pattern { lowest: 0, span: 0, bits: 0, kind: Kind::Scattered };

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
        self.kind == kind
    }

    /// Of the active lanes of a register, for accesses of so many bytes.
    #[inline(always)]
    fn new<A: AddressBits>(addresses: &[A; LANES], mask: u32, bytes: usize) -> Pattern {
        if mask == FULL {
            return Pattern::of_all(addresses, bytes);
        }
        // Lanes that are switched off do as an active one does.
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let mut at = *addresses;
        for lane in 0..LANES {
            at[lane] = at[lane].choose(first, mask, lane);
        }
        Pattern::of_all(&at, bytes)
    }

    #[inline(always)]
    fn of_all<A: AddressBits>(at: &[A; LANES], bytes: usize) -> Pattern {
        let kind = A::kind(at, bytes);
        let bounds = |(lowest, highest, bits): (A, A, A), at: &A| {
            (lowest.min(*at), highest.max(*at), bits | *at)
        };
        let (lowest, highest, bits) = if kind == Kind::Scattered {
            at.iter().fold((at[0], at[0], at[0]), bounds)
        } else {
            at.iter().step_by(GROUP).fold((at[0], at[0], at[0]), bounds)
        };
        let (lowest, highest, bits) = (lowest.into(), highest.into(), bits.into());
        let reach = if kind == Kind::Run { ((GROUP - 1) * bytes) as u64 } else { 0 };
        if highest > A::LAST - reach {
            // A run that wraps around the address space is none.
            return Pattern { lowest: 0, span: u64::MAX, bits, kind: Kind::Scattered };
        }
        Pattern { lowest, span: highest + reach - lowest, bits, kind }
    }
}

/// A register that holds addresses.
pub(crate) trait AddressBits: Bits + Into<u64> + Ord + BitOr<Output = Self> {
    /// The highest address.
    const LAST: u64;
    /// How the lanes of each group relate, for accesses of so many bytes. Without branches, so
    /// that it vectorises.
    fn kind(at: &[Self; LANES], bytes: usize) -> Kind;
}

macro_rules! address_bits {
    ($($ty:ident),*) => {$(
        impl AddressBits for $ty {
            const LAST: u64 = $ty::MAX as u64;

            #[inline(always)]
            fn kind(at: &[$ty; LANES], bytes: usize) -> Kind {
                let (mut not_same, mut not_run) = ([0; GROUP], [0; GROUP]);
                for group in at.as_chunks::<GROUP>().0 {
                    for lane in 0..GROUP {
                        let distance = group[lane].wrapping_sub(group[0]);
                        not_same[lane] |= distance;
                        not_run[lane] |= distance ^ (lane * bytes) as $ty;
                    }
                }
                let all_zero = |parts: [$ty; GROUP]| parts.into_iter().fold(0, BitOr::bitor) == 0;
                if all_zero(not_run) {
                    Kind::Run
                } else if all_zero(not_same) {
                    Kind::Same
                } else {
                    Kind::Scattered
                }
            }
        }
    )*};
}

address_bits!(u32, u64);

/// The pattern of an access of so many bytes by the address register `slot`: finds it, or takes
/// the one that an access before it has found.
///
/// # Safety
/// `slot` is a register of the kernel, of this width.
#[inline(always)]
pub(super) unsafe fn pattern<A: AddressBits>(
    cx: &mut Context,
    op: &Op,
    slot: u16,
    mask: u32,
    bytes: usize,
) -> Pattern {
    let at = op.aux as usize % PATTERNS;
    if !op.finds {
        return cx.patterns[at];
    }
    // SAFETY: the caller's.
    let found = Pattern::new(unsafe { cx.lanes::<A>(slot) }, mask, bytes);
    cx.patterns[at] = found;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In each group, addresses so far apart; the groups are 1024 bytes apart.
    fn rows(step: u64) -> [u64; LANES] {
        std::array::from_fn(|lane| {
            4096 + (lane / GROUP * 1024) as u64 + (lane % GROUP) as u64 * step
        })
    }

    #[test]
    fn groups_are_told_apart() {
        for bytes in [1, 2, 4, 8, 16] {
            for step in [0, 1, 2, 4, 8, 16, 32] {
                let expected = match step {
                    0 => Kind::Same,
                    _ if step == bytes as u64 => Kind::Run,
                    _ => Kind::Scattered,
                };
                let at = rows(step);
                assert_eq!(u64::kind(&at, bytes), expected);
                assert_eq!(u32::kind(&at.map(|at| at as u32), bytes), expected);
            }
        }
    }

    #[test]
    fn one_lane_that_is_off_makes_a_group_scattered() {
        for step in [0, 4] {
            for lane in 0..LANES {
                for off in [4, 1 << 31, 1 << 32] {
                    let mut at = rows(step);
                    at[lane] += off;
                    assert_eq!(u64::kind(&at, 4), Kind::Scattered, "{step} {lane} {off}");
                }
            }
        }
    }

    #[test]
    fn lanes_that_are_switched_off_do_not_count() {
        let mut at = rows(4);
        at[3] = 1;
        let pattern = Pattern::new(&at, FULL & !(1 << 3), 4);
        assert_eq!(pattern.first(0), 4096);
        assert_eq!(pattern.extent(4), 3 * 1024 + 32);
        assert!(pattern.is_aligned(0, 4));
    }

    #[test]
    fn a_run_that_wraps_around_is_inside_nothing() {
        let addresses: [u64; LANES] =
            std::array::from_fn(|lane| (u64::MAX - 15).wrapping_add(4 * lane as u64));
        let pattern = Pattern::new(&addresses, FULL, 4);
        assert!(!pattern.all(Kind::Run));
        assert_eq!(pattern.extent(4), u64::MAX);
    }
}
