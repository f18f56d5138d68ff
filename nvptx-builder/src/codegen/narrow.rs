//! Operands: constants in place, and narrow integers extended where their upper bits matter.
//!
//! An `i8` or `i16` lives in a 32-bit register whose upper bits are anything. Additions, products,
//! left shifts, bitwise operations and stores do not care; whatever else reads the value extends it
//! first, unless what computed it left it extended.

use super::emit::Emitter;
use crate::ir::{Type, Value};
use crate::ptx::Operand;

/// A register as an operand.
pub(super) fn register(name: &str) -> Operand {
    Operand::Name(name.to_owned())
}

impl Emitter<'_> {
    /// A value whose upper bits do not matter.
    pub(super) fn read(&mut self, value: Value) -> Operand {
        let ty = self.ty(value);
        let Some(bits) = self.selection.constant(value) else {
            let value = self.selection.canonical(value);
            // A value that shares a register may be narrower than the one it shares it with.
            let ty = self.ty(value);
            return match self.selection.constant(value) {
                Some(_) => self.read(value),
                None => Operand::Name(self.registers.of(value, ty)),
            };
        };
        match ty {
            Type::F32 => Operand::F32(bits as u32),
            Type::F64 => Operand::F64(bits),
            Type::I1 => {
                let to = self.registers.temporary(Type::I1);
                self.instruction("mov.pred", vec![register(&to), Operand::Int(bits.into())]);
                register(&to)
            }
            _ => Operand::Int(self.selection.signed_constant(value).unwrap_or_default().into()),
        }
    }

    /// An integer whose upper bits are zero.
    pub(super) fn read_unsigned(&mut self, value: Value) -> Operand {
        if let Some(bits) = self.selection.constant(value) {
            return Operand::Int(bits.into());
        }
        let from = self.read(value);
        let ty = self.ty(value);
        if !matches!(ty, Type::I8 | Type::I16) || self.selection.is_zero_extended(value) {
            return from;
        }
        let to = self.registers.temporary(Type::I32);
        self.instruction("and.b32", vec![register(&to), from, Operand::Int(ty.mask().into())]);
        register(&to)
    }

    /// An integer whose upper bits repeat its sign.
    pub(super) fn read_signed(&mut self, value: Value) -> Operand {
        let from = self.read(value);
        let ty = self.ty(value);
        if self.selection.constant(value).is_some() || self.selection.is_sign_extended(value) {
            return from;
        }
        let extend = match ty {
            Type::I8 => "cvt.s32.s8",
            Type::I16 => "cvt.s32.s16",
            _ => return from,
        };
        let to = self.registers.temporary(Type::I32);
        self.instruction(extend, vec![register(&to), from]);
        register(&to)
    }

    /// An integer extended one way or the other.
    pub(super) fn read_as(&mut self, value: Value, signed: bool) -> Operand {
        if signed { self.read_signed(value) } else { self.read_unsigned(value) }
    }

    /// An integer in a register, not in place.
    pub(super) fn in_register(&mut self, operand: Operand, ty: Type) -> Operand {
        if matches!(operand, Operand::Name(_)) {
            return operand;
        }
        let to = self.registers.temporary(ty);
        self.instruction(super::names::mov(ty), vec![register(&to), operand]);
        register(&to)
    }
}
