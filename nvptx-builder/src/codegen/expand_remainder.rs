//! Floating-point remainder, which no GPU has as an instruction, in terms of integers.
//!
//! The remainder of magnitudes `mx·2^ex` and `my·2^ey`, `ex ≥ ey`, is `((mx·2^(ex-ey)) mod my)·2^ey`.
//! The powers of two are multiplied in and reduced a few at a time, as many as fit the word: long
//! division, as in musl's `fmod` (<https://git.musl-libc.org/cgit/musl/tree/src/math/fmod.c>), which
//! takes one bit at a time. Every step is exact, and so is the result, as IEEE 754 has it for a
//! quotient that is truncated.

use crate::ir::{
    Binary, Block, Compare, Convert, Function, Inst, Loc, Op, Target, Terminator, Type, Value,
};

/// Replaces each `frem`.
pub(super) fn expand_remainder(function: &mut Function) {
    let mut position = 0;
    while position < function.layout.len() {
        let block = function.layout[position];
        let found = function
            .block(block)
            .insts
            .iter()
            .position(|inst| matches!(inst.op, Op::Binary(Binary::Frem, ..)));
        if let Some(at) = found {
            expand_one(function, position, block, at);
        }
        position += 1;
    }
}

/// A float type taken apart.
struct Format {
    float: Type,
    /// The integer of its width.
    int: Type,
    /// How many bits of the mantissa are stored.
    mantissa: u32,
    infinity: u64,
    nan: u64,
}

const SINGLE: Format = Format {
    float: Type::F32,
    int: Type::I32,
    mantissa: 23,
    infinity: 0x7f80_0000,
    nan: 0x7fc0_0000,
};

const DOUBLE: Format = Format {
    float: Type::F64,
    int: Type::I64,
    mantissa: 52,
    infinity: 0x7ff0_0000_0000_0000,
    nan: 0x7ff8_0000_0000_0000,
};

fn expand_one(function: &mut Function, position: usize, block: Block, at: usize) {
    let mut rest = function.block_mut(block).insts.split_off(at);
    let Inst { result: Some(result), op: Op::Binary(_, x, y), loc } = rest.remove(0) else {
        return;
    };
    let format = if function.ty(result) == Type::F32 { SINGLE } else { DOUBLE };

    let blocks: Vec<Block> = (0..5).map(|_| function.add_block()).collect();
    function.layout.truncate(function.layout.len() - blocks.len());
    let after = position + 1;
    function.layout.splice(after..after, blocks.iter().copied());
    let &[ordinary, reduce, step, done, join] = blocks.as_slice() else { return };

    let old = function.block_mut(block);
    let (end, end_loc) = (std::mem::replace(&mut old.end, Terminator::Unreachable), old.loc);
    let new = function.block_mut(join);
    new.params.push(result);
    new.insts = rest;
    (new.end, new.loc) = (end, end_loc);

    let mut code = Code { function, block, loc, format };
    code.write(Operands { x, y }, Blocks { ordinary, reduce, step, done, join });
}

struct Operands {
    x: Value,
    y: Value,
}

struct Blocks {
    ordinary: Block,
    reduce: Block,
    step: Block,
    done: Block,
    join: Block,
}

struct Code<'a> {
    function: &'a mut Function,
    block: Block,
    loc: Loc,
    format: Format,
}

impl Code<'_> {
    fn push(&mut self, op: Op, ty: Type) -> Value {
        self.function.push(self.block, op, ty, self.loc)
    }

    fn int(&mut self, bits: u64) -> Value {
        self.function.push_const(self.block, self.format.int, bits, self.loc)
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        self.push(Op::Binary(op, a, b), self.format.int)
    }

    fn compare(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.push(Op::Compare(op, a, b), Type::I1)
    }

    fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        self.push(Op::Select(condition, a, b), self.format.int)
    }

    fn end(&mut self, end: Terminator, next: Block) {
        self.function.terminate(self.block, end, self.loc);
        self.block = next;
    }

    fn branch(&mut self, condition: Value, then: Target, otherwise: Target, next: Block) {
        self.end(Terminator::Branch { condition, then, otherwise }, next);
    }

    fn write(&mut self, Operands { x, y }: Operands, blocks: Blocks) {
        let Format { float, int, infinity, nan, .. } = self.format;
        let magnitude = int.mask() >> 1;

        // No number has a remainder: x infinite or NaN, y zero or NaN.
        let x_bits = self.push(Op::Convert(Convert::Bitcast, x), int);
        let y_bits = self.push(Op::Convert(Convert::Bitcast, y), int);
        let mask = self.int(magnitude);
        let x_magnitude = self.binary(Binary::And, x_bits, mask);
        let y_magnitude = self.binary(Binary::And, y_bits, mask);
        let limit = self.int(infinity);
        let x_invalid = self.compare(Compare::Uge, x_magnitude, limit);
        let one = self.int(1);
        // Zero wraps round to the largest.
        let y_less = self.binary(Binary::Isub, y_magnitude, one);
        let y_invalid = self.compare(Compare::Uge, y_less, limit);
        let invalid = self.push(Op::Binary(Binary::Or, x_invalid, y_invalid), Type::I1);
        let not_a_number = self.function.push_const(self.block, float, nan, self.loc);
        self.branch(
            invalid,
            Target::with(blocks.join, [not_a_number]),
            Target::to(blocks.ordinary),
            blocks.ordinary,
        );

        let smaller = self.compare(Compare::Ult, x_magnitude, y_magnitude);
        self.branch(
            smaller,
            Target::with(blocks.join, [x]),
            Target::to(blocks.reduce),
            blocks.reduce,
        );

        let (x_mantissa, x_exponent) = self.take_apart(x_magnitude);
        let (y_mantissa, y_exponent) = self.take_apart(y_magnitude);
        let first = self.binary(Binary::Urem, x_mantissa, y_mantissa);
        let powers = self.binary(Binary::Isub, x_exponent, y_exponent);
        let remainder = self.function.add_block_param(blocks.done, int);
        self.step_if(powers, first, &blocks);

        let mantissa = self.function.add_block_param(blocks.step, int);
        let left = self.function.add_block_param(blocks.step, int);
        // A remainder has `mantissa + 1` bits at most; so many more fit the word.
        let fit = self.int(u64::from(int.bits() - self.format.mantissa - 1));
        let now = self.binary(Binary::Umin, left, fit);
        let shifted = self.binary(Binary::Shl, mantissa, now);
        let reduced = self.binary(Binary::Urem, shifted, y_mantissa);
        let left = self.binary(Binary::Isub, left, now);
        self.step_if(left, reduced, &blocks);

        let value = self.scale(remainder, y_exponent);
        let sign_bit = self.int(!magnitude);
        let sign = self.binary(Binary::And, x_bits, sign_bit);
        let value = self.push(Op::Convert(Convert::Bitcast, value), int);
        let value = self.binary(Binary::Or, value, sign);
        let value = self.push(Op::Convert(Convert::Bitcast, value), float);
        self.end(Terminator::Jump(Target::with(blocks.join, [value])), blocks.join);
    }

    /// To another step if powers of two are left, else to the end. Goes on with the block that
    /// comes next in the text.
    fn step_if(&mut self, left: Value, mantissa: Value, blocks: &Blocks) {
        let next = if self.block == blocks.step { blocks.done } else { blocks.step };
        let zero = self.int(0);
        let more = self.compare(Compare::Ne, left, zero);
        self.branch(
            more,
            Target::with(blocks.step, [mantissa, left]),
            Target::with(blocks.done, [mantissa]),
            next,
        );
    }

    /// The mantissa with its leading one, and the exponent; those of a subnormal number begin with
    /// a zero and are as if the exponent were one.
    fn take_apart(&mut self, magnitude: Value) -> (Value, Value) {
        let width = self.int(u64::from(self.format.mantissa));
        let exponent = self.binary(Binary::Lshr, magnitude, width);
        let mask = self.int((1 << self.format.mantissa) - 1);
        let mantissa = self.binary(Binary::And, magnitude, mask);
        let zero = self.int(0);
        let normal = self.compare(Compare::Ne, exponent, zero);
        let leading = self.int(1 << self.format.mantissa);
        let leading = self.select(normal, leading, zero);
        let mantissa = self.binary(Binary::Or, mantissa, leading);
        let one = self.int(1);
        let exponent = self.binary(Binary::Umax, exponent, one);
        (mantissa, exponent)
    }

    /// `mantissa · 2^(exponent - bias - width)`, an exact multiplication. The power of two is a
    /// subnormal number where the exponent is small.
    fn scale(&mut self, mantissa: Value, exponent: Value) -> Value {
        let width = self.int(u64::from(self.format.mantissa));
        let one = self.int(1);
        let normal = self.compare(Compare::Ugt, exponent, width);
        let less_width = self.binary(Binary::Isub, exponent, width);
        let less_one = self.binary(Binary::Isub, exponent, one);
        let count = self.select(normal, width, less_one);
        let what = self.select(normal, less_width, one);
        let bits = self.binary(Binary::Shl, what, count);
        let power = self.push(Op::Convert(Convert::Bitcast, bits), self.format.float);
        let value = self.push(Op::Convert(Convert::UintToFloat, mantissa), self.format.float);
        self.push(Op::Binary(Binary::Fmul, value, power), self.format.float)
    }
}
