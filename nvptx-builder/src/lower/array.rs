//! Arrays by value.

use super::place::{Memory, Place};
use super::{Lowerer, ir};
use crate::hir::{Expr, ExprKind, Ty};
use crate::ir::{Binary, Compare, Op, Type, Value};

/// Up to so many scalars are copied or filled one by one, more of them in a loop.
const LONGEST_UNROLLED: u64 = 32;

impl Lowerer<'_> {
    /// Evaluates an array straight into memory that the expression does not read.
    pub(super) fn array_into(&mut self, expr: &Expr, to: Memory) {
        let outer = self.at(expr.span);
        match &expr.kind {
            ExprKind::Array(elements) => self.elements_into(elements, to),
            ExprKind::Repeat(element) => self.repeat_into(element, &expr.ty, to),
            ExprKind::Block(None, block) => {
                self.statements(&block.stmts);
                if let Some(result) = &block.result {
                    self.array_or_divergent(result, to);
                }
            }
            ExprKind::Block(Some(id), block) => {
                self.labelled(*id, block, &expr.ty, Some(to));
            }
            ExprKind::If(condition, then, otherwise) => {
                self.if_else(condition, then, otherwise.as_deref(), &expr.ty, Some(to));
            }
            ExprKind::Loop { id, condition, body } => {
                self.loop_while(*id, condition.as_deref(), body, &expr.ty, Some(to));
            }
            ExprKind::Local(_) | ExprKind::Index { .. } | ExprKind::Deref(_) => {
                if let Place::Memory(from) = self.place(expr) {
                    self.copy(from, to, &expr.ty);
                }
            }
            // Nothing else is an array.
            _ => {}
        }
        self.set_loc(outer);
    }

    /// Evaluates an array into memory, or something that never gets there.
    pub(super) fn array_or_divergent(&mut self, expr: &Expr, to: Memory) {
        if matches!(expr.ty, Ty::Array(..)) {
            self.array_into(expr, to);
        } else {
            self.value(expr);
        }
    }

    fn elements_into(&mut self, elements: &[Expr], to: Memory) {
        for (i, element) in elements.iter().enumerate() {
            let at = to.plus(element.ty.size().unwrap_or(0) as i64 * i as i64);
            if let Ty::Array(..) = element.ty {
                self.array_into(element, at);
            } else {
                let value = self.scalar(element);
                self.store(&at, &element.ty, value);
            }
        }
    }

    fn repeat_into(&mut self, element: &Expr, ty: &Ty, to: Memory) {
        let Ty::Array(element_ty, len) = ty else { return };
        if matches!(**element_ty, Ty::Array(..)) {
            if let Some(scalar) = innermost(element) {
                // `[[0.0; 4]; 4]`: every scalar the same.
                let value = self.scalar(scalar);
                return self.fill(to, &scalar.ty, scalars(ty), value);
            }
            let one = self.temporary(element_ty);
            self.array_into(element, one);
            let size = element_ty.size().unwrap_or(0);
            return self.repeat(*len, |this, index| {
                let at = this.element(to, index, size);
                this.copy(one, at, element_ty);
            });
        }
        let value = self.scalar(element);
        self.fill(to, &element.ty, *len, value);
    }

    fn fill(&mut self, to: Memory, scalar: &Ty, count: u64, value: Value) {
        let size = scalar.size().unwrap_or(0);
        self.repeat(count, |this, index| {
            let at = this.element(to, index, size);
            this.store(&at, scalar, value);
        });
    }

    /// Copies an array scalar by scalar. Source and target are one or do not overlap.
    fn copy(&mut self, from: Memory, to: Memory, ty: &Ty) {
        let scalar = innermost_type(ty);
        let size = scalar.size().unwrap_or(0);
        self.repeat(scalars(ty), |this, index| {
            let from = this.element(from, index, size);
            let to = this.element(to, index, size);
            let value = this.load(&from, scalar);
            this.store(&to, scalar, value);
        });
    }

    fn element(&mut self, memory: Memory, index: Counter, size: u64) -> Memory {
        match index {
            Counter::Known(index) => memory.plus((index * size) as i64),
            Counter::Value(index) => {
                let ty = memory.space.address_type();
                let index = match ty {
                    Type::I64 => self.ssa.push(Op::Convert(ir::Convert::Zext, index), Type::I64),
                    _ => index,
                };
                self.advance(memory, index, size)
            }
        }
    }

    /// Does something `count` times, in a loop if that is often.
    fn repeat(&mut self, count: u64, mut each: impl FnMut(&mut Self, Counter)) {
        if count <= LONGEST_UNROLLED {
            for index in 0..count {
                each(self, Counter::Known(index));
            }
            return;
        }
        let counter = self.ssa.var(Type::I32);
        let (body, exit) = (self.ssa.new_block(), self.ssa.new_block());
        let zero = self.ssa.constant(Type::I32, 0);
        self.ssa.write(counter, zero);
        self.ssa.jump(body);
        self.ssa.start(body);
        let index = self.ssa.read(counter);
        each(self, Counter::Value(index));
        let one = self.ssa.constant(Type::I32, 1);
        let next = self.ssa.push(Op::Binary(Binary::Iadd, index, one), Type::I32);
        self.ssa.write(counter, next);
        let end = self.ssa.constant(Type::I32, count);
        let more = self.ssa.push(Op::Compare(Compare::Ult, next, end), Type::I1);
        self.ssa.branch(more, body, exit);
        self.ssa.seal(body);
        self.ssa.start_sealed(exit);
    }

    /// `place = array`: the value first.
    pub(super) fn assign_array(&mut self, place: &Expr, value: &Expr) {
        match &value.kind {
            ExprKind::Local(_) | ExprKind::Index { .. } | ExprKind::Deref(_) => {
                let from = self.place(value);
                if let (Place::Memory(from), Place::Memory(to)) = (from, self.place(place)) {
                    self.copy(from, to, &value.ty);
                }
            }
            ExprKind::Repeat(element) if !matches!(element.ty, Ty::Array(..)) => {
                let scalar = self.scalar(element);
                if let (Place::Memory(to), Ty::Array(_, len)) = (self.place(place), &value.ty) {
                    self.fill(to, &element.ty, *len, scalar);
                }
            }
            ExprKind::Array(elements)
                if elements.iter().all(|e| !matches!(e.ty, Ty::Array(..))) =>
            {
                let values: Vec<Value> = elements.iter().map(|e| self.scalar(e)).collect();
                if let Place::Memory(to) = self.place(place) {
                    for (i, (element, value)) in elements.iter().zip(values).enumerate() {
                        let size = element.ty.size().unwrap_or(0);
                        self.store(&to.plus(size as i64 * i as i64), &element.ty, value);
                    }
                }
            }
            _ => {
                // The value may read the array that it replaces.
                let from = self.temporary(&value.ty);
                self.array_into(value, from);
                if let Place::Memory(to) = self.place(place) {
                    self.copy(from, to, &value.ty);
                }
            }
        }
    }
}

/// How far a repetition has come.
#[derive(Clone, Copy)]
enum Counter {
    Known(u64),
    /// An `i32`.
    Value(Value),
}

/// The scalar of `[[scalar; n]; m]`.
fn innermost(element: &Expr) -> Option<&Expr> {
    match (&element.kind, &element.ty) {
        (ExprKind::Repeat(inner), _) => innermost(inner),
        (_, Ty::Array(..)) => None,
        _ => Some(element),
    }
}

fn innermost_type(ty: &Ty) -> &Ty {
    match ty {
        Ty::Array(element, _) => innermost_type(element),
        scalar => scalar,
    }
}

/// How many scalars an array has.
fn scalars(ty: &Ty) -> u64 {
    match ty {
        Ty::Array(element, len) => len.saturating_mul(scalars(element)),
        _ => 1,
    }
}
