//! `if`, loops and labelled blocks.

use proc_macro2::Span;

use super::coerce::Merge;
use super::scope::Name;
use super::target::TargetKind;
use super::{Builder, Expect, advice, span};
use crate::hir::LocalId;
use crate::hir::draft::{Expr, Kind, Local};
use crate::hir::infer::{Type, VarKind};

impl<'a> Builder<'a> {
    pub(super) fn if_expr(&mut self, expr: &'a syn::ExprIf, expected: &Expect) -> Expr {
        let span = expr.if_token.span;
        let condition = self.condition(&expr.cond);
        let condition_diverges = self.diverges;
        let expected = match expected {
            Expect::Has(ty) if !self.infer.unknown(ty) => Expect::Has(ty.clone()),
            _ => Expect::Nothing,
        };
        let mut arms = Merge::new(expected.only(), &mut self.infer);

        self.diverges = false;
        let then = self.block_into(&expr.then_branch, &expected, &mut arms);
        let then_diverges = self.diverges;

        self.diverges = false;
        let otherwise = match &expr.else_branch {
            Some((_, otherwise)) => {
                let otherwise = self.expr(otherwise, &expected);
                Some(Box::new(arms.push(otherwise, self)))
            }
            None => {
                let end = expr.then_branch.brace_token.span.close();
                arms.push(Expr::unit(end), self);
                None
            }
        };
        let otherwise_diverges = otherwise.is_some() && self.diverges;
        self.diverges = condition_diverges || (then_diverges && otherwise_diverges);
        let ty = arms.finish();
        Expr::new(Kind::If(Box::new(condition), then, otherwise), ty, span)
    }

    /// The condition of an `if` or a `while`.
    fn condition(&mut self, condition: &'a syn::Expr) -> Expr {
        if let Some(token) = advice::let_in_condition(condition) {
            let message =
                "a kernel cannot match a pattern in a condition: compare with `==` instead";
            return self.unsupported(token, message);
        }
        let condition = self.expr(condition, &Expect::Has(Type::Bool));
        self.coerce(condition, &Type::Bool)
    }

    pub(super) fn loop_expr(&mut self, expr: &'a syn::ExprLoop, expected: &Expect) -> Expr {
        let values = Merge::new(expected.only(), &mut self.infer);
        self.enter(&expr.label, TargetKind::Loop, values);
        let body = self.block(&expr.body, &Expect::Has(Type::Unit));
        let target = self.leave();
        self.diverges = false;
        let ty = if target.may_break { target.values.finish() } else { Type::Never };
        let kind = Kind::Loop { id: target.id, condition: None, body };
        Expr::new(kind, ty, expr.loop_token.span)
    }

    pub(super) fn while_expr(&mut self, expr: &'a syn::ExprWhile) -> Expr {
        let values = Merge::new(Some(&Type::Unit), &mut self.infer);
        self.enter(&expr.label, TargetKind::While, values);
        self.target().in_condition = true;
        let condition = self.condition(&expr.cond);
        self.target().in_condition = false;
        self.diverges = false;
        let body = self.block(&expr.body, &Expect::Has(Type::Unit));
        let target = self.leave();
        self.diverges = false;
        let kind = Kind::Loop { id: target.id, condition: Some(Box::new(condition)), body };
        Expr::new(kind, Type::Unit, expr.while_token.span)
    }

    pub(super) fn for_expr(&mut self, expr: &'a syn::ExprForLoop) -> Expr {
        let span = expr.for_token.span;
        let item = self.infer.fresh(VarKind::Any);
        let bounds = self.bounds(&expr.expr, &item);
        let head_diverges = std::mem::take(&mut self.diverges);
        let item = if bounds.is_some() { item } else { Type::Err };

        self.scopes.open();
        let local = self.loop_variable(&expr.pat, item);
        let values = Merge::new(Some(&Type::Unit), &mut self.infer);
        self.enter(&expr.label, TargetKind::For, values);
        let body = self.block(&expr.body, &Expect::Has(Type::Unit));
        let target = self.leave();
        self.scopes.close();
        self.diverges = head_diverges;

        let (Some((start, end, inclusive)), Some(local)) = (bounds, local) else {
            return Expr::error(span);
        };
        let (start, end) = (Box::new(start), Box::new(end));
        let kind = Kind::For { id: target.id, local, start, end, inclusive, body };
        Expr::new(kind, Type::Unit, span)
    }

    /// The two ends of the range behind `in`.
    fn bounds(&mut self, range: &'a syn::Expr, item: &Type) -> Option<(Expr, Expr, bool)> {
        let range = match range {
            syn::Expr::Paren(inner) => return self.bounds(&inner.expr, item),
            syn::Expr::Group(inner) => return self.bounds(&inner.expr, item),
            syn::Expr::Range(range) => range,
            other => {
                self.not_a_range(other);
                return None;
            }
        };
        let limits = range.limits;
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            let message = "a kernel's `for` needs both ends of the range: write `start..end`, or \
                           a `loop` that ends with `break`";
            self.unsupported(syn::spanned::Spanned::span(&limits), message);
            return None;
        };
        let start = self.expr(start, &Expect::Has(item.clone()));
        let start = self.coerce(start, item);
        let end = self.expr(end, &Expect::Has(item.clone()));
        let end = self.coerce(end, item);
        Some((start, end, matches!(limits, syn::RangeLimits::Closed(_))))
    }

    fn not_a_range(&mut self, head: &'a syn::Expr) {
        match advice::iterator(head) {
            Some((token, message)) => {
                self.unsupported(token, message);
            }
            None => {
                let errors = self.diagnostics.count();
                let head_expr = self.expr(head, &Expect::Nothing);
                if self.diagnostics.count() > errors || matches!(head_expr.ty, Type::Err) {
                    return;
                }
                let span = span::start(head);
                match self.infer.resolve(&head_expr.ty) {
                    Type::Array(..) | Type::Ref { .. } | Type::Slice { .. } => {
                        let message = "a kernel's `for` goes over a range: write \
                                       `for i in 0..x.len()`, and `x[i]` in the body";
                        self.unsupported(span, message);
                    }
                    _ => {
                        self.invalid(span, "`for` goes over a range, such as `0..n`");
                    }
                }
            }
        }
    }

    fn loop_variable(&mut self, pat: &'a syn::Pat, ty: Type) -> Option<LocalId> {
        match pat {
            syn::Pat::Paren(inner) => self.loop_variable(&inner.pat, ty),
            syn::Pat::Wild(wild) => {
                Some(self.binding("_".into(), ty, false, wild.underscore_token.span))
            }
            syn::Pat::Ident(pat) => {
                let name = self.binding_name(pat)?;
                let id = self.binding(name.clone(), ty, pat.mutability.is_some(), pat.ident.span());
                self.scopes.declare(name, Name::Local(id));
                Some(id)
            }
            other => {
                self.refuse_pattern(other);
                None
            }
        }
    }

    fn binding(&mut self, name: String, ty: Type, mutable: bool, span: Span) -> LocalId {
        self.new_local(Local { name, ty, mutable, deferred: false, span })
    }

    /// `'a: { … }`
    pub(super) fn labelled_block(&mut self, expr: &'a syn::ExprBlock, expected: &Expect) -> Expr {
        let values = Merge::new(expected.only(), &mut self.infer);
        let diverged = self.diverges;
        self.enter(&expr.label, TargetKind::Block, values);
        let contents = self.block_contents(&expr.block, expected);
        let mut target = self.leave();
        let block = self.close_block(contents, &mut target.values);
        if target.may_break {
            self.diverges = diverged;
        }
        let ty = target.values.finish();
        let span = block.span;
        Expr::new(Kind::Block(Some(target.id), block), ty, span)
    }
}
