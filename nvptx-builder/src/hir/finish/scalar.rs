//! Scalars: literals, signs, casts and methods, which need to know their type.

use proc_macro2::Span;

use super::{Finish, draft};
use crate::hir::draft::Method;
use crate::hir::evaluate::evaluate;
use crate::hir::infer::Type;
use crate::hir::{BinOp, Block, CmpOp, Expr, ExprKind, FloatTy, Intrinsic, Stmt, Ty, UnOp};

impl Finish<'_> {
    pub(super) fn int(
        &mut self,
        value: u128,
        negative: bool,
        ty: &Type,
        span: Span,
    ) -> Option<Expr> {
        let ty = self.ty(ty, span)?;
        let Ty::Int(int) = ty else { return None };
        let signed = i128::try_from(value).ok().map(|value| if negative { -value } else { value });
        match signed.filter(|value| (int.min()..=int.max()).contains(value)) {
            Some(value) => Some(Expr { kind: ExprKind::Int(value), ty, span }),
            None => {
                let message = format!("this literal is out of range for `{int}`");
                self.diagnostics.invalid(span, message);
                None
            }
        }
    }

    /// The text is rounded once, to the type that inference found.
    pub(super) fn float(&mut self, digits: &str, ty: &Type, span: Span) -> Option<Expr> {
        let ty = self.ty(ty, span)?;
        let (bits, finite) = match ty {
            Ty::Float(FloatTy::F32) => {
                let value: f32 = digits.parse().ok()?;
                (u64::from(value.to_bits()), value.is_finite())
            }
            Ty::Float(FloatTy::F64) => {
                let value: f64 = digits.parse().ok()?;
                (value.to_bits(), value.is_finite())
            }
            _ => return None,
        };
        if !finite {
            self.diagnostics.invalid(span, format!("this literal is out of range for `{ty}`"));
            return None;
        }
        Some(Expr { kind: ExprKind::Float(bits), ty, span })
    }

    pub(super) fn unary(
        &mut self,
        op: UnOp,
        operand: draft::Expr,
        ty: &Type,
        span: Span,
    ) -> Option<Expr> {
        if let (UnOp::Neg, draft::Kind::Int(value), Ok(Ty::Int(int))) =
            (op, &operand.kind, self.infer.finish(ty))
            && int.signed()
        {
            return self.int(*value, true, ty, span);
        }
        let operand = self.expr(operand)?;
        match (op, &operand.kind, &operand.ty) {
            (_, _, Ty::Never) => Some(operand),
            (UnOp::Neg, ExprKind::Float(bits), Ty::Float(float)) => {
                let kind = ExprKind::Float(bits ^ (1 << (float.bits() - 1)));
                Some(Expr { kind, span, ..operand })
            }
            (UnOp::Neg, _, Ty::Int(int)) if !int.signed() => {
                let message = format!("`-` has no meaning for `{int}`");
                self.diagnostics.invalid(span, message);
                None
            }
            _ => self.leaf(ExprKind::Unary(op, Box::new(operand)), ty, span),
        }
    }

    pub(super) fn cast(
        &mut self,
        operand: draft::Expr,
        ty: &Type,
        token: Span,
        span: Span,
    ) -> Option<Expr> {
        let operand = self.expr(operand)?;
        let ty = self.ty(ty, span)?;
        let advice = match (&operand.ty, &ty) {
            (Ty::Never, _) => return Some(operand),
            (from, to) if from == to => {
                return Some(if from.is_scalar() {
                    Expr { kind: ExprKind::Cast(Box::new(operand)), ty, span }
                } else {
                    operand
                });
            }
            (Ty::Int(_) | Ty::Float(_), Ty::Int(_) | Ty::Float(_)) | (Ty::Bool, Ty::Int(_)) => {
                return Some(Expr { kind: ExprKind::Cast(Box::new(operand)), ty, span });
            }
            (Ty::Bool, Ty::Float(_)) => ": cast to an integer first",
            (Ty::Int(_) | Ty::Float(_), Ty::Bool) => ": compare with zero, `x != 0`",
            (Ty::Ref { target, .. }, _) if target.is_scalar() => ": read it with `*` first",
            _ => "",
        };
        let message = format!("a `{}` cannot be cast to `{ty}`{advice}", operand.ty);
        self.diagnostics.invalid(token, message);
        None
    }

    pub(super) fn method(
        &mut self,
        method: Method,
        values: Vec<draft::Expr>,
        ty: &Type,
        name: Span,
        span: Span,
    ) -> Option<Expr> {
        let values = match self.operands(values)? {
            Ok(values) => values,
            Err(diverging) => return Some(diverging),
        };
        let ty = self.ty(ty, span)?;
        let of = values.first()?.ty.clone();
        let intrinsic = match method {
            Method::Sqrt => Intrinsic::Sqrt,
            Method::Abs => Intrinsic::Abs,
            Method::Min | Method::Max if of == Ty::Bool => {
                let [a, b] = <[Expr; 2]>::try_from(values).ok()?.map(Box::new);
                let op = if method == Method::Min { BinOp::BitAnd } else { BinOp::BitOr };
                return Some(Expr { kind: ExprKind::Binary(op, a, b), ty, span });
            }
            Method::Min => Intrinsic::Min,
            Method::Max => Intrinsic::Max,
            Method::MulAdd => Intrinsic::MulAdd,
            Method::WrappingAdd => Intrinsic::WrappingAdd,
            Method::WrappingSub => Intrinsic::WrappingSub,
            Method::WrappingMul => Intrinsic::WrappingMul,
            Method::ToBits | Method::FromBits => Intrinsic::Bitcast,
            Method::Clamp => return self.clamp(values, name, span),
            Method::IsNan => {
                let [value] = <[Expr; 1]>::try_from(values).ok()?;
                // Only a NaN differs from itself.
                return Some(self.with_temporary(value, |x| {
                    let kind = ExprKind::Compare(CmpOp::Ne, Box::new(x.clone()), Box::new(x));
                    Expr { kind, ty: Ty::Bool, span }
                }));
            }
            Method::IsFinite | Method::IsInfinite => {
                let infinity = match of {
                    Ty::Float(FloatTy::F32) => u64::from(f32::INFINITY.to_bits()),
                    _ => f64::INFINITY.to_bits(),
                };
                let abs = ExprKind::Intrinsic(Intrinsic::Abs, values);
                let abs = Expr { kind: abs, ty: of.clone(), span };
                let infinity = Expr { kind: ExprKind::Float(infinity), ty: of, span };
                let op = if method == Method::IsFinite { CmpOp::Lt } else { CmpOp::Eq };
                let kind = ExprKind::Compare(op, Box::new(abs), Box::new(infinity));
                return Some(Expr { kind, ty, span });
            }
        };
        Some(Expr { kind: ExprKind::Intrinsic(intrinsic, values), ty, span })
    }

    /// `{ let t = value; use(t) }`
    fn with_temporary(&mut self, value: Expr, f: impl FnOnce(Expr) -> Expr) -> Expr {
        let span = value.span;
        let local = self.temporary(value.ty.clone(), span);
        let result = f(Expr { kind: ExprKind::Local(local), ty: value.ty.clone(), span });
        let block = Block {
            stmts: vec![Stmt::Let(local, Some(value))],
            ty: result.ty.clone(),
            result: Some(Box::new(result)),
            span,
        };
        Expr { ty: block.ty.clone(), kind: ExprKind::Block(None, block), span }
    }

    /// Rust's `clamp` panics unless `low <= high`, which therefore must be known here. A NaN stays
    /// a NaN, so `max` and `min` would not do.
    fn clamp(&mut self, values: Vec<Expr>, name: Span, span: Span) -> Option<Expr> {
        let [value, low, high] = <[Expr; 3]>::try_from(values).ok()?;
        let ordered = match (evaluate(&low), evaluate(&high)) {
            (Ok(low), Ok(high)) => {
                let kind = ExprKind::Compare(CmpOp::Le, Box::new(low), Box::new(high));
                let test = evaluate(&Expr { kind, ty: Ty::Bool, span });
                matches!(test, Ok(Expr { kind: ExprKind::Bool(true), .. }))
            }
            _ => false,
        };
        if !ordered {
            let message = "a kernel's `clamp` needs bounds that are constants, the lower one \
                           first: write `x.max(low).min(high)`";
            self.diagnostics.unsupported(name, message);
            return None;
        }
        let ty = value.ty.clone();
        Some(self.with_temporary(value, |x| {
            let choose = |op, bound: Expr, otherwise: Expr| {
                let test = ExprKind::Compare(op, Box::new(x.clone()), Box::new(bound.clone()));
                let test = Expr { kind: test, ty: Ty::Bool, span };
                let then = Block {
                    stmts: Vec::new(),
                    result: Some(Box::new(bound)),
                    ty: ty.clone(),
                    span,
                };
                let kind = ExprKind::If(Box::new(test), then, Some(Box::new(otherwise)));
                Expr { kind, ty: ty.clone(), span }
            };
            let inner = choose(CmpOp::Gt, high, x.clone());
            choose(CmpOp::Lt, low, inner)
        }))
    }
}
