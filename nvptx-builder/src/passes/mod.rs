//! The optimiser: what ptxas does not do for us, one pass a file.
//!
//! A pass is a total function on verified functions: it neither fails nor panics, it says whether
//! it changed anything, and the function still verifies after it. [`run`] knows the order.

mod aliases;
mod contract_multiply_add;
mod eliminate_bounds_checks;
mod eliminate_dead_code;
mod flatten_branches;
mod fold_addresses;
mod fold_branches;
mod fold_constants;
mod merge_blocks;
mod merge_guards;
mod narrow_indices;
mod number_values;
mod ranges;
mod remove_block_parameters;
mod renumber;
mod simplify_operations;
mod sink_cold_blocks;
mod thread_jumps;

use crate::Options;
use crate::ir::{Block, Dominators, Function, Op, Value, VerifyError, verify};

/// A pass has broken the function, or the function was not valid to begin with: a mistake of the
/// compiler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The function given is invalid.
    #[error("internal error: invalid IR before optimising: {0}")]
    Input(VerifyError),
    /// The pass named has left an invalid function behind.
    #[error("internal error: invalid IR after {pass}: {error}")]
    Pass {
        /// The pass's name.
        pass: &'static str,
        /// What is wrong.
        error: VerifyError,
    },
}

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its function's name.
    pub name: &'static str,
    /// Says whether it changed anything.
    pub run: fn(&mut Function) -> bool,
}

macro_rules! passes {
    ($($name:ident),* $(,)?) => {
        /// All passes, by name, for tests of one alone.
        pub const PASSES: &[Pass] =
            &[$(Pass { name: stringify!($name), run: $name::$name }),*];
        $(
            #[allow(non_upper_case_globals)]
            const $name: Pass = Pass { name: stringify!($name), run: $name::$name };
        )*
    };
}

passes![
    fold_constants,
    simplify_operations,
    number_values,
    fold_branches,
    remove_block_parameters,
    thread_jumps,
    merge_blocks,
    flatten_branches,
    eliminate_dead_code,
    eliminate_bounds_checks,
    merge_guards,
    fold_addresses,
    narrow_indices,
    contract_multiply_add,
    sink_cold_blocks,
    renumber,
];

/// Makes the function small; run until nothing changes.
const CLEAN_UP: &[Pass] = &[
    fold_constants,
    simplify_operations,
    number_values,
    fold_branches,
    remove_block_parameters,
    thread_jumps,
    merge_blocks,
    eliminate_dead_code,
];

/// At most so many rounds of a group of passes. Each round does most of what is left to do; what
/// the limit leaves undone is only slower.
const MAX_ROUNDS: usize = 8;

/// Runs all passes, and verifies the function before the first and after each.
///
/// After this, blocks, values, sites and slots are numbered in the order of the text; every block
/// is reachable; a function that cannot panic has no panic sites.
///
/// # Errors
/// If the function does not verify.
pub fn run(function: &mut Function, options: &Options) -> Result<(), Error> {
    verify(function).map_err(Error::Input)?;
    if options.optimize {
        // Flattening loses the facts that a branch proves, so bounds checks go first.
        clean_up(function)?;
        for _ in 0..MAX_ROUNDS {
            if !apply(function, eliminate_bounds_checks)? {
                break;
            }
            clean_up(function)?;
        }
        if apply(function, flatten_branches)? {
            clean_up(function)?;
            apply(function, eliminate_bounds_checks)?;
            clean_up(function)?;
        }
        if apply(function, merge_guards)? {
            clean_up(function)?;
            // On the slow path some tests are decided by then.
            apply(function, eliminate_bounds_checks)?;
            clean_up(function)?;
        }
        // Offsets leave an address in 64 bits, where that is exact, and the rest is narrowed.
        apply(function, fold_addresses)?;
        clean_up(function)?;
        apply(function, narrow_indices)?;
        clean_up(function)?;
        if options.contract && apply(function, contract_multiply_add)? {
            clean_up(function)?;
        }
    } else {
        apply(function, eliminate_dead_code)?;
    }
    apply(function, sink_cold_blocks)?;
    apply(function, renumber)?;
    Ok(())
}

fn clean_up(function: &mut Function) -> Result<(), Error> {
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for &pass in CLEAN_UP {
            changed |= apply(function, pass)?;
        }
        if !changed {
            break;
        }
    }
    Ok(())
}

fn apply(function: &mut Function, pass: Pass) -> Result<bool, Error> {
    let changed = (pass.run)(function);
    if changed {
        verify(function).map_err(|error| Error::Pass { pass: pass.name, error })?;
    }
    Ok(changed)
}

/// By value, the operation that defines it; `None` for block parameters.
fn operations(function: &Function) -> Vec<Option<Op>> {
    let mut operations = vec![None; function.values.len()];
    for &block in &function.layout {
        for inst in &function.block(block).insts {
            if let Some(result) = inst.result {
                operations[result.index()] = Some(inst.op);
            }
        }
    }
    operations
}

/// By value, how many operands it is.
fn use_counts(function: &Function) -> Vec<usize> {
    let mut counts = vec![0; function.values.len()];
    let mut count = |value: Value| counts[value.index()] += 1;
    for &block in &function.layout {
        let data = function.block(block);
        data.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut count));
        data.end.for_each_operand(&mut count);
    }
    counts
}

/// Takes blocks that the entry does not reach out of the layout.
fn remove_unreachable_blocks(function: &mut Function) -> bool {
    let dominators = Dominators::new(function);
    let before = function.layout.len();
    function.layout.retain(|&block| dominators.is_reachable(block));
    function.layout.len() != before
}

/// Drops the parameters of a block that are not to be kept, and what is passed for them.
fn retain_params(function: &mut Function, block: Block, keep: &[bool]) {
    fn retain(values: &mut Vec<Value>, keep: &[bool]) {
        let mut keep = keep.iter();
        values.retain(|_| keep.next() != Some(&false));
    }
    retain(&mut function.block_mut(block).params, keep);
    for from in function.layout.clone() {
        for target in function.block_mut(from).end.targets_mut() {
            if target.block == block {
                retain(&mut target.args, keep);
            }
        }
    }
}
