//! Expressions that have a value, and statements.

use super::{Home, Lowerer, Values, scalar_type, state_space};
use crate::hir::{self, BinOp, Expr, ExprKind, LocalId, Stmt, Ty};
use crate::ir::{self, Op, Type, Value};

impl Lowerer<'_> {
    /// Evaluates a block, scope and all.
    pub(super) fn block(&mut self, block: &hir::Block) -> Values {
        self.statements(&block.stmts);
        block.result.as_ref().map_or_else(Vec::new, |result| self.value(result))
    }

    pub(super) fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Let(id, init) => self.bind(*id, init.as_ref()),
                Stmt::Expr(expr) => {
                    self.value(expr);
                }
            }
        }
    }

    fn bind(&mut self, id: LocalId, init: Option<&Expr>) {
        self.declare(id);
        let Some(init) = init else { return };
        if let Home::Memory(slot) = self.homes[id.0 as usize] {
            let outer = self.at(init.span);
            let memory = self.slot_memory(slot);
            self.set_loc(outer);
            return self.array_into(init, memory);
        }
        self.hint = Some(id);
        let values = self.value(init);
        self.hint = None;
        self.assign_local(id, &values);
    }

    /// Evaluates an expression; an array goes to a temporary, for its effects.
    pub(super) fn value(&mut self, expr: &Expr) -> Values {
        let outer = self.at(expr.span);
        let values = self.value_here(expr);
        self.set_loc(outer);
        values
    }

    /// Evaluates a scalar or a reference.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Value {
        match self.value(expr).first() {
            Some(&value) => value,
            // It diverges, so that nobody will use this.
            None => self.ssa.constant(scalar_type(&expr.ty), 0),
        }
    }

    fn value_here(&mut self, expr: &Expr) -> Values {
        let ty = scalar_type(&expr.ty);
        match &expr.kind {
            ExprKind::Unit => Vec::new(),
            ExprKind::Bool(value) => vec![self.ssa.constant(Type::I1, u64::from(*value))],
            ExprKind::Int(value) => vec![self.ssa.constant(ty, *value as u64)],
            ExprKind::Float(bits) => vec![self.ssa.constant(ty, *bits)],
            _ if matches!(expr.ty, Ty::Array(..)) => {
                let memory = self.temporary(&expr.ty);
                self.array_into(expr, memory);
                Vec::new()
            }
            ExprKind::Local(_) | ExprKind::Index { .. } | ExprKind::Deref(_) => {
                let place = self.place(expr);
                self.read_place(&place, &expr.ty)
            }
            ExprKind::Unary(op, operand) => vec![self.unary(*op, operand, ty)],
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.scalar(a), self.scalar(b));
                vec![self.binary(*op, &expr.ty, x, (y, &b.ty))]
            }
            ExprKind::Compare(op, a, b) => {
                let (x, y) = (self.scalar(a), self.scalar(b));
                vec![self.compare(*op, &a.ty, x, y)]
            }
            ExprKind::And(a, b) => vec![self.short_circuit(true, a, b)],
            ExprKind::Or(a, b) => vec![self.short_circuit(false, a, b)],
            ExprKind::Cast(operand) => {
                let value = self.scalar(operand);
                vec![self.cast(value, &operand.ty, &expr.ty)]
            }
            ExprKind::Assign(place, value) => {
                self.assign(place, value);
                Vec::new()
            }
            ExprKind::AssignOp(op, place, value) => {
                self.assign_op(*op, place, value);
                Vec::new()
            }
            ExprKind::Ref(place) => self.reference(place, &expr.ty),
            ExprKind::Len(operand) => vec![self.len(operand)],
            // Arrays all, handled above.
            ExprKind::Array(_) | ExprKind::Repeat(_) => Vec::new(),
            ExprKind::Block(None, block) => self.block(block),
            ExprKind::Block(Some(id), block) => self.labelled(*id, block, &expr.ty, None),
            ExprKind::If(condition, then, otherwise) => {
                self.if_else(condition, then, otherwise.as_deref(), &expr.ty, None)
            }
            ExprKind::Loop { id, condition, body } => {
                self.loop_while(*id, condition.as_deref(), body, &expr.ty, None)
            }
            ExprKind::For { id, local, start, end, inclusive, body } => {
                self.for_range((*id, *local), start, end, *inclusive, body);
                Vec::new()
            }
            ExprKind::Break(id, value) => {
                self.break_with(*id, value.as_deref());
                Vec::new()
            }
            ExprKind::Continue(id) => {
                let next = self.loops.iter().rev().find(|target| target.id == *id);
                if let Some(next) = next.and_then(|target| target.next) {
                    self.ssa.jump(next);
                }
                Vec::new()
            }
            ExprKind::Return => {
                self.ssa.ret();
                Vec::new()
            }
            ExprKind::Intrinsic(intrinsic, arguments) => {
                self.intrinsic(*intrinsic, arguments, &expr.ty)
            }
            ExprKind::Shared => vec![self.shared(&expr.ty)],
        }
    }

    /// `block::shared`: an object of its own.
    fn shared(&mut self, ty: &Ty) -> Value {
        let name = match self.hint.take() {
            Some(id) => self.kernel.locals[id.0 as usize].name.clone(),
            None => "shared".to_owned(),
        };
        let target = match ty {
            Ty::Ref { target, .. } => target,
            other => other,
        };
        let slot = self.slot(ir::Space::Shared, &name, target);
        self.ssa.push(Op::SlotAddr(slot), Type::I32)
    }

    fn assign(&mut self, place: &Expr, value: &Expr) {
        if matches!(value.ty, Ty::Array(..)) {
            return self.assign_array(place, value);
        }
        let values = self.value(value);
        let place_ = self.place(place);
        self.write_place(&place_, &place.ty, &values);
    }

    fn assign_op(&mut self, op: BinOp, place: &Expr, value: &Expr) {
        let y = self.scalar(value);
        let target = self.place(place);
        let Some(&x) = self.read_place(&target, &place.ty).first() else { return };
        let result = self.binary(op, &place.ty, x, (y, &value.ty));
        self.write_place(&target, &place.ty, &[result]);
    }

    fn len(&mut self, operand: &Expr) -> Value {
        let array = match &operand.ty {
            Ty::Ref { target, .. } => target,
            other => other,
        };
        if let Ty::Array(_, len) = array {
            // Only an index inside the operand has an effect: its check.
            match (&operand.kind, &operand.ty) {
                (ExprKind::Local(_), _) => {}
                (ExprKind::Index { .. } | ExprKind::Deref(_), Ty::Array(..)) => {
                    self.place(operand);
                }
                _ => {
                    self.value(operand);
                }
            }
            return self.ssa.constant(Type::I64, *len);
        }
        match self.value(operand).get(1) {
            Some(&len) => len,
            None => self.ssa.constant(Type::I64, 0),
        }
    }

    /// `&place`
    fn reference(&mut self, place: &Expr, ty: &Ty) -> Values {
        let place_ty = &place.ty;
        if let (ExprKind::Deref(inner), Ty::Slice { .. }) = (&place.kind, ty)
            && matches!(inner.ty, Ty::Slice { .. })
        {
            return self.value(inner);
        }
        let memory = match self.place(place) {
            super::place::Place::Memory(memory) => memory,
            // A scalar has no address; see what the tree promises.
            super::place::Place::Vars(vars) => return self.read(&vars),
        };
        let mut values = vec![self.address(&memory)];
        if let (Ty::Slice { space, .. }, Ty::Array(_, len)) = (ty, place_ty) {
            debug_assert_eq!(state_space(*space), memory.space);
            values.push(self.ssa.constant(Type::I64, *len));
        }
        values
    }
}
