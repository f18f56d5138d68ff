//! Operands: an operation whose operand diverges is no operation, only what comes before it.

use proc_macro2::Span;

use super::{Finish, draft};
use crate::hir::infer::Type;
use crate::hir::{Block, Expr, ExprKind, Stmt, Ty};

/// Runs expressions in order; the last one diverges.
pub(super) fn sequence(mut exprs: Vec<Expr>, span: Span) -> Expr {
    let result = exprs.pop().map(Box::new);
    let stmts = exprs.into_iter().map(Stmt::Expr).collect();
    let block = Block { stmts, result, ty: Ty::Never, span };
    Expr { kind: ExprKind::Block(None, block), ty: Ty::Never, span }
}

impl Finish<'_> {
    /// The operands in their order of evaluation; `Err` is what runs instead where one diverges.
    pub(super) fn operands(
        &mut self,
        operands: Vec<draft::Expr>,
    ) -> Option<Result<Vec<Expr>, Expr>> {
        let finished: Vec<Option<Expr>> =
            operands.into_iter().map(|operand| self.expr(operand)).collect();
        let mut finished = finished.into_iter().collect::<Option<Vec<Expr>>>()?;
        Some(match finished.iter().position(|operand| operand.ty == Ty::Never) {
            Some(at) => {
                finished.truncate(at + 1);
                let span = finished[0].span;
                Err(sequence(finished, span))
            }
            None => Ok(finished),
        })
    }

    /// An operation of `N` operands.
    pub(super) fn with_operands<const N: usize>(
        &mut self,
        operands: [draft::Expr; N],
        ty: &Type,
        span: Span,
        kind: impl FnOnce([Expr; N]) -> ExprKind,
    ) -> Option<Expr> {
        match self.operands(operands.into())? {
            Ok(operands) => {
                let operands = <[Expr; N]>::try_from(operands).ok()?;
                self.leaf(kind(operands), ty, span)
            }
            Err(diverging) => Some(diverging),
        }
    }

    /// `&&` and `||`.
    pub(super) fn logical(
        &mut self,
        left: draft::Expr,
        right: draft::Expr,
        and: bool,
        span: Span,
    ) -> Option<Expr> {
        let (left, right) = super::both(self.expr(left), self.expr(right))?;
        if let Ty::Never = left.ty {
            return Some(left);
        }
        if right.ty != Ty::Never {
            let (left, right) = (Box::new(left), Box::new(right));
            let kind = if and { ExprKind::And(left, right) } else { ExprKind::Or(left, right) };
            return Some(Expr { kind, ty: Ty::Bool, span });
        }
        // `c && return` is `if c { return } else { false }`.
        let known = Expr { kind: ExprKind::Bool(!and), ty: Ty::Bool, span };
        let arm = |expr: Expr| Block {
            stmts: Vec::new(),
            ty: expr.ty.clone(),
            result: Some(Box::new(expr)),
            span,
        };
        let (then, otherwise) = if and { (right, known) } else { (known, right) };
        let kind = ExprKind::If(Box::new(left), arm(then), Some(Box::new(otherwise)));
        Some(Expr { kind, ty: Ty::Bool, span })
    }
}
