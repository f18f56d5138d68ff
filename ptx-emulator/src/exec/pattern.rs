//! How a warp's addresses relate to each other.
//!
//! Most accesses touch consecutive elements, or all the same one, or do so in each row of a small
//! tile. A [`Pattern`] finds that out for eight lanes at a time. It belongs to an address register
//! and not to one access: an unrolled loop uses a register with many offsets, so `decode` adds an
//! operation that finds the pattern before the first of them in a basic block.

use super::context::Context;
#[cfg(target_arch = "x86_64")]
use super::isa::has_avx2;
use super::lanes::{Bits, FULL, LANES};
use crate::program::{Handler, Op};

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
    #[inline(always)]
    fn of(same: bool, run: bool) -> Kind {
        if same {
            Kind::Same
        } else if run {
            Kind::Run
        } else {
            Kind::Scattered
        }
    }

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
pub(crate) trait AddressBits: Bits + Into<u64> {
    /// How the lanes of a group relate, for accesses of so many bytes.
    fn kind(group: &[Self; GROUP], bytes: u64) -> Kind;

    /// The same with vector instructions: the compiler does not find them by itself, and without
    /// them this takes a third of the time of a kernel that does little between its accesses.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn kind_avx2(group: &[Self; GROUP], bytes: u64) -> Kind;
}

impl AddressBits for u32 {
    fn kind(group: &[u32; GROUP], bytes: u64) -> Kind {
        let rises_by = |step: u32| {
            let mut expected = group[0];
            group.iter().all(|address| {
                let as_expected = *address == expected;
                expected = expected.wrapping_add(step);
                as_expected
            })
        };
        Kind::of(rises_by(0), rises_by(bytes as u32))
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn kind_avx2(group: &[u32; GROUP], bytes: u64) -> Kind {
        use std::arch::x86_64::*;
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let steps = _mm256_mullo_epi32(lanes, _mm256_set1_epi32(bytes as i32));
        // SAFETY: a group is 32 bytes.
        let at = unsafe { _mm256_loadu_si256(group.as_ptr().cast()) };
        let first = _mm256_broadcastd_epi32(_mm256_castsi256_si128(at));
        let run = _mm256_add_epi32(first, steps);
        let equal = |other| _mm256_movemask_epi8(_mm256_cmpeq_epi32(at, other)) == -1;
        Kind::of(equal(first), equal(run))
    }
}

impl AddressBits for u64 {
    fn kind(group: &[u64; GROUP], bytes: u64) -> Kind {
        let rises_by = |step: u64| {
            let mut expected = group[0];
            group.iter().all(|address| {
                let as_expected = *address == expected;
                expected = expected.wrapping_add(step);
                as_expected
            })
        };
        Kind::of(rises_by(0), rises_by(bytes))
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn kind_avx2(group: &[u64; GROUP], bytes: u64) -> Kind {
        use std::arch::x86_64::*;
        let step = bytes as i64;
        let steps = _mm256_setr_epi64x(0, step, 2 * step, 3 * step);
        // SAFETY: a group is 64 bytes.
        let (low, high) = unsafe {
            let at = group.as_ptr().cast::<__m256i>();
            (_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1)))
        };
        let first = _mm256_broadcastq_epi64(_mm256_castsi256_si128(low));
        let run = _mm256_add_epi64(first, steps);
        let fifth = _mm256_add_epi64(run, _mm256_set1_epi64x(4 * step));
        let equal = |low_half, high_half| {
            let both = _mm256_and_si256(
                _mm256_cmpeq_epi64(low, low_half),
                _mm256_cmpeq_epi64(high, high_half),
            );
            _mm256_movemask_epi8(both) == -1
        };
        Kind::of(equal(first, first), equal(run, fifth))
    }
}

impl Pattern {
    /// Of the active lanes of a register.
    #[inline(always)]
    fn new<A: AddressBits>(
        addresses: &[A; LANES],
        mask: u32,
        kind_of: impl Fn(&[A; GROUP]) -> Kind,
    ) -> Pattern {
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
            let (first, last) = (group[0].into(), group[GROUP - 1].into());
            match kind_of(group) {
                Kind::Scattered => group.iter().for_each(|at| {
                    let at = (*at).into();
                    bounds.add(at, at);
                }),
                // A run that wraps around the address space is none.
                Kind::Run if last < first => {
                    bounds.add(0, u64::MAX);
                }
                regular => {
                    *kind = regular as u8;
                    bounds.add(first, last);
                }
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

/// Finds the pattern of a register: slot a; `aux` is its number, `imm` the accesses' bytes.
pub(crate) fn find<A: AddressBits>() -> Handler {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        unsafe fn avx2<A: AddressBits>(cx: &mut Context, op: &Op, mask: u32) -> bool {
            // SAFETY: `Handler`'s contract.
            let addresses = unsafe { cx.lanes::<A>(op.slots[0]) };
            // SAFETY: this function has AVX2 too.
            let pattern =
                Pattern::new(addresses, mask, |group| unsafe { A::kind_avx2(group, op.imm) });
            cx.patterns[op.aux as usize % PATTERNS] = pattern;
            true
        }
        if has_avx2() {
            return avx2::<A>;
        }
    }
    unsafe fn plain<A: AddressBits>(cx: &mut Context, op: &Op, mask: u32) -> bool {
        // SAFETY: `Handler`'s contract.
        let addresses = unsafe { cx.lanes::<A>(op.slots[0]) };
        let pattern = Pattern::new(addresses, mask, |group| A::kind(group, op.imm));
        cx.patterns[op.aux as usize % PATTERNS] = pattern;
        true
    }
    plain::<A>
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups() -> Vec<[u64; GROUP]> {
        let run = |first: u64, step: u64| {
            std::array::from_fn(|lane| first.wrapping_add(step.wrapping_mul(lane as u64)))
        };
        let mut groups = vec![
            run(64, 0),
            run(64, 4),
            run(64, 8),
            run(64, 16),
            run(u64::MAX - 7, 4),
            run(u64::from(u32::MAX) - 7, 4),
            run(0, 0),
        ];
        for lane in 0..GROUP {
            let mut one_off: [u64; GROUP] = run(64, 4);
            one_off[lane] += 4;
            groups.push(one_off);
            let mut one_off: [u64; GROUP] = run(64, 0);
            one_off[lane] += 1 << 32;
            groups.push(one_off);
        }
        groups
    }

    #[test]
    fn kinds_of_groups() {
        assert!(<u64 as AddressBits>::kind(&[7; 8], 4) == Kind::Same);
        assert!(<u64 as AddressBits>::kind(&[0, 4, 8, 12, 16, 20, 24, 28], 4) == Kind::Run);
        assert!(<u64 as AddressBits>::kind(&[0, 4, 8, 12, 16, 20, 24, 28], 8) == Kind::Scattered);
        assert!(<u32 as AddressBits>::kind(&[0, 4, 8, 12, 16, 20, 24, 24], 4) == Kind::Scattered);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vector_instructions_find_the_same_kinds() {
        if !has_avx2() {
            return;
        }
        for group in groups() {
            for bytes in [1, 2, 4, 8, 16] {
                let narrow = group.map(|address| address as u32);
                // SAFETY: checked above.
                unsafe {
                    assert!(u64::kind(&group, bytes) == u64::kind_avx2(&group, bytes));
                    assert!(u32::kind(&narrow, bytes) == u32::kind_avx2(&narrow, bytes));
                }
            }
        }
    }

    #[test]
    fn a_run_that_wraps_around_is_inside_nothing() {
        let addresses: [u64; LANES] =
            std::array::from_fn(|lane| (u64::MAX - 15).wrapping_add(4 * lane as u64));
        let pattern = Pattern::new(&addresses, FULL, |group| u64::kind(group, 4));
        assert!(!pattern.all(Kind::Run));
        assert_eq!(pattern.extent(4), u64::MAX);
    }
}
