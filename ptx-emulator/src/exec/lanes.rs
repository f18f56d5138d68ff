//! What a register holds: 32 lanes of 32 or of 64 bits, and the types that instructions see in them.

/// Threads in a warp.
pub(crate) const LANES: usize = 32;

/// All lanes of a warp.
pub(crate) const FULL: u32 = u32::MAX;

/// The unit of register storage: one 32-bit register of a warp. A 64-bit register is two units in
/// a row, a predicate none (predicates are masks and live elsewhere).
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Unit(pub(crate) [u32; LANES]);

/// The two widths that registers are stored in: 8- and 16-bit values take 32 bits.
pub(crate) trait Bits: Copy + PartialEq + 'static {
    /// All bits clear.
    const ZERO: Self;
    /// `self` if the lane is in the mask, else `other`; without a branch, so that it vectorises.
    fn choose(self, other: Self, mask: u32, lane: usize) -> Self;
}

impl Bits for u32 {
    const ZERO: u32 = 0;
    #[inline(always)]
    fn choose(self, other: u32, mask: u32, lane: usize) -> u32 {
        let keep = (mask >> lane & 1).wrapping_neg();
        self & keep | other & !keep
    }
}

impl Bits for u64 {
    const ZERO: u64 = 0;
    #[inline(always)]
    fn choose(self, other: u64, mask: u32, lane: usize) -> u64 {
        let keep = u64::from(mask >> lane & 1).wrapping_neg();
        self & keep | other & !keep
    }
}

/// A type that an instruction gives to a lane's bits.
///
/// Reading drops the bits above the type's width. Writing extends a narrow value to 32 bits
/// by its sign, if it has one, so that a wider register receives what PTX demands of `ld.s8` and
/// `cvt.s16` and a register of the value's own width can ignore it.
pub(crate) trait Lane: Copy + 'static {
    /// How it is stored.
    type Bits: Bits;
    /// Reads.
    fn from_bits(bits: Self::Bits) -> Self;
    /// Writes.
    fn to_bits(self) -> Self::Bits;
}

macro_rules! integer_lane {
    ($($ty:ty: $bits:ty),*) => {$(
        impl Lane for $ty {
            type Bits = $bits;
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                bits as $ty
            }
            #[inline(always)]
            fn to_bits(self) -> $bits {
                self as $bits
            }
        }
    )*};
}

integer_lane!(u8: u32, i8: u32, u16: u32, i16: u32, u32: u32, i32: u32, u64: u64, i64: u64);

impl Lane for f32 {
    type Bits = u32;
    #[inline(always)]
    fn from_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        f32::to_bits(self)
    }
}

impl Lane for f64 {
    type Bits = u64;
    #[inline(always)]
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }
}

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
