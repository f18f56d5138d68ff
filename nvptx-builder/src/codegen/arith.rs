//! Arithmetic, comparisons and selections.

use super::demand::inverted_operand;
use super::emit::Emitter;
use super::narrow::register;
use crate::ir::{Binary, Compare, Op, Type, Unary, Value};
use crate::ptx::Operand;

impl Emitter<'_> {
    pub(super) fn unary(&mut self, op: Unary, result: Value, a: Value) {
        let ty = self.ty(result);
        let wide = ty == Type::I64;
        let name = match op {
            Unary::Inot if ty == Type::I1 => {
                return match inverted_operand(self.selection, a, false) {
                    true => {
                        let (to, from) = (self.target(result), self.predicate(a, true));
                        self.instruction("mov.pred", vec![to, from]);
                    }
                    false => {
                        let (to, from) = (self.target(result), self.predicate(a, false));
                        self.instruction("not.pred", vec![to, from]);
                    }
                };
            }
            Unary::Ineg => if wide { "neg.s64" } else { "neg.s32" }.to_owned(),
            Unary::Inot => if wide { "not.b64" } else { "not.b32" }.to_owned(),
            Unary::Iabs => if wide { "abs.s64" } else { "abs.s32" }.to_owned(),
            Unary::Fneg => format!("neg.{ty}"),
            Unary::Fabs => format!("abs.{ty}"),
            Unary::Fsqrt => format!("sqrt.rn.{ty}"),
        };
        let source = if op == Unary::Iabs { self.read_signed(a) } else { self.read(a) };
        self.with_sources(&name, result, [source]);
    }

    pub(super) fn binary(&mut self, op: Binary, result: Value, a: Value, b: Value) {
        let ty = self.ty(result);
        let width = if ty == Type::I64 { "64" } else { "32" };
        let (name, signed) = match op {
            Binary::And | Binary::Or | Binary::Xor => {
                let width = if ty == Type::I1 {
                    "pred"
                } else if ty == Type::I64 {
                    "b64"
                } else {
                    "b32"
                };
                let sources = [self.read(a), self.read(b)];
                return self.with_sources(&format!("{}.{width}", bitwise(op)), result, sources);
            }
            Binary::Iadd | Binary::Isub | Binary::Imul => {
                let name = match op {
                    Binary::Iadd => "add.s",
                    Binary::Isub => "sub.s",
                    _ => "mul.lo.s",
                };
                let sources = [self.read(a), self.read(b)];
                return self.with_sources(&format!("{name}{width}"), result, sources);
            }
            Binary::Shl | Binary::Lshr | Binary::Ashr => return self.shift(op, result, a, b),
            Binary::Fadd | Binary::Fsub | Binary::Fmul | Binary::Fdiv => {
                let name = match op {
                    Binary::Fadd => "add",
                    Binary::Fsub => "sub",
                    Binary::Fmul => "mul",
                    _ => "div",
                };
                let sources = [self.read(a), self.read(b)];
                return self.with_sources(&format!("{name}.rn.{ty}"), result, sources);
            }
            Binary::Fmin | Binary::Fmax => {
                let name = if op == Binary::Fmin { "min" } else { "max" };
                let sources = [self.read(a), self.read(b)];
                return self.with_sources(&format!("{name}.{ty}"), result, sources);
            }
            // Expanded before.
            Binary::Frem => return,
            Binary::Sdiv => ("div", true),
            Binary::Udiv => ("div", false),
            Binary::Srem => ("rem", true),
            Binary::Urem => ("rem", false),
            Binary::Smin => ("min", true),
            Binary::Umin => ("min", false),
            Binary::Smax => ("max", true),
            Binary::Umax => ("max", false),
        };
        let sources = [self.read_as(a, signed), self.read_as(b, signed)];
        let sign = if signed { 's' } else { 'u' };
        self.with_sources(&format!("{name}.{sign}{width}"), result, sources);
    }

    /// The count is always a 32-bit operand.
    fn shift(&mut self, op: Binary, result: Value, a: Value, b: Value) {
        let wide = self.ty(result) == Type::I64;
        let value = match op {
            Binary::Ashr => self.read_signed(a),
            Binary::Lshr => self.read_unsigned(a),
            _ => self.read(a),
        };
        let mut count = self.read_unsigned(b);
        if wide && matches!(count, Operand::Name(_)) {
            let short = self.registers.temporary(Type::I32);
            self.instruction("cvt.u32.u64", vec![register(&short), count]);
            count = register(&short);
        }
        let name = match (op, wide) {
            (Binary::Ashr, false) => "shr.s32",
            (Binary::Ashr, true) => "shr.s64",
            (Binary::Lshr, false) => "shr.u32",
            (Binary::Lshr, true) => "shr.u64",
            (_, false) => "shl.b32",
            (_, true) => "shl.b64",
        };
        self.with_sources(name, result, [value, count]);
    }

    pub(super) fn compare(&mut self, op: Compare, target: Operand, a: Value, b: Value) {
        let ty = self.ty(a);
        if ty == Type::I1 {
            let sources = [self.read(a), self.read(b)];
            let mut operands = vec![target.clone()];
            operands.extend(sources);
            self.instruction("xor.pred", operands);
            if op == Compare::Eq {
                self.instruction("not.pred", vec![target.clone(), target]);
            }
            return;
        }
        let (name, signed) = comparison(op);
        let operands = if ty.is_float() {
            vec![target, self.read(a), self.read(b)]
        } else {
            let signed = signed.unwrap_or_else(|| self.selection.equality_is_signed(a, b));
            vec![target, self.read_as(a, signed), self.read_as(b, signed)]
        };
        let ty = if ty.is_float() {
            ty.name()
        } else {
            match (signed != Some(false), ty == Type::I64) {
                (true, true) => "s64",
                (true, false) => "s32",
                (false, true) => "u64",
                (false, false) => "u32",
            }
        };
        self.instruction(&format!("setp.{name}.{ty}"), operands);
    }

    /// A truth value, or its opposite, in a register.
    pub(super) fn predicate(&mut self, value: Value, inverse: bool) -> Operand {
        match (self.selection.constant(value), inverse) {
            (Some(bits), true) => {
                let to = self.registers.temporary(Type::I1);
                let operands = vec![register(&to), Operand::Int((bits ^ 1).into())];
                self.instruction("mov.pred", operands);
                register(&to)
            }
            (None, true) => Operand::Name(self.registers.of_inverse(value)),
            (_, false) => self.read(value),
        }
    }

    /// Computes the opposite of a truth value.
    pub(super) fn opposite(&mut self, result: Value, op: Op) {
        let target = Operand::Name(self.registers.of_inverse(result));
        match op {
            Op::Compare(op, a, b) => self.compare(op.inverse(), target, a, b),
            Op::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let sources = [self.predicate(a, true), self.predicate(b, true)];
                let name = if op == Binary::And { "or.pred" } else { "and.pred" };
                let mut operands = vec![target];
                operands.extend(sources);
                self.instruction(name, operands);
            }
            Op::Unary(Unary::Inot, a) => {
                let from = self.predicate(a, false);
                self.instruction("mov.pred", vec![target, from]);
            }
            _ => {}
        }
    }

    pub(super) fn select(&mut self, result: Value, condition: Value, a: Value, b: Value) {
        let ty = self.ty(result);
        let name = match ty {
            Type::I1 => return self.select_predicate(result, condition, a, b),
            Type::I64 => "selp.b64",
            Type::F32 => "selp.f32",
            Type::F64 => "selp.f64",
            _ => "selp.b32",
        };
        let sources = [self.read(a), self.read(b), self.read(condition)];
        self.with_sources(name, result, sources);
    }

    /// `condition && a || !condition && b`
    fn select_predicate(&mut self, result: Value, condition: Value, a: Value, b: Value) {
        let [c, a, b] = [condition, a, b].map(|value| self.read(value));
        let [yes, not, no] = [(); 3].map(|()| register(&self.registers.temporary(Type::I1)));
        self.instruction("and.pred", vec![yes.clone(), c.clone(), a]);
        self.instruction("not.pred", vec![not.clone(), c]);
        self.instruction("and.pred", vec![no.clone(), not, b]);
        self.with_sources("or.pred", result, [yes, no]);
    }
}

fn bitwise(op: Binary) -> &'static str {
    match op {
        Binary::And => "and",
        Binary::Or => "or",
        _ => "xor",
    }
}

/// PTX's name, and for an order of integers its signedness.
fn comparison(op: Compare) -> (&'static str, Option<bool>) {
    match op {
        Compare::Eq => ("eq", None),
        Compare::Ne => ("ne", None),
        Compare::Slt => ("lt", Some(true)),
        Compare::Sle => ("le", Some(true)),
        Compare::Sgt => ("gt", Some(true)),
        Compare::Sge => ("ge", Some(true)),
        Compare::Ult => ("lt", Some(false)),
        Compare::Ule => ("le", Some(false)),
        Compare::Ugt => ("gt", Some(false)),
        Compare::Uge => ("ge", Some(false)),
        Compare::Feq => ("eq", None),
        // Rust's `!=` is true where one side is NaN.
        Compare::Fne => ("neu", None),
        Compare::Flt => ("lt", None),
        Compare::Fle => ("le", None),
        Compare::Fgt => ("gt", None),
        Compare::Fge => ("ge", None),
        Compare::Fult => ("ltu", None),
        Compare::Fule => ("leu", None),
        Compare::Fugt => ("gtu", None),
        Compare::Fuge => ("geu", None),
    }
}
