//! Sends jumps past blocks that do nothing.

use crate::ir::{Block, Function, Loc, Op, Target, Terminator, Value};

/// A block without instructions is *empty*. A jump to one becomes a copy of its terminator; a
/// branch's side to one that only jumps on goes to where it jumps. Where an empty block branches
/// on its own parameter, and a branch passes a constant for it, that side goes the known way.
///
/// This takes apart `&&` and `||`, whose result arrives as a parameter at the block that tests it.
pub(super) fn thread_jumps(function: &mut Function) -> bool {
    let mut changed = false;
    let ops = super::operations(function);
    let empty = empty_blocks(function);
    for block in function.layout.clone() {
        // Rings of empty blocks are endless loops: the number of steps is bounded.
        for _ in 0..function.layout.len() {
            let Some((end, loc)) = threaded(function, &ops, &empty, block) else { break };
            function.terminate(block, end, loc);
            changed = true;
        }
    }
    changed
}

/// By block: it is empty, its parameters are used by its own terminator alone, and it does not go
/// to itself.
fn empty_blocks(function: &Function) -> Vec<bool> {
    let mut used_outside = vec![false; function.values.len()];
    for &block in &function.layout {
        let data = function.block(block);
        for inst in &data.insts {
            inst.op.for_each_operand(|value| used_outside[value.index()] = true);
        }
        data.end.for_each_operand(|value| {
            if !data.params.contains(&value) {
                used_outside[value.index()] = true;
            }
        });
    }
    let mut empty = vec![false; function.blocks.len()];
    for &block in function.layout.iter().skip(1) {
        let data = function.block(block);
        empty[block.index()] = data.insts.is_empty()
            && data.params.iter().all(|param| !used_outside[param.index()])
            && function.successors(block).all(|successor| successor != block);
    }
    empty
}

fn threaded(
    function: &Function,
    ops: &[Option<Op>],
    empty: &[bool],
    block: Block,
) -> Option<(Terminator, Loc)> {
    match &function.block(block).end {
        Terminator::Jump(target) if empty[target.block.index()] && target.block != block => {
            let through = function.block(target.block);
            let mut end = through.end.clone();
            end.map_operands(|value| substitute(&through.params, target, value));
            (end != function.block(block).end).then_some((end, through.loc))
        }
        Terminator::Branch { condition, then, otherwise } => {
            let next = |side: &Target| pass_through(function, ops, empty, side);
            let (new_then, new_otherwise) = (next(then), next(otherwise));
            if new_then.is_none() && new_otherwise.is_none() {
                return None;
            }
            let end = Terminator::Branch {
                condition: *condition,
                then: new_then.unwrap_or_else(|| then.clone()),
                otherwise: new_otherwise.unwrap_or_else(|| otherwise.clone()),
            };
            Some((end, function.block(block).loc))
        }
        _ => None,
    }
}

fn pass_through(
    function: &Function,
    ops: &[Option<Op>],
    empty: &[bool],
    side: &Target,
) -> Option<Target> {
    if !empty[side.block.index()] {
        return None;
    }
    let through = function.block(side.block);
    let mut next = match &through.end {
        Terminator::Jump(next) => next.clone(),
        Terminator::Branch { condition, then, otherwise } => {
            let passed = substitute(&through.params, side, *condition);
            match ops.get(passed.index()).copied().flatten() {
                Some(Op::Const(0)) => otherwise.clone(),
                Some(Op::Const(_)) => then.clone(),
                _ => return None,
            }
        }
        _ => return None,
    };
    for arg in &mut next.args {
        *arg = substitute(&through.params, side, *arg);
    }
    Some(next)
}

fn substitute(params: &[Value], target: &Target, value: Value) -> Value {
    let position = params.iter().position(|&param| param == value);
    position.map_or(value, |position| target.args[position])
}
