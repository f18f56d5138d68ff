//! Floating-point arithmetic. Only what is exact: for every operand, but for a NaN's bits, the
//! result is the same.

use super::{Rewrite, Simplifier, op, value};
use crate::ir::{Binary, Op, Type, Unary, Value};

impl Simplifier<'_> {
    /// The value of a float constant.
    fn float(&self, ty: Type, constant: Value) -> Option<f64> {
        let bits = self.constant(constant)?;
        Some(if ty == Type::F32 {
            f32::from_bits(bits as u32).into()
        } else {
            f64::from_bits(bits)
        })
    }

    fn negated(&self, value: Value) -> Option<Value> {
        match self.op(value) {
            Some(Op::Unary(Unary::Fneg, inner)) => Some(inner),
            _ => None,
        }
    }

    pub(super) fn float_binary(
        &mut self,
        binary: Binary,
        ty: Type,
        a: Value,
        b: Value,
    ) -> Option<Rewrite> {
        let (left, right) = (self.float(ty, a), self.float(ty, b));
        if binary.is_commutative() && left.is_some() && right.is_none() {
            return op(Op::Binary(binary, b, a));
        }
        match binary {
            Binary::Fadd => {
                if right.is_some_and(is_negative_zero) {
                    return value(a);
                }
                if let Some(b) = self.negated(b) {
                    return op(Op::Binary(Binary::Fsub, a, b));
                }
                let a = self.negated(a)?;
                op(Op::Binary(Binary::Fsub, b, a))
            }
            Binary::Fsub => {
                if right.is_some_and(is_positive_zero) {
                    return value(a);
                }
                if left.is_some_and(is_negative_zero) {
                    return op(Op::Unary(Unary::Fneg, b));
                }
                let b = self.negated(b)?;
                op(Op::Binary(Binary::Fadd, a, b))
            }
            Binary::Fmul => {
                if right == Some(1.0) {
                    return value(a);
                }
                if right == Some(-1.0) {
                    return op(Op::Unary(Unary::Fneg, a));
                }
                let (a, b) = (self.negated(a)?, self.negated(b)?);
                op(Op::Binary(Binary::Fmul, a, b))
            }
            Binary::Fdiv => {
                if right == Some(1.0) {
                    return value(a);
                }
                let bits = exact_reciprocal(ty, right?)?;
                let reciprocal = self.emit_const(ty, bits);
                op(Op::Binary(Binary::Fmul, a, reciprocal))
            }
            _ => None,
        }
    }

    pub(super) fn fma(&mut self, ty: Type, a: Value, b: Value, c: Value) -> Option<Rewrite> {
        let factor = self.float(ty, b);
        if self.constant(a).is_some() && factor.is_none() {
            return op(Op::Fma(b, a, c));
        }
        if factor == Some(1.0) {
            return op(Op::Binary(Binary::Fadd, a, c));
        }
        if factor == Some(-1.0) {
            return op(Op::Binary(Binary::Fsub, c, a));
        }
        if self.float(ty, c).is_some_and(is_negative_zero) {
            return op(Op::Binary(Binary::Fmul, a, b));
        }
        let (a, b) = (self.negated(a)?, self.negated(b)?);
        op(Op::Fma(a, b, c))
    }
}

fn is_negative_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_negative()
}

fn is_positive_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_positive()
}

/// The bits of `1 / divisor` where the division is a multiplication by it for all operands: the
/// divisor is a power of two, and neither number is subnormal.
fn exact_reciprocal(ty: Type, divisor: f64) -> Option<u64> {
    let reciprocal = divisor.recip();
    if ty == Type::F32 {
        let (divisor, reciprocal) = (divisor as f32, reciprocal as f32);
        let mantissa = divisor.to_bits() & 0x7f_ffff;
        let fits = mantissa == 0 && divisor.is_normal() && reciprocal.is_normal();
        fits.then(|| reciprocal.to_bits().into())
    } else {
        let mantissa = divisor.to_bits() & 0xf_ffff_ffff_ffff;
        let fits = mantissa == 0 && divisor.is_normal() && reciprocal.is_normal();
        fits.then(|| reciprocal.to_bits())
    }
}
