//! The shapes of f64 arithmetic.
//!
//! Which NaN an operation gives takes longer to find out than its result, and is seldom asked for: the
//! lanes are computed as if it did not matter, and once more if one of them is NaN.

use super::context::Context;
use super::float::{Abs, Add, Div, Mul, MulAdd, Neg, Reciprocal, Sqrt, Sub};
use super::isa::handler;
use super::lanes::LANES;
use super::shapes::{Binary, Ternary, Unary};
use crate::program::Op;

/// A one-operand operation with a fast form.
pub(crate) trait FastUnary: Unary<A = f64, D = f64> {
    /// As [`Unary::apply`], but with any NaN for a NaN.
    fn fast(a: f64) -> f64;
}

/// A two-operand operation with a fast form.
pub(crate) trait FastBinary: Binary<A = f64, B = f64, D = f64> {
    /// As [`Binary::apply`], but with any NaN for a NaN.
    fn fast(a: f64, b: f64) -> f64;
}

/// A three-operand operation with a fast form.
pub(crate) trait FastTernary: Ternary<A = f64, B = f64, C = f64, D = f64> {
    /// As [`Ternary::apply`], but with any NaN for a NaN.
    fn fast(a: f64, b: f64, c: f64) -> f64;
}

macro_rules! fast {
    ($($shape:ident $operation:ident = |$($operand:ident),+| $result:expr;)*) => {$(
        impl $shape for $operation<f64> {
            #[inline(always)]
            fn fast($($operand: f64),+) -> f64 {
                $result
            }
        }
    )*};
}

fast! {
    FastUnary Sqrt = |a| a.sqrt();
    FastUnary Reciprocal = |a| 1.0 / a;
    FastUnary Neg = |a| -a;
    FastUnary Abs = |a| a.abs();
    FastBinary Add = |a, b| a + b;
    FastBinary Sub = |a, b| a - b;
    FastBinary Mul = |a, b| a * b;
    FastBinary Div = |a, b| a / b;
    FastTernary MulAdd = |a, b, c| a.mul_add(b, c);
}

/// Whether any lane is NaN.
#[inline(always)]
fn any_nan(lanes: &[u64; LANES]) -> bool {
    // As many flags as a vector register has lanes: one flag for all takes twice as long.
    let mut any = [0u64; 4];
    for four in lanes.as_chunks::<4>().0 {
        for (any, bits) in any.iter_mut().zip(four) {
            *any |= u64::from(f64::from_bits(*bits).is_nan()).wrapping_neg();
        }
    }
    any != [0; 4]
}

handler! {
    /// Slots d, a.
    double_unary [O: FastUnary] [O] = run_unary
}

#[inline(always)]
unsafe fn run_unary<O: FastUnary>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, ..] = op.slots;
    let mut out = [0; LANES];
    // SAFETY: `Handler`'s contract: the slots have these widths.
    unsafe {
        let a = cx.get::<f64>(a);
        for lane in 0..LANES {
            out[lane] = O::fast(f64::from_bits(a[lane])).to_bits();
        }
        if any_nan(&out) {
            for lane in 0..LANES {
                out[lane] = O::apply(f64::from_bits(a[lane])).to_bits();
            }
        }
        cx.set(d, &out, mask);
    }
    true
}

handler! {
    /// Slots d, a, b.
    double_binary [O: FastBinary] [O] = run_binary
}

#[inline(always)]
unsafe fn run_binary<O: FastBinary>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, ..] = op.slots;
    let mut out = [0; LANES];
    // SAFETY: `Handler`'s contract: the slots have these widths.
    unsafe {
        let (a, b) = (cx.get::<f64>(a), cx.get::<f64>(b));
        for lane in 0..LANES {
            out[lane] = O::fast(f64::from_bits(a[lane]), f64::from_bits(b[lane])).to_bits();
        }
        if any_nan(&out) {
            for lane in 0..LANES {
                out[lane] = O::apply(f64::from_bits(a[lane]), f64::from_bits(b[lane])).to_bits();
            }
        }
        cx.set(d, &out, mask);
    }
    true
}

handler! {
    /// Slots d, a, b, c.
    double_ternary [O: FastTernary] [O] = run_ternary
}

#[inline(always)]
unsafe fn run_ternary<O: FastTernary>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, c, ..] = op.slots;
    let mut out = [0; LANES];
    // SAFETY: `Handler`'s contract: the slots have these widths.
    unsafe {
        let (a, b, c) = (cx.get::<f64>(a), cx.get::<f64>(b), cx.get::<f64>(c));
        let operands = |lane: usize| [a[lane], b[lane], c[lane]].map(f64::from_bits);
        for lane in 0..LANES {
            let [a, b, c] = operands(lane);
            out[lane] = O::fast(a, b, c).to_bits();
        }
        if any_nan(&out) {
            for lane in 0..LANES {
                let [a, b, c] = operands(lane);
                out[lane] = O::apply(a, b, c).to_bits();
            }
        }
        cx.set(d, &out, mask);
    }
    true
}
