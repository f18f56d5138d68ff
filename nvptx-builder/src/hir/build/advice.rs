//! What to write instead: messages for Rust that a kernel cannot use.

use proc_macro2::Span;
use syn::Expr;
use syn::spanned::Spanned;

/// An expression without parentheses and invisible groups around it.
pub(super) fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => peel(&inner.expr),
        Expr::Group(inner) => peel(&inner.expr),
        other => other,
    }
}

/// The message for a kind of expression that no kernel can contain, and its token.
pub(super) fn unsupported(expr: &Expr) -> (Span, &'static str) {
    match expr {
        Expr::Async(e) => (e.async_token.span, "a kernel cannot be asynchronous: remove `async`"),
        Expr::Await(e) => {
            (e.await_token.span, "a kernel cannot wait for a future: remove `.await`")
        }
        Expr::Closure(e) => {
            (e.inputs_begin.span, "a kernel has no closures: write the code in place")
        }
        Expr::Const(e) => {
            (e.const_token.span, "a kernel has no `const` blocks: write `const N: usize = …;`")
        }
        Expr::Field(e) => {
            (e.dot_token.span, "a kernel has no fields: use one variable for each part")
        }
        Expr::Infer(e) => (e.underscore_token.span, "`_` is not a value: write what it stands for"),
        Expr::Let(e) => {
            let message =
                "a kernel cannot match a pattern in a condition: compare with `==` instead";
            (e.let_token.span, message)
        }
        Expr::Match(e) => {
            (e.match_token.span, "a kernel has no `match`: write an `if` / `else if` chain")
        }
        Expr::Range(e) => {
            (e.limits.span(), "a range stands only in `for i in a..b`: use two variables")
        }
        Expr::RawAddr(e) => (e.and_token.spans[0], "a kernel has no raw pointers: index a slice"),
        Expr::Struct(e) => {
            (e.path.span(), "a kernel has no structs: use one variable for each field")
        }
        Expr::Try(e) => {
            (e.question_token.spans[0], "a kernel has no `?`: write an `if` that returns")
        }
        Expr::TryBlock(e) => (e.try_token.span, "a kernel has no `try` blocks"),
        Expr::Tuple(e) => {
            (e.paren_token.span.open(), "a kernel has no tuples: use one variable for each part")
        }
        Expr::Yield(e) => (e.yield_token.span, "a kernel cannot yield"),
        other => (other.span(), "a kernel cannot contain this expression"),
    }
}

/// `if let`, `while let`
pub(super) fn let_in_condition(condition: &Expr) -> Option<Span> {
    match peel(condition) {
        Expr::Let(e) => Some(e.let_token.span),
        _ => None,
    }
}

/// The message for what a `for` cannot go over, if the syntax alone tells.
pub(super) fn iterator(head: &Expr) -> Option<(Span, &'static str)> {
    let Expr::MethodCall(call) = peel(head) else { return None };
    let message = match call.method.to_string().as_str() {
        "rev" => {
            "a kernel's `for` goes up by one: write `for k in 0..n`, and `let i = n - 1 - k;` in \
             the body"
        }
        "step_by" => "a kernel's `for` goes up by one: write a `while` loop with `i += step`",
        "enumerate" | "zip" | "iter" | "iter_mut" | "into_iter" | "chunks" | "windows" => {
            "a kernel's `for` goes over a range: write `for i in 0..x.len()`, and `x[i]` in the body"
        }
        _ => "a kernel's `for` goes over a range: write `for i in 0..n`",
    };
    Some((call.method.span(), message))
}

/// The message for a left side that takes a value apart.
pub(super) fn destructuring(place: &Expr) -> Option<(Span, &'static str)> {
    let message = "a kernel cannot take a value apart: write one assignment for each part";
    match peel(place) {
        Expr::Tuple(e) => Some((e.paren_token.span.open(), message)),
        Expr::Array(e) => Some((e.bracket_token.span.open(), message)),
        Expr::Struct(e) => Some((e.path.span(), message)),
        _ => None,
    }
}

pub(super) fn macro_call(call: &syn::Macro) -> (Span, String) {
    let Some(last) = call.path.segments.last() else {
        return (call.bang_token.span, "a kernel cannot call macros".into());
    };
    let name = last.ident.to_string();
    let instead = match name.as_str() {
        "println" | "print" | "eprintln" | "eprint" | "dbg" => {
            "write the value to a `&mut [T]` parameter and print it on the host"
        }
        "panic" | "todo" | "unimplemented" | "unreachable" => {
            "write `return`, and a mark in a `&mut [T]` parameter"
        }
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq"
        | "debug_assert_ne" => "write an `if` that returns",
        "vec" => "write an array of a fixed length, `[value; N]`",
        "format" | "write" | "writeln" => "text stays on the host",
        "matches" => "compare with `==`",
        _ => "write out the code that it stands for",
    };
    (last.ident.span(), format!("a kernel cannot call `{name}!`: {instead}"))
}

/// The message for an attribute that would change the code, which must not be ignored.
pub(super) fn attribute(attribute: &syn::Attribute) -> Option<(Span, &'static str)> {
    let path = attribute.path();
    let first = path.segments.first()?.ident.to_string();
    match first.as_str() {
        "allow" | "warn" | "deny" | "forbid" | "expect" | "doc" | "rustfmt" | "clippy"
        | "inline" | "cold" | "must_use" => None,
        "cfg" | "cfg_attr" => {
            let message = "a kernel cannot contain `cfg`: put it on the whole kernel";
            Some((path.span(), message))
        }
        _ => Some((path.span(), "a kernel cannot contain this attribute: remove it")),
    }
}

/// An operator as it is written.
pub(super) fn spelling(op: &syn::BinOp) -> String {
    quote::ToTokens::to_token_stream(op).to_string().replace(' ', "")
}
