//! Computes in 32 bits what fits in 32 bits.
//!
//! Indices are `usize` in the source, and the device has no 64-bit integer unit: an addition is two
//! instructions, a multiplication four, a division a call. `mad.wide` takes two 32-bit factors and
//! a 64-bit address in one.

use super::ranges::{Interval, Ranges};
use crate::ir::{
    Binary, Block, Compare, Convert, Function, Inst, Loc, Op, Terminator, Type, Value,
};

/// By ranges:
/// - 64-bit results and block parameters below 2³² are computed in 32 bits and extended;
/// - 64-bit comparisons, and conversions to float, of numbers below 2³² likewise;
/// - 64-bit products, and shifts by constants, of 32-bit numbers become wide multiplications;
/// - signed division, remainder, right shift and extension of non-negative numbers become unsigned.
pub(super) fn narrow_indices(function: &mut Function) -> bool {
    let plan = Plan::new(function);
    if plan.is_empty() {
        return false;
    }
    let operations = super::operations(function);
    let mut narrower = Narrower {
        twins: vec![None; function.values.len()],
        operations,
        function,
        out: Vec::new(),
    };
    // Twins of parameters first: back edges pass values to blocks that come earlier.
    for (value, change) in plan.changes.iter().enumerate() {
        if matches!(change, Some(Change::Narrow)) {
            let twin = narrower.function.add_value(Type::I32);
            narrower.twins[value] = Some(twin);
        }
    }
    for block in narrower.function.layout.clone() {
        narrower.block(block, &plan);
    }
    true
}

/// What becomes of an instruction or parameter, by its result.
#[derive(Clone, Copy)]
enum Change {
    /// Computed in 32 bits.
    Narrow,
    /// A wide multiplication.
    Wide { signed: bool },
    /// The comparison is of 32-bit numbers, unsigned.
    Compare,
    /// The operand is a 32-bit number.
    UnsignedToFloat,
    /// The unsigned counterpart.
    Unsigned,
}

struct Plan {
    /// By value.
    changes: Vec<Option<Change>>,
}

impl Plan {
    fn new(function: &Function) -> Plan {
        let ranges = Ranges::new(function);
        let mut changes = vec![None; function.values.len()];
        for &block in ranges.dominators().reverse_postorder() {
            let data = function.block(block);
            for &param in &data.params {
                if function.ty(param) == Type::I64 && fits(ranges.at(param, block)) {
                    changes[param.index()] = Some(Change::Narrow);
                }
            }
            for inst in &data.insts {
                let Some(result) = inst.result else { continue };
                changes[result.index()] = change(function, &ranges, block, inst.op, result);
            }
        }
        Plan { changes }
    }

    fn is_empty(&self) -> bool {
        self.changes.iter().all(Option::is_none)
    }

    fn of(&self, value: Value) -> Option<Change> {
        self.changes.get(value.index()).copied().flatten()
    }
}

fn fits(interval: Interval) -> bool {
    interval.high <= u32::MAX.into()
}

fn fits_signed(interval: Interval) -> bool {
    interval.least >= i32::MIN.into() && interval.most <= i32::MAX.into()
}

fn change(
    function: &Function,
    ranges: &Ranges<'_>,
    block: Block,
    op: Op,
    result: Value,
) -> Option<Change> {
    use Binary::*;
    let ty = function.ty(result);
    let at = |value: Value| ranges.at(value, block);
    let small = |value: Value| fits(at(value));
    match op {
        Op::Binary(binary, a, b) => {
            let non_negative = |value: Value| at(value).is_non_negative();
            match binary {
                Sdiv | Srem if non_negative(a) && non_negative(b) => return Some(Change::Unsigned),
                Ashr if non_negative(a) => return Some(Change::Unsigned),
                Smin | Smax if non_negative(a) && non_negative(b) => return Some(Change::Unsigned),
                _ => {}
            }
            if ty != Type::I64 {
                return None;
            }
            let narrow = match binary {
                // The low bits of the result need the low bits of the operands only.
                Iadd | Isub | Imul | And | Or | Xor => small(result),
                Shl => small(result) && at(b).high < 32,
                Lshr => small(a) && at(b).high < 32,
                Udiv | Urem | Umin | Umax => small(a) && small(b),
                _ => false,
            };
            if narrow {
                return Some(Change::Narrow);
            }
            let factor = match binary {
                Imul => b,
                Shl if at(b).as_constant().is_some_and(|count| count < 31) => a,
                _ => return None,
            };
            if small(a) && (binary == Shl || small(factor)) {
                Some(Change::Wide { signed: false })
            } else if fits_signed(at(a)) && (binary == Shl || fits_signed(at(factor))) {
                Some(Change::Wide { signed: true })
            } else {
                None
            }
        }
        Op::Select(_, a, b) if ty == Type::I64 && small(a) && small(b) => Some(Change::Narrow),
        Op::Compare(compare, a, b) if !compare.is_float() && function.ty(a) == Type::I64 => {
            (small(a) && small(b)).then_some(Change::Compare)
        }
        Op::Convert(Convert::SintToFloat | Convert::UintToFloat, a)
            if function.ty(a) == Type::I64 && small(a) =>
        {
            Some(Change::UnsignedToFloat)
        }
        Op::Convert(Convert::Sext | Convert::SintToFloat, a) if at(a).is_non_negative() => {
            Some(Change::Unsigned)
        }
        _ => None,
    }
}

struct Narrower<'a> {
    /// By value, the 32-bit value that it is the extension of, or will be.
    twins: Vec<Option<Value>>,
    operations: Vec<Option<Op>>,
    function: &'a mut Function,
    out: Vec<Inst>,
}

impl Narrower<'_> {
    fn block(&mut self, block: Block, plan: &Plan) {
        let insts = std::mem::take(&mut self.function.block_mut(block).insts);
        let params = self.function.block(block).params.clone();
        for (i, param) in params.into_iter().enumerate() {
            if let Some(twin) = self.twin(param) {
                self.function.block_mut(block).params[i] = twin;
                self.extend(param, twin, Loc::default());
            }
        }
        for inst in insts {
            self.inst(inst, plan);
        }
        // What is passed to a parameter that is narrow now.
        let mut end =
            std::mem::replace(&mut self.function.block_mut(block).end, Terminator::Unreachable);
        let loc = self.function.block(block).loc;
        for target in end.targets_mut() {
            for (i, arg) in target.args.iter_mut().enumerate() {
                let param = self.function.block(target.block).params[i];
                // The other end may or may not have been rewritten yet.
                let is_narrow = self.twin(param).is_some() || self.function.ty(param) == Type::I32;
                if is_narrow && self.function.ty(*arg) == Type::I64 {
                    *arg = self.low(*arg, loc);
                }
            }
        }
        let data = self.function.block_mut(block);
        data.end = end;
        data.insts = std::mem::take(&mut self.out);
    }

    fn inst(&mut self, mut inst: Inst, plan: &Plan) {
        let change = inst.result.and_then(|result| Some((result, plan.of(result)?)));
        let Some((result, change)) = change else {
            self.out.push(inst);
            return;
        };
        let loc = inst.loc;
        match (change, inst.op) {
            (Change::Narrow, mut op) => {
                let Some(twin) = self.twin(result) else {
                    self.out.push(inst);
                    return;
                };
                if let Op::Select(condition, a, b) = op {
                    op = Op::Select(condition, self.low(a, loc), self.low(b, loc));
                } else {
                    op.map_operands(|value| self.low(value, loc));
                }
                self.out.push(Inst { result: Some(twin), op, loc });
                self.extend(result, twin, loc);
                return;
            }
            (Change::Wide { signed }, Op::Binary(Binary::Shl, a, count)) => {
                let Some(Op::Const(count)) = self.operations[count.index()] else {
                    self.out.push(inst);
                    return;
                };
                let a = self.low(a, loc);
                let b = self.emit(Op::Const(1 << count), Type::I32, loc);
                inst.op = Op::WideMul { signed, a, b };
            }
            (Change::Wide { signed }, Op::Binary(_, a, b)) => {
                inst.op = Op::WideMul { signed, a: self.low(a, loc), b: self.low(b, loc) };
            }
            (Change::Compare, Op::Compare(compare, a, b)) => {
                inst.op = Op::Compare(unsigned(compare), self.low(a, loc), self.low(b, loc));
            }
            (Change::UnsignedToFloat, Op::Convert(_, a)) => {
                inst.op = Op::Convert(Convert::UintToFloat, self.low(a, loc));
            }
            (Change::Unsigned, Op::Convert(convert, a)) => {
                let unsigned = match convert {
                    Convert::Sext => Convert::Zext,
                    _ => Convert::UintToFloat,
                };
                inst.op = Op::Convert(unsigned, a);
            }
            (Change::Unsigned, Op::Binary(binary, a, b)) => {
                let unsigned = match binary {
                    Binary::Sdiv => Binary::Udiv,
                    Binary::Srem => Binary::Urem,
                    Binary::Ashr => Binary::Lshr,
                    Binary::Smin => Binary::Umin,
                    Binary::Smax => Binary::Umax,
                    other => other,
                };
                inst.op = Op::Binary(unsigned, a, b);
            }
            _ => {}
        }
        self.out.push(inst);
    }

    fn twin(&self, value: Value) -> Option<Value> {
        self.twins.get(value.index()).copied().flatten()
    }

    /// `wide` is the extension of its twin.
    fn extend(&mut self, wide: Value, twin: Value, loc: Loc) {
        let op = Op::Convert(Convert::Zext, twin);
        self.out.push(Inst { result: Some(wide), op, loc });
    }

    fn emit(&mut self, op: Op, ty: Type, loc: Loc) -> Value {
        let result = self.function.add_value(ty);
        self.out.push(Inst { result: Some(result), op, loc });
        result
    }

    /// The low 32 bits of a 64-bit value.
    fn low(&mut self, value: Value, loc: Loc) -> Value {
        if let Some(twin) = self.twin(value) {
            return twin;
        }
        match self.operations.get(value.index()).copied().flatten() {
            Some(Op::Const(bits)) => self.emit(Op::Const(bits & Type::I32.mask()), Type::I32, loc),
            Some(Op::Convert(Convert::Zext | Convert::Sext, narrow))
                if self.function.ty(narrow) == Type::I32 =>
            {
                narrow
            }
            _ => self.emit(Op::Convert(Convert::Trunc, value), Type::I32, loc),
        }
    }
}

/// The comparison of non-negative numbers.
fn unsigned(compare: Compare) -> Compare {
    match compare {
        Compare::Slt => Compare::Ult,
        Compare::Sle => Compare::Ule,
        Compare::Sgt => Compare::Ugt,
        Compare::Sge => Compare::Uge,
        other => other,
    }
}
