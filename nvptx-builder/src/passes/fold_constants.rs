//! Computes operations whose operands are constants.

use crate::ir::{Dominators, Function, Op, Type, evaluate};

/// Replaces them by their results. One that is undefined stays, and so does one whose result is a
/// NaN, because the device has NaN bits of its own.
pub(super) fn fold_constants(function: &mut Function) -> bool {
    let dominators = Dominators::new(function);
    let mut constants: Vec<Option<u64>> = vec![None; function.values.len()];
    let mut changed = false;
    for &block in dominators.reverse_postorder() {
        let values = &function.values;
        for inst in &mut function.blocks[block.index()].insts {
            let Some(result) = inst.result else { continue };
            let ty = values[result.index()].ty;
            if let Op::Const(bits) = inst.op {
                constants[result.index()] = Some(bits);
                continue;
            }
            let of = |value: crate::ir::Value| values[value.index()].ty;
            let Some(bits) = fold(&inst.op, ty, of, |value| constants[value.index()]) else {
                continue;
            };
            if evaluate::is_nan(ty, bits) {
                continue;
            }
            inst.op = Op::Const(bits);
            constants[result.index()] = Some(bits);
            changed = true;
        }
    }
    changed
}

fn fold(
    op: &Op,
    ty: Type,
    of: impl Fn(crate::ir::Value) -> Type,
    constant: impl Fn(crate::ir::Value) -> Option<u64>,
) -> Option<u64> {
    match *op {
        Op::Unary(op, a) => Some(evaluate::unary(op, ty, constant(a)?)),
        Op::Binary(op, a, b) => evaluate::binary(op, ty, constant(a)?, constant(b)?),
        Op::Fma(a, b, c) => Some(evaluate::fma(ty, constant(a)?, constant(b)?, constant(c)?)),
        Op::WideMul { signed, a, b } => {
            Some(evaluate::wide_mul(signed, constant(a)?, constant(b)?))
        }
        Op::Compare(op, a, b) => {
            Some(evaluate::compare(op, of(a), constant(a)?, constant(b)?).into())
        }
        Op::Convert(op, a) => Some(evaluate::convert(op, of(a), ty, constant(a)?)),
        Op::Select(condition, a, b) => {
            if constant(condition)? == 1 {
                constant(a)
            } else {
                constant(b)
            }
        }
        Op::Const(_)
        | Op::Param(_)
        | Op::Special(_)
        | Op::SlotAddr(_)
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Barrier => None,
    }
}
