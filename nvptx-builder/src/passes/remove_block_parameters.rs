//! Removes block parameters that always are the same value.

use super::aliases::Aliases;
use crate::ir::{Dominators, Function, Value};

/// A parameter for which all predecessors pass one value, or the parameter itself, is that value.
pub(super) fn remove_block_parameters(function: &mut Function) -> bool {
    super::remove_unreachable_blocks(function);
    let dominators = Dominators::new(function);
    let mut changed = false;
    loop {
        let mut aliases = Aliases::new(function);
        let mut removed = false;
        let incoming = incoming(function);
        for &block in dominators.reverse_postorder() {
            let params = function.block(block).params.clone();
            let mut keep = vec![true; params.len()];
            for (i, &param) in params.iter().enumerate() {
                let mut same = None;
                let mut one = true;
                for &arg in &incoming[block.index()][i] {
                    let arg = aliases.resolve(arg);
                    if arg != param && *same.get_or_insert(arg) != arg {
                        one = false;
                    }
                }
                if let (Some(value), true) = (same, one) {
                    aliases.replace(param, value);
                    keep[i] = false;
                }
            }
            if keep.contains(&false) {
                super::retain_params(function, block, &keep);
                removed = true;
            }
        }
        if !removed {
            return changed;
        }
        aliases.apply(function);
        changed = true;
    }
}

/// By block and parameter, the values that are passed.
fn incoming(function: &Function) -> Vec<Vec<Vec<Value>>> {
    let mut incoming: Vec<Vec<Vec<Value>>> =
        function.blocks.iter().map(|data| vec![Vec::new(); data.params.len()]).collect();
    for &block in &function.layout {
        for target in function.block(block).end.targets() {
            for (args, &arg) in incoming[target.block.index()].iter_mut().zip(&target.args) {
                args.push(arg);
            }
        }
    }
    incoming
}
