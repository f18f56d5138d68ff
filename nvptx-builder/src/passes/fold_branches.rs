//! Turns branches into jumps where the way is known or makes no difference.

use crate::ir::{Block, Function, Inst, Op, Target, Terminator, Type, Unary};

/// More arguments than this are not worth a select each.
const MAX_SELECTS: usize = 4;

/// - a branch on a constant goes one way;
/// - a branch on `not c` is one on `c` with its sides swapped;
/// - a branch whose sides go to one block is a jump, with selects for the arguments that differ.
pub(super) fn fold_branches(function: &mut Function) -> bool {
    let mut changed = false;
    let ops = super::operations(function);
    for block in function.layout.clone() {
        while let Some(end) = folded(function, &ops, block) {
            function.block_mut(block).end = end;
            changed = true;
        }
    }
    changed
}

fn folded(function: &mut Function, ops: &[Option<Op>], block: Block) -> Option<Terminator> {
    let data = function.block(block);
    let Terminator::Branch { condition, then, otherwise } = &data.end else { return None };
    let condition = *condition;
    match ops.get(condition.index()).copied().flatten() {
        Some(Op::Const(0)) => return Some(Terminator::Jump(otherwise.clone())),
        Some(Op::Const(_)) => return Some(Terminator::Jump(then.clone())),
        Some(Op::Unary(Unary::Inot, inner)) => {
            let (then, otherwise) = (otherwise.clone(), then.clone());
            return Some(Terminator::Branch { condition: inner, then, otherwise });
        }
        _ => {}
    }
    if then.block != otherwise.block {
        return None;
    }
    let pairs: Vec<_> = then.args.iter().copied().zip(otherwise.args.iter().copied()).collect();
    if pairs.iter().filter(|(a, b)| a != b).count() > MAX_SELECTS {
        return None;
    }
    let (to, loc) = (then.block, data.loc);
    let args = pairs.into_iter().map(|(a, b)| {
        if a == b {
            return a;
        }
        let ty: Type = function.ty(a);
        let result = function.add_value(ty);
        let op = Op::Select(condition, a, b);
        function.block_mut(block).insts.push(Inst { result: Some(result), op, loc });
        result
    });
    let args: Vec<_> = args.collect();
    Some(Terminator::Jump(Target { block: to, args }))
}
