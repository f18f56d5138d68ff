//! Conversions of conversions, and of what needs only the low bits.

use super::{Rewrite, Simplifier, op, value};
use crate::ir::{Binary, Convert, Op, Type, Value};

impl Simplifier<'_> {
    pub(super) fn convert(&mut self, convert: Convert, to: Type, a: Value) -> Option<Rewrite> {
        let inner = self.op(a)?;
        match (convert, inner) {
            (Convert::Zext, Op::Convert(Convert::Zext, x))
            | (Convert::Sext, Op::Convert(Convert::Zext, x)) => op(Op::Convert(Convert::Zext, x)),
            (Convert::Sext, Op::Convert(Convert::Sext, x)) => op(Op::Convert(Convert::Sext, x)),
            (Convert::Trunc, Op::Convert(Convert::Trunc, x)) => op(Op::Convert(Convert::Trunc, x)),
            (Convert::Trunc, Op::Convert(extension @ (Convert::Zext | Convert::Sext), x)) => {
                let from = self.function.ty(x);
                match from.bits().cmp(&to.bits()) {
                    std::cmp::Ordering::Equal => value(x),
                    std::cmp::Ordering::Less => op(Op::Convert(extension, x)),
                    std::cmp::Ordering::Greater => op(Op::Convert(Convert::Trunc, x)),
                }
            }
            (Convert::Bitcast, Op::Convert(Convert::Bitcast, x)) if self.function.ty(x) == to => {
                value(x)
            }
            (Convert::SintToFloat | Convert::UintToFloat, Op::Convert(Convert::Zext, x))
                if self.function.ty(x) != Type::I1 =>
            {
                op(Op::Convert(Convert::UintToFloat, x))
            }
            (Convert::SintToFloat, Op::Convert(Convert::Sext, x)) => {
                op(Op::Convert(Convert::SintToFloat, x))
            }
            (Convert::Trunc, Op::Binary(binary, x, y)) => self.truncated(binary, to, x, y),
            _ => None,
        }
    }

    /// The low bits of a result that depend on the operands' low bits alone.
    fn truncated(&mut self, binary: Binary, to: Type, x: Value, y: Value) -> Option<Rewrite> {
        use Binary::*;
        // Below 32 bits there is no arithmetic on the device.
        if to != Type::I32 {
            return None;
        }
        match binary {
            Iadd | Isub | Imul | And | Or | Xor => {}
            Shl if self.constant(y)? < u64::from(to.bits()) => {}
            _ => return None,
        }
        let x = self.emit(Op::Convert(Convert::Trunc, x), to);
        let y = match self.constant(y) {
            Some(bits) => self.emit_const(to, bits),
            None => self.emit(Op::Convert(Convert::Trunc, y), to),
        };
        op(Op::Binary(binary, x, y))
    }
}
