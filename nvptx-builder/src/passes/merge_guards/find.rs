//! Where guards and checks follow each other.

use std::collections::HashSet;

use super::{Chain, Check, Test, Way};
use crate::ir::{Block, Compare, Dominators, Function, Op, Terminator, Value};

/// So many checks join their guard.
const MAX_CHECKS: usize = 8;
/// So many instructions that compute indices are computed earlier.
const MAX_NEEDED: usize = 12;

/// What the search asks of the function as it is.
pub(super) struct Surroundings {
    pub(super) dominators: Dominators,
    predecessors: Vec<Vec<Block>>,
    definitions: Vec<Option<(Block, usize)>>,
    /// By value, the block whose parameter it is.
    param_of: Vec<Option<Block>>,
    loops: Vec<Loop>,
}

/// A natural loop.
struct Loop {
    header: Block,
    blocks: HashSet<Block>,
}

impl Surroundings {
    pub(super) fn new(function: &Function) -> Surroundings {
        let dominators = Dominators::new(function);
        let predecessors = function.predecessors();
        let mut param_of = vec![None; function.values.len()];
        for &block in &function.layout {
            for param in &function.block(block).params {
                param_of[param.index()] = Some(block);
            }
        }
        let loops = loops(function, &dominators, &predecessors);
        let definitions = function.definitions();
        Surroundings { dominators, predecessors, definitions, param_of, loops }
    }

    /// The checks from `head` on that can move to the ways into it, if there are any and it pays.
    pub(super) fn find(&self, function: &Function, head: Block) -> Option<Chain> {
        let ways = self.ways(function, head)?;
        let mut checks: Vec<Check> = Vec::new();
        let mut needed = Vec::new();
        let mut block = head;
        while checks.len() < MAX_CHECKS {
            let data = function.block(block);
            let is_straight = match checks.last() {
                None => true,
                Some(last) => {
                    self.predecessors[block.index()] == [last.block] && data.params.is_empty()
                }
            };
            if !is_straight || data.insts.iter().any(|inst| inst.op.has_effect()) {
                break;
            }
            let Some(check) = self.check(function, block) else { break };
            // A copy, because a check that fails half-way needs nothing.
            let mut more = needed.clone();
            let mut need = Needs { surroundings: self, function, head, needed: &mut more };
            if !(need.test(check.test) && need.panic(check.outside)) {
                break;
            }
            needed = more;
            block = check.inside.block;
            checks.push(check);
        }
        let first = checks.first()?;
        let pays = ways.iter().all(|way| {
            checks.iter().all(|check| check.block != way.from)
                && self.pays(function, head, way, first.test)
        });
        pays.then_some(Chain { head, checks, ways, needed })
    }

    /// All ways into a block, one of them a branch; `None` for the entry.
    fn ways(&self, function: &Function, head: Block) -> Option<Vec<Way>> {
        let froms = &self.predecessors[head.index()];
        if head == function.entry() || froms.is_empty() {
            return None;
        }
        let mut ways = Vec::new();
        for &from in froms {
            let truth = match &function.block(from).end {
                Terminator::Branch { then, otherwise, .. } if then.block != otherwise.block => {
                    Some(then.block == head)
                }
                Terminator::Jump(_) => None,
                _ => return None,
            };
            if !self.dominators.is_reachable(from) {
                return None;
            }
            ways.push(Way { from, truth });
        }
        ways.iter().any(|way| way.truth.is_some()).then_some(ways)
    }

    /// Whether the way is the usual one, so that the other side of its branch can take a detour.
    fn pays(&self, function: &Function, head: Block, way: &Way, first: Test) -> bool {
        let leaves = |from: Block, to: Block| {
            self.loops.iter().any(|l| l.blocks.contains(&from) && !l.blocks.contains(&to))
        };
        if leaves(way.from, head) {
            return false;
        }
        let Terminator::Branch { condition, then, otherwise } = &function.block(way.from).end
        else {
            return true;
        };
        let truth = way.truth == Some(true);
        let (hot, other) = if truth { (then, otherwise) } else { (otherwise, then) };
        let enters = self.loops.iter().any(|l| l.header == head && !l.blocks.contains(&way.from));
        let other_data = function.block(other.block);
        let ends = match other_data.end {
            Terminator::Panic { .. } => true,
            Terminator::Return => other_data.insts.is_empty(),
            _ => false,
        };
        let params = &function.block(head).params;
        let position = params.iter().position(|&param| param == first.index);
        let passed = position.map_or(first.index, |position| hot.args[position]);
        let same_index = bound(function, &self.definitions, *condition, truth)
            .is_some_and(|test| test.index == passed);
        enters || ends || same_index || leaves(way.from, other.block)
    }

    fn check(&self, function: &Function, block: Block) -> Option<Check> {
        let data = function.block(block);
        let Terminator::Branch { condition, then, otherwise } = &data.end else { return None };
        [(then, otherwise, true), (otherwise, then, false)].into_iter().find_map(
            |(inside, outside, truth)| {
                let test = bound(function, &self.definitions, *condition, truth)?;
                let cold = function.block(outside.block);
                let is_panic = matches!(cold.end, Terminator::Panic { .. })
                    && cold.params.is_empty()
                    && inside.block != outside.block;
                is_panic.then(|| Check {
                    block,
                    test,
                    inside: inside.clone(),
                    outside: outside.block,
                    loc: data.loc,
                })
            },
        )
    }
}

/// The condition, given what it is, if it says that something is below a bound.
pub(super) fn bound(
    function: &Function,
    definitions: &[Option<(Block, usize)>],
    condition: Value,
    truth: bool,
) -> Option<Test> {
    let (block, position) = definitions[condition.index()]?;
    let Op::Compare(compare, a, b) = function.block(block).insts[position].op else { return None };
    match if truth { compare } else { compare.inverse() } {
        Compare::Ult => Some(Test { index: a, bound: b }),
        Compare::Ugt => Some(Test { index: b, bound: a }),
        _ => None,
    }
}

/// Collects what has to be computed on each way into the head.
struct Needs<'a> {
    surroundings: &'a Surroundings,
    function: &'a Function,
    head: Block,
    needed: &'a mut Vec<Value>,
}

impl Needs<'_> {
    fn test(&mut self, test: Test) -> bool {
        self.value(test.index, MAX_NEEDED) && self.value(test.bound, MAX_NEEDED)
    }

    /// What a panic reports.
    fn panic(&mut self, cold: Block) -> bool {
        let data = self.function.block(cold);
        let own: HashSet<Value> = data.insts.iter().filter_map(|inst| inst.result).collect();
        let mut fine = data.insts.iter().all(|inst| inst.op.is_pure());
        let mut need = |value: Value| {
            fine = fine && (own.contains(&value) || self.value(value, MAX_NEEDED));
        };
        data.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut need));
        data.end.for_each_operand(&mut need);
        fine
    }

    fn value(&mut self, value: Value, depth: usize) -> bool {
        let surroundings = self.surroundings;
        let Some((block, position)) = surroundings.definitions[value.index()] else {
            // The head's own parameters are what the way passes for them.
            return surroundings.param_of[value.index()]
                .is_some_and(|block| block == self.head || self.is_before(block));
        };
        if self.is_before(block) || self.needed.contains(&value) {
            return true;
        }
        let op = self.function.block(block).insts[position].op;
        if depth == 0 || !op.is_speculatable() {
            return false;
        }
        let mut fine = true;
        op.for_each_operand(|operand| fine = fine && self.value(operand, depth - 1));
        self.needed.push(value);
        fine && self.needed.len() <= MAX_NEEDED
    }

    /// On all ways into the head, and the same as inside.
    fn is_before(&self, block: Block) -> bool {
        block != self.head && self.surroundings.dominators.dominates(block, self.head)
    }
}

fn loops(function: &Function, dominators: &Dominators, predecessors: &[Vec<Block>]) -> Vec<Loop> {
    let mut loops: Vec<Loop> = Vec::new();
    for &latch in dominators.reverse_postorder() {
        for header in function.successors(latch) {
            if !dominators.dominates(header, latch) {
                continue;
            }
            let known = loops.iter().position(|l| l.header == header);
            let at = known.unwrap_or_else(|| {
                loops.push(Loop { header, blocks: HashSet::from([header]) });
                loops.len() - 1
            });
            let blocks = &mut loops[at].blocks;
            let mut work = vec![latch];
            while let Some(block) = work.pop() {
                if dominators.is_reachable(block) && blocks.insert(block) {
                    work.extend(&predecessors[block.index()]);
                }
            }
        }
    }
    loops
}
