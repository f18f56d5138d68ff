//! Negations, comparisons and selects.

use super::{Rewrite, Simplifier, op, value};
use crate::ir::{Binary, Compare, Convert, Op, Type, Unary, Value, evaluate};

impl Simplifier<'_> {
    pub(super) fn unary(&mut self, unary: Unary, ty: Type, a: Value) -> Option<Rewrite> {
        match (unary, self.op(a)?) {
            (Unary::Ineg | Unary::Inot | Unary::Fneg, Op::Unary(inner, b)) if inner == unary => {
                value(b)
            }
            (Unary::Fabs | Unary::Iabs, Op::Unary(inner, _)) if inner == unary => value(a),
            (Unary::Fabs, Op::Unary(Unary::Fneg, b)) => op(Op::Unary(unary, b)),
            (Unary::Iabs, Op::Unary(Unary::Ineg, b)) => op(Op::Unary(unary, b)),
            (Unary::Ineg, Op::Binary(Binary::Isub, x, y)) => op(Op::Binary(Binary::Isub, y, x)),
            (Unary::Inot, Op::Compare(compare, x, y)) if ty == Type::I1 => {
                op(Op::Compare(compare.inverse(), x, y))
            }
            _ => None,
        }
    }

    pub(super) fn compare(&mut self, compare: Compare, a: Value, b: Value) -> Option<Rewrite> {
        if compare.is_float() {
            return None;
        }
        let (left, right) = (self.constant(a), self.constant(b));
        if left.is_some() && right.is_none() {
            return op(Op::Compare(compare.swapped(), b, a));
        }
        if a == b {
            return op(Op::Const(evaluate::compare(compare, Type::I64, 0, 0).into()));
        }
        let ty = self.function.ty(a);
        match right {
            Some(right) => self.compare_with_constant(compare, ty, a, b, right),
            None => self.compare_extended(compare, a, b),
        }
    }

    fn compare_with_constant(
        &mut self,
        compare: Compare,
        ty: Type,
        a: Value,
        b: Value,
        right: u64,
    ) -> Option<Rewrite> {
        use Compare::*;
        let ones = ty.mask();
        match (compare, right) {
            (Ult, 0) => return op(Op::Const(0)),
            (Uge, 0) => return op(Op::Const(1)),
            (Ugt, _) if right == ones => return op(Op::Const(0)),
            (Ule, _) if right == ones => return op(Op::Const(1)),
            (Ule, 0) => return op(Op::Compare(Eq, a, b)),
            (Ugt, 0) => return op(Op::Compare(Ne, a, b)),
            (Ult, 1) => {
                let zero = self.emit_const(ty, 0);
                return op(Op::Compare(Eq, a, zero));
            }
            (Uge, 1) => {
                let zero = self.emit_const(ty, 0);
                return op(Op::Compare(Ne, a, zero));
            }
            (Eq, 1) | (Ne, 0) if ty == Type::I1 => return value(a),
            (Eq, 0) | (Ne, 1) if ty == Type::I1 => return op(Op::Unary(Unary::Inot, a)),
            _ => {}
        }
        let equality = matches!(compare, Eq | Ne);
        match self.op(a)? {
            // Equal to a zero extension of something narrower, or out of its reach.
            Op::Convert(Convert::Zext, narrow) => {
                let from = self.function.ty(narrow);
                if right & !from.mask() == 0 {
                    if from == Type::I1 && !equality {
                        return None;
                    }
                    let right = self.emit_const(from, right);
                    return op(Op::Compare(unsigned(compare), narrow, right));
                }
                let signed_right = evaluate::sign_extend(ty, right);
                let below = match compare {
                    Slt | Sle | Sgt | Sge => signed_right > 0,
                    _ => true,
                };
                // The constant is above, or below, all that the left side can be.
                let holds = match compare {
                    Eq => false,
                    Ne => true,
                    Ult | Ule | Slt | Sle => below,
                    _ => !below,
                };
                op(Op::Const(holds.into()))
            }
            Op::Convert(Convert::Sext, narrow) => {
                let from = self.function.ty(narrow);
                let bits = right & from.mask();
                if evaluate::sign_extend(from, bits) != evaluate::sign_extend(ty, right) {
                    return None;
                }
                let right = self.emit_const(from, bits);
                op(Op::Compare(compare, narrow, right))
            }
            Op::Binary(Binary::Iadd, x, y) if equality => {
                let right = right.wrapping_sub(self.constant(y)?);
                let right = self.emit_const(ty, right);
                op(Op::Compare(compare, x, right))
            }
            Op::Binary(Binary::Isub | Binary::Xor, x, y) if equality && right == 0 => {
                op(Op::Compare(compare, x, y))
            }
            _ => None,
        }
    }

    /// A comparison of two numbers extended in one way is one of the numbers.
    fn compare_extended(&mut self, compare: Compare, a: Value, b: Value) -> Option<Rewrite> {
        match (self.op(a)?, self.op(b)?) {
            (Op::Convert(Convert::Zext, x), Op::Convert(Convert::Zext, y)) => {
                let ty = self.function.ty(x);
                let fits = ty != Type::I1 || matches!(compare, Compare::Eq | Compare::Ne);
                if ty != self.function.ty(y) || !fits {
                    return None;
                }
                op(Op::Compare(unsigned(compare), x, y))
            }
            (Op::Convert(Convert::Sext, x), Op::Convert(Convert::Sext, y)) => {
                if self.function.ty(x) != self.function.ty(y) {
                    return None;
                }
                op(Op::Compare(compare, x, y))
            }
            _ => None,
        }
    }

    pub(super) fn select(
        &mut self,
        ty: Type,
        condition: Value,
        a: Value,
        b: Value,
    ) -> Option<Rewrite> {
        match self.constant(condition) {
            Some(0) => return value(b),
            Some(_) => return value(a),
            None => {}
        }
        if a == b {
            return value(a);
        }
        if let Some(Op::Unary(Unary::Inot, inner)) = self.op(condition) {
            return op(Op::Select(inner, b, a));
        }
        if ty != Type::I1 {
            return None;
        }
        match (self.constant(a), self.constant(b)) {
            (Some(1), Some(0)) => value(condition),
            (Some(0), Some(1)) => op(Op::Unary(Unary::Inot, condition)),
            (None, Some(0)) => op(Op::Binary(Binary::And, condition, a)),
            (Some(1), None) => op(Op::Binary(Binary::Or, condition, b)),
            (Some(0), None) => {
                let not = self.emit(Op::Unary(Unary::Inot, condition), Type::I1);
                op(Op::Binary(Binary::And, not, b))
            }
            (None, Some(1)) => {
                let not = self.emit(Op::Unary(Unary::Inot, condition), Type::I1);
                op(Op::Binary(Binary::Or, not, a))
            }
            _ => None,
        }
    }
}

/// The comparison of non-negative numbers.
fn unsigned(compare: Compare) -> Compare {
    match compare {
        Compare::Slt => Compare::Ult,
        Compare::Sle => Compare::Ule,
        Compare::Sgt => Compare::Ugt,
        Compare::Sge => Compare::Uge,
        other => other,
    }
}
