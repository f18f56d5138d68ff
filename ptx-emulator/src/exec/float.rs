//! Floating-point arithmetic, rounded to nearest even.
//!
//! - Subnormal numbers are kept, but by the `.ftz` forms.
//! - A NaN has the bits that an H200 gave it (`tests/hardware.rs`). In f32 it is always the same one,
//!   after `neg` and `abs` too. In f64 it is an operand that is NaN, made quiet, with its sign also
//!   after `neg` and `abs`; of two, the second, but in a division the first, and of a product and a
//!   sum's three the second, else the third; if no operand is NaN, it is the negative quiet one.
//! - `min` and `max` give the operand that is a number, and order −0 below +0.
//! - The `.approx` forms are computed accurately and then rounded: within the error that PTX
//!   allows, but not bit for bit what the GPU gives.

#![allow(
    clippy::double_comparisons,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "what looks simpler is not the same for NaN"
)]

use std::marker::PhantomData;

use super::integer::operations;
use super::lanes::Lane;
use super::shapes::{Binary, Relation, Ternary, Unary};

/// What the wrappers below need.
pub(crate) trait Float: Lane + PartialEq {
    /// Of a NaN result, the right NaN: of the first of these operands that is one, or of none. All
    /// bits are looked at as integers: LLVM takes one NaN to be as good as another, and drops a
    /// comparison that only replaces them.
    fn with_nan_of<const N: usize>(self, operands: [Self; N]) -> Self;
    /// Subnormal to zero, the sign kept.
    fn flush(self) -> Self;
    /// Into 0 to 1; NaN gives 0.
    fn saturate(self) -> Self;
}

impl Float for f32 {
    #[inline(always)]
    fn with_nan_of<const N: usize>(self, _operands: [f32; N]) -> f32 {
        if is_nan_32(self.to_bits()) { NAN_32 } else { self }
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
    #[inline(always)]
    fn with_nan_of<const N: usize>(self, operands: [f64; N]) -> f64 {
        let mut nan = NAN_64;
        for operand in operands.into_iter().rev() {
            let bits = operand.to_bits();
            nan = if is_nan_64(bits) { bits | QUIET_64 } else { nan };
        }
        f64::from_bits(if is_nan_64(self.to_bits()) { nan } else { self.to_bits() })
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

/// The NaN of f32 results.
const NAN_32: f32 = f32::from_bits(0x7fff_ffff);
/// The NaN of f64 results without a NaN operand.
const NAN_64: u64 = 0xfff8_0000_0000_0000;
/// What a quiet NaN has and a signalling one has not.
const QUIET_64: u64 = 1 << 51;

/// Without its sign, a NaN is above infinity.
#[inline(always)]
fn is_nan_32(bits: u32) -> bool {
    (bits & i32::MAX as u32) as i32 > 0x7f80_0000
}

#[inline(always)]
fn is_nan_64(bits: u64) -> bool {
    (bits & i64::MAX as u64) as i64 > 0x7ff0_0000_0000_0000
}

/// f32 to f64, exact; a NaN keeps its sign and payload, and is made quiet.
#[inline(always)]
pub(crate) fn widen(value: f32) -> f64 {
    let bits = u64::from(value.to_bits());
    let nan = (bits & 1 << 31) << 32 | (bits & 0x7f_ffff) << 29 | 0x7ff8_0000_0000_0000;
    let wide = if is_nan_32(value.to_bits()) { nan } else { f64::from(value).to_bits() };
    f64::from_bits(wide)
}

/// f64 to f32, to nearest even; a NaN keeps its sign and the top of its payload, and is made quiet.
#[inline(always)]
pub(crate) fn narrow(value: f64) -> f32 {
    let bits = value.to_bits();
    let nan = (bits >> 32) as u32 & 1 << 31 | (bits >> 29) as u32 & 0x7f_ffff | 0x7fc0_0000;
    f32::from_bits(if is_nan_64(bits) { nan } else { (value as f32).to_bits() })
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
            (if a.is_nan() { b } else { b_counts }).with_nan_of([b, a])
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
    Add [f32 f64] (|a: T, b: T| -> T { (a + b).with_nan_of([b, a]) });
    Sub [f32 f64] (|a: T, b: T| -> T { (a - b).with_nan_of([b, a]) });
    Mul [f32 f64] (|a: T, b: T| -> T { (a * b).with_nan_of([b, a]) });
    Div [f32 f64] (|a: T, b: T| -> T { (a / b).with_nan_of([a, b]) });
    MulAdd [f32 f64] (|a: T, b: T, c: T| -> T { a.mul_add(b, c).with_nan_of([b, c, a]) });
    Sqrt [f32 f64] (|a: T| -> T { a.sqrt().with_nan_of([a]) });
    Reciprocal [f32 f64] (|a: T| -> T { (1.0 / a).with_nan_of([a]) });
    ReciprocalSqrt [f32 f64] (|a: T| -> T { (1.0 / a.sqrt()).with_nan_of([a]) });
    Neg [f32 f64] (|a: T| -> T { (-a).with_nan_of([a]) });
    Abs [f32 f64] (|a: T| -> T { a.abs().with_nan_of([a]) });
    Min [f32 f64] (|a: T, b: T| -> T { a.min_number(b) });
    Max [f32 f64] (|a: T, b: T| -> T { a.max_number(b) });
    /// `min.NaN`: NaN if one operand is.
    MinNan [f32] (|a: T, b: T| -> T {
        if a.is_nan() || b.is_nan() { NAN_32 } else { a.min_number(b) }
    });
    MaxNan [f32] (|a: T, b: T| -> T {
        if a.is_nan() || b.is_nan() { NAN_32 } else { a.max_number(b) }
    });
    /// `copysign d, a, b`: the sign of `a`, the magnitude of `b`.
    CopySign [f32 f64] (|a: T, b: T| -> T { b.copysign(a) });
    Sin [f32] (|a: T| -> T { ((a as f64).sin() as T).with_nan_of([a]) });
    Cos [f32] (|a: T| -> T { ((a as f64).cos() as T).with_nan_of([a]) });
    Log2 [f32] (|a: T| -> T { ((a as f64).log2() as T).with_nan_of([a]) });
    Exp2 [f32] (|a: T| -> T { ((a as f64).exp2() as T).with_nan_of([a]) });
    Tanh [f32] (|a: T| -> T { ((a as f64).tanh() as T).with_nan_of([a]) });
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
