//! `break`, `continue` and `return`.

use proc_macro2::Span;

use super::coerce::Merge;
use super::target::TargetKind;
use super::{Builder, Expect};
use crate::hir::draft::{Block, Expr, Kind, Stmt};
use crate::hir::infer::Type;

impl<'a> Builder<'a> {
    pub(super) fn break_expr(&mut self, expr: &'a syn::ExprBreak) -> Expr {
        let span = expr.break_token.span;
        let Some(at) = self.find_target(&expr.label, span, "break") else {
            if let Some(value) = &expr.expr {
                self.expr(value, &Expect::Nothing);
            }
            return Expr::error(span);
        };
        let (id, kind) = (self.targets[at].id, self.targets[at].kind);
        let carries = matches!(kind, TargetKind::Loop | TargetKind::Block);
        let value = match &expr.expr {
            Some(value) if carries => {
                let hint = self.targets[at].values.hint().clone();
                let value = self.expr(value, &Expect::Has(hint));
                Some(Box::new(self.push_value(at, value)))
            }
            Some(value) => {
                self.expr(value, &Expect::Nothing);
                let message = format!("`break` with a value cannot leave a `{}`", kind.keyword());
                self.invalid(span, message);
                None
            }
            None if carries => {
                self.push_value(at, Expr::unit(span));
                None
            }
            None => None,
        };
        // As in rustc: `break return` does not get there.
        self.targets[at].may_break |= !self.diverges;
        Expr::new(Kind::Break(id, value), Type::Never, span)
    }

    fn push_value(&mut self, at: usize, value: Expr) -> Expr {
        let mut values: Merge = self.targets[at].values.clone();
        let value = values.push(value, self);
        self.targets[at].values = values;
        value
    }

    pub(super) fn continue_expr(&mut self, expr: &syn::ExprContinue) -> Expr {
        let span = expr.continue_token.span;
        let Some(at) = self.find_target(&expr.label, span, "continue") else {
            return Expr::error(span);
        };
        if self.targets[at].kind == TargetKind::Block {
            return self.invalid(span, "`continue` cannot name a block, only a loop");
        }
        Expr::new(Kind::Continue(self.targets[at].id), Type::Never, span)
    }

    fn find_target(
        &mut self,
        label: &Option<syn::Lifetime>,
        span: Span,
        keyword: &str,
    ) -> Option<usize> {
        if let Some(label) = label {
            let name = label.ident.to_string();
            let found =
                self.targets.iter().rposition(|target| target.label.as_ref() == Some(&name));
            if found.is_none() {
                self.invalid(label.apostrophe, format!("there is no label `'{name}` here"));
            }
            return found;
        }
        match self.targets.last() {
            None => {
                self.invalid(span, format!("`{keyword}` outside of a loop"));
                None
            }
            Some(target) if target.in_condition => {
                let message = format!("`{keyword}` in a loop's condition needs a label");
                self.invalid(span, message);
                None
            }
            Some(target) if target.kind == TargetKind::Block => {
                self.invalid(span, format!("`{keyword}` in a labelled block needs a label"));
                None
            }
            Some(_) => Some(self.targets.len() - 1),
        }
    }

    pub(super) fn return_expr(&mut self, expr: &'a syn::ExprReturn) -> Expr {
        let span = expr.return_token.span;
        if self.in_const {
            return self.invalid(span, "`return` in a constant");
        }
        let exit = Expr::new(Kind::Return, Type::Never, span);
        let Some(value) = &expr.expr else { return exit };
        let returns = self.returns.clone();
        let value = self.expr(value, &Expect::Has(returns.clone()));
        let value = self.coerce(value, &returns);
        let block = Block {
            stmts: vec![Stmt::Expr(value)],
            result: Some(Box::new(exit)),
            ty: Type::Never,
            span,
        };
        Expr::new(Kind::Block(None, block), Type::Never, span)
    }
}
