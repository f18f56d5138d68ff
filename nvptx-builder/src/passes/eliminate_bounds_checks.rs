//! Removes checks that cannot fail.

use std::collections::HashSet;

use super::ranges::Ranges;
use crate::ir::{Function, Inst, Op, Terminator, Type};

/// Replaces the condition of a branch by a constant where it follows from the branches before it,
/// from the ranges of the values, or from the launch limits. What is then never taken goes with
/// [`eliminate_dead_code`](super::eliminate_dead_code). Comparisons elsewhere become constants too.
pub(super) fn eliminate_bounds_checks(function: &mut Function) -> bool {
    let ranges = Ranges::new(function);
    let mut compares = Vec::new();
    let mut branches = Vec::new();
    let mut decided = HashSet::new();
    for &block in ranges.dominators().reverse_postorder() {
        let data = function.block(block);
        for (position, inst) in data.insts.iter().enumerate() {
            if let (Some(result), Op::Compare(..)) = (inst.result, inst.op)
                && let Some(truth) = ranges.decide(result, block)
            {
                compares.push((block, position, truth));
                decided.insert(result);
            }
        }
        if let Terminator::Branch { condition, .. } = data.end
            && ranges.constant(condition).is_none()
            && !decided.contains(&condition)
            && let Some(truth) = ranges.decide(condition, block)
        {
            branches.push((block, truth));
        }
    }
    let changed = !compares.is_empty() || !branches.is_empty();
    for (block, position, truth) in compares {
        function.block_mut(block).insts[position].op = Op::Const(truth.into());
    }
    for (block, truth) in branches {
        let constant = function.add_value(Type::I1);
        let data = function.block_mut(block);
        let loc = data.loc;
        data.insts.push(Inst { result: Some(constant), op: Op::Const(truth.into()), loc });
        if let Terminator::Branch { condition, .. } = &mut data.end {
            *condition = constant;
        }
    }
    changed
}
