//! Computes both sides of a small branch and selects.

use crate::ir::{Block, Function, Inst, Op, Terminator, Type};

/// So many cheap instructions of one side are computed whether needed or not.
const MAX_INSTS: usize = 4;

/// A side of a branch that is entered only from there, that is a few cheap instructions which are
/// defined for all operands, and that goes on to where the other side goes (or goes itself), moves
/// before the branch. What is left is a branch with two equal ways, which
/// [`fold_branches`](super::fold_branches) makes selects of; and `a && b` becomes an `and`.
pub(super) fn flatten_branches(function: &mut Function) -> bool {
    let mut changed = false;
    // Sides first: what a side flattens to may be small itself.
    for block in function.layout.clone().into_iter().rev() {
        changed |= flatten(function, block);
    }
    changed
}

fn flatten(function: &mut Function, block: Block) -> bool {
    let Terminator::Branch { then, otherwise, .. } = &function.block(block).end else {
        return false;
    };
    let (then, otherwise) = (then.block, otherwise.block);
    if then == otherwise {
        return false;
    }
    let next = |side: Block| match &function.block(side).end {
        Terminator::Jump(target) => Some(target.block),
        _ => None,
    };
    let movable = |side: Block| next(side).is_some() && is_small(function, side, block);
    let (move_then, move_otherwise) =
        if movable(then) && movable(otherwise) && next(then) == next(otherwise) {
            (true, true)
        } else if movable(then) && next(then) == Some(otherwise) {
            (true, false)
        } else if movable(otherwise) && next(otherwise) == Some(then) {
            (false, true)
        } else {
            return flatten_test(function, block);
        };
    for (side, moves) in [(then, move_then), (otherwise, move_otherwise)] {
        if moves {
            hoist(function, side, block);
        }
    }
    true
}

/// `if a { if b { x } else { y } } else { y }`, where computing `b` is cheap: one branch on `a & b`.
fn flatten_test(function: &mut Function, block: Block) -> bool {
    let data = function.block(block);
    let Terminator::Branch { condition: first, then, otherwise } = data.end.clone() else {
        return false;
    };
    let loc = data.loc;
    for (side, other, is_and) in [(&then, &otherwise, true), (&otherwise, &then, false)] {
        if !is_small(function, side.block, block) || !side.args.is_empty() {
            continue;
        }
        let Terminator::Branch { condition: second, then: yes, otherwise: no } =
            function.block(side.block).end.clone()
        else {
            continue;
        };
        // Where both tests leave for the same place; that of a panic is its own.
        let (shared, far) = if is_and { (&no, &yes) } else { (&yes, &no) };
        if shared != other || far.block == side.block {
            continue;
        }
        hoist(function, side.block, block);
        let op = if is_and {
            Op::Binary(crate::ir::Binary::And, first, second)
        } else {
            Op::Binary(crate::ir::Binary::Or, first, second)
        };
        let condition = function.push(block, op, Type::I1, loc);
        let end = Terminator::Branch { condition, then: yes, otherwise: no };
        function.terminate(block, end, loc);
        return true;
    }
    false
}

/// The block is entered from `from` alone, has no parameters, and is cheap.
fn is_small(function: &Function, side: Block, from: Block) -> bool {
    let data = function.block(side);
    side != function.entry()
        && side != from
        && data.params.is_empty()
        && data.insts.iter().filter(|inst| !matches!(inst.op, Op::Const(_))).count() <= MAX_INSTS
        && data.insts.iter().all(is_cheap)
        && function
            .layout
            .iter()
            .flat_map(|&block| function.successors(block).map(move |to| (block, to)))
            .filter(|&(_, to)| to == side)
            .eq([(from, side)])
}

fn is_cheap(inst: &Inst) -> bool {
    use crate::ir::{Binary, Convert, Unary};
    inst.op.is_speculatable()
        && !matches!(
            inst.op,
            Op::Unary(Unary::Fsqrt, _)
                | Op::Binary(Binary::Fdiv | Binary::Frem, ..)
                | Op::Convert(
                    Convert::FloatToSint
                        | Convert::FloatToUint
                        | Convert::SintToFloat
                        | Convert::UintToFloat
                        | Convert::Fext
                        | Convert::Ftrunc,
                    _
                )
        )
}

fn hoist(function: &mut Function, side: Block, into: Block) {
    let insts = std::mem::take(&mut function.block_mut(side).insts);
    function.block_mut(into).insts.extend(insts);
}
