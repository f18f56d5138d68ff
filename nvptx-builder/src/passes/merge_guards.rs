//! Tests once what a guard and the bounds checks after it test one by one.
//!
//! ```text
//! b0: br i < n, b1, b9          b0: m = umin n, k
//! b1: …                             br i < m, b1, b7
//!     br i < k, b2, b8          b1: …
//! b2: …                             jump b2
//! b8: panic                     b2: …
//! b9: ret                       b7: br i < n, b8, b9     (out of the way)
//! ```
//! A check inside a hot path costs more than its instructions: loads do not move up across it, and
//! a loop with a second exit is not unrolled. The slow path decides again, in the order of the
//! source, so that the same panic is reported.
//!
//! The head of a loop is entered from before it and from its end, with the next index as argument.
//! Then each of the two ways gets the test, of the index that it passes.

mod apply;
mod find;

use crate::ir::{Block, Function, Loc, Target, Value};
use find::Surroundings;

/// A branch followed by bounds checks, with nothing in between that anyone can see, becomes one
/// branch on all their conditions. Checks of one index are one comparison with the smallest bound.
pub(super) fn merge_guards(function: &mut Function) -> bool {
    let mut surroundings = Surroundings::new(function);
    let mut changed = false;
    for head in surroundings.dominators.reverse_postorder().to_vec() {
        if let Some(chain) = surroundings.find(function, head) {
            apply::merge(function, &surroundings.dominators, &chain);
            surroundings = Surroundings::new(function);
            changed = true;
        }
    }
    changed
}

/// `index < bound`
#[derive(Clone, Copy)]
struct Test {
    index: Value,
    bound: Value,
}

/// A bounds check.
struct Check {
    /// The block that it ends.
    block: Block,
    test: Test,
    /// Where it goes on.
    inside: Target,
    /// The panic.
    outside: Block,
    loc: Loc,
}

/// Checks that follow each other in a straight line from the head on.
struct Chain {
    head: Block,
    checks: Vec<Check>,
    /// All ways into the head.
    ways: Vec<Way>,
    /// Results of the chain's instructions that the tests and panics need, in order.
    needed: Vec<Value>,
}

/// A way into the head of a chain.
struct Way {
    from: Block,
    /// What the branch at the end of `from` tests is true on this way; `None` for a jump.
    truth: Option<bool>,
}
