//! Where an expression meets the type that its place asks for.

use proc_macro2::Span;

use super::Builder;
use crate::hir::draft::{Block, Expr, Kind};
use crate::hir::infer::{Infer, Mismatch, Type, VarKind};

/// The common type of several expressions that end up in one place: the arms of an `if`, the
/// `break`s of a loop, the elements of an array.
#[derive(Clone, Debug)]
pub(super) struct Merge {
    ty: Type,
    /// Something that does not diverge was pushed.
    reached: bool,
}

impl Merge {
    /// `expected` is the type that is wanted, where it is certain.
    pub(super) fn new(expected: Option<&Type>, infer: &mut Infer) -> Merge {
        let ty = expected.cloned().unwrap_or_else(|| infer.fresh(VarKind::Any));
        Merge { ty, reached: false }
    }

    /// What the next expression is expected to be.
    pub(super) fn hint(&self) -> &Type {
        &self.ty
    }

    /// The type of the whole: never if nothing arrives.
    pub(super) fn finish(self) -> Type {
        if self.reached { self.ty } else { Type::Never }
    }

    pub(super) fn push(&mut self, expr: Expr, builder: &mut Builder<'_>) -> Expr {
        if !matches!(builder.infer.resolve(&expr.ty), Type::Never) {
            self.reached = true;
        }
        builder.coerce(expr, &self.ty)
    }
}

/// Where to point for a value of the wrong type: into a block, at its result.
fn culprit(expr: &Expr) -> Span {
    match &expr.kind {
        Kind::Block(_, Block { result: Some(result), .. }) => culprit(result),
        _ => expr.span,
    }
}

impl Builder<'_> {
    /// `expr` as a `target`. An expression of type `!` fits everywhere and keeps its type.
    pub(super) fn coerce(&mut self, expr: Expr, target: &Type) -> Expr {
        let (from, to) = (self.infer.resolve(&expr.ty), self.infer.resolve(target));
        match (&from, &to) {
            (Type::Err, _) | (_, Type::Err) => expr,
            (Type::SlicePlace { .. }, _) => {
                self.invalid(expr.span, "a slice has no size, and so is no value")
            }
            (Type::Never, _) => {
                self.infer.note_diverging(&to);
                expr
            }
            (
                Type::Ref { target: inner, mutable: true, space },
                Type::Ref { target: wanted, mutable: false, space: wanted_space },
            ) => {
                let result = self
                    .infer
                    .unify(inner, wanted)
                    .and_then(|()| self.infer.unify_spaces(*space, *wanted_space));
                match result {
                    Ok(()) => {
                        let span = expr.span;
                        let place = expr.deref((**inner).clone());
                        Expr::new(Kind::Ref(Box::new(place)), to, span)
                    }
                    Err(why) => self.mismatch(expr, &to, why),
                }
            }
            (Type::Slice { mutable: true, .. }, Type::Slice { mutable: false, .. }) => {
                let message = "a kernel cannot turn a `&mut [T]` into a `&[T]`: use the mutable \
                               slice itself";
                self.unsupported(expr.span, message)
            }
            (Type::Ref { target: array, .. }, Type::Slice { .. })
                if matches!(self.infer.resolve(array), Type::Array(..)) =>
            {
                let message = "a kernel cannot turn a reference to an array into a slice: keep \
                               the array's type, `&[T; N]`, or use the array itself";
                self.unsupported(expr.span, message)
            }
            _ => match self.infer.unify(&from, &to) {
                Ok(()) => expr,
                Err(why) => self.mismatch(expr, &to, why),
            },
        }
    }

    fn mismatch(&mut self, expr: Expr, wanted: &Type, why: Mismatch) -> Expr {
        let span = culprit(&expr);
        match why {
            Mismatch::Types => {
                let message = format!(
                    "mismatched types: expected `{}`, found `{}`",
                    self.infer.show(wanted),
                    self.infer.show(&expr.ty)
                );
                self.invalid(span, message)
            }
            Mismatch::Spaces => self.unsupported(
                span,
                "this refers to another kind of memory (global, shared or local) than the rest: \
                 one variable refers to one kind, so use two variables",
            ),
        }
    }

    /// Makes the types of two operands equal; `false` if they are not.
    pub(super) fn agree(&mut self, a: &Type, b: &Type) -> bool {
        self.infer.unify(a, b).is_ok()
    }
}
