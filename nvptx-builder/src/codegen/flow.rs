//! The order of blocks, and how each branch becomes jumps.
//!
//! PTX has no block parameters: their arguments are copied before the jump. Where a branch needs
//! copies on one side, they stand on the side that falls through; a jump is never guarded by a
//! negated predicate, which would keep ptxas from unrolling, but by the opposite comparison.

use super::liveness::Liveness;
use super::select::Selection;
use crate::ir::{Block, Function, Target, Terminator, Value};

/// Blocks in the order of the text: those that panic last.
pub(super) fn order(function: &Function) -> Vec<Block> {
    let is_cold = |&block: &Block| {
        block != function.entry() && matches!(function.block(block).end, Terminator::Panic { .. })
    };
    let (cold, hot): (Vec<Block>, Vec<Block>) = function.layout.iter().partition(|b| is_cold(b));
    hot.into_iter().chain(cold).collect()
}

/// How a branch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// To `then` if the condition holds; then the copies for `otherwise`, and on to there.
    Then,
    /// To `otherwise` if the opposite holds; then the copies for `then`, and on to there.
    Otherwise,
    /// To a label if the condition holds; the copies for `otherwise`, and on to there; at the
    /// label the copies for `then`, and on to there.
    Both,
}

/// The copies that can stand before a branch: those of the side that is in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hoisted {
    pub(super) then: bool,
    pub(super) otherwise: bool,
}

/// Where each block, by index, is in the layout.
pub(super) fn positions(function: &Function) -> Vec<usize> {
    let mut positions = vec![usize::MAX; function.blocks.len()];
    for (position, block) in function.layout.iter().enumerate() {
        positions[block.index()] = position;
    }
    positions
}

/// What to write for the branch at the end of `block`, before `next`.
pub(super) fn plan(
    function: &Function,
    (selection, liveness, positions): (&Selection<'_>, &Liveness, &[usize]),
    (block, next): (Block, Option<Block>),
    (condition, then, otherwise): (Value, &Target, &Target),
) -> (Plan, Hoisted) {
    // The side that is at or before this block in the text is taken again and again.
    let can_hoist = |target: &Target, other: &Target| {
        positions[target.block.index()] <= positions[block.index()]
            && target.block != other.block
            && function.block(target.block).params.iter().all(|&param| {
                let read = |value: Value| selection.canonical(value) == param;
                !liveness.is_live_in(param, other.block)
                    && !other.args.iter().any(|&arg| read(arg))
                    && !read(condition)
            })
    };
    let then_hoisted = !then.args.is_empty() && can_hoist(then, otherwise);
    let hoisted = Hoisted {
        then: then_hoisted,
        otherwise: !then_hoisted && !otherwise.args.is_empty() && can_hoist(otherwise, then),
    };
    let then_copies = !then.args.is_empty() && !hoisted.then;
    let otherwise_copies = !otherwise.args.is_empty() && !hoisted.otherwise;
    let invertible = selection.is_invertible(condition);
    let plan = match (then_copies, otherwise_copies) {
        (true, true) => Plan::Both,
        (true, false) if invertible => Plan::Otherwise,
        (true, false) => Plan::Both,
        (false, true) => Plan::Then,
        (false, false) if next == Some(then.block) && invertible => Plan::Otherwise,
        (false, false) => Plan::Then,
    };
    (plan, hoisted)
}

/// Branches whose two sides are both jumps, so that either polarity of the condition will do: those
/// take the one that is computed anyway.
pub(super) fn is_indifferent(
    plan: (Plan, Hoisted),
    next: Option<Block>,
    then: &Target,
    otherwise: &Target,
) -> bool {
    let (plan, hoisted) = plan;
    let copies =
        !then.args.is_empty() && !hoisted.then || !otherwise.args.is_empty() && !hoisted.otherwise;
    plan == Plan::Then && !copies && next != Some(then.block) && next != Some(otherwise.block)
}
