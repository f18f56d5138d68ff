//! Calls: device intrinsics, and the methods of scalars written as paths (`f32::max(a, b)`).

use proc_macro2::Span;

use super::method::{self, known};
use super::ty::{peel, scalar};
use super::{Builder, Expect, ident_text, span};
use crate::hir::draft::{Expr, Kind};
use crate::hir::infer::{SpaceRef, Type, VarKind};
use crate::hir::{Axis, IntTy, Intrinsic, Space, Ty};

/// What stands between a call's parentheses.
type Arguments = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;

impl<'a> Builder<'a> {
    pub(super) fn call(&mut self, call: &'a syn::ExprCall) -> Expr {
        let syn::Expr::Path(path) = super::advice::peel(&call.func) else {
            let start = span::start(&call.func);
            return self.unsupported(start, "a kernel calls intrinsics and methods, by name");
        };
        if let Some(qself) = &path.qself {
            if let (syn::Type::Path(ty), None, Some(last)) =
                (peel(&qself.ty), qself.as_token, path.path.segments.last())
                && let Some(ty) = scalar(ty)
            {
                return self.associated_function(&ty, &last.ident, &call.args);
            }
            self.arguments(&call.args);
            let message = "a kernel cannot call this function: write its code here";
            return self.unsupported(qself.lt_token.span, message);
        }
        let segments: Vec<_> = path.path.segments.iter().collect();
        let names: Vec<String> = segments.iter().map(|s| ident_text(&s.ident)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let Some(last) = segments.last() else { return Expr::error(span::start(&call.func)) };
        match names[..] {
            ["core" | "std", "cmp", name @ ("min" | "max")] | ["cmp", name @ ("min" | "max")] => {
                self.ordered(name, &call.args, last.ident.span())
            }
            ["core" | "std", "primitive", ty, _] | [ty, _] if Ty::scalar(ty).is_some() => {
                let ty = Ty::scalar(ty).unwrap_or(Ty::Unit);
                self.associated_function(&ty, &last.ident, &call.args)
            }
            [ref prefix @ .., scope @ ("thread" | "block" | "grid"), name]
                if matches!(
                    prefix,
                    [] | ["device"] | ["gridlaunch", "device"] | ["gridlaunch", "prelude"]
                ) =>
            {
                self.intrinsic(scope, name, last, call)
            }
            _ if self.is_unknown_name(&path.path) => Expr::error(last.ident.span()),
            _ => {
                self.arguments(&call.args);
                let name = names.last().copied().unwrap_or_default();
                self.unknown_function(name, last.ident.span())
            }
        }
    }

    fn unknown_function(&mut self, name: &str, span: Span) -> Expr {
        let message = match name {
            "Some" | "Ok" | "Err" => {
                format!("a kernel cannot use `{name}`: use a `bool` beside the value")
            }
            "sync" | "x" | "y" | "z" | "global_x" | "global_y" | "global_z" | "dim_x" | "dim_y"
            | "dim_z" | "lane" | "shared" => {
                format!(
                    "write the scope of `{name}` too, as in `thread::x()`, `block::sync()` or \
                     `grid::dim_x()`"
                )
            }
            _ => format!("cannot call `{name}` from a kernel: write its code here"),
        };
        self.unsupported(span, message)
    }

    /// Walks arguments for the errors in them.
    pub(super) fn arguments(&mut self, arguments: &'a Arguments) {
        for argument in arguments {
            self.expr(argument, &Expect::Nothing);
        }
    }

    fn intrinsic(
        &mut self,
        scope: &str,
        name: &str,
        segment: &'a syn::PathSegment,
        call: &'a syn::ExprCall,
    ) -> Expr {
        let span = segment.ident.span();
        let start = span::start(&call.func);
        if !call.args.is_empty() {
            self.arguments(&call.args);
            return self.invalid(span, format!("`{scope}::{name}` has no arguments"));
        }
        if (scope, name) == ("block", "shared") {
            return self.shared(segment, start);
        }
        if !segment.arguments.is_none() {
            return self.invalid(span, format!("`{scope}::{name}` has no type arguments"));
        }
        if self.in_const {
            let message = format!("`{scope}::{name}` is not known while compiling");
            return self.invalid(span, message);
        }
        let Some(intrinsic) = intrinsic(scope, name) else {
            let known = match scope {
                "thread" => "`x`, `y`, `z`, `global_x`, `global_y`, `global_z` and `lane`",
                "block" => "`x`, `y`, `z`, `dim_x`, `dim_y`, `dim_z`, `sync` and `shared`",
                _ => "`dim_x`, `dim_y` and `dim_z`",
            };
            return self.invalid(span, format!("there is no `{scope}::{name}`: it has {known}"));
        };
        let ty = match intrinsic {
            Intrinsic::BlockSync => Type::Unit,
            _ => Type::Int(IntTy::Usize),
        };
        Expr::new(Kind::Intrinsic(intrinsic), ty, start)
    }

    /// `block::shared::<T>()`
    fn shared(&mut self, segment: &'a syn::PathSegment, start: Span) -> Expr {
        if self.in_const {
            return self.invalid(start, "`block::shared` is not known while compiling");
        }
        let target = match &segment.arguments {
            syn::PathArguments::None => self.infer.fresh(VarKind::Any),
            syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                Some(syn::GenericArgument::Type(ty)) if arguments.args.len() == 1 => self.ty(ty),
                _ => {
                    let message = "`block::shared` has one type argument, such as \
                                   `block::shared::<[f32; 256]>()`";
                    return self.invalid(segment.ident.span(), message);
                }
            },
            syn::PathArguments::Parenthesized(_) => {
                return self.invalid(segment.ident.span(), "write `block::shared::<T>()`");
            }
        };
        match self.infer.resolve(&target) {
            Type::Err => Expr::error(start),
            Type::Slice { .. } | Type::Ref { .. } | Type::Unit => {
                let message = "shared memory holds a scalar or an array, such as \
                               `block::shared::<[f32; 256]>()`";
                self.unsupported(segment.ident.span(), message)
            }
            target => {
                let space = SpaceRef::Known(Space::Shared);
                let ty = Type::Ref { target: target.into(), mutable: true, space };
                Expr::new(Kind::Shared, ty, start)
            }
        }
    }

    /// `f32::max(a, b)`
    fn associated_function(
        &mut self,
        ty: &Ty,
        name: &syn::Ident,
        arguments: &'a Arguments,
    ) -> Expr {
        let span = name.span();
        let text = ident_text(name);
        let Some(method) = method::by_name(&text).filter(|method| method::has(*method, ty)) else {
            self.arguments(arguments);
            let message = match text.as_str() {
                "from" => format!("a kernel cannot call `{ty}::from`: write `as {ty}`"),
                _ => format!("a kernel does not know `{ty}::{text}`: it has {}", known(ty)),
            };
            return self.unsupported(span, message);
        };
        let parameters = method::parameters(method, ty);
        if parameters.len() != arguments.len() {
            self.arguments(arguments);
            return self.wrong_count(&text, parameters.len(), arguments.len(), span);
        }
        let values = arguments
            .iter()
            .zip(parameters)
            .map(|(argument, ty)| {
                let ty = Type::from(&ty);
                let value = self.expr(argument, &Expect::Has(ty.clone()));
                self.coerce(value, &ty)
            })
            .collect();
        let result = Type::from(&method::result(method, ty));
        self.method_expr(method, values, result, span, span)
    }

    /// `core::cmp::min(a, b)`
    fn ordered(&mut self, name: &str, arguments: &'a Arguments, span: Span) -> Expr {
        if arguments.len() != 2 {
            self.arguments(arguments);
            return self.wrong_count(name, 2, arguments.len(), span);
        }
        let ty = self.infer.fresh(VarKind::Any);
        let values: Vec<Expr> = arguments
            .iter()
            .map(|argument| {
                let value = self.expr(argument, &Expect::Has(ty.clone()));
                self.coerce(value, &ty)
            })
            .collect();
        let ty = self.infer.resolve(&ty);
        match &ty {
            Type::Err => Expr::error(span),
            ty if self.infer.is_integral(ty) || self.infer.is_bool(ty) => {
                let method = method::by_name(name).unwrap_or(crate::hir::draft::Method::Min);
                self.method_expr(method, values, ty.clone(), span, span)
            }
            ty if self.infer.is_float(ty) => {
                let message = format!(
                    "`{name}` needs a total order, which floats do not have: write `a.{name}(b)`"
                );
                self.invalid(span, message)
            }
            _ => {
                if values.iter().all(|value| !matches!(value.ty, Type::Err)) {
                    self.unsupported(span, format!("a kernel's `{name}` compares scalars"));
                }
                Expr::error(span)
            }
        }
    }
}

fn intrinsic(scope: &str, name: &str) -> Option<Intrinsic> {
    Some(match (scope, name) {
        ("thread", "x") => Intrinsic::ThreadIndex(Axis::X),
        ("thread", "y") => Intrinsic::ThreadIndex(Axis::Y),
        ("thread", "z") => Intrinsic::ThreadIndex(Axis::Z),
        ("thread", "global_x") => Intrinsic::GlobalIndex(Axis::X),
        ("thread", "global_y") => Intrinsic::GlobalIndex(Axis::Y),
        ("thread", "global_z") => Intrinsic::GlobalIndex(Axis::Z),
        ("thread", "lane") => Intrinsic::Lane,
        ("block", "x") => Intrinsic::BlockIndex(Axis::X),
        ("block", "y") => Intrinsic::BlockIndex(Axis::Y),
        ("block", "z") => Intrinsic::BlockIndex(Axis::Z),
        ("block", "dim_x") => Intrinsic::BlockDim(Axis::X),
        ("block", "dim_y") => Intrinsic::BlockDim(Axis::Y),
        ("block", "dim_z") => Intrinsic::BlockDim(Axis::Z),
        ("block", "sync") => Intrinsic::BlockSync,
        ("grid", "dim_x") => Intrinsic::GridDim(Axis::X),
        ("grid", "dim_y") => Intrinsic::GridDim(Axis::Y),
        ("grid", "dim_z") => Intrinsic::GridDim(Axis::Z),
        _ => return None,
    })
}
