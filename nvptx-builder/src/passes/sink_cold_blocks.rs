//! Moves panics out of the way.

use crate::ir::{Function, Terminator};

/// Blocks from which all ways lead to a panic go to the end of the layout, so that the hot path is
/// one piece.
pub(super) fn sink_cold_blocks(function: &mut Function) -> bool {
    let mut cold = vec![false; function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in function.layout.iter().rev() {
            if cold[block.index()] {
                continue;
            }
            let mut successors = function.successors(block).peekable();
            let is_cold = match function.block(block).end {
                Terminator::Panic { .. } | Terminator::Unreachable => true,
                _ => {
                    successors.peek().is_some()
                        && successors.all(|successor| cold[successor.index()])
                }
            };
            if is_cold {
                cold[block.index()] = true;
                changed = true;
            }
        }
    }
    let Some((&entry, rest)) = function.layout.split_first() else { return false };
    let (sunk, kept): (Vec<_>, Vec<_>) = rest.iter().partition(|block| cold[block.index()]);
    let layout: Vec<_> = [entry].into_iter().chain(kept).chain(sunk).collect();
    std::mem::replace(&mut function.layout, layout) != function.layout
}
