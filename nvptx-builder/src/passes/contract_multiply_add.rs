//! Joins a multiplication and an addition to one fma, as every GPU compiler does.

use crate::ir::{Binary, Function, Inst, Op, Unary, Value};

/// `a * b + c`, `a * b - c` and `c - a * b` become an fma if nothing else uses the product. The
/// only pass that changes a result: one rounding instead of two.
pub(super) fn contract_multiply_add(function: &mut Function) -> bool {
    let ops = super::operations(function);
    let uses = super::use_counts(function);
    let product = |value: Value| match ops[value.index()] {
        Some(Op::Binary(Binary::Fmul, a, b)) if uses[value.index()] == 1 => Some((a, b)),
        _ => None,
    };
    let mut changed = false;
    for block in function.layout.clone() {
        let insts = std::mem::take(&mut function.block_mut(block).insts);
        let mut out = Vec::with_capacity(insts.len());
        for mut inst in insts {
            let Op::Binary(op @ (Binary::Fadd | Binary::Fsub), x, y) = inst.op else {
                out.push(inst);
                continue;
            };
            let ty = function.ty(x);
            let mut negate = |value: Value| {
                let result = function.add_value(ty);
                let op = Op::Unary(Unary::Fneg, value);
                out.push(Inst { result: Some(result), op, loc: inst.loc });
                result
            };
            let fma = match (op, product(x), product(y)) {
                (Binary::Fadd, Some((a, b)), _) => Some(Op::Fma(a, b, y)),
                (Binary::Fadd, None, Some((a, b))) => Some(Op::Fma(a, b, x)),
                (_, Some((a, b)), _) => Some(Op::Fma(a, b, negate(y))),
                (_, None, Some((a, b))) => Some(Op::Fma(negate(a), b, x)),
                (_, None, None) => None,
            };
            if let Some(fma) = fma {
                inst.op = fma;
                changed = true;
            }
            out.push(inst);
        }
        function.block_mut(block).insts = out;
    }
    changed
}
