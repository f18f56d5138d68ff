//! Makes straight lines of blocks one block.

use super::aliases::Aliases;
use crate::ir::{Function, Terminator};

/// A block that is entered by one jump only continues the block that jumps.
pub(super) fn merge_blocks(function: &mut Function) -> bool {
    let mut entries = vec![0usize; function.blocks.len()];
    for &block in &function.layout {
        for successor in function.successors(block) {
            entries[successor.index()] += 1;
        }
    }
    let entry = function.entry();
    let mut aliases = Aliases::new(function);
    let mut merged = vec![false; function.blocks.len()];
    for block in function.layout.clone() {
        if merged[block.index()] {
            continue;
        }
        while let Terminator::Jump(target) = &function.block(block).end {
            let next = target.block;
            if entries[next.index()] != 1 || next == entry || next == block {
                break;
            }
            let args = target.args.clone();
            let data = function.block_mut(next);
            let params = std::mem::take(&mut data.params);
            let insts = std::mem::take(&mut data.insts);
            let end = std::mem::replace(&mut data.end, Terminator::Unreachable);
            let loc = data.loc;
            for (param, arg) in params.into_iter().zip(args) {
                aliases.replace(param, arg);
            }
            let data = function.block_mut(block);
            data.insts.extend(insts);
            data.end = end;
            data.loc = loc;
            merged[next.index()] = true;
        }
    }
    if !merged.contains(&true) {
        return false;
    }
    function.layout.retain(|block| !merged[block.index()]);
    aliases.apply(function);
    true
}
