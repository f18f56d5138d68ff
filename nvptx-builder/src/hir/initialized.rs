//! No variable is read before it has a value: rustc says so to the user, and the lowering to SSA,
//! which has no undefined value, relies on it.

use std::collections::{BTreeSet, HashMap};

use super::{Block, Expr, ExprKind, Kernel, LocalId, LoopId, Stmt};
use crate::diagnostics::Diagnostics;

/// Reports the reads of variables that some path leaves without a value.
pub(super) fn check(kernel: &Kernel, diagnostics: &mut Diagnostics) {
    let mut walk = Walk {
        kernel,
        diagnostics,
        unassigned: Some(BTreeSet::new()),
        exits: HashMap::new(),
        reported: BTreeSet::new(),
    };
    walk.block(&kernel.body);
}

/// The variables that may have no value yet; `None` where control does not come.
type State = Option<BTreeSet<LocalId>>;

fn join(a: State, b: State) -> State {
    match (a, b) {
        (None, state) | (state, None) => state,
        (Some(mut a), Some(b)) => {
            a.extend(b);
            Some(a)
        }
    }
}

struct Walk<'k> {
    kernel: &'k Kernel,
    diagnostics: &'k mut Diagnostics,
    unassigned: State,
    /// What the `break`s of each loop carry to its end.
    exits: HashMap<LoopId, State>,
    reported: BTreeSet<LocalId>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(local, None) => {
                    if let Some(unassigned) = &mut self.unassigned {
                        unassigned.insert(*local);
                    }
                }
                Stmt::Let(_, Some(expr)) | Stmt::Expr(expr) => self.expr(expr),
            }
        }
        if let Some(result) = &block.result {
            self.expr(result);
        }
    }

    fn read(&mut self, local: LocalId, expr: &Expr) {
        let missing = self.unassigned.as_ref().is_some_and(|set| set.contains(&local));
        if missing && self.reported.insert(local) {
            let name = &self.kernel.locals[local.0 as usize].name;
            let message =
                format!("`{name}` may have no value here: give it one where it is declared");
            self.diagnostics.invalid(expr.span, message);
        }
    }

    /// A loop: its body may run any number of times, and a variable that has a value before it
    /// has one in every round.
    fn rounds(&mut self, id: LoopId, body: &Block, ends_by_itself: bool) {
        let before = self.unassigned.clone();
        self.block(body);
        let breaks = self.exits.remove(&id).flatten();
        self.unassigned = if ends_by_itself { join(before, breaks) } else { breaks };
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Unit
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Shared => {}
            ExprKind::Local(local) => self.read(*local, expr),
            ExprKind::Unary(_, operand)
            | ExprKind::Cast(operand)
            | ExprKind::Ref(operand)
            | ExprKind::Deref(operand)
            | ExprKind::Len(operand)
            | ExprKind::Repeat(operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) | ExprKind::Compare(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.expr(left);
                let short = self.unassigned.clone();
                self.expr(right);
                self.unassigned = join(short, self.unassigned.take());
            }
            ExprKind::Assign(place, value) => {
                self.expr(value);
                match &place.kind {
                    ExprKind::Local(local) => {
                        if let Some(unassigned) = &mut self.unassigned {
                            unassigned.remove(local);
                        }
                    }
                    _ => self.expr(place),
                }
            }
            ExprKind::AssignOp(_, place, value) => {
                self.expr(value);
                self.expr(place);
            }
            ExprKind::Index { base, index, .. } => {
                self.expr(base);
                self.expr(index);
            }
            ExprKind::Array(values) | ExprKind::Intrinsic(_, values) => {
                values.iter().for_each(|value| self.expr(value));
            }
            ExprKind::Block(id, block) => {
                self.block(block);
                if let Some(id) = id {
                    let breaks = self.exits.remove(id).flatten();
                    self.unassigned = join(self.unassigned.take(), breaks);
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                self.expr(condition);
                let before = self.unassigned.clone();
                self.block(then);
                let after_then = std::mem::replace(&mut self.unassigned, before);
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise);
                }
                self.unassigned = join(after_then, self.unassigned.take());
            }
            ExprKind::Loop { id, condition, body } => {
                if let Some(condition) = condition {
                    self.expr(condition);
                }
                self.rounds(*id, body, condition.is_some());
            }
            ExprKind::For { id, start, end, body, .. } => {
                self.expr(start);
                self.expr(end);
                self.rounds(*id, body, true);
            }
            ExprKind::Break(id, value) => {
                if let Some(value) = value {
                    self.expr(value);
                }
                let here = self.unassigned.take();
                let exit = self.exits.entry(*id).or_default();
                *exit = join(exit.take(), here);
            }
            ExprKind::Continue(_) | ExprKind::Return => self.unassigned = None,
        }
    }
}
