//! `cvt` between all pairs of scalar types.
//!
//! Float to integer saturates to the destination's range. NaN gives 0 where the source is f32 and
//! the destination has at most 32 bits, else only the destination's top bit: so says the *PTX ISA*,
//! and the compiler adds a select where Rust wants 0.

use std::marker::PhantomData;

use super::float::{Float, canonical};
use super::lanes::Lane;
use super::shapes::Unary;

/// Integer to integer, and integer to float rounded to nearest even; Rust's `as`.
pub(crate) struct Cast<D, S>(PhantomData<(D, S)>);
/// `cvt.sat` between integers.
pub(crate) struct Clamp<D, S>(PhantomData<(D, S)>);
/// Float to integer, rounded as `R` says.
pub(crate) struct ToInteger<D, S, R>(PhantomData<(D, S, R)>);
/// f32 to integer with `.ftz`.
pub(crate) struct ToIntegerFtz<D, R>(PhantomData<(D, R)>);
/// Integer to float, or f64 to f32, rounded as `R` says.
pub(crate) struct Directed<D, S, R>(PhantomData<(D, S, R)>);
/// Float to float of the same type, rounded to an integer as `R` says.
pub(crate) struct Integral<T, R>(PhantomData<(T, R)>);
/// Float to float, exact or rounded to nearest even.
pub(crate) struct Resize<D, S>(PhantomData<(D, S)>);

/// To nearest even.
pub(crate) struct Nearest;
/// Towards zero.
pub(crate) struct Zero;
/// Towards −∞.
pub(crate) struct Down;
/// Towards +∞.
pub(crate) struct Up;

/// A rounding mode.
pub(crate) trait Rounding {
    /// To an integer.
    fn round32(value: f32) -> f32;
    /// To an integer.
    fn round64(value: f64) -> f64;
    /// Whether a rounded value that lies above (`Greater`) or below (`Less`) the exact one has to
    /// move, given the exact value's sign.
    fn wrong_side(rounded: std::cmp::Ordering, negative: bool) -> bool;
}

macro_rules! rounding {
    ($name:ident, $method:ident, |$side:ident, $negative:ident| $wrong:expr) => {
        impl Rounding for $name {
            #[inline(always)]
            fn round32(value: f32) -> f32 {
                value.$method()
            }
            #[inline(always)]
            fn round64(value: f64) -> f64 {
                value.$method()
            }
            #[inline(always)]
            fn wrong_side($side: std::cmp::Ordering, $negative: bool) -> bool {
                $wrong
            }
        }
    };
}

rounding!(Nearest, round_ties_even, |_side, _negative| false);
rounding!(Zero, trunc, |side, negative| if negative { side.is_lt() } else { side.is_gt() });
rounding!(Down, floor, |side, _negative| side.is_gt());
rounding!(Up, ceil, |side, _negative| side.is_lt());

macro_rules! casts {
    ($($d:ty: [$($s:ty)*];)*) => {$($(
        impl Unary for Cast<$d, $s> {
            type A = $s;
            type D = $d;
            #[inline(always)]
            fn apply(a: $s) -> $d {
                a as $d
            }
        }
    )*)*};
}

casts! {
    u8: [u8 i8 u16 i16 u32 i32 u64 i64];
    i8: [u8 i8 u16 i16 u32 i32 u64 i64];
    u16: [u8 i8 u16 i16 u32 i32 u64 i64];
    i16: [u8 i8 u16 i16 u32 i32 u64 i64];
    u32: [u8 i8 u16 i16 u32 i32 u64 i64];
    i32: [u8 i8 u16 i16 u32 i32 u64 i64];
    u64: [u8 i8 u16 i16 u32 i32 u64 i64];
    i64: [u8 i8 u16 i16 u32 i32 u64 i64];
    f32: [u8 i8 u16 i16 u32 i32 u64 i64];
    f64: [u8 i8 u16 i16 u32 i32 u64 i64];
}

/// An integer type, by way of `i128`, which holds every value.
pub(crate) trait Integer: Lane + Into<i128> {
    /// Saturates.
    fn clamped(value: i128) -> Self;
    /// The most significant bit alone.
    const TOP_BIT: Self;
    /// More than 32 bits.
    const WIDE: bool;
    /// Rust's `as`.
    fn from_f32(value: f32) -> Self;
    /// Rust's `as`.
    fn from_f64(value: f64) -> Self;
    /// Rust's `as`.
    fn to_f32(self) -> f32;
    /// Rust's `as`.
    fn to_f64(self) -> f64;
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Integer for $ty {
            const TOP_BIT: $ty = (1 as $ty) << (<$ty>::BITS - 1);
            const WIDE: bool = <$ty>::BITS > 32;
            #[inline(always)]
            fn clamped(value: i128) -> $ty {
                value.clamp(<$ty>::MIN as i128, <$ty>::MAX as i128) as $ty
            }
            #[inline(always)]
            fn from_f32(value: f32) -> $ty {
                value as $ty
            }
            #[inline(always)]
            fn from_f64(value: f64) -> $ty {
                value as $ty
            }
            #[inline(always)]
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}

integers!(u8 i8 u16 i16 u32 i32 u64 i64);

impl<D: Integer, S: Integer> Unary for Clamp<D, S> {
    type A = S;
    type D = D;
    #[inline(always)]
    fn apply(a: S) -> D {
        D::clamped(a.into())
    }
}

impl<D: Integer, R: Rounding> Unary for ToInteger<D, f32, R> {
    type A = f32;
    type D = D;
    #[inline(always)]
    fn apply(a: f32) -> D {
        if D::WIDE && a.is_nan() { D::TOP_BIT } else { D::from_f32(R::round32(a)) }
    }
}

impl<D: Integer, R: Rounding> Unary for ToInteger<D, f64, R> {
    type A = f64;
    type D = D;
    #[inline(always)]
    fn apply(a: f64) -> D {
        if a.is_nan() { D::TOP_BIT } else { D::from_f64(R::round64(a)) }
    }
}

impl<D: Integer, R: Rounding> Unary for ToIntegerFtz<D, R> {
    type A = f32;
    type D = D;
    #[inline(always)]
    fn apply(a: f32) -> D {
        ToInteger::<D, f32, R>::apply(a.flush())
    }
}

impl<S: Integer, R: Rounding> Unary for Directed<f32, S, R> {
    type A = S;
    type D = f32;
    #[inline(always)]
    fn apply(a: S) -> f32 {
        let (exact, rounded): (i128, f32) = (a.into(), a.to_f32());
        // An integer of at most 64 bits rounds to an integer that i128 holds.
        let side = (rounded as i128).cmp(&exact);
        if !R::wrong_side(side, exact < 0) {
            rounded
        } else if side.is_gt() {
            rounded.next_down()
        } else {
            rounded.next_up()
        }
    }
}

impl<S: Integer, R: Rounding> Unary for Directed<f64, S, R> {
    type A = S;
    type D = f64;
    #[inline(always)]
    fn apply(a: S) -> f64 {
        let (exact, rounded): (i128, f64) = (a.into(), a.to_f64());
        let side = (rounded as i128).cmp(&exact);
        if !R::wrong_side(side, exact < 0) {
            rounded
        } else if side.is_gt() {
            rounded.next_down()
        } else {
            rounded.next_up()
        }
    }
}

impl<R: Rounding> Unary for Directed<f32, f64, R> {
    type A = f64;
    type D = f32;
    #[inline(always)]
    fn apply(a: f64) -> f32 {
        let rounded = a as f32;
        match (rounded as f64).partial_cmp(&a) {
            None => f32::CANONICAL,
            Some(side) if !R::wrong_side(side, a.is_sign_negative()) => rounded,
            Some(std::cmp::Ordering::Greater) => rounded.next_down(),
            Some(_) => rounded.next_up(),
        }
    }
}

impl Unary for Resize<f32, f64> {
    type A = f64;
    type D = f32;
    #[inline(always)]
    fn apply(a: f64) -> f32 {
        canonical(a as f32)
    }
}

impl Unary for Resize<f64, f32> {
    type A = f32;
    type D = f64;
    #[inline(always)]
    fn apply(a: f32) -> f64 {
        canonical(a as f64)
    }
}

impl Unary for Resize<f32, f32> {
    type A = f32;
    type D = f32;
    #[inline(always)]
    fn apply(a: f32) -> f32 {
        a
    }
}

impl Unary for Resize<f64, f64> {
    type A = f64;
    type D = f64;
    #[inline(always)]
    fn apply(a: f64) -> f64 {
        a
    }
}

impl<R: Rounding> Unary for Integral<f32, R> {
    type A = f32;
    type D = f32;
    #[inline(always)]
    fn apply(a: f32) -> f32 {
        canonical(R::round32(a))
    }
}

impl<R: Rounding> Unary for Integral<f64, R> {
    type A = f64;
    type D = f64;
    #[inline(always)]
    fn apply(a: f64) -> f64 {
        canonical(R::round64(a))
    }
}
