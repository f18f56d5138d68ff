//! Literals.

use proc_macro2::Span;

use super::{Builder, Expect};
use crate::hir::draft::{Expr, Kind};
use crate::hir::infer::{Type, VarKind};
use crate::hir::{IntTy, Ty, UnOp};

impl Builder<'_> {
    pub(super) fn literal(&mut self, literal: &syn::Lit, expected: &Expect) -> Expr {
        let span = literal.span();
        match literal {
            syn::Lit::Bool(bool) => Expr::new(Kind::Bool(bool.value), Type::Bool, span),
            syn::Lit::Byte(byte) => {
                Expr::new(Kind::Int(u128::from(byte.value())), Type::Int(IntTy::U8), span)
            }
            syn::Lit::Int(int) => {
                self.number(int.base10_digits(), int.suffix(), false, span, expected)
            }
            syn::Lit::Float(float) => {
                self.number(float.base10_digits(), float.suffix(), true, span, expected)
            }
            syn::Lit::Char(_) => {
                let message = "a kernel has no `char`: use a byte such as `b'a'`, or a `u32`";
                self.unsupported(span, message)
            }
            syn::Lit::Str(_) | syn::Lit::CStr(_) => {
                self.unsupported(span, "a kernel has no strings: text stays on the host")
            }
            syn::Lit::ByteStr(_) => {
                let message = "a kernel has no byte strings: write an array, `[b'a', b'b']`";
                self.unsupported(span, message)
            }
            _ => self.unsupported(span, "a kernel cannot use this literal"),
        }
    }

    /// `digits` are decimal, without underscores.
    fn number(
        &mut self,
        digits: &str,
        suffix: &str,
        is_float: bool,
        span: Span,
        expected: &Expect,
    ) -> Expr {
        // Macros that build tokens can put the sign into the literal.
        if let Some(digits) = digits.strip_prefix('-') {
            let operand = self.number(digits, suffix, is_float, span, expected);
            let ty = operand.ty.clone();
            return Expr::new(Kind::Unary(UnOp::Neg, Box::new(operand)), ty, span);
        }
        let hint = expected.hint().map(|ty| self.infer.resolve(ty));
        let ty = match (suffix, is_float) {
            ("", true) => match hint {
                Some(ty @ Type::Float(_)) => ty,
                _ => self.infer.fresh(VarKind::Float),
            },
            ("", false) => match hint {
                Some(ty @ Type::Int(_)) => ty,
                _ => self.infer.fresh(VarKind::Integer),
            },
            ("i128" | "u128", false) => {
                let message = "the widest integers of a kernel are `i64` and `u64`";
                return self.unsupported(span, message);
            }
            ("f16" | "f128", _) => {
                let message = "the floating-point types of a kernel are `f32` and `f64`";
                return self.unsupported(span, message);
            }
            (suffix, _) => match Ty::scalar(suffix) {
                Some(ty @ Ty::Float(_)) => Type::from(&ty),
                Some(ty @ Ty::Int(_)) if !is_float => Type::from(&ty),
                _ => return self.invalid(span, format!("`{suffix}` is no suffix of a number")),
            },
        };
        if self.infer.is_float(&ty) {
            return Expr::new(Kind::Float(digits.to_owned()), ty, span);
        }
        match digits.parse() {
            Ok(value) => Expr::new(Kind::Int(value), ty, span),
            Err(_) => self.invalid(span, "this integer is too large"),
        }
    }
}
