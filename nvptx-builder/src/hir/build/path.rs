//! Paths as values: locals, constants, and the constants of the primitive types.

use syn::spanned::Spanned;

use super::scope::{Found, Name};
use super::ty::{peel, scalar};
use super::{Builder, ident_text};
use crate::hir::draft::{Expr, Kind};
use crate::hir::evaluate::float_bits;
use crate::hir::infer::Type;
use crate::hir::{self, ExprKind, FloatTy, IntTy, Ty};

impl Builder<'_> {
    pub(super) fn path(&mut self, path: &syn::ExprPath) -> Expr {
        if let Some(qself) = &path.qself {
            return match (peel(&qself.ty), path.path.segments.last()) {
                (syn::Type::Path(ty), Some(last))
                    if qself.as_token.is_none() && scalar(ty).is_some() =>
                {
                    let ty = scalar(ty).unwrap_or(Ty::Unit);
                    self.associated(&ty, last)
                }
                _ => self.unsupported(qself.lt_token.span, "a kernel cannot use this constant"),
            };
        }
        if let Some(ident) = path.path.get_ident() {
            return self.name(ident);
        }
        let segments: Vec<_> = path.path.segments.iter().collect();
        let names: Vec<String> = segments.iter().map(|s| ident_text(&s.ident)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (Some(last), Some(name)) = (segments.last(), names.last()) else {
            return Expr::error(path.span());
        };
        let span = last.ident.span();
        let float = |ty: &str| match Ty::scalar(ty) {
            Some(Ty::Float(ty)) => Some(ty),
            _ => None,
        };
        match names[..] {
            [.., ty, "consts", name] if float(ty).is_some() => {
                let ty = float(ty).unwrap_or(FloatTy::F32);
                match math_constant(name) {
                    Some(value) => {
                        constant(ExprKind::Float(float_bits(value, ty)), Ty::Float(ty), span)
                    }
                    None => self.unsupported(span, format!("a kernel does not know `{name}`")),
                }
            }
            ["consts", name] if math_constant(name).is_some() => {
                let message = format!(
                    "write `core::f32::consts::{name}` or `core::f64::consts::{name}`: a kernel \
                     does not see what is imported around it"
                );
                self.unsupported(span, message)
            }
            ["core" | "std", ty, _] | ["core" | "std", "primitive", ty, _] | [ty, _]
                if Ty::scalar(ty).is_some() =>
            {
                let ty = Ty::scalar(ty).unwrap_or(Ty::Unit);
                self.associated(&ty, last)
            }
            _ => {
                let message = format!(
                    "`{name}` is not declared in this kernel: write `const {name}: usize = …;` \
                     inside it, with its type, or pass it as a parameter"
                );
                self.unsupported(span, message)
            }
        }
    }

    fn name(&mut self, ident: &syn::Ident) -> Expr {
        let name = ident_text(ident);
        let span = ident.span();
        match self.scopes.find(&name) {
            Found::Name(Name::Local(id)) => {
                let ty = self.infer.resolve(&self.locals[id.0 as usize].ty);
                Expr::new(Kind::Local(id), ty, span)
            }
            Found::Name(Name::Const(id)) => match self.const_value(id) {
                Some(value) => {
                    let ty = Type::from(&value.ty);
                    Expr::new(Kind::Const(value), ty, span)
                }
                None => Expr::error(span),
            },
            Found::Name(Name::Broken) => Expr::error(span),
            Found::OutOfReach => {
                let message = format!(
                    "`{name}` is a variable, and this must be known while compiling: use a number \
                     or a `const`"
                );
                self.invalid(span, message)
            }
            // By Rust's convention a constant or a static, which rustc may well find.
            Found::Nothing if name.chars().all(|c| !c.is_lowercase()) => {
                let message = format!(
                    "`{name}` is not declared in this kernel: write `const {name}: usize = …;` \
                     inside it, with its type, or pass it as a parameter"
                );
                self.unsupported(span, message)
            }
            Found::Nothing => {
                let message = format!("there is no `{name}` in this kernel");
                self.invalid(span, message)
            }
        }
    }

    /// `f32::MAX`
    fn associated(&mut self, ty: &Ty, name: &syn::PathSegment) -> Expr {
        let span = name.ident.span();
        let text = ident_text(&name.ident);
        let known = match ty {
            Ty::Int(int) => int_constant(*int, &text),
            Ty::Float(FloatTy::F32) => f32_constant(&text),
            Ty::Float(FloatTy::F64) => f64_constant(&text),
            _ => None,
        };
        match known {
            Some((kind, ty)) => constant(kind, ty, span),
            None => self.unsupported(span, format!("a kernel does not know `{ty}::{text}`")),
        }
    }
}

fn constant(kind: ExprKind, ty: Ty, span: proc_macro2::Span) -> Expr {
    let draft_ty = Type::from(&ty);
    Expr::new(Kind::Const(hir::Expr { kind, ty, span }), draft_ty, span)
}

const U32: Ty = Ty::Int(IntTy::U32);
const I32: Ty = Ty::Int(IntTy::I32);

fn int_constant(ty: IntTy, name: &str) -> Option<(ExprKind, Ty)> {
    Some(match name {
        "MIN" => (ExprKind::Int(ty.min()), Ty::Int(ty)),
        "MAX" => (ExprKind::Int(ty.max()), Ty::Int(ty)),
        "BITS" => (ExprKind::Int(ty.bits().into()), U32),
        _ => return None,
    })
}

/// The constants that `f32` and `f64` have in common.
macro_rules! float_constant {
    ($name:ident, $float:ident, $ty:expr) => {
        fn $name(name: &str) -> Option<(ExprKind, Ty)> {
            let float =
                |value: $float| (ExprKind::Float(u64::from(value.to_bits())), Ty::Float($ty));
            Some(match name {
                "MIN" => float($float::MIN),
                "MAX" => float($float::MAX),
                "MIN_POSITIVE" => float($float::MIN_POSITIVE),
                "EPSILON" => float($float::EPSILON),
                "INFINITY" => float($float::INFINITY),
                "NEG_INFINITY" => float($float::NEG_INFINITY),
                "NAN" => float($float::NAN),
                "RADIX" => (ExprKind::Int($float::RADIX.into()), U32),
                "DIGITS" => (ExprKind::Int($float::DIGITS.into()), U32),
                "MANTISSA_DIGITS" => (ExprKind::Int($float::MANTISSA_DIGITS.into()), U32),
                "MIN_EXP" => (ExprKind::Int($float::MIN_EXP.into()), I32),
                "MAX_EXP" => (ExprKind::Int($float::MAX_EXP.into()), I32),
                "MIN_10_EXP" => (ExprKind::Int($float::MIN_10_EXP.into()), I32),
                "MAX_10_EXP" => (ExprKind::Int($float::MAX_10_EXP.into()), I32),
                _ => return None,
            })
        }
    };
}

float_constant!(f32_constant, f32, FloatTy::F32);
float_constant!(f64_constant, f64, FloatTy::F64);

/// `core::f64::consts`; each f32 constant is the f64 one rounded, which a test checks.
pub(super) fn math_constant(name: &str) -> Option<f64> {
    use std::f64::consts;
    Some(match name {
        "PI" => consts::PI,
        "TAU" => consts::TAU,
        "E" => consts::E,
        "FRAC_PI_2" => consts::FRAC_PI_2,
        "FRAC_PI_3" => consts::FRAC_PI_3,
        "FRAC_PI_4" => consts::FRAC_PI_4,
        "FRAC_PI_6" => consts::FRAC_PI_6,
        "FRAC_PI_8" => consts::FRAC_PI_8,
        "FRAC_1_PI" => consts::FRAC_1_PI,
        "FRAC_2_PI" => consts::FRAC_2_PI,
        "FRAC_2_SQRT_PI" => consts::FRAC_2_SQRT_PI,
        "SQRT_2" => consts::SQRT_2,
        "FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
        "LN_2" => consts::LN_2,
        "LN_10" => consts::LN_10,
        "LOG2_E" => consts::LOG2_E,
        "LOG2_10" => consts::LOG2_10,
        "LOG10_E" => consts::LOG10_E,
        "LOG10_2" => consts::LOG10_2,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::math_constant;

    #[test]
    fn constants_of_f32_are_those_of_f64_rounded() {
        use std::f32::consts::*;
        let all = [
            ("PI", PI),
            ("TAU", TAU),
            ("E", E),
            ("FRAC_PI_2", FRAC_PI_2),
            ("FRAC_PI_3", FRAC_PI_3),
            ("FRAC_PI_4", FRAC_PI_4),
            ("FRAC_PI_6", FRAC_PI_6),
            ("FRAC_PI_8", FRAC_PI_8),
            ("FRAC_1_PI", FRAC_1_PI),
            ("FRAC_2_PI", FRAC_2_PI),
            ("FRAC_2_SQRT_PI", FRAC_2_SQRT_PI),
            ("SQRT_2", SQRT_2),
            ("FRAC_1_SQRT_2", FRAC_1_SQRT_2),
            ("LN_2", LN_2),
            ("LN_10", LN_10),
            ("LOG2_E", LOG2_E),
            ("LOG2_10", LOG2_10),
            ("LOG10_E", LOG10_E),
            ("LOG10_2", LOG10_2),
        ];
        for (name, value) in all {
            assert_eq!(math_constant(name).map(|value| value as f32), Some(value), "{name}");
        }
    }
}
