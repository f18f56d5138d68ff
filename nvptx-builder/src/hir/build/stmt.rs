//! `let`, and items inside a kernel.

use syn::spanned::Spanned;

use super::scope::{Found, Name};
use super::{Builder, Expect, ident_text};
use crate::hir::draft::{Local, Stmt};
use crate::hir::infer::{Type, VarKind};

impl<'a> Builder<'a> {
    pub(super) fn let_stmt(&mut self, stmt: &'a syn::Local) -> Option<Stmt> {
        let (pat, annotation) = match &stmt.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        if let Some((else_token, _)) = stmt.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            let message = "a kernel has no `let … else`: write an `if` that returns";
            self.diagnostics.unsupported(else_token.span, message);
            self.break_names(pat);
            return None;
        }
        if !binds_one_name(pat) {
            self.refuse_pattern(pat);
            self.break_names(pat);
            return None;
        }
        let ty = match annotation {
            Some(ty) => self.ty(ty),
            None => self.infer.fresh(VarKind::Any),
        };
        if matches!(ty, Type::Err) {
            // What the value is would be said in terms of that type.
            self.break_names(pat);
            return None;
        }
        let init = stmt.init.as_ref().map(|init| {
            let value = self.expr(&init.expr, &Expect::Has(ty.clone()));
            self.coerce(value, &ty)
        });
        let ty = match &init {
            // The value is unknown, but an annotation still says what the name is.
            Some(value) if matches!(value.ty, Type::Err) && annotation.is_none() => Type::Err,
            _ => ty,
        };
        self.bind(pat, ty, init)
    }

    fn bind(
        &mut self,
        pat: &'a syn::Pat,
        ty: Type,
        init: Option<crate::hir::draft::Expr>,
    ) -> Option<Stmt> {
        match pat {
            syn::Pat::Paren(inner) => self.bind(&inner.pat, ty, init),
            syn::Pat::Wild(_) => init.map(Stmt::Expr),
            syn::Pat::Ident(pat) => {
                let name = self.binding_name(pat)?;
                let id = self.new_local(Local {
                    name: name.clone(),
                    ty,
                    mutable: pat.mutability.is_some(),
                    deferred: init.is_none(),
                    span: pat.ident.span(),
                });
                self.scopes.declare(name, Name::Local(id));
                Some(Stmt::Let(id, init))
            }
            _ => None,
        }
    }

    /// The name that a pattern binds; an error if it does more than that.
    pub(super) fn binding_name(&mut self, pat: &syn::PatIdent) -> Option<String> {
        let name = ident_text(&pat.ident);
        if let Some(token) = pat.by_ref {
            let message = "a kernel has no `ref` patterns: write `&` before the value";
            self.diagnostics.unsupported(token.span, message);
            self.scopes.declare(name, Name::Broken);
            return None;
        }
        if let Some((at, _)) = &pat.subpat {
            let message = "a kernel has no `@` patterns: bind the name alone";
            self.diagnostics.unsupported(at.span, message);
            self.scopes.declare(name, Name::Broken);
            return None;
        }
        if let Found::Name(Name::Const(_)) = self.scopes.find(&name) {
            let message = format!("`{name}` is a constant, and so cannot be bound here");
            self.diagnostics.invalid(pat.ident.span(), message);
            return None;
        }
        Some(name)
    }

    pub(super) fn refuse_pattern(&mut self, pat: &syn::Pat) {
        let message = match pat {
            syn::Pat::Tuple(_) | syn::Pat::TupleStruct(_) | syn::Pat::Struct(_) => {
                "a kernel cannot take a value apart in a pattern: write one `let` for each part"
            }
            syn::Pat::Slice(_) => {
                "a kernel cannot take an array apart in a pattern: write `let a = x[0];` for each \
                 element"
            }
            syn::Pat::Reference(_) => {
                "a kernel has no `&` patterns: bind the reference, and read it with `*`"
            }
            _ => "a kernel binds plain names: write `let name = …;`",
        };
        self.diagnostics.unsupported(pat.span(), message);
    }

    /// After an error, the names in a pattern exist all the same.
    fn break_names(&mut self, pat: &syn::Pat) {
        struct Names(Vec<String>);
        impl<'ast> syn::visit::Visit<'ast> for Names {
            fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
                self.0.push(ident_text(&pat.ident));
                syn::visit::visit_pat_ident(self, pat);
            }
        }
        let mut names = Names(Vec::new());
        syn::visit::Visit::visit_pat(&mut names, pat);
        for name in names.0 {
            self.scopes.declare(name, Name::Broken);
        }
    }

    /// Items are visible in all of their block, also before their declaration.
    pub(super) fn declare_items(&mut self, stmts: &'a [syn::Stmt]) {
        let mut consts = Vec::new();
        for stmt in stmts {
            let syn::Stmt::Item(item) = stmt else { continue };
            match item {
                syn::Item::Const(item) => {
                    let name = ident_text(&item.ident);
                    if self.scopes.declares(&name) {
                        let message = format!("`{name}` is declared twice in this block");
                        self.diagnostics.invalid(item.ident.span(), message);
                        continue;
                    }
                    let id = self.scopes.new_const(item);
                    if name != "_" {
                        self.scopes.declare(name, Name::Const(id));
                    }
                    consts.push(id);
                }
                other => self.refuse_item(other),
            }
        }
        for id in consts {
            self.const_value(id);
        }
    }

    fn refuse_item(&mut self, item: &'a syn::Item) {
        let (span, message) = match item {
            syn::Item::Use(item) if names_gridlaunch(&item.tree) => return,
            syn::Item::Use(item) => {
                (item.use_token.span, "a kernel cannot contain `use`: write it before the kernel")
            }
            syn::Item::Fn(item) => {
                self.scopes.declare(ident_text(&item.sig.ident), Name::Broken);
                let message =
                    "a kernel cannot contain a function: write its code where it is called";
                (item.sig.fn_token.span, message)
            }
            syn::Item::Static(item) => {
                self.scopes.declare(ident_text(&item.ident), Name::Broken);
                let message = "a kernel cannot contain a `static`: write `const`, or \
                               `block::shared::<T>()` for memory that the block shares";
                (item.static_token.span, message)
            }
            syn::Item::Struct(item) => {
                self.scopes.declare(ident_text(&item.ident), Name::Broken);
                let message = "a kernel cannot contain a struct: use one variable a field";
                (item.struct_token.span, message)
            }
            syn::Item::Enum(item) => {
                self.scopes.declare(ident_text(&item.ident), Name::Broken);
                (item.enum_token.span, "a kernel cannot contain an enum: use an integer")
            }
            syn::Item::Type(item) => {
                self.scopes.declare(ident_text(&item.ident), Name::Broken);
                let message = "a kernel cannot contain a type alias: write the type out";
                (item.type_token.span, message)
            }
            syn::Item::Macro(item) => {
                (item.mac.path.span(), "a kernel cannot contain a macro: write its code out")
            }
            other => (other.span(), "a kernel can contain no items but `const`"),
        };
        self.diagnostics.unsupported(span, message);
    }
}

/// `name`, `mut name`, `_`: all that a kernel binds.
fn binds_one_name(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Paren(inner) => binds_one_name(&inner.pat),
        pat => matches!(pat, syn::Pat::Ident(_) | syn::Pat::Wild(_)),
    }
}

fn names_gridlaunch(tree: &syn::UseTree) -> bool {
    matches!(tree, syn::UseTree::Path(path) if path.ident == "gridlaunch")
}
