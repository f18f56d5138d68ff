//! What is known of integers: intervals, and which is below which.
//!
//! Each integer value has an [`Interval`], found by abstract interpretation to a fixpoint, with
//! widening to the constants that the function compares with. A query at a block sharpens it by
//! the branches that dominate the block. That is sound in loops: a value's definition dominates
//! the branch that tests it and the branch dominates the block, so no new instance of the value
//! can be between the two.

mod facts;
mod interval;
mod order;
mod transfer;

pub(super) use interval::Interval;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::ir::{Block, Compare, Dominators, Function, Op, Terminator, Type, Value};
use facts::{Fact, Facts};

/// How deep a query looks into operands.
const DEPTH: u32 = 5;
/// How deep the fixpoint does, at each of its steps.
const STEP_DEPTH: u32 = 1;
/// So often a block parameter's interval may grow before it is widened.
const GROWTHS: u32 = 3;
/// So often it may be widened to a threshold before it is given up.
const WIDENINGS: u32 = 12;
/// So many answers are worked out with care; a function of usual size needs a hundredth.
const MAX_WORK: u64 = 1_000_000;
/// So many sweeps over the function, then nothing is known. Never seen to be reached.
const MAX_SWEEPS: usize = 100;

/// By value, block and depth.
type Answers = RefCell<HashMap<(Value, Block, u32), Option<Interval>>>;

/// The analysis of a function as it is now.
pub(super) struct Ranges<'a> {
    function: &'a Function,
    dominators: Dominators,
    ops: Vec<Option<Op>>,
    facts: Facts,
    /// By value; `None` is not reached, or not an integer.
    intervals: Vec<Option<Interval>>,
    /// By block, the edges that lead there from reachable blocks.
    edges: Vec<Vec<Edge>>,
    /// By value, the block whose parameter it is, and which.
    params: Vec<Option<(Block, usize)>>,
    /// By value, the block that defines it.
    home: Vec<Option<Block>>,
    /// Answers to queries, once the intervals are final.
    answers: Option<Answers>,
    /// How many answers had to be worked out.
    work: Cell<u64>,
}

impl<'a> Ranges<'a> {
    pub(super) fn new(function: &'a Function) -> Ranges<'a> {
        let dominators = Dominators::new(function);
        let ops = super::operations(function);
        let facts = Facts::new(function, &dominators, &ops);
        let mut home: Vec<Option<Block>> =
            function.definitions().into_iter().map(|known| known.map(|(block, _)| block)).collect();
        let mut params = vec![None; function.values.len()];
        for &block in &function.layout {
            for (position, param) in function.block(block).params.iter().enumerate() {
                params[param.index()] = Some((block, position));
                home[param.index()] = Some(block);
            }
        }
        let mut ranges = Ranges {
            function,
            edges: edges(function, &dominators),
            dominators,
            ops,
            facts,
            intervals: vec![None; function.values.len()],
            params,
            home,
            answers: None,
            work: Cell::new(0),
        };
        ranges.solve();
        ranges.work.set(0);
        ranges.answers = Some(RefCell::default());
        ranges
    }

    pub(super) fn dominators(&self) -> &Dominators {
        &self.dominators
    }

    pub(super) fn op(&self, value: Value) -> Option<Op> {
        self.ops[value.index()]
    }

    pub(super) fn constant(&self, value: Value) -> Option<u64> {
        match self.op(value) {
            Some(Op::Const(bits)) => Some(bits),
            _ => None,
        }
    }

    fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    /// What an integer can be in a block that its definition dominates.
    pub(super) fn at(&self, value: Value, block: Block) -> Interval {
        self.query(value, block, DEPTH).unwrap_or(Interval::full(self.ty(value)))
    }

    /// `None` where the block cannot be reached, or has not been yet.
    fn query(&self, value: Value, block: Block, depth: u32) -> Option<Interval> {
        let interval = self.intervals[value.index()]?;
        if depth == 0 || interval.as_constant().is_some() {
            return Some(interval);
        }
        // Once too much has been asked, answers are rougher.
        let depth = if self.work.get() > MAX_WORK { 1 } else { depth };
        let key = (value, block, depth);
        if let Some(&known) =
            self.answers.as_ref().and_then(|a| a.borrow().get(&key).copied()).as_ref()
        {
            return known;
        }
        let answer = self.sharpened(interval, value, block, depth);
        if let Some(answers) = &self.answers {
            answers.borrow_mut().insert(key, answer);
        }
        answer
    }

    fn sharpened(
        &self,
        mut interval: Interval,
        value: Value,
        block: Block,
        depth: u32,
    ) -> Option<Interval> {
        self.work.set(self.work.get() + 1);
        if let Some(op) = self.op(value)
            && let Some(derived) = self.transfer(op, self.ty(value), block, depth - 1)
        {
            interval = interval.meet(derived)?;
        }
        for fact in self.facts.of(value, block, &self.dominators) {
            interval = self.apply(interval, value, fact, block, depth)?;
        }
        Some(interval)
    }

    /// Sharpens a value's interval by a fact on it.
    fn apply(
        &self,
        interval: Interval,
        value: Value,
        fact: &Fact,
        block: Block,
        depth: u32,
    ) -> Option<Interval> {
        match *fact {
            Fact::Compare(compare, other) => {
                let Some(other) = self.query(other, block, depth - 1) else {
                    return Some(interval);
                };
                interval.assume(compare, other)
            }
            // The fact is on a sum or a conversion of the value: what does it say of the value?
            Fact::Through(outer) => {
                let Some(known) = self.outer(outer, block, depth - 1) else {
                    return Some(interval);
                };
                let narrower = match self.op(outer) {
                    Some(Op::Binary(crate::ir::Binary::Iadd, x, c)) if x == value => {
                        let Some(c) = self.constant(c) else { return Some(interval) };
                        interval.minuend(known, c)
                    }
                    Some(Op::Convert(crate::ir::Convert::Zext, _)) => {
                        Some(known.unsigned_part(interval.ty()))
                    }
                    Some(Op::Convert(crate::ir::Convert::Sext, _)) => {
                        Some(known.signed_part(interval.ty()))
                    }
                    _ => None,
                };
                match narrower {
                    Some(narrower) => interval.meet(narrower),
                    None => Some(interval),
                }
            }
        }
    }

    /// A query that applies the facts on the value itself and does not look into its operands:
    /// it comes from one of them.
    fn outer(&self, value: Value, block: Block, depth: u32) -> Option<Interval> {
        let mut interval = self.intervals[value.index()]?;
        if depth == 0 {
            return Some(interval);
        }
        for fact in self.facts.of(value, block, &self.dominators) {
            interval = self.apply(interval, value, fact, block, depth)?;
        }
        Some(interval)
    }

    /// What is passed for parameter `i` along an edge; `None` if the edge is never taken.
    fn on_edge(&self, edge: &Edge, i: usize) -> Option<Interval> {
        let arg = self.function.block(edge.from).end.targets().nth(edge.side)?.args[i];
        let mut interval = self.query(arg, edge.from, STEP_DEPTH + 1)?;
        for (compare, a, b) in edge.facts(self) {
            for (compare, a, b) in [(compare, a, b), (compare.swapped(), b, a)] {
                if a == arg {
                    let fact = Fact::Compare(compare, b);
                    interval = self.apply(interval, arg, &fact, edge.from, STEP_DEPTH + 1)?;
                }
            }
        }
        Some(interval)
    }

    fn solve(&mut self) {
        let thresholds = self.thresholds();
        let mut growths = vec![0u32; self.intervals.len()];
        let order = self.dominators.reverse_postorder().to_vec();
        for sweep in 0.. {
            let mut changed = false;
            for &block in &order {
                for (value, new) in self.step(block) {
                    let old = self.intervals[value.index()];
                    let Some(mut new) = new else { continue };
                    if let Some(old) = old {
                        new = old.join(new);
                        if new == old {
                            continue;
                        }
                        let count = &mut growths[value.index()];
                        *count += 1;
                        if *count > GROWTHS + WIDENINGS {
                            new = Interval::full(new.ty());
                        } else if *count > GROWTHS {
                            new = new.widen(old, &thresholds);
                        }
                    }
                    self.intervals[value.index()] = Some(new);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if sweep == MAX_SWEEPS {
                for (interval, data) in self.intervals.iter_mut().zip(&self.function.values) {
                    *interval = (!data.ty.is_float()).then(|| Interval::full(data.ty));
                }
                return;
            }
        }
        // From above, each step stays sound: take back what widening gave away.
        for _ in 0..2 {
            for &block in &order {
                for (value, new) in self.step(block) {
                    let slot = &mut self.intervals[value.index()];
                    if let (Some(old), Some(new)) = (*slot, new) {
                        *slot = old.meet(new).or(*slot);
                    }
                }
            }
        }
    }

    /// The intervals of a block's parameters and results, from those of their operands.
    fn step(&self, block: Block) -> Vec<(Value, Option<Interval>)> {
        let data = self.function.block(block);
        let mut news = Vec::new();
        for (i, &param) in data.params.iter().enumerate() {
            if self.ty(param).is_float() {
                continue;
            }
            let mut joined: Option<Interval> = None;
            for edge in &self.edges[block.index()] {
                if let Some(passed) = self.on_edge(edge, i) {
                    joined = Some(joined.map_or(passed, |joined| joined.join(passed)));
                }
            }
            news.push((param, joined));
        }
        for inst in &data.insts {
            let Some(result) = inst.result.filter(|&result| !self.ty(result).is_float()) else {
                continue;
            };
            news.push((result, self.transfer(inst.op, self.ty(result), block, STEP_DEPTH)));
        }
        news
    }

    /// Constants that comparisons mention, and their neighbours: where loops end.
    fn thresholds(&self) -> Vec<u64> {
        let mut thresholds = vec![0, 1];
        for op in self.ops.iter().flatten() {
            if let Op::Compare(compare, a, b) = *op
                && !Compare::is_float(compare)
            {
                for constant in [a, b].into_iter().filter_map(|value| self.constant(value)) {
                    thresholds.extend([
                        constant.wrapping_sub(1),
                        constant,
                        constant.wrapping_add(1),
                    ]);
                }
            }
        }
        thresholds.sort_unstable();
        thresholds.dedup();
        thresholds
    }
}

/// One way into a block.
struct Edge {
    from: Block,
    /// Which of the terminator's targets.
    side: usize,
    /// What the branch's condition is on this way.
    truth: Option<bool>,
}

impl Edge {
    /// The comparisons that hold on this way.
    fn facts(&self, ranges: &Ranges<'_>) -> Vec<(Compare, Value, Value)> {
        let mut found = Vec::new();
        if let (Some(truth), Terminator::Branch { condition, .. }) =
            (self.truth, &ranges.function.block(self.from).end)
        {
            facts::collect(&ranges.ops, *condition, truth, &mut found);
        }
        found
    }
}

fn edges(function: &Function, dominators: &Dominators) -> Vec<Vec<Edge>> {
    let mut edges: Vec<Vec<Edge>> = (0..function.blocks.len()).map(|_| Vec::new()).collect();
    for &from in dominators.reverse_postorder() {
        let end = &function.block(from).end;
        let is_branch = matches!(end, Terminator::Branch { .. });
        for (side, target) in end.targets().enumerate() {
            let truth = is_branch.then_some(side == 0);
            edges[target.block.index()].push(Edge { from, side, truth });
        }
    }
    edges
}
