//! What the branches on the way to a block say.

use crate::ir::{
    Binary, Block, Compare, Convert, Dominators, Function, Op, Terminator, Unary, Value,
};

/// Something known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// `value compare other`
    Compare(Compare, Value),
    /// There are facts on this value, which is the value plus a constant, or the value extended.
    Through(Value),
}

/// So many of the facts on a value are looked at, so that a thousand checks of one index take no
/// more than a thousand times as long as one.
const CLOSEST: usize = 12;
const OUTERMOST: usize = 4;

/// All facts, by value, each with the block from which on (in the dominator tree) it holds.
pub(super) struct Facts {
    by_value: Vec<Vec<(Block, Fact)>>,
    /// Conditions that are known: the block from which on, and what.
    truths: Vec<Vec<(Block, bool)>>,
}

impl Facts {
    pub(super) fn new(function: &Function, dominators: &Dominators, ops: &[Option<Op>]) -> Facts {
        let mut facts = Facts {
            by_value: vec![Vec::new(); function.values.len()],
            truths: vec![Vec::new(); function.values.len()],
        };
        let predecessors = function.predecessors();
        for &block in dominators.reverse_postorder() {
            // With one way in, what holds on that way holds in the block.
            let [from] = predecessors[block.index()][..] else { continue };
            let Terminator::Branch { condition, then, .. } = &function.block(from).end else {
                continue;
            };
            facts.add(block, ops, *condition, then.block == block);
        }
        facts
    }

    fn add(&mut self, block: Block, ops: &[Option<Op>], condition: Value, truth: bool) {
        let mut found = Vec::new();
        each_truth(ops, condition, truth, &mut |value, truth| {
            self.truths[value.index()].push((block, truth));
        });
        collect(ops, condition, truth, &mut found);
        for (compare, a, b) in found {
            self.push(ops, block, a, Fact::Compare(compare, b));
            self.push(ops, block, b, Fact::Compare(compare.swapped(), a));
        }
    }

    fn push(&mut self, ops: &[Option<Op>], block: Block, value: Value, fact: Fact) {
        self.by_value[value.index()].push((block, fact));
        let mut outer = value;
        // A sum of an extension of a sum …
        for _ in 0..4 {
            let inner = match ops[outer.index()] {
                Some(Op::Binary(Binary::Iadd, x, c)) if is_const(ops, c) => x,
                Some(Op::Convert(Convert::Zext | Convert::Sext, x)) => x,
                _ => break,
            };
            self.by_value[inner.index()].push((block, Fact::Through(outer)));
            outer = inner;
        }
    }

    /// Facts on a value that hold in a block: the closest ones, then the outermost ones, which are
    /// the guards of whole loops and kernels. Some may come twice.
    pub(super) fn of(
        &self,
        value: Value,
        block: Block,
        dominators: &Dominators,
    ) -> impl Iterator<Item = &Fact> {
        let facts = &self.by_value[value.index()];
        let holds = move |(from, _): &&(Block, Fact)| dominators.dominates(*from, block);
        let closest = facts.iter().rev().filter(holds).take(CLOSEST);
        let few = facts.len() <= CLOSEST;
        let outermost = facts.iter().filter(holds).take(if few { 0 } else { OUTERMOST });
        closest.chain(outermost).map(|(_, fact)| fact)
    }

    /// What a condition is known to be in a block.
    pub(super) fn truth(
        &self,
        condition: Value,
        block: Block,
        dominators: &Dominators,
    ) -> Option<bool> {
        let truths = self.truths[condition.index()].iter();
        truths.copied().find(|&(from, _)| dominators.dominates(from, block)).map(|(_, truth)| truth)
    }
}

fn is_const(ops: &[Option<Op>], value: Value) -> bool {
    matches!(ops[value.index()], Some(Op::Const(_)))
}

/// How deep conditions are taken apart.
const MAX_PARTS: usize = 32;

/// Calls `f` with each condition that follows from one: both sides of a conjunction that is true,
/// of a disjunction that is false, what is under a negation.
fn each_truth(ops: &[Option<Op>], condition: Value, truth: bool, f: &mut dyn FnMut(Value, bool)) {
    let mut work = vec![(condition, truth)];
    let mut parts = 0;
    while let Some((condition, truth)) = work.pop() {
        parts += 1;
        if parts > MAX_PARTS {
            return;
        }
        f(condition, truth);
        match (ops[condition.index()], truth) {
            (Some(Op::Binary(Binary::And, a, b)), true)
            | (Some(Op::Binary(Binary::Or, a, b)), false) => work.extend([(a, truth), (b, truth)]),
            (Some(Op::Unary(Unary::Inot, a)), truth) => work.push((a, !truth)),
            _ => {}
        }
    }
}

/// The integer comparisons that follow from a condition.
pub(super) fn collect(
    ops: &[Option<Op>],
    condition: Value,
    truth: bool,
    into: &mut Vec<(Compare, Value, Value)>,
) {
    each_truth(ops, condition, truth, &mut |value, truth| {
        let Some(Op::Compare(compare, a, b)) = ops[value.index()] else { return };
        if compare.is_float() {
            return;
        }
        let compare = if truth { compare } else { compare.inverse() };
        into.push((compare, a, b));
        // Below the smaller of two is below both; above the larger likewise.
        for (compare, a, b) in [(compare, a, b), (compare.swapped(), b, a)] {
            match (compare, ops[b.index()]) {
                (Compare::Ult | Compare::Ule, Some(Op::Binary(Binary::Umin, x, y)))
                | (Compare::Slt | Compare::Sle, Some(Op::Binary(Binary::Smin, x, y)))
                | (Compare::Ugt | Compare::Uge, Some(Op::Binary(Binary::Umax, x, y)))
                | (Compare::Sgt | Compare::Sge, Some(Op::Binary(Binary::Smax, x, y))) => {
                    into.extend([(compare, a, x), (compare, a, y)]);
                }
                _ => {}
            }
        }
    });
}
