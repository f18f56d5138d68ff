//! Where an expression starts: the position that Rust's own panics report, and all that a macro
//! on stable Rust can know (joining two spans needs nightly).

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Label};

/// The span of the first token. It does not print the expression to tokens, as
/// [`Spanned::span`] does at every level of the tree.
pub(super) fn start(expr: &Expr) -> Span {
    let mut expr = expr;
    loop {
        expr = match expr {
            Expr::Assign(e) => &e.left,
            Expr::Binary(e) => &e.left,
            Expr::Call(e) => &e.func,
            Expr::Cast(e) => &e.expr,
            Expr::Field(e) => &e.base,
            Expr::Group(e) => &e.expr,
            Expr::Index(e) => &e.expr,
            Expr::MethodCall(e) => &e.receiver,
            Expr::Try(e) => &e.expr,
            Expr::Await(e) => &e.base,
            Expr::Array(e) => return e.bracket_token.span.open(),
            Expr::Repeat(e) => return e.bracket_token.span.open(),
            Expr::Paren(e) => return e.paren_token.span.open(),
            Expr::Tuple(e) => return e.paren_token.span.open(),
            Expr::Block(e) => return label(&e.label, e.block.brace_token.span.open()),
            Expr::Unsafe(e) => return e.unsafe_token.span,
            Expr::If(e) => return e.if_token.span,
            Expr::Loop(e) => return label(&e.label, e.loop_token.span),
            Expr::While(e) => return label(&e.label, e.while_token.span),
            Expr::ForLoop(e) => return label(&e.label, e.for_token.span),
            Expr::Lit(e) => return e.lit.span(),
            Expr::Path(e) => return path(e),
            Expr::Unary(e) => return e.op.span(),
            Expr::Reference(e) => return e.and_token.spans[0],
            Expr::Break(e) => return e.break_token.span,
            Expr::Continue(e) => return e.continue_token.span,
            Expr::Return(e) => return e.return_token.span,
            Expr::Range(e) => match &e.start {
                Some(start) => start,
                None => return e.limits.span(),
            },
            other => return other.span(),
        }
    }
}

fn label(label: &Option<Label>, otherwise: Span) -> Span {
    label.as_ref().map_or(otherwise, |label| label.name.span())
}

fn path(path: &ExprPath) -> Span {
    match (&path.qself, path.path.leading_colon, path.path.segments.first()) {
        (Some(qself), _, _) => qself.lt_token.span,
        (None, Some(colons), _) => colons.spans[0],
        (None, None, Some(segment)) => segment.ident.span(),
        (None, None, None) => Span::call_site(),
    }
}
