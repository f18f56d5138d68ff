//! Whether a comparison holds in a block.

use std::cell::Cell;

use super::{Fact, Interval, Ranges};
use crate::ir::{Binary, Block, Compare, Convert, Op, Unary, Value, evaluate};

/// How many links a chain of inequalities can have, and how many tries a proof.
const LINKS: u32 = 6;
const TRIES: u32 = 200;

impl Ranges<'_> {
    /// What a condition is in a block that its definition dominates, if that can be known.
    pub(in crate::passes) fn decide(&self, condition: Value, block: Block) -> Option<bool> {
        self.decide_within(condition, block, 4)
    }

    fn decide_within(&self, condition: Value, block: Block, depth: u32) -> Option<bool> {
        if let Some(truth) = self.facts.truth(condition, block, &self.dominators) {
            return Some(truth);
        }
        let op = self.op(condition)?;
        if let Op::Compare(compare, a, b) = op {
            return self.decide_compare(compare, a, b, block);
        }
        if depth == 0 {
            return None;
        }
        let side = |value| self.decide_within(value, block, depth - 1);
        match op {
            Op::Const(bits) => Some(bits != 0),
            Op::Unary(Unary::Inot, a) => side(a).map(|truth| !truth),
            Op::Binary(Binary::And, a, b) => match (side(a), side(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Op::Binary(Binary::Or, a, b) => match (side(a), side(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    fn decide_compare(&self, compare: Compare, a: Value, b: Value, block: Block) -> Option<bool> {
        if compare.is_float() {
            return None;
        }
        let (left, right) = (self.at(a, block), self.at(b, block));
        if let Some(holds) = left.decide(compare, right) {
            return Some(holds);
        }
        for fact in self.facts.of(a, block, &self.dominators) {
            if let Fact::Compare(known, other) = *fact
                && other == b
                && let Some(holds) = implies(known, compare)
            {
                return Some(holds);
            }
        }
        let unsigned = match compare {
            Compare::Slt | Compare::Sle | Compare::Sgt | Compare::Sge => {
                if !(left.is_non_negative() && right.is_non_negative()) {
                    return None;
                }
                match compare {
                    Compare::Slt => Compare::Ult,
                    Compare::Sle => Compare::Ule,
                    Compare::Sgt => Compare::Ugt,
                    _ => Compare::Uge,
                }
            }
            other => other,
        };
        let below = |a, b| self.is_at_most(a, b, -1, block);
        let at_most = |a, b| self.is_at_most(a, b, 0, block);
        let decide = |always: bool, never: bool| always.then_some(true).or(never.then_some(false));
        match unsigned {
            Compare::Ult => decide(below(a, b), at_most(b, a)),
            Compare::Ule => decide(at_most(a, b), below(b, a)),
            Compare::Ugt => decide(below(b, a), at_most(a, b)),
            Compare::Uge => decide(at_most(b, a), below(a, b)),
            Compare::Eq => decide(false, below(a, b) || below(b, a)),
            Compare::Ne => decide(below(a, b) || below(b, a), false),
            _ => None,
        }
    }

    /// `a <= b + slack` as unsigned numbers, not modulo.
    fn is_at_most(&self, a: Value, b: Value, slack: i128, block: Block) -> bool {
        let tries = Cell::new(TRIES);
        Proof { ranges: self, block, tries: &tries, edge: &[] }.at_most(a, b, slack, LINKS)
    }
}

/// Whether `a query b` follows from `a known b`, or its opposite does.
fn implies(known: Compare, query: Compare) -> Option<bool> {
    use Compare::*;
    let follows = |known, query| {
        matches!(
            (known, query),
            (Eq, Eq | Sle | Sge | Ule | Uge)
                | (Ne, Ne)
                | (Slt, Slt | Sle | Ne)
                | (Sgt, Sgt | Sge | Ne)
                | (Sle, Sle)
                | (Sge, Sge)
                | (Ult, Ult | Ule | Ne)
                | (Ugt, Ugt | Uge | Ne)
                | (Ule, Ule)
                | (Uge, Uge)
        )
    };
    if follows(known, query) {
        Some(true)
    } else if follows(known, query.inverse()) {
        Some(false)
    } else {
        None
    }
}

/// A search for a chain of inequalities.
struct Proof<'a> {
    ranges: &'a Ranges<'a>,
    block: Block,
    tries: &'a Cell<u32>,
    /// Facts that hold at the end of the block, on one way out of it.
    edge: &'a [(Compare, Value, Value)],
}

impl Proof<'_> {
    fn at_most(&self, a: Value, b: Value, slack: i128, links: u32) -> bool {
        let tries = self.tries.get();
        if tries == 0 {
            return false;
        }
        self.tries.set(tries - 1);
        if a == b && slack >= 0 {
            return true;
        }
        let (left, right) = (self.interval(a), self.interval(b));
        if i128::from(left.high) <= i128::from(right.low) + slack {
            return true;
        }
        links > 0
            && (self.lower_left(a, b, slack, links - 1)
                || self.raise_right(a, b, slack, links - 1)
                || self.by_facts(a, b, slack, links - 1)
                || self.by_edges(a, b, slack, links - 1))
    }

    /// What a value can be here, on this way.
    fn interval(&self, value: Value) -> Interval {
        let mut interval = self.ranges.at(value, self.block);
        for &(compare, x, y) in self.edge {
            for (compare, x, y) in [(compare, x, y), (compare.swapped(), y, x)] {
                if x == value {
                    let other = self.ranges.at(y, self.block);
                    interval = interval.assume(compare, other).unwrap_or(interval);
                }
            }
        }
        interval
    }

    /// `a` is at most something that is at most `b`, by how `a` is computed.
    fn lower_left(&self, a: Value, b: Value, slack: i128, links: u32) -> bool {
        if let Some((base, offset)) = self.sum(a)
            && self.at_most(base, b, slack - offset, links)
        {
            return true;
        }
        match self.ranges.op(a) {
            Some(Op::Binary(op, x, y)) => match op {
                Binary::Udiv | Binary::Lshr => self.at_most(x, b, slack, links),
                Binary::And | Binary::Umin => {
                    self.at_most(x, b, slack, links) || self.at_most(y, b, slack, links)
                }
                Binary::Umax => {
                    self.at_most(x, b, slack, links) && self.at_most(y, b, slack, links)
                }
                // Below the divisor.
                Binary::Urem => {
                    self.at_most(y, b, slack + 1, links) || self.at_most(x, b, slack, links)
                }
                Binary::Isub => {
                    // What is taken away is at least this.
                    let low = self.ranges.at(y, self.block).low;
                    self.at_most(y, x, 0, links)
                        && self.at_most(x, b, slack + i128::from(low), links)
                }
                _ => false,
            },
            Some(Op::Select(_, x, y)) => {
                self.at_most(x, b, slack, links) && self.at_most(y, b, slack, links)
            }
            Some(Op::Convert(Convert::Zext, x)) => match self.ranges.op(b) {
                Some(Op::Convert(Convert::Zext, y)) => self.at_most(x, y, slack, links),
                _ => self.same_number(x, b, slack, links),
            },
            Some(Op::Convert(Convert::Sext, x))
                if self.ranges.at(x, self.block).is_non_negative() =>
            {
                self.same_number(x, b, slack, links)
            }
            Some(Op::Convert(Convert::Trunc, x)) => self.same_number(x, b, slack, links),
            _ => false,
        }
    }

    /// `a` was converted from `x` and is at most that, as numbers. The numbers' widths may differ
    /// from then on, which does no harm: they are compared as numbers.
    fn same_number(&self, x: Value, b: Value, slack: i128, links: u32) -> bool {
        self.at_most(x, b, slack, links)
    }

    /// `b` is at least something that is at least `a`, by how `b` is computed.
    fn raise_right(&self, a: Value, b: Value, slack: i128, links: u32) -> bool {
        if let Some((base, offset)) = self.sum(b)
            && self.at_most(a, base, slack + offset, links)
        {
            return true;
        }
        match self.ranges.op(b) {
            Some(Op::Binary(Binary::Umax | Binary::Or, x, y)) => {
                self.at_most(a, x, slack, links) || self.at_most(a, y, slack, links)
            }
            Some(Op::Binary(Binary::Umin, x, y)) => {
                self.at_most(a, x, slack, links) && self.at_most(a, y, slack, links)
            }
            Some(Op::Convert(Convert::Zext, y)) => self.at_most(a, y, slack, links),
            Some(Op::Convert(Convert::Sext, y))
                if self.ranges.at(y, self.block).is_non_negative() =>
            {
                self.at_most(a, y, slack, links)
            }
            _ => false,
        }
    }

    fn by_facts(&self, a: Value, b: Value, slack: i128, links: u32) -> bool {
        let ranges = self.ranges;
        for &(compare, x, y) in self.edge {
            for (compare, x, y) in [(compare, x, y), (compare.swapped(), y, x)] {
                if x == a
                    && let Some(gap) = self.gap(compare, x, y)
                    && self.at_most(y, b, slack + gap, links)
                {
                    return true;
                }
            }
        }
        for fact in ranges.facts.of(a, self.block, &ranges.dominators) {
            match *fact {
                Fact::Compare(compare, other) => {
                    if let Some(gap) = self.gap(compare, a, other)
                        && self.at_most(other, b, slack + gap, links)
                    {
                        return true;
                    }
                }
                // a + offset < other
                Fact::Through(outer) => {
                    let Some((base, offset)) = self.sum(outer).filter(|&(base, _)| base == a)
                    else {
                        continue;
                    };
                    debug_assert_eq!(base, a);
                    for fact in ranges.facts.of(outer, self.block, &ranges.dominators) {
                        if let Fact::Compare(compare, other) = *fact
                            && let Some(gap) = self.gap(compare, outer, other)
                            && self.at_most(other, b, slack + gap + offset, links)
                        {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// `a` is a block parameter, and whatever is passed for it is at most `b`. A loop that tests at
    /// its end has no branch that dominates its body, but each way into the body has one.
    fn by_edges(&self, a: Value, b: Value, slack: i128, links: u32) -> bool {
        let ranges = self.ranges;
        let Some((head, position)) = ranges.params[a.index()] else { return false };
        // The same `b` on all ways in as inside.
        let home = ranges.home[b.index()];
        let fixed =
            home.is_some_and(|home| home != head && ranges.dominators.dominates(home, head));
        if !fixed {
            return false;
        }
        let edges = &ranges.edges[head.index()];
        !edges.is_empty()
            && edges.iter().all(|edge| {
                let end = &ranges.function.block(edge.from).end;
                let Some(target) = end.targets().nth(edge.side) else { return false };
                let arg = target.args[position];
                // Passed on unchanged: what was so before.
                if arg == a {
                    return true;
                }
                let facts = edge.facts(ranges);
                let proof = Proof { ranges, block: edge.from, tries: self.tries, edge: &facts };
                proof.at_most(arg, b, slack, links)
            })
    }

    /// `a compare other` means `a + gap <= other` as unsigned numbers.
    fn gap(&self, compare: Compare, a: Value, other: Value) -> Option<i128> {
        let non_negative = |value| self.ranges.at(value, self.block).is_non_negative();
        match compare {
            Compare::Ult => Some(1),
            Compare::Ule | Compare::Eq => Some(0),
            Compare::Slt if non_negative(a) && non_negative(other) => Some(1),
            Compare::Sle if non_negative(a) && non_negative(other) => Some(0),
            _ => None,
        }
    }

    /// `value` is `base + offset`, not modulo.
    fn sum(&self, value: Value) -> Option<(Value, i128)> {
        let Some(Op::Binary(Binary::Iadd, base, constant)) = self.ranges.op(value) else {
            return None;
        };
        let ty = self.ranges.ty(base);
        let offset = i128::from(evaluate::sign_extend(ty, self.ranges.constant(constant)?));
        let interval = self.ranges.at(base, self.block);
        let fits = i128::from(interval.low) + offset >= 0
            && i128::from(interval.high) + offset <= i128::from(ty.mask());
        fits.then_some((base, offset))
    }
}
