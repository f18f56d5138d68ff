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

use std::collections::HashSet;

use crate::ir::{
    Binary, Block, Compare, Dominators, Function, Inst, Loc, Op, Target, Terminator, Type, Value,
};

/// So many checks join their guard.
const MAX_CHECKS: usize = 8;
/// So many instructions that compute their indices move up.
const MAX_HOISTED: usize = 12;

/// A branch followed by bounds checks, with nothing in between that anyone can see, becomes one
/// branch on all their conditions. Checks of one index against bounds from outside are one
/// comparison with the smallest.
pub(super) fn merge_guards(function: &mut Function) -> bool {
    let mut changed = false;
    let mut merged = HashSet::new();
    let mut facts = Facts::new(function);
    for block in facts.dominators.reverse_postorder().to_vec() {
        if merged.contains(&block) {
            continue;
        }
        let Some(chain) = Chain::find(function, &facts, block) else { continue };
        merged.extend(chain.checks.iter().map(|check| check.block));
        chain.merge(function, &facts.dominators);
        facts = Facts::new(function);
        changed = true;
    }
    changed
}

/// What the search looks at again and again, until the function changes.
struct Facts {
    dominators: Dominators,
    predecessors: Vec<Vec<Block>>,
    definitions: Vec<Option<(Block, usize)>>,
}

impl Facts {
    fn new(function: &Function) -> Facts {
        Facts {
            dominators: Dominators::new(function),
            predecessors: function.predecessors(),
            definitions: function.definitions(),
        }
    }
}

/// `index < bound`, else something else.
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

struct Chain {
    guard: Block,
    /// The guard's condition is true on the way to the checks.
    inside_is_then: bool,
    checks: Vec<Check>,
    /// Instructions to move to the guard: block, result.
    hoisted: Vec<(Block, Value)>,
}

fn operation(
    function: &Function,
    definitions: &[Option<(Block, usize)>],
    value: Value,
) -> Option<Op> {
    let (block, position) = definitions[value.index()]?;
    Some(function.block(block).insts[position].op)
}

impl Chain {
    fn find(function: &Function, facts: &Facts, guard: Block) -> Option<Chain> {
        let Terminator::Branch { then, otherwise, .. } = &function.block(guard).end else {
            return None;
        };
        let finder = Finder { function, facts, guard };
        [(then, true), (otherwise, false)].into_iter().find_map(|(side, inside_is_then)| {
            let (checks, hoisted) = finder.checks(side.block);
            let chain = Chain { guard, inside_is_then, checks, hoisted };
            (!chain.checks.is_empty()).then_some(chain)
        })
    }

    fn merge(self, function: &mut Function, dominators: &Dominators) {
        let guard = self.guard;
        let Terminator::Branch { condition, then, otherwise } = function.block(guard).end.clone()
        else {
            return;
        };
        let guard_loc = function.block(guard).loc;
        let (hot, outside) =
            if self.inside_is_then { (then, otherwise) } else { (otherwise, then) };
        for &(block, value) in &self.hoisted {
            let insts = &mut function.block_mut(block).insts;
            if let Some(position) = insts.iter().position(|inst| inst.result == Some(value)) {
                let inst = insts.remove(position);
                function.block_mut(guard).insts.push(inst);
            }
        }
        let all = self.combine(function, dominators, condition, guard_loc);

        // The slow path, from its end: each test again, then its panic.
        let mut checks = self.checks.iter().rev();
        let Some(last) = checks.next() else { return };
        let mut next = last.outside;
        for check in checks {
            let block = function.add_block();
            let Test { index, bound } = check.test;
            let op = Op::Compare(Compare::Ult, index, bound);
            let holds = function.push(block, op, Type::I1, check.loc);
            let end = Terminator::Branch {
                condition: holds,
                then: Target::to(next),
                otherwise: Target::to(check.outside),
            };
            function.terminate(block, end, check.loc);
            next = block;
        }
        let slow = function.add_block();
        let (inside, outside) = (Target::to(next), outside);
        let (then, otherwise) =
            if self.inside_is_then { (inside, outside) } else { (outside, inside) };
        function.terminate(slow, Terminator::Branch { condition, then, otherwise }, guard_loc);

        // The hot path.
        for check in &self.checks {
            function.terminate(check.block, Terminator::Jump(check.inside.clone()), check.loc);
        }
        let end = Terminator::Branch { condition: all, then: hot, otherwise: Target::to(slow) };
        function.terminate(guard, end, guard_loc);
    }

    /// The conjunction of the guard's condition and all checks.
    fn combine(
        &self,
        function: &mut Function,
        dominators: &Dominators,
        condition: Value,
        loc: Loc,
    ) -> Value {
        let definitions = function.definitions();
        let guard = self.guard;
        let own = guard_test(function, &definitions, condition, self.inside_is_then);
        // Tests of one index, with all their bounds.
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        let tests = own.into_iter().chain(self.checks.iter().map(|check| check.test));
        for Test { index, bound } in tests {
            match groups.iter_mut().find(|(other, _)| *other == index) {
                Some((_, bounds)) => bounds.push(bound),
                None => groups.push((index, vec![bound])),
            }
        }
        let mut conditions = Vec::new();
        if own.is_none() {
            let inside = if self.inside_is_then {
                condition
            } else {
                let not = Op::Unary(crate::ir::Unary::Inot, condition);
                function.push(guard, not, Type::I1, loc)
            };
            conditions.push(inside);
        }
        for (index, mut bounds) in groups {
            bounds.dedup();
            let mut bounds = bounds.into_iter();
            let Some(mut least) = bounds.next() else { continue };
            for bound in bounds {
                least = minimum(function, dominators, guard, least, bound, loc);
            }
            let op = Op::Compare(Compare::Ult, index, least);
            conditions.push(function.push(guard, op, Type::I1, loc));
        }
        let all = conditions.into_iter().reduce(|all, next| {
            function.push(guard, Op::Binary(Binary::And, all, next), Type::I1, loc)
        });
        all.unwrap_or(condition)
    }
}

/// The smaller of two bounds, computed as early as both are there: outside the loop, if they are.
fn minimum(
    function: &mut Function,
    dominators: &Dominators,
    guard: Block,
    a: Value,
    b: Value,
    loc: Loc,
) -> Value {
    let home = |function: &Function, value: Value| {
        let of_param = || {
            let mut layout = function.layout.iter().copied();
            layout.find(|&block| function.block(block).params.contains(&value))
        };
        let defined = function.definitions()[value.index()].map(|(block, _)| block);
        defined.or_else(of_param).unwrap_or(guard)
    };
    let (home_a, home_b) = (home(function, a), home(function, b));
    let block = if dominators.dominates(home_a, home_b) { home_b } else { home_a };
    let ty = function.ty(a);
    function.push(block, Op::Binary(Binary::Umin, a, b), ty, loc)
}

/// The condition, as it is on the way to the checks, if it is a bound itself.
fn guard_test(
    function: &Function,
    definitions: &[Option<(Block, usize)>],
    condition: Value,
    truth: bool,
) -> Option<Test> {
    let Op::Compare(compare, a, b) = operation(function, definitions, condition)? else {
        return None;
    };
    let compare = if truth { compare } else { compare.inverse() };
    match compare {
        Compare::Ult => Some(Test { index: a, bound: b }),
        Compare::Ugt => Some(Test { index: b, bound: a }),
        _ => None,
    }
}

struct Finder<'a> {
    function: &'a Function,
    facts: &'a Facts,
    guard: Block,
}

impl Finder<'_> {
    /// The checks that follow in a straight line from `block` on, and what moves up for them.
    fn checks(&self, mut block: Block) -> (Vec<Check>, Vec<(Block, Value)>) {
        let mut checks = Vec::new();
        let mut hoisted = Vec::new();
        let mut from = self.guard;
        while checks.len() < MAX_CHECKS {
            let data = self.function.block(block);
            let straight = self.facts.predecessors[block.index()] == [from]
                && block != self.guard
                && data.params.is_empty()
                && !data.insts.iter().any(|inst| inst.op.has_effect());
            if !straight {
                break;
            }
            let Some(check) = self.check(block) else { break };
            let mut moves = hoisted.clone();
            let reachable = self.available(check.test.index, &mut moves)
                && self.available(check.test.bound, &mut moves)
                && self.panic_is_available(check.outside, &mut moves)
                && moves.len() <= MAX_HOISTED;
            if !reachable {
                break;
            }
            hoisted = moves;
            from = block;
            block = check.inside.block;
            checks.push(check);
        }
        (checks, hoisted)
    }

    fn check(&self, block: Block) -> Option<Check> {
        let data = self.function.block(block);
        let Terminator::Branch { condition, then, otherwise } = &data.end else { return None };
        [(then, otherwise, true), (otherwise, then, false)].into_iter().find_map(
            |(inside, outside, truth)| {
                let test = guard_test(self.function, &self.facts.definitions, *condition, truth)?;
                let cold = self.function.block(outside.block);
                let is_panic = matches!(cold.end, Terminator::Panic { .. })
                    && cold.params.is_empty()
                    && self.facts.predecessors[outside.block.index()] == [block];
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

    /// The value is there at the end of the guard, or can be after moving these instructions, each
    /// after those that it needs.
    fn available(&self, value: Value, moves: &mut Vec<(Block, Value)>) -> bool {
        self.available_within(value, moves, MAX_HOISTED)
    }

    fn available_within(
        &self,
        value: Value,
        moves: &mut Vec<(Block, Value)>,
        depth: usize,
    ) -> bool {
        if moves.len() > MAX_HOISTED || depth == 0 {
            return false;
        }
        let Some((block, position)) = self.facts.definitions[value.index()] else {
            // A block parameter: those of the chain have none.
            return true;
        };
        if self.facts.dominators.dominates(block, self.guard)
            || moves.iter().any(|&(_, moved)| moved == value)
        {
            return true;
        }
        let Inst { op, .. } = self.function.block(block).insts[position];
        if !op.is_speculatable() {
            return false;
        }
        let mut fine = true;
        op.for_each_operand(|operand| {
            fine = fine && self.available_within(operand, moves, depth - 1);
        });
        moves.push((block, value));
        fine
    }

    /// What the panic reports is there at the end of the guard too.
    fn panic_is_available(&self, cold: Block, moves: &mut Vec<(Block, Value)>) -> bool {
        let data = self.function.block(cold);
        let own: HashSet<Value> = data.insts.iter().filter_map(|inst| inst.result).collect();
        let mut fine = data.insts.iter().all(|inst| inst.op.is_pure());
        let mut need = |value: Value| {
            fine = fine && (own.contains(&value) || self.available(value, moves));
        };
        data.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut need));
        data.end.for_each_operand(&mut need);
        fine
    }
}
