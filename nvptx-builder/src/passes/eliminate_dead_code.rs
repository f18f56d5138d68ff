//! Removes what nothing depends on.

use crate::ir::{Block, Function, Value};

/// Removes blocks that the entry does not reach, and the instructions and block parameters on
/// which no store, barrier, branch or panic depends. Loads go too.
pub(super) fn eliminate_dead_code(function: &mut Function) -> bool {
    let mut changed = super::remove_unreachable_blocks(function);
    let live = live_values(function);
    for block in function.layout.clone() {
        let insts = &mut function.block_mut(block).insts;
        let before = insts.len();
        insts.retain(|inst| inst.result.is_none_or(|result| live[result.index()]));
        changed |= insts.len() != before;
        let params = &function.block(block).params;
        let keep: Vec<bool> = params.iter().map(|param| live[param.index()]).collect();
        if keep.contains(&false) {
            super::retain_params(function, block, &keep);
            changed = true;
        }
    }
    changed
}

/// What defines a value.
#[derive(Clone, Copy)]
enum Source {
    Inst(Block, usize),
    Param(Block, usize),
}

fn live_values(function: &Function) -> Vec<bool> {
    let mut sources = vec![None; function.values.len()];
    let mut work = Vec::new();
    for &block in &function.layout {
        let data = function.block(block);
        for (i, &param) in data.params.iter().enumerate() {
            sources[param.index()] = Some(Source::Param(block, i));
        }
        for (i, inst) in data.insts.iter().enumerate() {
            match inst.result {
                Some(result) => sources[result.index()] = Some(Source::Inst(block, i)),
                None => inst.op.for_each_operand(|value| work.push(value)),
            }
        }
        match &data.end {
            crate::ir::Terminator::Branch { condition, .. } => work.push(*condition),
            crate::ir::Terminator::Panic { values, .. } => work.extend(values),
            _ => {}
        }
    }
    let predecessors = function.predecessors();
    let mut live = vec![false; function.values.len()];
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value.index()], true) {
            continue;
        }
        match sources[value.index()] {
            Some(Source::Inst(block, i)) => {
                function.block(block).insts[i].op.for_each_operand(|value| work.push(value));
            }
            Some(Source::Param(block, i)) => {
                for &predecessor in &predecessors[block.index()] {
                    work.extend(passed(function, predecessor, block, i));
                }
            }
            None => {}
        }
    }
    live
}

/// What a block passes for parameter `i` of a successor: two values if both sides go there.
fn passed(function: &Function, from: Block, to: Block, i: usize) -> impl Iterator<Item = Value> {
    let targets = function.block(from).end.targets();
    targets.filter(move |target| target.block == to).map(move |target| target.args[i])
}
