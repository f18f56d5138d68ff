//! Conversions.

use super::emit::Emitter;
use super::narrow::register;
use crate::ir::{Convert, Type, Value};
use crate::ptx::Operand;

impl Emitter<'_> {
    pub(super) fn convert(&mut self, op: Convert, result: Value, a: Value) {
        let (from, to) = (self.ty(a), self.ty(result));
        let target = self.target(result);
        match op {
            Convert::Zext if from == Type::I1 => {
                let predicate = self.read(a);
                let select = if to == Type::I64 { "selp.u64" } else { "selp.u32" };
                self.instruction(select, vec![target, Operand::Int(1), Operand::Int(0), predicate]);
            }
            Convert::Zext => {
                let value = self.read(a);
                match (from, to) {
                    (Type::I32, _) => self.instruction("cvt.u64.u32", vec![target, value]),
                    (Type::I16, Type::I64) => self.instruction("cvt.u64.u16", vec![target, value]),
                    (_, Type::I64) => self.instruction("cvt.u64.u8", vec![target, value]),
                    (from, _) => {
                        let mask = Operand::Int(from.mask().into());
                        self.instruction("and.b32", vec![target, value, mask]);
                    }
                }
            }
            Convert::Sext => {
                let value = self.read(a);
                let from = if from == Type::I32 { "s32" } else { narrow_type(true, from) };
                let to = if to == Type::I64 { "s64" } else { "s32" };
                self.instruction(&format!("cvt.{to}.{from}"), vec![target, value]);
            }
            // From fewer bits it is the same register.
            Convert::Trunc => {
                let value = self.read(a);
                self.instruction("cvt.u32.u64", vec![target, value]);
            }
            Convert::SintToFloat | Convert::UintToFloat => {
                let signed = op == Convert::SintToFloat;
                let value = self.read_as(a, signed);
                let sign = if signed { 's' } else { 'u' };
                let width = if from == Type::I64 { 64 } else { 32 };
                self.instruction(&format!("cvt.rn.{to}.{sign}{width}"), vec![target, value]);
            }
            Convert::FloatToSint | Convert::FloatToUint => {
                self.float_to_int(op == Convert::FloatToSint, (target, to), a);
            }
            Convert::Fext => {
                let value = self.read(a);
                self.instruction("cvt.f64.f32", vec![target, value]);
            }
            Convert::Ftrunc => {
                let value = self.read(a);
                self.instruction("cvt.rn.f32.f64", vec![target, value]);
            }
            Convert::Bitcast => {
                let value = self.read(a);
                let width = if from.bits() == 64 { "mov.b64" } else { "mov.b32" };
                self.instruction(width, vec![target, value]);
            }
        }
    }

    /// PTX saturates, as Rust does. A NaN gives 0 from f32 to 32 bits or fewer, but `1 << (n - 1)`
    /// otherwise (*PTX ISA*, `cvt`), so that the other cases select.
    fn float_to_int(&mut self, signed: bool, (target, to): (Operand, Type), a: Value) {
        let from = self.ty(a);
        let value = self.read(a);
        let convert = format!("cvt.rzi.{}.{from}", narrow_type(signed, to));
        if from == Type::F32 && to != Type::I64 {
            return self.instruction(&convert, vec![target, value]);
        }
        let saturated = self.registers.temporary(to);
        self.instruction(&convert, vec![register(&saturated), value.clone()]);
        let nan = self.registers.temporary(Type::I1);
        self.instruction(&format!("setp.nan.{from}"), vec![register(&nan), value.clone(), value]);
        let select = if to == Type::I64 { "selp.b64" } else { "selp.b32" };
        let operands = vec![target, Operand::Int(0), register(&saturated), register(&nan)];
        self.instruction(select, operands);
    }
}

/// An integer type as PTX has it.
pub(super) fn narrow_type(signed: bool, ty: Type) -> &'static str {
    match (signed, ty) {
        (true, Type::I8) => "s8",
        (true, Type::I16) => "s16",
        (true, Type::I64) => "s64",
        (true, _) => "s32",
        (false, Type::I8) => "u8",
        (false, Type::I16) => "u16",
        (false, Type::I64) => "u64",
        (false, _) => "u32",
    }
}
