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
    fn new<A: AddressBits>(
        addresses: &[A; LANES],
        mask: u32,
        bytes: usize,
        kind: impl Fn(&[A; LANES]) -> Kind,
    ) -> Pattern {
        if mask == FULL {
            return Pattern::of_all(addresses, bytes, kind(addresses));
        }
        // Lanes that are switched off do as an active one does.
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let mut at = *addresses;
        for lane in 0..LANES {
            at[lane] = at[lane].choose(first, mask, lane);
        }
        Pattern::of_all(&at, bytes, kind(&at))
    }

    #[inline(always)]
    fn of_all<A: AddressBits>(at: &[A; LANES], bytes: usize, kind: Kind) -> Pattern {
        let bounds = |(lowest, highest, bits): (A, A, A), at: &A| {
            (lowest.min(*at), highest.max(*at), bits | *at)
        };
        let (lowest, highest, bits) = if kind == Kind::Scattered {
            at.iter().fold((at[0], at[0], at[0]), bounds)
        } else {
            [at[GROUP], at[2 * GROUP], at[3 * GROUP]].iter().fold((at[0], at[0], at[0]), bounds)
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
    /// How the lanes of each group relate, for accesses of so many bytes.
    fn kind(at: &[Self; LANES], bytes: usize) -> Kind;

    /// The same with vector instructions: the compiler finds poor ones by itself, and this takes
    /// much of the time of a kernel that does little between its accesses.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn kind_avx2(at: &[Self; LANES], bytes: usize) -> Kind;
}

impl Kind {
    #[inline(always)]
    fn of(same: bool, run: bool) -> Kind {
        if run {
            Kind::Run
        } else if same {
            Kind::Same
        } else {
            Kind::Scattered
        }
    }
}

macro_rules! kind {
    ($ty:ident) => {
        fn kind(at: &[$ty; LANES], bytes: usize) -> Kind {
            let groups = at.as_chunks::<GROUP>().0;
            let rise_by = |step: usize| {
                groups.iter().all(|group| {
                    let expected = |lane| group[0].wrapping_add((lane * step) as $ty);
                    group.iter().enumerate().all(|(lane, at)| *at == expected(lane))
                })
            };
            Kind::of(rise_by(0), rise_by(bytes))
        }
    };
}

impl AddressBits for u32 {
    const LAST: u64 = u32::MAX as u64;

    kind!(u32);

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn kind_avx2(at: &[u32; LANES], bytes: usize) -> Kind {
        use std::arch::x86_64::*;
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let steps = _mm256_mullo_epi32(lanes, _mm256_set1_epi32(bytes as i32));
        let all = _mm256_set1_epi32(-1);
        let (mut same, mut run) = (all, all);
        for group in at.as_chunks::<GROUP>().0 {
            let first = _mm256_set1_epi32(group[0] as i32);
            // SAFETY: a group is 32 bytes.
            let group = unsafe { _mm256_loadu_si256(group.as_ptr().cast()) };
            same = _mm256_and_si256(same, _mm256_cmpeq_epi32(group, first));
            let risen = _mm256_add_epi32(first, steps);
            run = _mm256_and_si256(run, _mm256_cmpeq_epi32(group, risen));
        }
        Kind::of(_mm256_movemask_epi8(same) == -1, _mm256_movemask_epi8(run) == -1)
    }
}

impl AddressBits for u64 {
    const LAST: u64 = u64::MAX;

    kind!(u64);

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn kind_avx2(at: &[u64; LANES], bytes: usize) -> Kind {
        use std::arch::x86_64::*;
        let step = bytes as i64;
        let steps = _mm256_setr_epi64x(0, step, 2 * step, 3 * step);
        let upper_steps = _mm256_add_epi64(steps, _mm256_set1_epi64x(4 * step));
        let all = _mm256_set1_epi32(-1);
        let (mut same, mut run) = (all, all);
        for group in at.as_chunks::<GROUP>().0 {
            let first = _mm256_set1_epi64x(group[0] as i64);
            for (half, steps) in group.as_chunks::<4>().0.iter().zip([steps, upper_steps]) {
                // SAFETY: half a group is 32 bytes.
                let half = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
                same = _mm256_and_si256(same, _mm256_cmpeq_epi64(half, first));
                let risen = _mm256_add_epi64(first, steps);
                run = _mm256_and_si256(run, _mm256_cmpeq_epi64(half, risen));
            }
        }
        Kind::of(_mm256_movemask_epi8(same) == -1, _mm256_movemask_epi8(run) == -1)
    }
}

/// The pattern of an access of so many bytes by the address register `slot`: finds it, or takes
/// the one that an access before it has found.
///
/// # Safety
/// `slot` is a register of the kernel, of this width. With `AVX2`, the processor has that.
#[inline(always)]
pub(super) unsafe fn pattern<const AVX2: bool, A: AddressBits>(
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
    let addresses = unsafe { cx.lanes::<A>(slot) };
    let found = Pattern::new(addresses, mask, bytes, |at| {
        #[cfg(target_arch = "x86_64")]
        if AVX2 {
            // SAFETY: the caller's.
            return unsafe { A::kind_avx2(at, bytes) };
        }
        A::kind(at, bytes)
    });
    cx.patterns[at] = found;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(at: &[u64; LANES], bytes: usize) -> Vec<Kind> {
        let narrow = at.map(|at| at as u32);
        let mut kinds = vec![u64::kind(at, bytes)];
        if at.iter().all(|at| *at <= u32::MAX.into()) {
            kinds.push(u32::kind(&narrow, bytes));
        }
        #[cfg(target_arch = "x86_64")]
        if crate::exec::isa::has_avx2() {
            // SAFETY: just checked.
            let vector = unsafe { [u64::kind_avx2(at, bytes), u32::kind_avx2(&narrow, bytes)] };
            kinds.extend(&vector[..kinds.len()]);
        }
        kinds
    }

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
                assert!(kinds(&at, bytes).iter().all(|kind| *kind == expected), "{bytes} {step}");
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
                    let scattered = |kind: &Kind| *kind == Kind::Scattered;
                    assert!(kinds(&at, 4).iter().all(scattered), "{step} {lane} {off}");
                }
            }
        }
    }

    #[test]
    fn lanes_that_are_switched_off_do_not_count() {
        let mut at = rows(4);
        at[3] = 1;
        let pattern = Pattern::new(&at, FULL & !(1 << 3), 4, |at| u64::kind(at, 4));
        assert_eq!(pattern.first(0), 4096);
        assert_eq!(pattern.extent(4), 3 * 1024 + 32);
        assert!(pattern.is_aligned(0, 4));
    }

    #[test]
    fn a_run_that_wraps_around_is_inside_nothing() {
        let addresses: [u64; LANES] =
            std::array::from_fn(|lane| (u64::MAX - 15).wrapping_add(4 * lane as u64));
        let pattern = Pattern::new(&addresses, FULL, 4, |at| u64::kind(at, 4));
        assert!(!pattern.all(Kind::Run));
        assert_eq!(pattern.extent(4), u64::MAX);
    }
}
