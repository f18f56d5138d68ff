//! Integer arithmetic.

use super::{Rewrite, Simplifier, op, value};
use crate::ir::{Binary, Convert, Op, Type, Unary, Value, evaluate};

impl Simplifier<'_> {
    pub(super) fn integer_binary(
        &mut self,
        binary: Binary,
        ty: Type,
        a: Value,
        b: Value,
    ) -> Option<Rewrite> {
        let (left, right) = (self.constant(a), self.constant(b));
        // Constants to the right.
        if binary.is_commutative() && left.is_some() && right.is_none() {
            return op(Op::Binary(binary, b, a));
        }
        if a == b
            && let Some(rewrite) = Self::equal_operands(binary, a)
        {
            return Some(rewrite);
        }
        if binary == Binary::Isub && left == Some(0) {
            return op(Op::Unary(Unary::Ineg, b));
        }
        if left == Some(0) && matches!(binary, Binary::Shl | Binary::Lshr | Binary::Ashr) {
            return value(a);
        }
        match right {
            Some(right) => self.with_constant(binary, ty, a, b, right),
            None => self.without_constant(binary, a, b),
        }
    }

    fn equal_operands(binary: Binary, a: Value) -> Option<Rewrite> {
        use Binary::*;
        match binary {
            And | Or | Smin | Smax | Umin | Umax => value(a),
            Isub | Xor => op(Op::Const(0)),
            _ => None,
        }
    }

    fn without_constant(&self, binary: Binary, a: Value, b: Value) -> Option<Rewrite> {
        match (binary, self.op(a), self.op(b)) {
            // a + -b, a - -b
            (Binary::Iadd, _, Some(Op::Unary(Unary::Ineg, b))) => {
                op(Op::Binary(Binary::Isub, a, b))
            }
            (Binary::Iadd, Some(Op::Unary(Unary::Ineg, a)), _) => {
                op(Op::Binary(Binary::Isub, b, a))
            }
            (Binary::Isub, _, Some(Op::Unary(Unary::Ineg, b))) => {
                op(Op::Binary(Binary::Iadd, a, b))
            }
            // (a - b) + b, (a + b) - b
            (Binary::Iadd, Some(Op::Binary(Binary::Isub, x, y)), _) if y == b => value(x),
            (Binary::Iadd, _, Some(Op::Binary(Binary::Isub, x, y))) if y == a => value(x),
            (Binary::Isub, Some(Op::Binary(Binary::Iadd, x, y)), _) if y == b => value(x),
            (Binary::Isub, Some(Op::Binary(Binary::Iadd, x, y)), _) if x == b => value(y),
            _ => None,
        }
    }

    /// `b` is the constant `right`; `a` is none.
    fn with_constant(
        &mut self,
        binary: Binary,
        ty: Type,
        a: Value,
        b: Value,
        right: u64,
    ) -> Option<Rewrite> {
        use Binary::*;
        let ones = ty.mask();
        let power = right.is_power_of_two().then(|| u64::from(right.trailing_zeros()));
        match binary {
            Iadd | Isub | Or | Xor | Shl | Lshr | Ashr | Umax if right == 0 => return value(a),
            Imul | Sdiv | Udiv if right == 1 => return value(a),
            Imul | And | Umin if right == 0 => return value(b),
            Urem | Srem if right == 1 => return op(Op::Const(0)),
            And | Umin if right == ones => return value(a),
            Or | Umax if right == ones => return value(b),
            Xor if right == ones => return op(Op::Unary(Unary::Inot, a)),
            Imul if right == ones => {
                return op(Op::Unary(Unary::Ineg, a));
            }
            Isub => {
                let negated = self.emit_const(ty, right.wrapping_neg());
                return op(Op::Binary(Iadd, a, negated));
            }
            Imul | Udiv => {
                if let Some(power) = power {
                    let count = self.emit_const(ty, power);
                    let shift = if binary == Imul { Shl } else { Lshr };
                    return op(Op::Binary(shift, a, count));
                }
            }
            Urem if power.is_some() => {
                let mask = self.emit_const(ty, right - 1);
                return op(Op::Binary(And, a, mask));
            }
            _ => {}
        }
        self.collect_constants(binary, ty, a, right)
    }

    /// `(x op c) op d` with one constant.
    fn collect_constants(
        &mut self,
        binary: Binary,
        ty: Type,
        a: Value,
        right: u64,
    ) -> Option<Rewrite> {
        use Binary::*;
        let width = u64::from(ty.bits());
        if let Some(Op::Convert(Convert::Zext, narrow)) = self.op(a)
            && binary == And
        {
            // A mask that keeps all that a zero extension can have set.
            let kept = self.function.ty(narrow).mask();
            if right & kept == kept {
                return value(a);
            }
        }
        let Some(Op::Binary(inner, x, y)) = self.op(a) else { return None };
        let left = self.constant(y)?;
        let (outer, bits) = match (inner, binary) {
            (Iadd, Iadd)
            | (Imul, Imul)
            | (And, And)
            | (Or, Or)
            | (Xor, Xor)
            | (Umin, Umin)
            | (Umax, Umax)
            | (Smin, Smin)
            | (Smax, Smax) => (binary, evaluate::binary(binary, ty, left, right)?),
            (Shl, Shl) | (Lshr, Lshr) if left + right < width => (binary, left + right),
            (Shl, Shl) | (Lshr, Lshr) => return op(Op::Const(0)),
            (Ashr, Ashr) => (Ashr, (left + right).min(width - 1)),
            (Shl, Imul) => (Imul, evaluate::binary(Shl, ty, right, left)?),
            (Imul, Shl) => (Imul, evaluate::binary(Shl, ty, left, right)?),
            // The bits that went out and come back as zeros.
            (Shl, Lshr) if left == right => (And, ty.mask() >> right),
            (Lshr, Shl) if left == right => (And, (ty.mask() << right) & ty.mask()),
            _ => return None,
        };
        let constant = self.emit_const(ty, bits);
        op(Op::Binary(outer, x, constant))
    }

    pub(super) fn wide_mul(&mut self, signed: bool, a: Value, b: Value) -> Option<Rewrite> {
        let (left, right) = (self.constant(a), self.constant(b));
        if left.is_some() && right.is_none() {
            return op(Op::WideMul { signed, a: b, b: a });
        }
        match right? {
            0 => op(Op::Const(0)),
            1 => op(Op::Convert(if signed { Convert::Sext } else { Convert::Zext }, a)),
            _ => None,
        }
    }
}
