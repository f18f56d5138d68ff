//! Which values have to be computed, and of truth values, which of the two sides.

use super::flow::Plan;
use super::select::Selection;
use crate::ir::{Binary, Block, Function, Op, Terminator, Type, Unary, Value};

/// What has to be in a register.
pub(super) struct Demand {
    direct: Vec<bool>,
    /// Of truth values, the opposite.
    inverse: Vec<bool>,
}

impl Demand {
    /// `plan` says how the branch of a block is written; one without a plan demands nothing.
    pub(super) fn new(
        function: &Function,
        selection: &Selection<'_>,
        plan: impl Fn(Block) -> Option<Plan>,
    ) -> Demand {
        let count = function.values.len();
        let mut demand = Demand { direct: vec![false; count], inverse: vec![false; count] };
        let mut work = Vec::new();
        for &block in &function.layout {
            let data = function.block(block);
            for inst in data.insts.iter().filter(|inst| inst.op.has_effect()) {
                work.extend(selection.reads(inst).into_iter().map(|value| (value, false)));
            }
            match &data.end {
                Terminator::Branch { condition, .. } => {
                    let plan = plan(block);
                    work.extend(plan.map(|plan| (*condition, plan == Plan::Otherwise)));
                }
                Terminator::Panic { values, .. } => work.extend(values.iter().map(|&v| (v, false))),
                _ => {}
            }
            for target in data.end.targets() {
                work.extend(target.args.iter().map(|&value| (value, false)));
            }
        }
        while let Some((value, inverse)) = work.pop() {
            let known = if inverse { &mut demand.inverse } else { &mut demand.direct };
            if !std::mem::replace(&mut known[value.index()], true) {
                demand.operands(selection, value, inverse, &mut work);
            }
        }
        demand
    }

    fn operands(
        &self,
        selection: &Selection<'_>,
        value: Value,
        inverse: bool,
        work: &mut Vec<(Value, bool)>,
    ) {
        let Some(inst) = selection.definition(value) else { return };
        match inst.op {
            Op::Unary(Unary::Inot, a) if selection.ty(value) == Type::I1 => {
                work.push((a, inverted_operand(selection, a, inverse)));
            }
            Op::Binary(Binary::And | Binary::Or, a, b) if inverse => {
                work.extend([(a, true), (b, true)]);
            }
            _ => work.extend(selection.reads(inst).into_iter().map(|value| (value, false))),
        }
    }

    pub(super) fn is_needed(&self, value: Value) -> bool {
        self.direct[value.index()]
    }

    pub(super) fn is_inverse_needed(&self, value: Value) -> bool {
        self.inverse[value.index()]
    }
}

/// `!a`, or its opposite, reads `a`: whether it reads the opposite of it.
pub(super) fn inverted_operand(selection: &Selection<'_>, a: Value, inverse: bool) -> bool {
    !inverse && selection.is_invertible(a)
}
