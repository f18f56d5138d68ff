//! Places: what can be assigned to, indexed, and referred to.

use std::rc::Rc;

use proc_macro2::Span;

use super::{Builder, Expect};
use crate::hir::draft::{Expr, Kind};
use crate::hir::infer::{SpaceRef, Type};
use crate::hir::{IntTy, Space};

const TEMPORARY: &str = "a kernel cannot refer to a temporary value: bind it with `let` as an array, \
                         and refer to that";

/// Whether an expression is a place, as Rust has it, rather than a value.
pub(super) fn is_place(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Local(_) | Kind::Index { .. } | Kind::Deref(_))
}

impl<'a> Builder<'a> {
    pub(super) fn index(&mut self, expr: &'a syn::ExprIndex) -> Expr {
        let base = self.expr(&expr.expr, &Expect::Nothing);
        let bracket = expr.bracket_token.span.open();
        if let syn::Expr::Range(_) = super::advice::peel(&expr.index) {
            let message = "a kernel cannot take a part of a slice: add the offset to the index \
                           instead";
            return self.unsupported(bracket, message);
        }
        let index = self.expr(&expr.index, &Expect::Nothing);
        let span = base.span;
        let Some((base, element)) = self.indexable(base, bracket) else {
            return Expr::error(span);
        };
        let index = self.element_index(index);
        let kind = Kind::Index { base: Box::new(base), index: Box::new(index), checked: true };
        Expr::new(kind, element, span)
    }

    /// The base of an index with its element's type: a slice, an array, or a reference to one,
    /// with no dereference in between.
    pub(super) fn indexable(&mut self, base: Expr, span: Span) -> Option<(Expr, Type)> {
        let ty = self.infer.resolve(&base.ty);
        let base = match base.kind {
            Kind::Deref(inner) => *inner,
            _ => base,
        };
        match &ty {
            Type::Err => None,
            Type::Array(element, _)
            | Type::Slice { element, .. }
            | Type::SlicePlace { element, .. } => Some((base, self.infer.resolve(element))),
            Type::Ref { target, .. } => match self.infer.resolve(target) {
                Type::Array(element, _) => Some((base, self.infer.resolve(&element))),
                _ => self.not_indexable(&ty, span),
            },
            _ => self.not_indexable(&ty, span),
        }
    }

    fn not_indexable(&mut self, ty: &Type, span: Span) -> Option<(Expr, Type)> {
        if !matches!(ty, Type::Never) {
            let message = format!("a `{}` has no elements to index", self.infer.show(ty));
            self.diagnostics.invalid(span, message);
        }
        None
    }

    /// An index must be `usize`, and an open integer becomes one.
    pub(super) fn element_index(&mut self, index: Expr) -> Expr {
        let usize_type = Type::Int(IntTy::Usize);
        match self.infer.resolve(&index.ty) {
            Type::Int(int) if int != IntTy::Usize => {
                let message = format!("an index is a `usize`, not `{int}`: write `as usize`");
                self.invalid(index.span, message)
            }
            _ => self.coerce(index, &usize_type),
        }
    }

    pub(super) fn deref(&mut self, operand: &'a syn::Expr, star: Span) -> Expr {
        let operand = self.expr(operand, &Expect::Nothing);
        match self.infer.resolve(&operand.ty) {
            Type::Err | Type::Never => operand,
            Type::Ref { target, .. } => {
                let ty = self.infer.resolve(&target);
                Expr { span: star, ..operand.deref(ty) }
            }
            Type::Slice { element, mutable, space } => {
                let ty = Type::SlicePlace { element, mutable, space };
                Expr { span: star, ..operand.deref(ty) }
            }
            ty => {
                let message = format!("a `{}` cannot be dereferenced", self.infer.show(&ty));
                self.invalid(star, message)
            }
        }
    }

    /// `&place`, `&mut place`
    pub(super) fn reference(&mut self, expr: &'a syn::ExprReference, expected: &Expect) -> Expr {
        let and = expr.and_token.spans[0];
        let mutable = expr.mutability.is_some();
        let inner = match expected.only().map(|ty| self.infer.resolve(ty)) {
            Some(Type::Ref { target, .. }) => Expect::Has((*target).clone()),
            _ => Expect::Nothing,
        };
        let place = self.expr(&expr.expr, &inner);
        let ty = self.infer.resolve(&place.ty);
        match (&place.kind, &ty) {
            (_, Type::Err) => return Expr::error(and),
            (_, Type::SlicePlace { .. }) => return self.reborrow_slice(place, mutable, and),
            (Kind::Index { .. }, _) if self.in_temporary(&place) => {
                return self.unsupported(and, TEMPORARY);
            }
            (Kind::Local(_), Type::Array(..)) | (Kind::Index { .. } | Kind::Deref(_), _) => {}
            (Kind::Local(_), Type::Slice { .. } | Type::Ref { .. }) => {
                let message = "this is a reference already: remove the `&`";
                return self.unsupported(and, message);
            }
            (Kind::Local(_), _) => {
                let message = "a kernel cannot refer to a scalar variable, which has no address: \
                               use the variable itself, or an array of one element";
                return self.unsupported(and, message);
            }
            _ => return self.unsupported(and, TEMPORARY),
        }
        if mutable && !self.require_mutable(&place) {
            return Expr::error(and);
        }
        let space = self.space_of(&place);
        let ty = Type::Ref { target: Rc::new(ty), mutable, space };
        Expr::new(Kind::Ref(Box::new(place)), ty, and)
    }

    /// `&*slice`, `&mut *slice`
    fn reborrow_slice(&mut self, place: Expr, mutable: bool, and: Span) -> Expr {
        let Kind::Deref(slice) = place.kind else { return Expr::error(and) };
        match (self.infer.resolve(&slice.ty), mutable) {
            (Type::Slice { mutable: true, .. }, false) => {
                let message = "a kernel cannot turn a `&mut [T]` into a `&[T]`: use the mutable \
                               slice itself";
                self.unsupported(and, message)
            }
            (Type::Slice { mutable: false, .. }, true) => {
                self.invalid(and, "a `&[T]` cannot be borrowed as mutable")
            }
            _ => *slice,
        }
    }

    /// Reports a place that cannot be written through.
    pub(super) fn require_mutable(&mut self, place: &Expr) -> bool {
        let through = |ty: &Type| match ty {
            Type::Slice { mutable, .. } | Type::Ref { mutable, .. } => Some(*mutable),
            _ => None,
        };
        let mut at = place;
        loop {
            let inner = match &at.kind {
                Kind::Index { base, .. } => base,
                Kind::Deref(inner) => inner,
                Kind::Local(id) => {
                    let local = &self.locals[id.0 as usize];
                    if local.mutable {
                        return true;
                    }
                    let message =
                        format!("`{0}` is not mutable: declare it as `mut {0}`", local.name);
                    self.diagnostics.invalid(at.span, message);
                    return false;
                }
                // A temporary, which Rust lets be written to.
                _ => return true,
            };
            match through(&self.infer.resolve(&inner.ty)) {
                Some(true) => return true,
                Some(false) => {
                    let message = "this is behind a `&`, which cannot be written through: make it \
                                   `&mut`";
                    self.diagnostics.invalid(at.span, message);
                    return false;
                }
                None => at = inner,
            }
        }
    }

    /// The memory that a place is in.
    fn space_of(&self, place: &Expr) -> SpaceRef {
        let mut at = place;
        loop {
            let inner = match &at.kind {
                Kind::Index { base, .. } => base,
                Kind::Deref(inner) => inner,
                _ => return SpaceRef::Known(Space::Local),
            };
            match self.infer.resolve(&inner.ty) {
                Type::Slice { space, .. } | Type::Ref { space, .. } => return space,
                _ => at = inner,
            }
        }
    }

    /// Whether a place is a part of a value that has no name.
    pub(super) fn in_temporary(&self, place: &Expr) -> bool {
        let mut at = place;
        loop {
            let inner = match &at.kind {
                Kind::Index { base, .. } => base,
                Kind::Deref(_) | Kind::Local(_) => return false,
                _ => return true,
            };
            match self.infer.resolve(&inner.ty) {
                Type::Slice { .. } | Type::Ref { .. } => return false,
                _ => at = inner,
            }
        }
    }

    /// A reference to an element: what `get_unchecked` returns.
    pub(super) fn element_ref(&mut self, element: Expr, mutable: bool) -> Expr {
        let space = self.space_of(&element);
        let span = element.span;
        let target = Rc::new(self.infer.resolve(&element.ty));
        Expr::new(Kind::Ref(Box::new(element)), Type::Ref { target, mutable, space }, span)
    }
}
