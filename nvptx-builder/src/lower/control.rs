//! Control flow.

use super::place::Memory;
use super::{Lowerer, Target, Values, int_type};
use crate::hir::{self, BinOp, Expr, ExprKind, IntTy, LocalId, LoopId, Ty, UnOp};
use crate::ir::{Binary, Block, Compare, Op, Type, Value};

/// A right-hand side of `&&` or `||` up to this many operations is evaluated in any case: the
/// branch would cost more.
const CHEAP: u32 = 8;

impl Lowerer<'_> {
    /// Goes to one of two blocks.
    fn branch_on(&mut self, condition: &Expr, then: Block, otherwise: Block) {
        let outer = self.at(condition.span);
        match &condition.kind {
            ExprKind::Bool(true) => self.ssa.jump(then),
            ExprKind::Bool(false) => self.ssa.jump(otherwise),
            ExprKind::Unary(UnOp::Not, operand) => self.branch_on(operand, otherwise, then),
            ExprKind::And(a, b) if !self.is_cheap(b) => {
                let right = self.ssa.new_block();
                self.branch_on(a, right, otherwise);
                self.ssa.start_sealed(right);
                self.branch_on(b, then, otherwise);
            }
            ExprKind::Or(a, b) if !self.is_cheap(b) => {
                let right = self.ssa.new_block();
                self.branch_on(a, then, right);
                self.ssa.start_sealed(right);
                self.branch_on(b, then, otherwise);
            }
            _ => {
                let value = self.scalar(condition);
                self.ssa.branch(value, then, otherwise);
            }
        }
        self.set_loc(outer);
    }

    /// `a && b` or `a || b` as a value.
    pub(super) fn short_circuit(&mut self, and: bool, a: &Expr, b: &Expr) -> Value {
        if self.is_cheap(b) {
            let (x, y) = (self.scalar(a), self.scalar(b));
            let op = if and { Binary::And } else { Binary::Or };
            return self.ssa.push(Op::Binary(op, x, y), Type::I1);
        }
        let result = self.ssa.var(Type::I1);
        let (right, decided, join) =
            (self.ssa.new_block(), self.ssa.new_block(), self.ssa.new_block());
        if and {
            self.branch_on(a, right, decided);
        } else {
            self.branch_on(a, decided, right);
        }
        self.ssa.start_sealed(right);
        let value = self.scalar(b);
        self.ssa.write(result, value);
        self.ssa.jump(join);
        self.ssa.start_sealed(decided);
        let value = self.ssa.constant(Type::I1, u64::from(!and));
        self.ssa.write(result, value);
        self.ssa.jump(join);
        self.ssa.start_sealed(join);
        self.ssa.read(result)
    }

    /// Neither effects nor panics nor loads, and few operations.
    fn is_cheap(&self, expr: &Expr) -> bool {
        self.cost(expr).is_some_and(|cost| cost <= CHEAP)
    }

    fn cost(&self, expr: &Expr) -> Option<u32> {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) => Some(0),
            ExprKind::Local(_) => (!matches!(expr.ty, Ty::Array(..))).then_some(0),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => Some(self.cost(a)? + 1),
            ExprKind::Binary(BinOp::Div | BinOp::Rem, ..) => None,
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b) => Some(self.cost(a)? + self.cost(b)? + 1),
            ExprKind::Len(operand) => matches!(operand.kind, ExprKind::Local(_)).then_some(0),
            ExprKind::Intrinsic(hir::Intrinsic::BlockSync | hir::Intrinsic::Sqrt, _) => None,
            ExprKind::Intrinsic(_, arguments) => {
                arguments.iter().try_fold(1, |sum, argument| Some(sum + self.cost(argument)?))
            }
            _ => None,
        }
    }

    /// `if`; `memory` is where an array goes.
    pub(super) fn if_else(
        &mut self,
        condition: &Expr,
        then: &hir::Block,
        otherwise: Option<&Expr>,
        ty: &Ty,
        memory: Option<Memory>,
    ) -> Values {
        let result = self.vars(ty);
        let (then_block, join) = (self.ssa.new_block(), self.ssa.new_block());
        let else_block = otherwise.map(|_| self.ssa.new_block());
        self.branch_on(condition, then_block, else_block.unwrap_or(join));
        self.ssa.start_sealed(then_block);
        self.statements(&then.stmts);
        if let Some(value) = &then.result {
            self.deliver(value, &result, memory);
        }
        self.ssa.jump(join);
        if let (Some(block), Some(otherwise)) = (else_block, otherwise) {
            self.ssa.start_sealed(block);
            self.deliver(otherwise, &result, memory);
            self.ssa.jump(join);
        }
        self.ssa.start_sealed(join);
        self.read(&result)
    }

    /// Evaluates the result of a branch into the variables or the memory that wait for it.
    fn deliver(&mut self, value: &Expr, result: &[super::Var], memory: Option<Memory>) {
        match memory {
            Some(memory) => self.array_or_divergent(value, memory),
            None => {
                let values = self.value(value);
                self.write(result, &values);
            }
        }
    }

    /// `'id: { … }`
    pub(super) fn labelled(
        &mut self,
        id: LoopId,
        block: &hir::Block,
        ty: &Ty,
        memory: Option<Memory>,
    ) -> Values {
        let result = self.vars(ty);
        let exit = self.ssa.new_block();
        self.loops.push(Target { id, exit, next: None, result: result.clone(), memory });
        self.statements(&block.stmts);
        if let Some(value) = &block.result {
            self.deliver(value, &result, memory);
        }
        self.loops.pop();
        self.ssa.jump(exit);
        self.ssa.start_sealed(exit);
        self.read(&result)
    }

    /// `loop` and `while`.
    pub(super) fn loop_while(
        &mut self,
        id: LoopId,
        condition: Option<&Expr>,
        body: &hir::Block,
        ty: &Ty,
        memory: Option<Memory>,
    ) -> Values {
        let result = self.vars(ty);
        let (header, exit) = (self.ssa.new_block(), self.ssa.new_block());
        self.ssa.jump(header);
        self.ssa.start(header);
        if let Some(condition) = condition {
            let inside = self.ssa.new_block();
            self.branch_on(condition, inside, exit);
            self.ssa.start_sealed(inside);
        }
        let next = Some(header);
        self.loops.push(Target { id, exit, next, result: result.clone(), memory });
        self.block(body);
        self.loops.pop();
        self.ssa.jump(header);
        self.ssa.seal(header);
        self.ssa.start_sealed(exit);
        self.read(&result)
    }

    pub(super) fn break_with(&mut self, id: LoopId, value: Option<&Expr>) {
        let Some(target) = self.loops.iter().rev().find(|target| target.id == id) else { return };
        let (exit, result, memory) = (target.exit, target.result.clone(), target.memory);
        if let Some(value) = value {
            self.deliver(value, &result, memory);
        }
        self.ssa.jump(exit);
    }

    /// `for local in start..end`: counted, and tested at the bottom, where ptxas sees the number of
    /// rounds. An inclusive range is tested before the counter goes up, so that it may end at the
    /// type's maximum.
    pub(super) fn for_range(
        &mut self,
        (id, local): (LoopId, LocalId),
        start: &Expr,
        end: &Expr,
        inclusive: bool,
        body: &hir::Block,
    ) {
        let Ty::Int(int) = self.kernel.locals[local.0 as usize].ty else { return };
        let ty = int_type(int);
        let first = self.scalar(start);
        let last = self.scalar(end);
        let (inclusive, last) = self.exclusive(inclusive, last, int);

        let counter = self.ssa.var(ty);
        let (inside, next, exit) =
            (self.ssa.new_block(), self.ssa.new_block(), self.ssa.new_block());
        self.ssa.write(counter, first);
        self.branch_below(first, last, inclusive, int, (inside, exit));
        self.ssa.start(inside);
        self.declare(local);
        let value = self.ssa.read(counter);
        self.assign_local(local, &[value]);
        let target = Target { id, exit, next: Some(next), result: Vec::new(), memory: None };
        self.loops.push(target);
        self.block(body);
        self.loops.pop();
        self.ssa.jump(next);

        self.ssa.start_sealed(next);
        let value = self.ssa.read(counter);
        let one = self.ssa.constant(ty, 1);
        let following = self.ssa.push(Op::Binary(Binary::Iadd, value, one), ty);
        self.ssa.write(counter, following);
        let tested = if inclusive { value } else { following };
        self.branch_below(tested, last, false, int, (inside, exit));
        self.ssa.seal(inside);
        self.ssa.start_sealed(exit);
    }

    /// `..=c` as `..c + 1` where that is no overflow.
    fn exclusive(&mut self, inclusive: bool, last: Value, int: IntTy) -> (bool, Value) {
        let ty = int_type(int);
        let max = if int.signed() { ty.mask() >> 1 } else { ty.mask() };
        match self.ssa.bits_of(last) {
            Some(bits) if inclusive && bits != max => (false, self.ssa.constant(ty, bits + 1)),
            _ => (inclusive, last),
        }
    }

    /// To the first block if `a < b` (`a <= b`), else to the second.
    fn branch_below(
        &mut self,
        a: Value,
        b: Value,
        or_equal: bool,
        int: IntTy,
        (below, otherwise): (Block, Block),
    ) {
        let op = match (int.signed(), or_equal) {
            (true, false) => Compare::Slt,
            (true, true) => Compare::Sle,
            (false, false) => Compare::Ult,
            (false, true) => Compare::Ule,
        };
        let holds = self.compare_ints(op, a, b, int_type(int));
        match self.ssa.bits_of(holds) {
            Some(0) => self.ssa.jump(otherwise),
            Some(_) => self.ssa.jump(below),
            None => self.ssa.branch(holds, below, otherwise),
        }
    }
}
