//! From `syn`'s tree to the HIR: names are resolved and types inferred in one walk, from the top
//! down, in the order in which rustc checks a body.
//!
//! The walk leaves a [`draft`](super::draft) whose types may have variables.
//! [`finish`](super::finish) turns it into the HIR once all of the body is known.

mod advice;
mod array;
mod block;
mod call;
mod coerce;
mod consts;
mod control;
mod expr;
mod jump;
mod literal;
mod method;
mod operator;
mod path;
mod place;
mod scope;
mod signature;
mod span;
mod stmt;
mod target;
mod ty;

use proc_macro2::Span;

use super::draft::{Expr, Local};
use super::finish::Finish;
use super::infer::{Infer, Type};
use super::{Kernel, LocalId, LoopId, initialized};
use crate::diagnostics::{Diagnostic, Diagnostics};
use scope::Scopes;
use target::Target;

/// Resolves names and infers types.
///
/// # Errors
/// Every error found, each at the user's token.
pub fn build(item: &syn::ItemFn) -> Result<Kernel, Vec<Diagnostic>> {
    let mut builder = Builder::default();
    builder.scopes.open();
    builder.attributes(item);
    let params = builder.signature(&item.sig);
    let body = builder.body(&item.block);
    let Builder { mut diagnostics, infer, locals, loops, .. } = builder;
    let mut finish = Finish::new(infer, locals, &mut diagnostics);
    let body = finish.block(body);
    let locals = finish.locals();
    let kernel = body.zip(locals).map(|(body, locals)| Kernel {
        name: ident_text(&item.sig.ident),
        span: item.sig.ident.span(),
        params,
        locals,
        loops,
        body,
    });
    if let Some(kernel) = &kernel {
        initialized::check(kernel, &mut diagnostics);
    }
    if kernel.is_none() && diagnostics.is_empty() {
        let message = "this kernel cannot be compiled, and the compiler cannot say why";
        diagnostics.unsupported(item.sig.ident.span(), message);
    }
    diagnostics.finish(kernel)
}

/// How deeply expressions may nest: far above what people write, far below what fills a stack.
const MAX_DEPTH: u32 = 200;

/// The state of the walk.
#[derive(Default)]
struct Builder<'a> {
    diagnostics: Diagnostics,
    infer: Infer,
    locals: Vec<Local>,
    scopes: Scopes<'a>,
    /// The loops and labelled blocks around the current expression, outermost first.
    targets: Vec<Target>,
    /// How many loops and labelled blocks there were so far.
    loops: u32,
    /// Control cannot reach the point behind what was walked last.
    diverges: bool,
    /// How many `unsafe` blocks are open.
    unsafe_blocks: u32,
    /// How many expressions are open.
    depth: u32,
    /// That expressions nest too deeply was reported.
    found_too_deep: bool,
    /// The kernel's return type: unit, or an error that was reported.
    returns: Type,
    /// Inside the value of a constant, which has no kernel around it.
    in_const: bool,
}

/// What an expression's surroundings want of it. A hint, as in rustc: who needs the type coerces.
#[derive(Clone, Debug)]
enum Expect {
    Nothing,
    /// This type.
    Has(Type),
    /// Something that can be cast to this type.
    Castable(Type),
}

impl Expect {
    /// The type that the expression must have, where that is certain.
    fn only(&self) -> Option<&Type> {
        match self {
            Expect::Has(ty) => Some(ty),
            Expect::Nothing | Expect::Castable(_) => None,
        }
    }

    /// The type that an untyped literal could take.
    fn hint(&self) -> Option<&Type> {
        match self {
            Expect::Has(ty) | Expect::Castable(ty) => Some(ty),
            Expect::Nothing => None,
        }
    }
}

impl Builder<'_> {
    fn unsupported(&mut self, span: Span, message: impl Into<String>) -> Expr {
        self.diagnostics.unsupported(span, message);
        Expr::error(span)
    }

    fn invalid(&mut self, span: Span, message: impl Into<String>) -> Expr {
        self.diagnostics.invalid(span, message);
        Expr::error(span)
    }

    fn new_local(&mut self, local: Local) -> LocalId {
        self.locals.push(local);
        LocalId(self.locals.len() as u32 - 1)
    }

    fn new_loop(&mut self) -> LoopId {
        self.loops += 1;
        LoopId(self.loops - 1)
    }
}

/// An identifier without `r#`.
fn ident_text(ident: &syn::Ident) -> String {
    use syn::ext::IdentExt;
    ident.unraw().to_string()
}
