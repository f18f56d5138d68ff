//! Array literals.

use std::rc::Rc;

use super::coerce::Merge;
use super::{Builder, Expect, span};
use crate::hir::draft::{Expr, Kind};
use crate::hir::infer::{Type, VarKind};

impl<'a> Builder<'a> {
    /// The element type that is expected of an array.
    fn expected_element(&self, ty: Option<&Type>) -> Option<Type> {
        match self.infer.resolve(ty?) {
            Type::Array(element, _) => Some((*element).clone()),
            _ => None,
        }
    }

    /// `[a, b, c]`
    pub(super) fn array(&mut self, expr: &'a syn::ExprArray, expected: &Expect) -> Expr {
        let start = expr.bracket_token.span.open();
        if expr.elems.is_empty() {
            let message = "an array in a kernel has at least one element";
            return self.unsupported(start, message);
        }
        let element = self.expected_element(expected.hint());
        let mut elements = Merge::new(element.as_ref(), &mut self.infer);
        let mut values = Vec::with_capacity(expr.elems.len());
        for value in &expr.elems {
            let value = self.expr(value, &Expect::Has(elements.hint().clone()));
            values.push(elements.push(value, self));
        }
        if values.iter().any(|value| matches!(value.ty, Type::Err)) {
            return Expr::error(start);
        }
        let len = values.len() as u64;
        let element = elements.hint().clone();
        let element = self.array_element(element, span::start(&expr.elems[0]));
        if matches!(element, Type::Err) {
            return Expr::error(start);
        }
        Expr::new(Kind::Array(values), Type::Array(Rc::new(element), len), start)
    }

    /// `[value; n]`
    pub(super) fn repeat(&mut self, expr: &'a syn::ExprRepeat, expected: &Expect) -> Expr {
        let start = expr.bracket_token.span.open();
        let len = self.array_len(&expr.len);
        let element = match self.expected_element(expected.only()) {
            Some(element) => element,
            None => self.infer.fresh(VarKind::Any),
        };
        let value = self.expr(&expr.expr, &Expect::Has(element.clone()));
        let value = self.coerce(value, &element);
        let element = self.array_element(element, span::start(&expr.expr));
        match len {
            Some(len) if !matches!(element, Type::Err) && !matches!(value.ty, Type::Err) => {
                let ty = Type::Array(Rc::new(element), len);
                Expr::new(Kind::Repeat(Box::new(value)), ty, start)
            }
            _ => Expr::error(start),
        }
    }
}
