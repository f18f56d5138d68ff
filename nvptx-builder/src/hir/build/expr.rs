//! Expressions: each kind of syntax goes to the file that knows it.

use super::{Builder, Expect, MAX_DEPTH, advice, span};
use crate::hir::draft::{Expr, Kind};
use crate::hir::infer::Type;

impl<'a> Builder<'a> {
    /// Walks an expression. Its type need not be what is expected: that is the caller's to check.
    pub(super) fn expr(&mut self, expr: &'a syn::Expr, expected: &Expect) -> Expr {
        if self.depth == MAX_DEPTH {
            return self.too_deep(span::start(expr));
        }
        self.depth += 1;
        let diverged = std::mem::take(&mut self.diverges);
        let result = self.expr_kind(expr, expected);
        self.diverges |= diverged || matches!(result.ty, Type::Never);
        self.depth -= 1;
        result
    }

    pub(super) fn too_deep(&mut self, span: proc_macro2::Span) -> Expr {
        if !std::mem::replace(&mut self.found_too_deep, true) {
            let message = "this is nested too deeply for a kernel: compute a part of it in a `let` \
                           before";
            self.diagnostics.unsupported(span, message);
        }
        Expr::error(span)
    }

    fn expr_kind(&mut self, expr: &'a syn::Expr, expected: &Expect) -> Expr {
        match expr {
            syn::Expr::Paren(inner) => self.expr(&inner.expr, expected),
            syn::Expr::Group(inner) => self.expr(&inner.expr, expected),
            syn::Expr::Lit(literal) => self.literal(&literal.lit, expected),
            syn::Expr::Path(path) => self.path(path),
            syn::Expr::Unary(unary) => self.unary(unary, expected),
            syn::Expr::Binary(binary) => self.binary(binary),
            syn::Expr::Assign(assign) => self.assign(assign),
            syn::Expr::Cast(cast) => self.cast(cast),
            syn::Expr::Reference(reference) => self.reference(reference, expected),
            syn::Expr::Index(index) => self.index(index),
            syn::Expr::Array(array) => self.array(array, expected),
            syn::Expr::Repeat(repeat) => self.repeat(repeat, expected),
            syn::Expr::Call(call) => self.call(call),
            syn::Expr::MethodCall(call) => self.method_call(call),
            syn::Expr::Block(block) if block.label.is_some() => {
                self.labelled_block(block, expected)
            }
            syn::Expr::Block(block) => self.plain_block(&block.block, expected),
            syn::Expr::Unsafe(block) => {
                self.unsafe_blocks += 1;
                let result = self.plain_block(&block.block, expected);
                self.unsafe_blocks -= 1;
                result
            }
            syn::Expr::If(expr) => self.if_expr(expr, expected),
            syn::Expr::Loop(expr) => self.loop_expr(expr, expected),
            syn::Expr::While(expr) => self.while_expr(expr),
            syn::Expr::ForLoop(expr) => self.for_expr(expr),
            syn::Expr::Break(expr) => self.break_expr(expr),
            syn::Expr::Continue(expr) => self.continue_expr(expr),
            syn::Expr::Return(expr) => self.return_expr(expr),
            syn::Expr::Macro(expr) => self.macro_call(&expr.mac),
            syn::Expr::Tuple(tuple) if tuple.elems.is_empty() => {
                Expr::unit(tuple.paren_token.span.open())
            }
            // A `;` alone.
            syn::Expr::Verbatim(tokens) if tokens.is_empty() => {
                Expr::unit(proc_macro2::Span::call_site())
            }
            syn::Expr::Struct(literal) if self.is_broken(&literal.path) => {
                Expr::error(span::start(expr))
            }
            // What has an error already has no parts to speak of.
            syn::Expr::Field(field) if self.is_unknown(&field.base) => {
                Expr::error(field.dot_token.span)
            }
            // In a function that is neither `async` nor returns anything, rustc refuses these two.
            syn::Expr::Await(_) | syn::Expr::Try(_) => {
                let (span, message) = advice::unsupported(expr);
                self.invalid(span, message)
            }
            other => {
                let (span, message) = advice::unsupported(other);
                self.unsupported(span, message)
            }
        }
    }

    fn plain_block(&mut self, block: &'a syn::Block, expected: &Expect) -> Expr {
        let block = self.block(block, expected);
        let (ty, span) = (block.ty.clone(), block.span);
        Expr::new(Kind::Block(None, block), ty, span)
    }

    pub(super) fn macro_call(&mut self, call: &syn::Macro) -> Expr {
        let (span, message) = advice::macro_call(call);
        self.unsupported(span, message)
    }

    /// Refuses the attributes, anywhere inside, that change what a kernel does.
    pub(super) fn attributes(&mut self, item: &syn::ItemFn) {
        struct Attributes<'d>(&'d mut crate::diagnostics::Diagnostics);
        impl<'ast> syn::visit::Visit<'ast> for Attributes<'_> {
            fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
                if let Some((span, message)) = advice::attribute(attribute) {
                    self.0.unsupported(span, message);
                }
            }
        }
        let mut attributes = Attributes(&mut self.diagnostics);
        syn::visit::Visit::visit_signature(&mut attributes, &item.sig);
        syn::visit::Visit::visit_block(&mut attributes, &item.block);
    }
}
