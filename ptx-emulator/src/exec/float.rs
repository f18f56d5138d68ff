//! Floating-point arithmetic, rounded to nearest even.
//!
//! - Subnormal numbers are kept, but by the `.ftz` forms.
//! - A NaN result is [`Float::CANONICAL`], whatever the operands' payloads: what the GPU gives for
//!   f32. `neg`, `abs` and `copysign` only touch the sign bit.
//! - `min` and `max` give the operand that is a number, and order −0 below +0.
//! - The `.approx` forms are computed accurately and then rounded: within the error that PTX
//!   allows, but not bit for bit what the GPU gives.

use std::marker::PhantomData;

use super::integer::operations;
use super::lanes::Lane;
use super::shapes::{Binary, Relation, Ternary, Unary};

/// What the wrappers below need.
pub(crate) trait Float: Lane + PartialEq {
    /// The NaN of results.
    const CANONICAL: Self;
    /// A NaN becomes the canonical one. The bits are looked at as integers: LLVM takes one NaN to be
    /// as good as another, and drops a comparison that only replaces them.
    fn canonical(self) -> Self;
    /// Subnormal to zero, the sign kept.
    fn flush(self) -> Self;
    /// Into 0 to 1; NaN gives 0.
    fn saturate(self) -> Self;
}

impl Float for f32 {
    const CANONICAL: f32 = f32::from_bits(0x7fff_ffff);
    #[inline(always)]
    fn canonical(self) -> f32 {
        // Without its sign, a NaN is above infinity.
        let magnitude = (self.to_bits() & i32::MAX as u32) as i32;
        if magnitude > 0x7f80_0000 { f32::CANONICAL } else { self }
    }
    #[inline(always)]
    fn flush(self) -> f32 {
        if self.abs() < f32::MIN_POSITIVE { f32::from_bits(self.to_bits() & 1 << 31) } else { self }
    }
    #[inline(always)]
    fn saturate(self) -> f32 {
        if self > 0.0 { if self < 1.0 { self } else { 1.0 } } else { 0.0 }
    }
}

impl Float for f64 {
    const CANONICAL: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
    #[inline(always)]
    fn canonical(self) -> f64 {
        // Without its sign, a NaN is above infinity.
        let magnitude = (self.to_bits() & i64::MAX as u64) as i64;
        if magnitude > 0x7ff0_0000_0000_0000 { f64::CANONICAL } else { self }
    }
    #[inline(always)]
    fn flush(self) -> f64 {
        self
    }
    #[inline(always)]
    fn saturate(self) -> f64 {
        if self > 0.0 { if self < 1.0 { self } else { 1.0 } } else { 0.0 }
    }
}

/// A NaN becomes the canonical one.
#[inline(always)]
pub(crate) fn canonical<T: Float>(value: T) -> T {
    value.canonical()
}

macro_rules! min_max {
    ($name:ident, $ty:ty, $bits:ty, $prefers:tt, $on_equal:tt) => {
        /// One operand if the other is NaN; by the sign if both are zero.
        #[inline(always)]
        fn $name(a: $ty, b: $ty) -> $ty {
            // Equal operands differ at most in the sign of zero.
            let equal = <$ty>::from_bits(a.to_bits() $on_equal b.to_bits());
            let of_numbers = if a == b { equal } else if a $prefers b { a } else { b };
            let b_counts = if b.is_nan() { a } else { of_numbers };
            canonical(if a.is_nan() { b } else { b_counts })
        }
    };
}

min_max!(min_f32, f32, u32, <, |);
min_max!(max_f32, f32, u32, >, &);
min_max!(min_f64, f64, u64, <, |);
min_max!(max_f64, f64, u64, >, &);

/// `min` and `max` by type.
trait MinMax: Float {
    fn min_number(self, other: Self) -> Self;
    fn max_number(self, other: Self) -> Self;
}

impl MinMax for f32 {
    #[inline(always)]
    fn min_number(self, other: f32) -> f32 {
        min_f32(self, other)
    }
    #[inline(always)]
    fn max_number(self, other: f32) -> f32 {
        max_f32(self, other)
    }
}

impl MinMax for f64 {
    #[inline(always)]
    fn min_number(self, other: f64) -> f64 {
        min_f64(self, other)
    }
    #[inline(always)]
    fn max_number(self, other: f64) -> f64 {
        max_f64(self, other)
    }
}

operations! {
    Add [f32 f64] (|a: T, b: T| -> T { canonical(a + b) });
    Sub [f32 f64] (|a: T, b: T| -> T { canonical(a - b) });
    Mul [f32 f64] (|a: T, b: T| -> T { canonical(a * b) });
    Div [f32 f64] (|a: T, b: T| -> T { canonical(a / b) });
    MulAdd [f32 f64] (|a: T, b: T, c: T| -> T { canonical(a.mul_add(b, c)) });
    Sqrt [f32 f64] (|a: T| -> T { canonical(a.sqrt()) });
    Reciprocal [f32 f64] (|a: T| -> T { canonical(1.0 / a) });
    ReciprocalSqrt [f32 f64] (|a: T| -> T { canonical(1.0 / a.sqrt()) });
    Neg [f32 f64] (|a: T| -> T { -a });
    Abs [f32 f64] (|a: T| -> T { a.abs() });
    Min [f32 f64] (|a: T, b: T| -> T { a.min_number(b) });
    Max [f32 f64] (|a: T, b: T| -> T { a.max_number(b) });
    /// `min.NaN`: NaN if one operand is.
    MinNan [f32] (|a: T, b: T| -> T {
        if a.is_nan() || b.is_nan() { T::CANONICAL } else { a.min_number(b) }
    });
    MaxNan [f32] (|a: T, b: T| -> T {
        if a.is_nan() || b.is_nan() { T::CANONICAL } else { a.max_number(b) }
    });
    /// `copysign d, a, b`: the sign of `a`, the magnitude of `b`.
    CopySign [f32 f64] (|a: T, b: T| -> T { b.copysign(a) });
    Sin [f32] (|a: T| -> T { canonical((a as f64).sin() as T) });
    Cos [f32] (|a: T| -> T { canonical((a as f64).cos() as T) });
    Log2 [f32] (|a: T| -> T { canonical((a as f64).log2() as T) });
    Exp2 [f32] (|a: T| -> T { canonical((a as f64).exp2() as T) });
    Tanh [f32] (|a: T| -> T { canonical((a as f64).tanh() as T) });
    /// `slct`: `a` if `c >= 0`, else `b`; of NaN, `b`.
    SelectByFloat32 [u32] (|a: T, b: T, c: f32| -> T { if c >= 0.0 { a } else { b } });
    SelectByFloat64 [u64] (|a: T, b: T, c: f32| -> T { if c >= 0.0 { a } else { b } });
    SelectByInt32 [u32] (|a: T, b: T, c: i32| -> T { if c >= 0 { a } else { b } });
    SelectByInt64 [u64] (|a: T, b: T, c: i32| -> T { if c >= 0 { a } else { b } });
    Equal [f32 f64] (|a: T, b: T| -> bool { a == b });
    NotEqual [f32 f64] (|a: T, b: T| -> bool { a < b || a > b });
    Less [f32 f64] (|a: T, b: T| -> bool { a < b });
    LessEqual [f32 f64] (|a: T, b: T| -> bool { a <= b });
    Greater [f32 f64] (|a: T, b: T| -> bool { a > b });
    GreaterEqual [f32 f64] (|a: T, b: T| -> bool { a >= b });
    EqualUnordered [f32 f64] (|a: T, b: T| -> bool { !(a < b || a > b) });
    NotEqualUnordered [f32 f64] (|a: T, b: T| -> bool { a != b });
    LessUnordered [f32 f64] (|a: T, b: T| -> bool { !(a >= b) });
    LessEqualUnordered [f32 f64] (|a: T, b: T| -> bool { !(a > b) });
    GreaterUnordered [f32 f64] (|a: T, b: T| -> bool { !(a <= b) });
    GreaterEqualUnordered [f32 f64] (|a: T, b: T| -> bool { !(a < b) });
    /// `setp.num`: neither is NaN.
    BothNumbers [f32 f64] (|a: T, b: T| -> bool { !a.is_nan() && !b.is_nan() });
    AnyNan [f32 f64] (|a: T, b: T| -> bool { a.is_nan() || b.is_nan() });
    /// The tests of `testp` look at their first operand.
    TestFinite [f32 f64] (|a: T, _b: T| -> bool { a.is_finite() });
    TestInfinite [f32 f64] (|a: T, _b: T| -> bool { a.is_infinite() });
    TestNumber [f32 f64] (|a: T, _b: T| -> bool { !a.is_nan() });
    TestNan [f32 f64] (|a: T, _b: T| -> bool { a.is_nan() });
    TestNormal [f32 f64] (|a: T, _b: T| -> bool { a.is_normal() });
    TestSubnormal [f32 f64] (|a: T, _b: T| -> bool { a.is_subnormal() });
}

/// `.ftz`: subnormal operands and results are zero.
pub(crate) struct Ftz<O>(PhantomData<O>);
/// `.sat`: the result is brought into 0 to 1.
pub(crate) struct Saturate<O>(PhantomData<O>);

impl<O: Unary<A: Float, D: Float>> Unary for Ftz<O> {
    type A = O::A;
    type D = O::D;
    #[inline(always)]
    fn apply(a: O::A) -> O::D {
        O::apply(a.flush()).flush()
    }
}

impl<O: Binary<A: Float, B: Float, D: Float>> Binary for Ftz<O> {
    type A = O::A;
    type B = O::B;
    type D = O::D;
    #[inline(always)]
    fn apply(a: O::A, b: O::B) -> O::D {
        O::apply(a.flush(), b.flush()).flush()
    }
}

impl<O: Ternary<A: Float, B: Float, C: Float, D: Float>> Ternary for Ftz<O> {
    type A = O::A;
    type B = O::B;
    type C = O::C;
    type D = O::D;
    #[inline(always)]
    fn apply(a: O::A, b: O::B, c: O::C) -> O::D {
        O::apply(a.flush(), b.flush(), c.flush()).flush()
    }
}

impl<O: Relation<A: Float>> Relation for Ftz<O> {
    type A = O::A;
    #[inline(always)]
    fn holds(a: O::A, b: O::A) -> bool {
        O::holds(a.flush(), b.flush())
    }
}

impl<O: Unary<D: Float>> Unary for Saturate<O> {
    type A = O::A;
    type D = O::D;
    #[inline(always)]
    fn apply(a: O::A) -> O::D {
        O::apply(a).saturate()
    }
}

impl<O: Binary<D: Float>> Binary for Saturate<O> {
    type A = O::A;
    type B = O::B;
    type D = O::D;
    #[inline(always)]
    fn apply(a: O::A, b: O::B) -> O::D {
        O::apply(a, b).saturate()
    }
}

impl<O: Ternary<D: Float>> Ternary for Saturate<O> {
    type A = O::A;
    type B = O::B;
    type C = O::C;
    type D = O::D;
    #[inline(always)]
    fn apply(a: O::A, b: O::B, c: O::C) -> O::D {
        O::apply(a, b, c).saturate()
    }
}
