//! Computes equal things once: global value numbering over the dominator tree.

use std::collections::HashMap;

use super::aliases::Aliases;
use crate::ir::{Block, Dominators, Function, Op, Type, Value};

/// Constants, parameters, special registers and slot addresses move to the entry. Then an
/// operation is replaced by an equal one that dominates it: any pure one and loads from read-only
/// memory, but no other loads.
pub(super) fn number_values(function: &mut Function) -> bool {
    let hoisted = hoist_leaves(function);
    let dominators = Dominators::new(function);
    let mut numbering = Numbering {
        aliases: Aliases::new(function),
        known: HashMap::new(),
        scopes: Vec::new(),
        changed: false,
    };
    // Walks the dominator tree without recursion; `None` closes a block's scope.
    let mut stack = vec![Some(function.entry())];
    while let Some(step) = stack.pop() {
        match step {
            Some(block) => {
                numbering.block(function, block);
                stack.push(None);
                stack.extend(dominators.children(block).iter().rev().copied().map(Some));
            }
            None => numbering.leave(),
        }
    }
    if numbering.changed {
        numbering.aliases.apply(function);
    }
    hoisted || numbering.changed
}

type Key = (Op, Type);

struct Numbering {
    aliases: Aliases,
    known: HashMap<Key, Value>,
    /// By open block, what it has added to `known`, with what was there before.
    scopes: Vec<Vec<(Key, Option<Value>)>>,
    changed: bool,
}

impl Numbering {
    fn block(&mut self, function: &mut Function, block: Block) {
        let mut added = Vec::new();
        let values = &function.values;
        let aliases = &mut self.aliases;
        function.blocks[block.index()].insts.retain_mut(|inst| {
            inst.op.map_operands(|value| aliases.resolve(value));
            let Some(result) = inst.result.filter(|_| inst.op.is_pure()) else { return true };
            let key = (canonical(inst.op), values[result.index()].ty);
            if let Some(&same) = self.known.get(&key) {
                aliases.replace(result, same);
                self.changed = true;
                return false;
            }
            added.push((key, self.known.insert(key, result)));
            true
        });
        self.scopes.push(added);
    }

    fn leave(&mut self) {
        for (key, before) in self.scopes.pop().unwrap_or_default() {
            match before {
                Some(value) => self.known.insert(key, value),
                None => self.known.remove(&key),
            };
        }
    }
}

/// One of the two orders of a commutative operation or a comparison.
fn canonical(op: Op) -> Op {
    match op {
        Op::Binary(op, a, b) if op.is_commutative() && b < a => Op::Binary(op, b, a),
        Op::WideMul { signed, a, b } if b < a => Op::WideMul { signed, a: b, b: a },
        Op::Fma(a, b, c) if b < a => Op::Fma(b, a, c),
        Op::Compare(op, a, b) if b < a => Op::Compare(op.swapped(), b, a),
        op => op,
    }
}

fn hoist_leaves(function: &mut Function) -> bool {
    let is_leaf =
        |op: &Op| matches!(op, Op::Const(_) | Op::Param(_) | Op::Special(_) | Op::SlotAddr(_));
    let entry = function.entry();
    let mut leaves = Vec::new();
    for &block in function.layout.iter().skip(1) {
        let insts = &mut function.blocks[block.index()].insts;
        if insts.iter().any(|inst| is_leaf(&inst.op)) {
            let (moved, kept) = std::mem::take(insts).into_iter().partition(|i| is_leaf(&i.op));
            *insts = kept;
            leaves.extend::<Vec<_>>(moved);
        }
    }
    if leaves.is_empty() {
        return false;
    }
    function.block_mut(entry).insts.extend(leaves);
    true
}
