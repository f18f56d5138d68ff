//! Constants: local `const` items and array lengths, folded to literals as soon as they are met.

use super::scope::{ConstId, ConstState};
use super::{Builder, Expect};
use crate::hir::evaluate::{Failure, evaluate};
use crate::hir::finish::Finish;
use crate::hir::infer::Type;
use crate::hir::{Expr, Ty};

impl<'a> Builder<'a> {
    /// The value of a `const` item, a literal or an array of them; `None` after an error.
    pub(super) fn const_value(&mut self, id: ConstId) -> Option<Expr> {
        let state = self.scopes.const_state(id);
        let item = match state {
            ConstState::Done(value) => return value.clone(),
            ConstState::Running => {
                *state = ConstState::Done(None);
                return None;
            }
            ConstState::Declared(item) => *item,
        };
        *state = ConstState::Running;
        let inner = self.scopes.leave_to(id);
        let value = self.const_item(item);
        self.scopes.restore(inner);
        let state = self.scopes.const_state(id);
        if let ConstState::Done(_) = state {
            let message = format!("the value of `{}` depends on itself", item.ident);
            self.diagnostics.invalid(item.ident.span(), message);
            return None;
        }
        *state = ConstState::Done(value.clone());
        value
    }

    fn const_item(&mut self, item: &'a syn::ItemConst) -> Option<Expr> {
        if !item.generics.params.is_empty() {
            let message = "a constant in a kernel cannot be generic";
            self.diagnostics.unsupported(item.ident.span(), message);
            return None;
        }
        let ty = self.ty(&item.ty);
        match self.infer.finish(&ty) {
            Ok(Ty::Slice { .. } | Ty::Ref { .. }) => {
                let message = "a constant in a kernel is a scalar or an array, not a reference: \
                               remove the `&` on both sides";
                self.diagnostics.unsupported(super::ty::start(&item.ty), message);
                None
            }
            Ok(_) => self.constant(&item.expr, &ty),
            Err(_) => {
                if self.infer.unknown(&ty) {
                    let message = "a constant's type must be written";
                    self.diagnostics.invalid(super::ty::start(&item.ty), message);
                }
                None
            }
        }
    }

    /// The value of an expression that must be known while compiling. It is a body of its own:
    /// inference does not reach into it, and the kernel's locals cannot be seen.
    pub(super) fn constant(&mut self, expr: &'a syn::Expr, ty: &Type) -> Option<Expr> {
        let infer = std::mem::take(&mut self.infer);
        let locals = std::mem::take(&mut self.locals);
        let targets = std::mem::take(&mut self.targets);
        let unsafe_blocks = std::mem::take(&mut self.unsafe_blocks);
        let diverges = self.diverges;
        let in_const = std::mem::replace(&mut self.in_const, true);
        self.scopes.open_const_body();

        let value = self.expr(expr, &Expect::Has(ty.clone()));
        let value = self.coerce(value, ty);

        self.scopes.close_const_body();
        self.in_const = in_const;
        self.diverges = diverges;
        self.unsafe_blocks = unsafe_blocks;
        self.targets = targets;
        let const_locals = std::mem::replace(&mut self.locals, locals);
        let const_infer = std::mem::replace(&mut self.infer, infer);

        let value = Finish::new(const_infer, const_locals, &mut self.diagnostics).expr(value)?;
        match evaluate(&value) {
            Ok(value) => Some(value),
            Err(Failure::Overflow(span)) => {
                self.diagnostics.invalid(span, "this constant overflows or divides by zero");
                None
            }
            Err(Failure::NotConstant(span)) => {
                let message = "a kernel's constant is made of literals, other constants of the \
                               kernel, arithmetic and casts: write the value out";
                self.diagnostics.unsupported(span, message);
                None
            }
        }
    }
}
