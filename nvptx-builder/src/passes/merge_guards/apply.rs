//! Rewrites a chain of checks.

use std::collections::HashMap;

use super::find::bound;
use super::{Chain, Test, Way};
use crate::ir::{
    Binary, Block, Compare, Dominators, Function, Inst, Loc, Op, Target, Terminator, Type, Unary,
    Value,
};

pub(super) fn merge(function: &mut Function, dominators: &Dominators, chain: &Chain) {
    for way in &chain.ways {
        guard(function, dominators, chain, way);
    }
    for check in &chain.checks {
        function.terminate(check.block, Terminator::Jump(check.inside.clone()), check.loc);
    }
}

/// Puts all tests at the end of a way into the chain.
fn guard(function: &mut Function, dominators: &Dominators, chain: &Chain, way: &Way) {
    let from = way.from;
    let end = function.block(from).end.clone();
    let (condition, hot, outside) = match (&end, way.truth) {
        (Terminator::Branch { condition, then, otherwise }, Some(true)) => {
            (Some(*condition), then.clone(), Some(otherwise.clone()))
        }
        (Terminator::Branch { condition, then, otherwise }, _) => {
            (Some(*condition), otherwise.clone(), Some(then.clone()))
        }
        (Terminator::Jump(target), _) => (None, target.clone(), None),
        _ => return,
    };
    let loc = match condition {
        Some(_) => function.block(from).loc,
        None => chain.checks.first().map_or(Loc::default(), |check| check.loc),
    };
    let mut there = There::new(function, chain.head, &hot);
    let definitions = function.definitions();
    for &value in &chain.needed {
        let Some((block, position)) = definitions[value.index()] else { continue };
        let inst = function.block(block).insts[position].clone();
        there.copy(function, &inst, from);
    }
    let tests: Vec<Test> = chain.checks.iter().map(|check| there.test(check.test)).collect();

    let truth = way.truth.unwrap_or(true);
    let own = condition.and_then(|condition| bound(function, &definitions, condition, truth));
    let mut conditions = Vec::new();
    if let (Some(condition), None) = (condition, own) {
        let op = Op::Unary(Unary::Inot, condition);
        let holds = if truth { condition } else { function.push(from, op, Type::I1, loc) };
        conditions.push(holds);
    }
    // One comparison for each index, with the smallest of its bounds.
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for Test { index, bound } in own.into_iter().chain(tests.iter().copied()) {
        match groups.iter_mut().find(|(other, _)| *other == index) {
            Some((_, bounds)) => bounds.push(bound),
            None => groups.push((index, vec![bound])),
        }
    }
    for (index, bounds) in groups {
        let least = bounds.into_iter().reduce(|least, bound| {
            if least == bound {
                least
            } else {
                minimum(function, dominators, from, least, bound, loc)
            }
        });
        if let Some(least) = least {
            let op = Op::Compare(Compare::Ult, index, least);
            conditions.push(function.push(from, op, Type::I1, loc));
        }
    }
    let all = conditions
        .into_iter()
        .reduce(|all, next| function.push(from, Op::Binary(Binary::And, all, next), Type::I1, loc));

    // The slow path, from its end: each test again, then its panic.
    let mut next: Option<Block> = None;
    for (check, test) in chain.checks.iter().zip(&tests).rev() {
        let panic = there.panic(function, check.outside);
        next = Some(match next {
            None => panic,
            Some(next) => {
                let block = function.add_block();
                let op = Op::Compare(Compare::Ult, test.index, test.bound);
                let holds = function.push(block, op, Type::I1, check.loc);
                branch(
                    function,
                    block,
                    holds,
                    true,
                    Target::to(next),
                    Target::to(panic),
                    check.loc,
                );
                block
            }
        });
    }
    let (Some(all), Some(mut slow)) = (all, next) else { return };
    if let (Some(condition), Some(outside)) = (condition, outside) {
        let block = function.add_block();
        branch(function, block, condition, truth, Target::to(slow), outside, loc);
        slow = block;
    }
    branch(function, from, all, true, hot, Target::to(slow), loc);
}

fn branch(
    function: &mut Function,
    block: Block,
    condition: Value,
    truth: bool,
    inside: Target,
    outside: Target,
    loc: Loc,
) {
    let (then, otherwise) = if truth { (inside, outside) } else { (outside, inside) };
    function.terminate(block, Terminator::Branch { condition, then, otherwise }, loc);
}

/// What the chain's values are on one way into it.
struct There(HashMap<Value, Value>);

impl There {
    fn new(function: &Function, head: Block, passed: &Target) -> There {
        let params = function.block(head).params.iter().copied();
        There(params.zip(passed.args.iter().copied()).collect())
    }

    fn value(&self, value: Value) -> Value {
        self.0.get(&value).copied().unwrap_or(value)
    }

    fn test(&self, test: Test) -> Test {
        Test { index: self.value(test.index), bound: self.value(test.bound) }
    }

    fn copy(&mut self, function: &mut Function, inst: &Inst, into: Block) {
        let mut op = inst.op;
        op.map_operands(|value| self.value(value));
        if let Some(result) = inst.result {
            let ty = function.ty(result);
            let copy = function.push(into, op, ty, inst.loc);
            self.0.insert(result, copy);
        }
    }

    /// A copy of a block that panics.
    fn panic(&mut self, function: &mut Function, cold: Block) -> Block {
        let data = function.block(cold).clone();
        let block = function.add_block();
        for inst in &data.insts {
            self.copy(function, inst, block);
        }
        let mut end = data.end;
        end.map_operands(|value| self.value(value));
        function.terminate(block, end, data.loc);
        block
    }
}

/// The smaller of two bounds, computed as early as both are there: outside the loop, if they are.
fn minimum(
    function: &mut Function,
    dominators: &Dominators,
    from: Block,
    a: Value,
    b: Value,
    loc: Loc,
) -> Value {
    let definitions = function.definitions();
    let home = |value: Value| {
        let of_param = || {
            let mut layout = function.layout.iter().copied();
            layout.find(|&block| function.block(block).params.contains(&value))
        };
        let defined = definitions[value.index()].map(|(block, _)| block);
        defined.or_else(of_param).unwrap_or(from)
    };
    let (home_a, home_b) = (home(a), home(b));
    let block = if dominators.dominates(home_a, home_b) { home_b } else { home_a };
    let ty = function.ty(a);
    function.push(block, Op::Binary(Binary::Umin, a, b), ty, loc)
}
