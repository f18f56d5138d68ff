//! Replaces operations by cheaper ones with exactly the same result.

mod convert;
mod float;
mod integer;
mod logic;

use super::aliases::Aliases;
use crate::ir::{Dominators, Function, Inst, Loc, Op, Type, Value};

/// Algebraic identities: neutral and absorbing operands, constants collected, multiplications and
/// unsigned divisions by powers of two, conversions of conversions, comparisons of conversions.
/// On floats only what is exact, signed zeros included.
pub(super) fn simplify_operations(function: &mut Function) -> bool {
    let dominators = Dominators::new(function);
    let mut simplifier = Simplifier {
        ops: super::operations(function),
        aliases: Aliases::new(function),
        function,
        out: Vec::new(),
        loc: Loc::default(),
    };
    let mut changed = false;
    for &block in dominators.reverse_postorder() {
        let insts = std::mem::take(&mut simplifier.function.block_mut(block).insts);
        for inst in insts {
            changed |= simplifier.inst(inst);
        }
        simplifier.function.block_mut(block).insts = std::mem::take(&mut simplifier.out);
    }
    if changed {
        let aliases = simplifier.aliases;
        aliases.apply(function);
    }
    changed
}

/// What an operation can become.
enum Rewrite {
    /// Another operation of the same type.
    Op(Op),
    /// A value that is there already.
    Value(Value),
}

/// Bounds the rewriting of one instruction. Each rule makes progress, so this is never reached.
const MAX_REWRITES: usize = 16;

struct Simplifier<'a> {
    function: &'a mut Function,
    /// By value, its operation as it is now.
    ops: Vec<Option<Op>>,
    aliases: Aliases,
    /// The block that is being rewritten, up to here.
    out: Vec<Inst>,
    loc: Loc,
}

impl Simplifier<'_> {
    fn inst(&mut self, mut inst: Inst) -> bool {
        self.loc = inst.loc;
        let aliases = &self.aliases;
        inst.op.map_operands(|value| aliases.resolve(value));
        let Some(result) = inst.result else {
            self.out.push(inst);
            return false;
        };
        let ty = self.function.ty(result);
        let mut changed = false;
        for _ in 0..MAX_REWRITES {
            match self.rewrite(inst.op, ty) {
                None => break,
                Some(Rewrite::Op(op)) => inst.op = op,
                Some(Rewrite::Value(value)) => {
                    self.aliases.replace(result, value);
                    return true;
                }
            }
            changed = true;
        }
        self.ops[result.index()] = Some(inst.op);
        self.out.push(inst);
        changed
    }

    fn rewrite(&mut self, op: Op, ty: Type) -> Option<Rewrite> {
        match op {
            Op::Unary(op, a) => self.unary(op, ty, a),
            Op::Binary(op, a, b) if op.is_float() => self.float_binary(op, ty, a, b),
            Op::Binary(op, a, b) => self.integer_binary(op, ty, a, b),
            Op::Fma(a, b, c) => self.fma(ty, a, b, c),
            Op::WideMul { signed, a, b } => self.wide_mul(signed, a, b),
            Op::Compare(op, a, b) => self.compare(op, a, b),
            Op::Select(condition, a, b) => self.select(ty, condition, a, b),
            Op::Convert(op, a) => self.convert(op, ty, a),
            Op::Const(_)
            | Op::Param(_)
            | Op::Special(_)
            | Op::SlotAddr(_)
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Barrier => None,
        }
    }

    /// The operation that defines a value; `None` for block parameters.
    fn op(&self, value: Value) -> Option<Op> {
        self.ops.get(value.index()).copied().flatten()
    }

    fn constant(&self, value: Value) -> Option<u64> {
        match self.op(value) {
            Some(Op::Const(bits)) => Some(bits),
            _ => None,
        }
    }

    /// Puts a new operation before the present one.
    fn emit(&mut self, op: Op, ty: Type) -> Value {
        let result = self.function.add_value(ty);
        self.ops.push(Some(op));
        self.out.push(Inst { result: Some(result), op, loc: self.loc });
        result
    }

    fn emit_const(&mut self, ty: Type, bits: u64) -> Value {
        self.emit(Op::Const(bits & ty.mask()), ty)
    }
}

fn value(value: Value) -> Option<Rewrite> {
    Some(Rewrite::Value(value))
}

fn op(op: Op) -> Option<Rewrite> {
    Some(Rewrite::Op(op))
}
