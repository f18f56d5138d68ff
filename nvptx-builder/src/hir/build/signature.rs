//! The kernel's signature.

use std::rc::Rc;

use syn::spanned::Spanned;

use super::scope::Name;
use super::ty::{SpanOfName, advice_for_other, advice_for_path, peel, scalar, start};
use super::{Builder, ident_text};
use crate::hir::draft::Local;
use crate::hir::infer::{SpaceRef, Type};
use crate::hir::{LocalId, Space, Ty};

/// The parameter space of `sm_70` in bytes.
const MAX_PARAMETER_BYTES: u64 = 4096;
/// The address of the panic record, the last parameter of a kernel that can panic.
const PANIC_RECORD_BYTES: u64 = 8;

impl<'a> Builder<'a> {
    /// Declares the parameters.
    pub(super) fn signature(&mut self, sig: &'a syn::Signature) -> Vec<LocalId> {
        self.qualifiers(sig);
        let mut params = Vec::new();
        for input in &sig.inputs {
            match input {
                syn::FnArg::Receiver(receiver) => {
                    let message = "a kernel is a free function: pass what it needs of `self` as \
                                   parameters";
                    self.diagnostics.unsupported(receiver.self_token.span, message);
                }
                syn::FnArg::Typed(param) => params.extend(self.parameter(param)),
            }
        }
        self.parameter_bytes(sig, &params);
        params
    }

    fn qualifiers(&mut self, sig: &syn::Signature) {
        let mut refuse = |span, message: &str| self.diagnostics.unsupported(span, message);
        if let Some(token) = sig.constness {
            refuse(token.span, "a kernel is not a `const fn`: remove `const`");
        }
        if let Some(token) = sig.asyncness {
            let message = "a kernel is not `async`: remove it; a launch returns at once anyway";
            refuse(token.span, message);
        }
        match sig.safety {
            syn::Safety::Unsafe(token) => {
                let message = "a kernel is a safe function: remove `unsafe`, and write \
                               `unsafe { … }` inside it where it is needed";
                refuse(token.span, message);
            }
            syn::Safety::Safe(token) => refuse(token.span, "remove `safe`"),
            syn::Safety::Default => {}
        }
        if let Some(abi) = &sig.abi {
            refuse(abi.extern_token.span, "a kernel has no ABI of its own: remove `extern`");
        }
        if let Some(variadic) = &sig.variadic {
            refuse(variadic.dots.spans[0], "a kernel has a fixed number of parameters");
        }
        for param in &sig.generics.params {
            // What they stand for needs no second error.
            let name = match param {
                syn::GenericParam::Lifetime(_) => continue,
                syn::GenericParam::Type(param) => &param.ident,
                syn::GenericParam::Const(param) => &param.ident,
            };
            self.scopes.declare(ident_text(name), Name::Broken);
        }
        let mut refuse = |span, message: &str| self.diagnostics.unsupported(span, message);
        if let Some(param) = sig.generics.params.first() {
            let message = match param {
                syn::GenericParam::Lifetime(_) => {
                    "a kernel needs no lifetime parameters: remove them"
                }
                syn::GenericParam::Type(_) => {
                    "a kernel cannot be generic: write one kernel for each type"
                }
                syn::GenericParam::Const(_) => {
                    "a kernel cannot be generic: write `const N: usize = …;` inside it, or pass \
                     the value as a parameter"
                }
            };
            refuse(param.span(), message);
        } else if let Some(clause) = &sig.generics.where_clause {
            refuse(clause.where_token.span, "a kernel cannot be generic: remove `where`");
        }
        if let syn::ReturnType::Type(arrow, ty) = &sig.output {
            let unit = matches!(peel(ty), syn::Type::Tuple(tuple) if tuple.elems.is_empty());
            if !unit {
                let message =
                    "a kernel returns nothing: write its results to a `&mut [T]` parameter";
                refuse(arrow.span(), message);
                self.returns = Type::Err;
            }
        }
    }

    fn parameter(&mut self, param: &'a syn::PatType) -> Option<LocalId> {
        let pattern = match &*param.pat {
            syn::Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                pattern
            }
            syn::Pat::Wild(wild) => {
                let message = "a kernel's parameter needs a name: write `_name` if it is unused";
                self.diagnostics.unsupported(wild.underscore_token.span, message);
                return None;
            }
            other => {
                let message = "a kernel's parameter is a plain name: take its parts in the body";
                self.diagnostics.unsupported(other.span(), message);
                return None;
            }
        };
        let ty = self.parameter_type(&param.ty);
        let name = ident_text(&pattern.ident);
        let span = pattern.ident.span();
        if self.scopes.declares(&name) {
            let message = format!("`{name}` is the name of more than one parameter");
            self.diagnostics.invalid(span, message);
        }
        let mutable = pattern.mutability.is_some();
        let id = self.new_local(Local { name: name.clone(), ty, mutable, deferred: false, span });
        self.scopes.declare(name, Name::Local(id));
        Some(id)
    }

    fn parameter_type(&mut self, ty: &'a syn::Type) -> Type {
        let ty = peel(ty);
        if self.names_broken(ty) {
            return Type::Err;
        }
        let mut refuse = |span, message: String| {
            self.diagnostics.unsupported(span, message);
            Type::Err
        };
        match ty {
            syn::Type::Path(path) => match (scalar(path), element_of(path)) {
                (Some(ty), _) => Type::from(&ty),
                (None, Some((container, element))) => refuse(
                    path.span_of_name(),
                    format!(
                        "a kernel cannot take a `{container}`: pass a slice, `&[{element}]` or \
                         `&mut [{element}]`"
                    ),
                ),
                (None, None) => refuse(path.span_of_name(), advice_for_path(path)),
            },
            syn::Type::Reference(reference) => {
                if let Some(lifetime) = &reference.lifetime
                    && lifetime.ident == "static"
                {
                    let message = "a kernel's parameters need no lifetimes: remove it";
                    return refuse(lifetime.apostrophe, message.into());
                }
                let and = if reference.mutability.is_some() { "&mut " } else { "&" };
                match peel(&reference.elem) {
                    syn::Type::Slice(slice) => match peel(&slice.elem) {
                        syn::Type::Path(path) if scalar(path).is_some() => Type::Slice {
                            element: Rc::new(scalar(path).as_ref().map_or(Type::Err, Type::from)),
                            mutable: reference.mutability.is_some(),
                            space: SpaceRef::Known(Space::Global),
                        },
                        syn::Type::Path(path) => refuse(path.span_of_name(), advice_for_path(path)),
                        syn::Type::Array(array) => refuse(
                            array.bracket_token.span.open(),
                            "a slice parameter holds scalars: pass it flat and compute the index"
                                .into(),
                        ),
                        other => refuse(start(other), advice_for_other(other)),
                    },
                    syn::Type::Path(path) => match (scalar(path), element_of(path)) {
                        (Some(ty), _) if reference.mutability.is_some() => refuse(
                            reference.and_token.spans[0],
                            format!(
                                "a kernel cannot take `&mut {ty}`: pass a slice of one element, \
                                 `&mut [{ty}]`"
                            ),
                        ),
                        (Some(ty), _) => refuse(
                            reference.and_token.spans[0],
                            format!("a kernel cannot take `&{ty}`: pass the value, `{ty}`"),
                        ),
                        (None, Some((container, element))) => refuse(
                            path.span_of_name(),
                            format!(
                                "a kernel cannot take a `{container}`: pass a slice, \
                                 `{and}[{element}]`"
                            ),
                        ),
                        (None, None) => refuse(path.span_of_name(), advice_for_path(path)),
                    },
                    syn::Type::Array(array) => refuse(
                        array.bracket_token.span.open(),
                        match peel(&array.elem) {
                            syn::Type::Path(path) if scalar(path).is_some() => format!(
                                "a kernel cannot take a reference to an array: pass a slice, \
                                 `{and}[{}]`",
                                path.path
                                    .segments
                                    .last()
                                    .map_or_else(String::new, |last| ident_text(&last.ident))
                            ),
                            _ => format!(
                                "a kernel cannot take a reference to an array: pass a slice of \
                                 scalars, such as `{and}[f32]`, and compute the index"
                            ),
                        },
                    ),
                    other => refuse(
                        start(other),
                        "a kernel takes scalars, `&[T]` and `&mut [T]`: pass one of these".into(),
                    ),
                }
            }
            syn::Type::Array(array) => refuse(
                array.bracket_token.span.open(),
                "a kernel cannot take an array by value: pass a slice, such as `&[f32]`".into(),
            ),
            syn::Type::Slice(slice) => {
                let message = "a slice is passed by reference: write `&[T]` or `&mut [T]`";
                self.diagnostics.invalid(slice.bracket_token.span.open(), message);
                Type::Err
            }
            syn::Type::Tuple(tuple) => refuse(
                tuple.paren_token.span.open(),
                "a kernel cannot take a tuple: pass each part as a parameter".into(),
            ),
            syn::Type::Infer(infer) => {
                let message = "a parameter's type must be written";
                self.diagnostics.invalid(infer.underscore_token.span, message);
                Type::Err
            }
            other => refuse(start(other), advice_for_other(other)),
        }
    }

    /// Whether a type mentions, possibly in a reference or a slice, a name that was reported.
    fn names_broken(&self, ty: &syn::Type) -> bool {
        match peel(ty) {
            syn::Type::Path(path) => self.is_broken(&path.path),
            syn::Type::Reference(reference) => self.names_broken(&reference.elem),
            syn::Type::Slice(slice) => self.names_broken(&slice.elem),
            syn::Type::Array(array) => self.names_broken(&array.elem),
            _ => false,
        }
    }

    /// The device has a limit that would otherwise show as an opaque driver error.
    fn parameter_bytes(&mut self, sig: &syn::Signature, params: &[LocalId]) {
        let mut end = 0u64;
        let mut items = Vec::new();
        for param in params {
            let local = &self.locals[param.0 as usize];
            let Ok(ty) = self.infer.finish(&local.ty) else { return };
            let (size, align) = match &ty {
                Ty::Slice { .. } => (16, 8),
                _ => (ty.size().unwrap_or(8), ty.align().unwrap_or(8)),
            };
            end = end.next_multiple_of(align) + size;
            items.push(format!("`{}: {ty}` {size}", local.name));
        }
        let total = end.next_multiple_of(PANIC_RECORD_BYTES) + PANIC_RECORD_BYTES;
        if total > MAX_PARAMETER_BYTES {
            let message = format!(
                "the parameters take {total} bytes, more than the {MAX_PARAMETER_BYTES} that a \
                 kernel can have: put some of them into one slice. They are, with their bytes: \
                 {}, and the panic record {PANIC_RECORD_BYTES}",
                items.join(", ")
            );
            self.diagnostics.unsupported(sig.ident.span(), message);
        }
    }
}

/// `Vec<f32>` → (`Vec<f32>`, `f32`), for owners of a run of scalars.
fn element_of(path: &syn::TypePath) -> Option<(String, String)> {
    let last = path.path.segments.last()?;
    let name = ident_text(&last.ident);
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let Some(syn::GenericArgument::Type(element)) = arguments.args.first() else { return None };
    let (path, slice) = match peel(element) {
        syn::Type::Slice(slice) => (peel(&slice.elem), true),
        other => (other, false),
    };
    let syn::Type::Path(path) = path else { return None };
    let element = scalar(path)?;
    let inner = if slice { format!("[{element}]") } else { element.to_string() };
    let known = ["Vec", "Box", "Rc", "Arc", "VecDeque", "Buffer", "Slice", "SliceMut"];
    known.contains(&name.as_str()).then(|| (format!("{name}<{inner}>"), element.to_string()))
}
