//! Arithmetic, comparisons and casts, with the checks that Rust makes.

use super::{Lowerer, int_type, scalar_type};
use crate::hir::{BinOp, CmpOp, Expr, Ty, UnOp};
use crate::ir::{Binary, Compare, Convert, Op, Type, Unary, Value, evaluate};

impl Lowerer<'_> {
    pub(super) fn unary(&mut self, op: UnOp, operand: &Expr, ty: Type) -> Value {
        let value = self.scalar(operand);
        let op = match op {
            UnOp::Not => Unary::Inot,
            UnOp::Neg if ty.is_float() => Unary::Fneg,
            UnOp::Neg => Unary::Ineg,
        };
        match self.ssa.bits_of(value) {
            Some(bits) => self.ssa.constant(ty, evaluate::unary(op, ty, bits)),
            None => self.ssa.push(Op::Unary(op, value), ty),
        }
    }

    /// `x op y`; the type of `y` differs only for shifts.
    pub(super) fn binary(
        &mut self,
        op: BinOp,
        ty: &Ty,
        x: Value,
        (y, y_ty): (Value, &Ty),
    ) -> Value {
        let signed = is_signed(ty);
        let float = matches!(ty, Ty::Float(_));
        let bits = scalar_type(ty);
        let op = match op {
            BinOp::Add if float => Binary::Fadd,
            BinOp::Sub if float => Binary::Fsub,
            BinOp::Mul if float => Binary::Fmul,
            BinOp::Div if float => Binary::Fdiv,
            BinOp::Rem if float => Binary::Frem,
            BinOp::Add => Binary::Iadd,
            BinOp::Sub => Binary::Isub,
            BinOp::Mul => Binary::Imul,
            BinOp::Div => {
                self.check_division("divide", x, y, bits, signed);
                if signed { Binary::Sdiv } else { Binary::Udiv }
            }
            BinOp::Rem => {
                self.check_division("calculate the remainder", x, y, bits, signed);
                if signed { Binary::Srem } else { Binary::Urem }
            }
            BinOp::BitAnd => Binary::And,
            BinOp::BitOr => Binary::Or,
            BinOp::BitXor => Binary::Xor,
            BinOp::Shl | BinOp::Shr => {
                let count = self.shift_count(y, y_ty, bits);
                let op = match op {
                    BinOp::Shl => Binary::Shl,
                    _ if signed => Binary::Ashr,
                    _ => Binary::Lshr,
                };
                return self.fold(op, x, count, bits);
            }
        };
        self.fold(op, x, y, bits)
    }

    /// An operation, at once where both operands are constant integers.
    fn fold(&mut self, op: Binary, x: Value, y: Value, ty: Type) -> Value {
        let known = match (self.ssa.bits_of(x), self.ssa.bits_of(y)) {
            (Some(x), Some(y)) if !ty.is_float() => evaluate::binary(op, ty, x, y),
            _ => None,
        };
        match known {
            Some(bits) => self.ssa.constant(ty, bits),
            None => self.ssa.push(Op::Binary(op, x, y), ty),
        }
    }

    /// Rust masks the count of a shift with the width of what is shifted.
    fn shift_count(&mut self, count: Value, count_ty: &Ty, ty: Type) -> Value {
        let mask = u64::from(ty.bits() - 1);
        if let Some(bits) = self.ssa.bits_of(count) {
            return self.ssa.constant(ty, bits & mask);
        }
        // The mask keeps six bits at most, so that how the count is extended does not matter.
        let from = scalar_type(count_ty);
        let count = match from.bits() {
            width if width < ty.bits() => self.ssa.push(Op::Convert(Convert::Zext, count), ty),
            width if width > ty.bits() => self.ssa.push(Op::Convert(Convert::Trunc, count), ty),
            _ => count,
        };
        let mask = self.ssa.constant(ty, mask);
        self.ssa.push(Op::Binary(Binary::And, count, mask), ty)
    }

    /// The two ways in which a division panics, first the zero divisor, as in Rust.
    fn check_division(&mut self, what: &str, x: Value, y: Value, ty: Type, signed: bool) {
        let (dividend, divisor) = (self.ssa.bits_of(x), self.ssa.bits_of(y));
        if divisor.is_none_or(|bits| bits == 0) {
            let zero = self.ssa.constant(ty, 0);
            let holds = self.ssa.push(Op::Compare(Compare::Ne, y, zero), Type::I1);
            let message = match what {
                "divide" => "attempt to divide by zero",
                _ => "attempt to calculate the remainder with a divisor of zero",
            };
            self.panic_unless(holds, message, Vec::new());
        }
        let (min, minus_one) = (evaluate::sign_bit(ty), ty.mask());
        let possible =
            dividend.is_none_or(|bits| bits == min) && divisor.is_none_or(|bits| bits == minus_one);
        if signed && possible {
            let min = self.ssa.constant(ty, min);
            let minus_one = self.ssa.constant(ty, minus_one);
            let other_dividend = self.ssa.push(Op::Compare(Compare::Ne, x, min), Type::I1);
            let other_divisor = self.ssa.push(Op::Compare(Compare::Ne, y, minus_one), Type::I1);
            let holds =
                self.ssa.push(Op::Binary(Binary::Or, other_dividend, other_divisor), Type::I1);
            self.panic_unless(holds, &format!("attempt to {what} with overflow"), Vec::new());
        }
    }

    pub(super) fn compare(&mut self, op: CmpOp, ty: &Ty, x: Value, y: Value) -> Value {
        let op = match (op, ty) {
            (_, Ty::Bool) => return self.compare_bools(op, x, y),
            (CmpOp::Eq, Ty::Float(_)) => Compare::Feq,
            (CmpOp::Ne, Ty::Float(_)) => Compare::Fne,
            (CmpOp::Lt, Ty::Float(_)) => Compare::Flt,
            (CmpOp::Le, Ty::Float(_)) => Compare::Fle,
            (CmpOp::Gt, Ty::Float(_)) => Compare::Fgt,
            (CmpOp::Ge, Ty::Float(_)) => Compare::Fge,
            (CmpOp::Eq, _) => Compare::Eq,
            (CmpOp::Ne, _) => Compare::Ne,
            (CmpOp::Lt, ty) if is_signed(ty) => Compare::Slt,
            (CmpOp::Le, ty) if is_signed(ty) => Compare::Sle,
            (CmpOp::Gt, ty) if is_signed(ty) => Compare::Sgt,
            (CmpOp::Ge, ty) if is_signed(ty) => Compare::Sge,
            (CmpOp::Lt, _) => Compare::Ult,
            (CmpOp::Le, _) => Compare::Ule,
            (CmpOp::Gt, _) => Compare::Ugt,
            (CmpOp::Ge, _) => Compare::Uge,
        };
        self.compare_ints(op, x, y, scalar_type(ty))
    }

    /// A comparison, at once where both operands are constant integers.
    pub(super) fn compare_ints(&mut self, op: Compare, x: Value, y: Value, ty: Type) -> Value {
        match (self.ssa.bits_of(x), self.ssa.bits_of(y)) {
            (Some(x), Some(y)) if ty.is_int() => {
                self.ssa.constant(Type::I1, u64::from(evaluate::compare(op, ty, x, y)))
            }
            _ => self.ssa.push(Op::Compare(op, x, y), Type::I1),
        }
    }

    /// `false < true`
    fn compare_bools(&mut self, op: CmpOp, x: Value, y: Value) -> Value {
        let (negated, op, other) = match op {
            CmpOp::Eq => return self.ssa.push(Op::Compare(Compare::Eq, x, y), Type::I1),
            CmpOp::Ne => return self.ssa.push(Op::Compare(Compare::Ne, x, y), Type::I1),
            CmpOp::Lt => (x, Binary::And, y),
            CmpOp::Le => (x, Binary::Or, y),
            CmpOp::Gt => (y, Binary::And, x),
            CmpOp::Ge => (y, Binary::Or, x),
        };
        let not = self.ssa.push(Op::Unary(Unary::Inot, negated), Type::I1);
        self.ssa.push(Op::Binary(op, not, other), Type::I1)
    }

    pub(super) fn cast(&mut self, value: Value, from: &Ty, to: &Ty) -> Value {
        let (from_type, to_type) = (scalar_type(from), scalar_type(to));
        let op = match (from, to) {
            (Ty::Float(_), Ty::Float(_)) if from_type.bits() < to_type.bits() => Convert::Fext,
            (Ty::Float(_), Ty::Float(_)) => Convert::Ftrunc,
            (Ty::Float(_), to) if is_signed(to) => Convert::FloatToSint,
            (Ty::Float(_), _) => Convert::FloatToUint,
            (from, Ty::Float(_)) if is_signed(from) => Convert::SintToFloat,
            (_, Ty::Float(_)) => Convert::UintToFloat,
            _ if from_type.bits() > to_type.bits() => Convert::Trunc,
            (from, _) if is_signed(from) => Convert::Sext,
            _ => Convert::Zext,
        };
        if from_type == to_type {
            return value;
        }
        self.convert(op, value, from_type, to_type)
    }

    /// A conversion, at once where the operand is constant.
    pub(super) fn convert(&mut self, op: Convert, value: Value, from: Type, to: Type) -> Value {
        match self.ssa.bits_of(value) {
            Some(bits) if !from.is_float() || op == Convert::Bitcast => {
                self.ssa.constant(to, evaluate::convert(op, from, to, bits))
            }
            _ => self.ssa.push(Op::Convert(op, value), to),
        }
    }
}

pub(super) fn is_signed(ty: &Ty) -> bool {
    matches!(ty, Ty::Int(int) if int.signed())
}

/// Whether a scalar of this type is an integer, and which.
pub(super) fn as_int(ty: &Ty) -> Option<(Type, bool)> {
    match ty {
        Ty::Int(int) => Some((int_type(*int), int.signed())),
        _ => None,
    }
}
