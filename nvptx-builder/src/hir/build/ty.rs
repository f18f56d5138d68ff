//! Types that the user wrote.

use std::rc::Rc;

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::scope::{Found, Name};
use super::{Builder, MAX_DEPTH, ident_text};
use crate::hir::infer::{Type, VarKind};
use crate::hir::{IntTy, Ty};

impl<'a> Builder<'a> {
    /// An annotation, a cast's target, or a type argument inside the body.
    pub(super) fn ty(&mut self, ty: &'a syn::Type) -> Type {
        if self.depth == MAX_DEPTH {
            return self.too_deep(start(ty)).ty;
        }
        self.depth += 1;
        let result = self.ty_kind(ty);
        self.depth -= 1;
        result
    }

    fn ty_kind(&mut self, ty: &'a syn::Type) -> Type {
        match ty {
            syn::Type::Paren(ty) => self.ty(&ty.elem),
            syn::Type::Group(ty) => self.ty(&ty.elem),
            syn::Type::Infer(_) => self.infer.fresh(VarKind::Any),
            syn::Type::Tuple(ty) if ty.elems.is_empty() => Type::Unit,
            syn::Type::Path(path) => match scalar(path) {
                Some(ty) => Type::from(&ty),
                None if self.is_broken(&path.path) => Type::Err,
                None => self.no_type(path.span_of_name(), advice_for_path(path)),
            },
            syn::Type::Array(array) => {
                let element = self.ty(&array.elem);
                let element = self.array_element(element, start(&array.elem));
                let len = self.array_len(&array.len);
                match len {
                    Some(len) => Type::Array(Rc::new(element), len),
                    None => Type::Err,
                }
            }
            syn::Type::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                let space = self.infer.fresh_space();
                match peel(&reference.elem) {
                    syn::Type::Slice(slice) => {
                        let element = self.ty(&slice.elem);
                        let element = self.array_element(element, start(&slice.elem));
                        Type::Slice { element: Rc::new(element), mutable, space }
                    }
                    target => {
                        let start = start(target);
                        let target = self.ty(target);
                        match self.infer.resolve(&target) {
                            Type::Err => Type::Err,
                            Type::Slice { .. } | Type::Ref { .. } => {
                                self.diagnostics.unsupported(
                                    start,
                                    "a kernel has no reference to a reference: use the inner one",
                                );
                                Type::Err
                            }
                            _ => Type::Ref { target: Rc::new(target), mutable, space },
                        }
                    }
                }
            }
            syn::Type::Slice(slice) => {
                let message = "a slice is used through a reference: write `&[T]` or `&mut [T]`";
                self.diagnostics.invalid(slice.bracket_token.span.open(), message);
                Type::Err
            }
            other => self.no_type(start(other), advice_for_other(other)),
        }
    }

    /// Whether a path names an item whose declaration was reported.
    pub(super) fn is_broken(&self, path: &syn::Path) -> bool {
        path.get_ident()
            .is_some_and(|ident| self.scopes.find(&ident_text(ident)) == Found::Name(Name::Broken))
    }

    /// Whether an expression is a name, or a part of one, whose declaration or value was reported.
    pub(super) fn is_unknown(&self, expr: &syn::Expr) -> bool {
        match super::advice::peel(expr) {
            syn::Expr::Path(path) => self.is_unknown_name(&path.path),
            syn::Expr::Field(field) => self.is_unknown(&field.base),
            _ => false,
        }
    }

    /// Whether a path names an item, or a variable, whose declaration was reported.
    pub(super) fn is_unknown_name(&self, path: &syn::Path) -> bool {
        let Some(ident) = path.get_ident() else { return false };
        match self.scopes.find(&ident_text(ident)) {
            Found::Name(Name::Broken) => true,
            Found::Name(Name::Local(id)) => {
                let ty = self.locals.get(id.0 as usize).map(|local| self.infer.resolve(&local.ty));
                matches!(ty, Some(Type::Err))
            }
            _ => false,
        }
    }

    fn no_type(&mut self, span: Span, advice: String) -> Type {
        self.diagnostics.unsupported(span, advice);
        Type::Err
    }

    /// Arrays hold scalars, or arrays of them.
    pub(super) fn array_element(&mut self, element: Type, span: Span) -> Type {
        match self.infer.resolve(&element) {
            Type::Slice { .. } | Type::Ref { .. } | Type::SlicePlace { .. } => {
                let message = "an array in a kernel holds scalars or arrays of scalars, \
                               not references: keep indices in it instead";
                self.diagnostics.unsupported(span, message);
                Type::Err
            }
            Type::Unit => {
                let message = "an array in a kernel holds scalars or arrays of scalars";
                self.diagnostics.unsupported(span, message);
                Type::Err
            }
            _ => element,
        }
    }

    /// The `n` of `[T; n]`.
    pub(super) fn array_len(&mut self, len: &'a syn::Expr) -> Option<u64> {
        if let syn::Expr::Infer(infer) = len {
            let message = "write the array's length: a number, or a `const` of this kernel";
            self.diagnostics.unsupported(infer.underscore_token.span, message);
            return None;
        }
        let span = super::span::start(len);
        let value = self.constant(len, &Type::Int(IntTy::Usize))?;
        let crate::hir::ExprKind::Int(value) = value.kind else { return None };
        match u64::try_from(value) {
            Ok(0) => {
                let message = "an array in a kernel has at least one element";
                self.diagnostics.unsupported(span, message);
                None
            }
            Ok(len) => Some(len),
            Err(_) => None,
        }
    }
}

/// A type without parentheses and invisible groups around it.
pub(super) fn peel(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Paren(inner) => peel(&inner.elem),
        syn::Type::Group(inner) => peel(&inner.elem),
        other => other,
    }
}

/// The scalar that a path names: `f32`, also as `core::primitive::f32`.
pub(super) fn scalar(path: &syn::TypePath) -> Option<Ty> {
    if path.qself.is_some() || !path.path.segments.iter().all(|s| s.arguments.is_none()) {
        return None;
    }
    let names: Vec<String> = path.path.segments.iter().map(|s| ident_text(&s.ident)).collect();
    match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [name] | ["core" | "std", "primitive", name] => Ty::scalar(name),
        _ => None,
    }
}

/// Where a type starts.
pub(super) fn start(ty: &syn::Type) -> Span {
    match ty {
        syn::Type::Array(ty) => ty.bracket_token.span.open(),
        syn::Type::Slice(ty) => ty.bracket_token.span.open(),
        syn::Type::Tuple(ty) => ty.paren_token.span.open(),
        syn::Type::Paren(ty) => ty.paren_token.span.open(),
        syn::Type::Reference(ty) => ty.and_token.spans[0],
        syn::Type::Ptr(ty) => ty.star_token.span,
        syn::Type::Path(ty) => ty.span_of_name(),
        syn::Type::Group(ty) => start(&ty.elem),
        syn::Type::FnPtr(ty) => ty.fn_token.span,
        other => other.span(),
    }
}

/// The token that names a path's type: its last segment.
pub(super) trait SpanOfName {
    fn span_of_name(&self) -> Span;
}

impl SpanOfName for syn::TypePath {
    fn span_of_name(&self) -> Span {
        self.path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span())
    }
}

/// What to write instead of a type that a path names.
pub(super) fn advice_for_path(path: &syn::TypePath) -> String {
    let Some(last) = path.path.segments.last() else { return String::from(SCALARS) };
    let name = ident_text(&last.ident);
    let instead = match name.as_str() {
        "char" => "use `u32` for a code point, or `u8` for a byte",
        "str" | "String" => "text stays on the host: use `u8` for its bytes",
        "i128" | "u128" => "the widest integers are `i64` and `u64`",
        "f16" | "bf16" | "f128" => "the floating-point types are `f32` and `f64`",
        "Vec" | "Box" | "VecDeque" => "use an array of a fixed length, such as `[f32; 16]`",
        "Option" | "Result" => "use a `bool` beside the value",
        _ => SCALARS,
    };
    format!("a kernel cannot use the type `{name}`: {instead}")
}

/// What to write instead of a type that is not a path.
pub(super) fn advice_for_other(ty: &syn::Type) -> String {
    let (what, instead) = match ty {
        syn::Type::Tuple(_) => ("a tuple", "use one variable for each part"),
        syn::Type::Ptr(_) => ("a raw pointer", "use a slice, `&[T]` or `&mut [T]`"),
        syn::Type::FnPtr(_) => ("a function pointer", "write the code in its place"),
        syn::Type::ImplTrait(_) | syn::Type::TraitObject(_) => ("a trait type", SCALARS),
        syn::Type::Macro(_) => ("a macro as a type", "write the type out"),
        _ => ("this type", SCALARS),
    };
    format!("a kernel cannot use {what}: {instead}")
}

const SCALARS: &str = "it has `bool`, the integers from `i8` and `u8` to `i64`, `u64`, `isize` and \
                       `usize`, `f32`, `f64`, and arrays of these";
