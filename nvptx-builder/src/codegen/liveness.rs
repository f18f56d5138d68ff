//! Which values' registers are read after the beginning of a block.

use super::select::Selection;
use crate::ir::{Block, Function, Value};

/// Live values by block, as registers have them: what is folded into its user counts as the
/// operands that the user reads, what shares a register as the value that it shares it with.
pub(super) struct Liveness {
    live_in: Vec<Vec<u64>>,
}

impl Liveness {
    pub(super) fn new(function: &Function, selection: &Selection<'_>) -> Liveness {
        let words = function.values.len().div_ceil(64);
        let empty = vec![vec![0; words]; function.blocks.len()];
        let (mut reads, mut writes) = (empty.clone(), empty.clone());
        for &block in &function.layout {
            let (reads, writes) = (&mut reads[block.index()], &mut writes[block.index()]);
            let data = function.block(block);
            data.params.iter().for_each(|&param| insert(writes, param));
            for inst in &data.insts {
                selection.reads(inst).into_iter().for_each(|value| {
                    read(reads, writes, selection.canonical(value));
                });
                inst.result.into_iter().for_each(|result| insert(writes, result));
            }
            for value in selection.end_reads(&data.end) {
                read(reads, writes, selection.canonical(value));
            }
        }
        let mut liveness = Liveness { live_in: reads };
        liveness.spread(function, &writes);
        liveness
    }

    fn spread(&mut self, function: &Function, writes: &[Vec<u64>]) {
        let mut changed = true;
        while changed {
            changed = false;
            for &block in function.layout.iter().rev() {
                for successor in function.successors(block).collect::<Vec<_>>() {
                    for (word, written) in writes[block.index()].iter().enumerate() {
                        let new = self.live_in[successor.index()][word] & !written;
                        let old = &mut self.live_in[block.index()][word];
                        changed |= new & !*old != 0;
                        *old |= new;
                    }
                }
            }
        }
    }

    /// The register of `value` is read in `block` or after it, before it is written again.
    pub(super) fn is_live_in(&self, value: Value, block: Block) -> bool {
        contains(&self.live_in[block.index()], value)
    }
}

fn read(reads: &mut [u64], writes: &[u64], value: Value) {
    if !contains(writes, value) {
        insert(reads, value);
    }
}

fn insert(set: &mut [u64], value: Value) {
    set[value.index() / 64] |= 1 << (value.index() % 64);
}

fn contains(set: &[u64], value: Value) -> bool {
    set[value.index() / 64] & 1 << (value.index() % 64) != 0
}
