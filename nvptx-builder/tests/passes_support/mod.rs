//! Random functions that verify and whose every run is defined.

use nvptx_builder::ir::{
    Binary, Block, Compare, Convert, Function, Loc, Op, SlotData, Space, Special, Target,
    Terminator, Type, Unary, Value,
};
use nvptx_builder::metadata::PanicSite;

/// xorshift64*: small, and the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 16) % bound
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Mostly numbers at which something happens.
    pub(crate) fn bits(&mut self, ty: Type) -> u64 {
        if ty.is_float() {
            let value =
                self.pick(&[0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.25, -1e10, 0.1, f64::INFINITY]);
            return if ty == Type::F32 {
                u64::from((value as f32).to_bits())
            } else {
                value.to_bits()
            };
        }
        let small = self.below(20);
        let far = self.next();
        let top = 1 << (ty.bits() - 1);
        self.pick(&[
            small,
            small,
            small,
            0,
            1,
            4,
            16,
            u64::MAX,
            u64::MAX - small,
            top,
            top - 1,
            far,
        ]) & ty.mask()
    }
}

/// How many 8-byte cells of global memory a function uses: integers below, floats above the middle.
pub(crate) const CELLS: u64 = 64;

pub(crate) struct Generator {
    pub function: Function,
    random: Random,
    block: Block,
    /// What dominates the end of the present block.
    values: Vec<Value>,
    line: u32,
    budget: u32,
}

/// The parameters of a random function: `(f32, f64, i32, i64, global address, length)`.
pub(crate) fn generate(seed: u64) -> Function {
    let mut function = Function::new(format!("k{seed}"));
    for (name, ty) in [
        ("x", Type::F32),
        ("d", Type::F64),
        ("n", Type::I32),
        ("m", Type::I64),
        ("p", Type::I64),
        ("p$len", Type::I64),
    ] {
        function.add_param(name, ty);
    }
    for (name, space) in [("tile", Space::Shared), ("array", Space::Local)] {
        function.add_slot(SlotData { name: name.into(), space, size: 256, align: 8 });
    }
    let block = function.entry();
    let random = Random::new(seed);
    let mut generator =
        Generator { function, random, block, values: Vec::new(), line: 1, budget: 60 };
    generator.entry();
    generator.region(3);
    generator.observe();
    generator.end(Terminator::Return);
    generator.function
}

impl Generator {
    fn loc(&mut self) -> Loc {
        self.line += 1;
        Loc { file: 1, line: self.line, column: 5 }
    }

    fn push(&mut self, op: Op, ty: Type) -> Value {
        let loc = self.loc();
        let value = self.function.push(self.block, op, ty, loc);
        self.values.push(value);
        value
    }

    fn end(&mut self, end: Terminator) {
        let loc = self.loc();
        self.function.terminate(self.block, end, loc);
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.push(Op::Const(bits & ty.mask()), ty)
    }

    fn entry(&mut self) {
        for (number, param) in self.function.params.clone().into_iter().enumerate() {
            self.push(Op::Param(number as u32), param.ty);
        }
        for special in
            [Special::TidX, Special::CtaidX, Special::NtidX, Special::TidZ, Special::LaneId]
        {
            let value = self.push(Op::Special(special), Type::I32);
            if self.random.one_in(2) {
                self.push(Op::Convert(Convert::Zext, value), Type::I64);
            }
        }
    }

    /// A value of the type that is at hand, or a constant.
    fn value(&mut self, ty: Type) -> Value {
        let fitting: Vec<Value> =
            self.values.iter().copied().filter(|&value| self.function.ty(value) == ty).collect();
        if fitting.is_empty() || self.random.one_in(4) {
            let bits = self.random.bits(ty);
            return self.constant(ty, bits);
        }
        // The latest ones more often.
        let from = if self.random.one_in(2) { fitting.len().saturating_sub(4) } else { 0 };
        self.random.pick(&fitting[from..])
    }

    fn int(&mut self) -> Type {
        self.random.pick(&[Type::I8, Type::I16, Type::I32, Type::I32, Type::I64, Type::I64])
    }

    fn float(&mut self) -> Type {
        self.random.pick(&[Type::F32, Type::F64])
    }

    fn any_type(&mut self) -> Type {
        if self.random.one_in(3) { self.float() } else { self.int() }
    }

    fn region(&mut self, depth: u32) {
        for _ in 0..2 + self.random.below(5) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.random.below(if depth == 0 { 9 } else { 16 }) {
                0..=3 => self.arithmetic(),
                4 => {
                    self.condition();
                }
                5 => self.conversion(),
                6 => self.float_arithmetic(),
                7 => self.memory(),
                8 => self.checked_access(),
                9 | 10 => self.diamond(depth - 1),
                11 | 12 => self.counted_loop(depth - 1),
                13 => self.short_circuit(),
                14 => self.guard(depth - 1),
                _ => {
                    let loc = self.loc();
                    self.function.push_effect(self.block, Op::Barrier, loc);
                }
            }
        }
    }

    fn arithmetic(&mut self) {
        use Binary::*;
        let ty = self.int();
        let (a, mut b) = (self.value(ty), self.value(ty));
        let op = self.random.pick(&[
            Iadd, Iadd, Isub, Imul, Sdiv, Udiv, Srem, Urem, Smin, Smax, Umin, Umax, And, And, Or,
            Xor, Shl, Lshr, Ashr,
        ]);
        match op {
            Shl | Lshr | Ashr => {
                let mask = self.constant(ty, u64::from(ty.bits()) - 1);
                b = self.push(Op::Binary(And, b, mask), ty);
            }
            Sdiv | Udiv | Srem | Urem => {
                let mask = self.constant(ty, ty.mask() >> 1);
                b = self.push(Op::Binary(And, b, mask), ty);
                let one = self.constant(ty, 1);
                b = self.push(Op::Binary(Umax, b, one), ty);
            }
            _ => {}
        }
        self.push(Op::Binary(op, a, b), ty);
        if self.random.one_in(6) {
            let op = self.random.pick(&[Unary::Ineg, Unary::Inot, Unary::Iabs]);
            let a = self.value(ty);
            self.push(Op::Unary(op, a), ty);
        }
        if self.random.one_in(6) {
            let (condition, a, b) = (self.condition(), self.value(ty), self.value(ty));
            self.push(Op::Select(condition, a, b), ty);
        }
        if self.random.one_in(8) {
            let (a, b) = (self.value(Type::I32), self.value(Type::I32));
            let signed = self.random.one_in(2);
            self.push(Op::WideMul { signed, a, b }, Type::I64);
        }
    }

    fn float_arithmetic(&mut self) {
        use Binary::*;
        let ty = self.float();
        let (a, b, c) = (self.value(ty), self.value(ty), self.value(ty));
        let op = self.random.pick(&[Fadd, Fsub, Fmul, Fdiv, Frem, Fmin, Fmax]);
        match self.random.below(8) {
            0 => self.push(Op::Fma(a, b, c), ty),
            2 => {
                let product =
                    self.function.push(self.block, Op::Binary(Fmul, a, b), ty, Loc::default());
                self.push(Op::Binary(Fadd, product, c), ty)
            }
            1 => {
                let op = self.random.pick(&[Unary::Fneg, Unary::Fabs, Unary::Fsqrt]);
                self.push(Op::Unary(op, a), ty)
            }
            _ => self.push(Op::Binary(op, a, b), ty),
        };
    }

    fn condition(&mut self) -> Value {
        use Compare::*;
        if self.random.one_in(6) {
            let (a, b) = (self.value(Type::I1), self.value(Type::I1));
            let op = self.random.pick(&[Binary::And, Binary::Or, Binary::Xor]);
            return self.push(Op::Binary(op, a, b), Type::I1);
        }
        if self.random.one_in(8) {
            let a = self.value(Type::I1);
            return self.push(Op::Unary(Unary::Inot, a), Type::I1);
        }
        let (op, ty) = if self.random.one_in(5) {
            let op = self.random.pick(&[Feq, Fne, Flt, Fle, Fgt, Fge, Fult, Fule, Fugt, Fuge]);
            (op, self.float())
        } else {
            let op = self.random.pick(&[Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ult, Ult, Ule, Ugt, Uge]);
            (op, self.int())
        };
        let (a, b) = (self.value(ty), self.value(ty));
        self.push(Op::Compare(op, a, b), Type::I1)
    }

    fn conversion(&mut self) {
        let (from, to) = (self.any_type(), self.any_type());
        let a = self.value(from);
        let op = match (from.is_float(), to.is_float()) {
            (true, true) if from == Type::F32 && to == Type::F64 => Convert::Fext,
            (true, true) if from == Type::F64 && to == Type::F32 => Convert::Ftrunc,
            (true, false) => self.random.pick(&[Convert::FloatToSint, Convert::FloatToUint]),
            (false, true) => self.random.pick(&[Convert::SintToFloat, Convert::UintToFloat]),
            (false, false) if from.bits() < to.bits() => {
                self.random.pick(&[Convert::Zext, Convert::Sext])
            }
            (false, false) if from.bits() > to.bits() => Convert::Trunc,
            _ => {
                let condition = self.value(Type::I1);
                let to = self.int();
                self.push(Op::Convert(Convert::Zext, condition), to);
                return;
            }
        };
        self.push(Op::Convert(op, a), to);
    }

    /// The address of a cell that fits the type, from any integer.
    fn cell(&mut self, ty: Type) -> (Space, Value, i64) {
        let space = self.random.pick(&[Space::Global, Space::Shared, Space::Local]);
        let half = if ty.is_float() { 1 } else { 0 };
        let index = self.value(Type::I64);
        if space == Space::Global {
            let mask = self.constant(Type::I64, CELLS / 2 - 1);
            let index = self.push(Op::Binary(Binary::And, index, mask), Type::I64);
            let eight = self.constant(Type::I64, 8);
            let bytes = self.push(Op::Binary(Binary::Imul, index, eight), Type::I64);
            let base = self.push(Op::Param(4), Type::I64);
            let address = self.push(Op::Binary(Binary::Iadd, base, bytes), Type::I64);
            return (space, address, half * (CELLS as i64 / 2) * 8);
        }
        let index = self.push(Op::Convert(Convert::Trunc, index), Type::I32);
        let mask = self.constant(Type::I32, 15);
        let index = self.push(Op::Binary(Binary::And, index, mask), Type::I32);
        let three = self.constant(Type::I32, 3);
        let bytes = self.push(Op::Binary(Binary::Shl, index, three), Type::I32);
        let slot = nvptx_builder::ir::Slot(u32::from(space == Space::Local));
        let base = self.push(Op::SlotAddr(slot), Type::I32);
        let address = self.push(Op::Binary(Binary::Iadd, base, bytes), Type::I32);
        (space, address, half * 128)
    }

    fn memory(&mut self) {
        let ty = self.any_type();
        let value = self.value(ty);
        let (space, address, offset) = self.cell(ty);
        if self.random.one_in(2) {
            self.push(Op::Load { space, address, offset, readonly: false }, ty);
        } else {
            let loc = self.loc();
            let op = Op::Store { space, address, offset, value };
            self.function.push_effect(self.block, op, loc);
        }
    }

    /// `p[index + c]` with its bounds check.
    fn checked_access(&mut self) {
        let mut index = self.value(Type::I64);
        if self.random.one_in(2) {
            let step = self.random.pick(&[1, 2, u64::MAX, u64::MAX - 1]);
            let step = self.constant(Type::I64, step);
            index = self.push(Op::Binary(Binary::Iadd, index, step), Type::I64);
        }
        let length = if self.random.one_in(3) {
            let length = 1 + self.random.below(32);
            self.constant(Type::I64, length)
        } else {
            self.push(Op::Param(5), Type::I64)
        };
        let fits = self.push(Op::Compare(Compare::Ult, index, length), Type::I1);
        self.check(fits, vec![index, length]);
        let base = self.push(Op::Param(4), Type::I64);
        let three = self.constant(Type::I64, 3);
        let bytes = self.push(Op::Binary(Binary::Shl, index, three), Type::I64);
        let address = self.push(Op::Binary(Binary::Iadd, base, bytes), Type::I64);
        let ty = self.int();
        if self.random.one_in(2) {
            let op = Op::Load { space: Space::Global, address, offset: 0, readonly: false };
            self.push(op, ty);
        } else {
            let value = self.value(ty);
            let loc = self.loc();
            let op = Op::Store { space: Space::Global, address, offset: 0, value };
            self.function.push_effect(self.block, op, loc);
        }
    }

    /// Panics with the values unless the condition holds.
    fn check(&mut self, condition: Value, values: Vec<Value>) {
        let site = self.function.add_site(PanicSite {
            file: 1,
            line: self.line,
            column: 9,
            message: "got {usize}".to_owned() + &" and {usize}".repeat(values.len() - 1),
        });
        let (fine, cold) = (self.function.add_block(), self.function.add_block());
        self.end(Terminator::Branch {
            condition,
            then: Target::to(fine),
            otherwise: Target::to(cold),
        });
        self.block = cold;
        self.end(Terminator::Panic { site, values });
        self.block = fine;
    }

    fn diamond(&mut self, depth: u32) {
        let condition = self.condition();
        let types: Vec<Type> = (0..self.random.below(3)).map(|_| self.any_type()).collect();
        let [then, otherwise, join] = [0; 3].map(|_| self.function.add_block());
        self.end(Terminator::Branch {
            condition,
            then: Target::to(then),
            otherwise: Target::to(otherwise),
        });
        let outside = self.values.len();
        for side in [then, otherwise] {
            self.block = side;
            if self.random.one_in(2) {
                self.region(depth);
            }
            let args: Vec<Value> = types.iter().map(|&ty| self.value(ty)).collect();
            self.end(Terminator::Jump(Target::with(join, args)));
            self.values.truncate(outside);
        }
        self.block = join;
        for ty in types {
            let param = self.function.add_block_param(join, ty);
            self.values.push(param);
        }
    }

    fn guard(&mut self, depth: u32) {
        let condition = self.condition();
        let (inside, after) = (self.function.add_block(), self.function.add_block());
        self.end(Terminator::Branch {
            condition,
            then: Target::to(inside),
            otherwise: Target::to(after),
        });
        let outside = self.values.len();
        self.block = inside;
        self.region(depth);
        if self.random.one_in(4) {
            self.observe();
            self.end(Terminator::Return);
        } else {
            self.end(Terminator::Jump(Target::to(after)));
        }
        self.values.truncate(outside);
        self.block = after;
    }

    /// `a && b` or `a || b` as control flow, then a branch on it.
    fn short_circuit(&mut self) {
        let a = self.condition();
        let is_and = self.random.one_in(2);
        let [right, join, then, after] = [0; 4].map(|_| self.function.add_block());
        let known = self.constant(Type::I1, u64::from(!is_and));
        let (short, long) = (Target::with(join, [known]), Target::to(right));
        let (then_side, else_side) = if is_and { (long, short) } else { (short, long) };
        self.end(Terminator::Branch { condition: a, then: then_side, otherwise: else_side });
        let outside = self.values.len();
        self.block = right;
        if self.random.one_in(2) {
            self.memory();
        }
        let b = self.condition();
        self.end(Terminator::Jump(Target::with(join, [b])));
        self.values.truncate(outside);
        self.block = join;
        let condition = self.function.add_block_param(join, Type::I1);
        self.end(Terminator::Branch {
            condition,
            then: Target::to(then),
            otherwise: Target::to(after),
        });
        self.block = then;
        self.memory();
        self.end(Terminator::Jump(Target::to(after)));
        self.values.truncate(outside);
        self.block = after;
    }

    /// Up to 20 rounds, upwards or downwards, with one carried value.
    fn counted_loop(&mut self, depth: u32) {
        let ty = self.random.pick(&[Type::I32, Type::I64]);
        let down = self.random.one_in(4);
        let limit = if self.random.one_in(2) {
            let limit = self.random.below(20);
            self.constant(ty, limit)
        } else {
            let wide = self.value(ty);
            let mask = self.constant(ty, 15);
            self.push(Op::Binary(Binary::And, wide, mask), ty)
        };
        let zero = self.constant(ty, 0);
        let (first, compare) = match (down, self.random.one_in(2)) {
            (true, _) => (limit, Compare::Ugt),
            (false, true) => (zero, Compare::Slt),
            (false, false) => (zero, Compare::Ult),
        };
        let carried = self.any_type();
        let start = self.value(carried);
        let bound = if down { zero } else { limit };
        if self.random.one_in(2) {
            return self.rotated_loop(depth, first, start, compare, bound);
        }
        let [header, body, exit] = [0; 3].map(|_| self.function.add_block());
        self.end(Terminator::Jump(Target::with(header, [first, start])));
        self.block = header;
        let counter = self.function.add_block_param(header, ty);
        let state = self.function.add_block_param(header, carried);
        self.values.extend([counter, state]);
        let goes_on = self.push(Op::Compare(compare, counter, bound), Type::I1);
        self.end(Terminator::Branch {
            condition: goes_on,
            then: Target::to(body),
            otherwise: Target::to(exit),
        });
        let outside = self.values.len();
        self.block = body;
        self.region(depth);
        let next = self.next(counter, down);
        let state = self.value(carried);
        self.end(Terminator::Jump(Target::with(header, [next, state])));
        self.values.truncate(outside);
        self.block = exit;
    }

    fn next(&mut self, counter: Value, down: bool) -> Value {
        let ty = self.function.ty(counter);
        if self.random.one_in(4) && down {
            let one = self.constant(ty, 1);
            return self.push(Op::Binary(Binary::Lshr, counter, one), ty);
        }
        let step = self.constant(ty, if down { u64::MAX } else { 1 });
        self.push(Op::Binary(Binary::Iadd, counter, step), ty)
    }

    /// The same with a test before the loop and one at its end.
    fn rotated_loop(
        &mut self,
        depth: u32,
        first: Value,
        start: Value,
        compare: Compare,
        bound: Value,
    ) {
        let (ty, carried) = (self.function.ty(first), self.function.ty(start));
        let [body, exit] = [0; 2].map(|_| self.function.add_block());
        let condition = self.push(Op::Compare(compare, first, bound), Type::I1);
        self.end(Terminator::Branch {
            condition,
            then: Target::with(body, [first, start]),
            otherwise: Target::to(exit),
        });
        let outside = self.values.len();
        self.block = body;
        let counter = self.function.add_block_param(body, ty);
        let state = self.function.add_block_param(body, carried);
        self.values.extend([counter, state]);
        if self.random.one_in(2) {
            self.checked_access();
        }
        self.region(depth);
        let next = self.next(counter, compare == Compare::Ugt);
        let state = self.value(carried);
        let condition = self.push(Op::Compare(compare, next, bound), Type::I1);
        self.end(Terminator::Branch {
            condition,
            then: Target::with(body, [next, state]),
            otherwise: Target::to(exit),
        });
        self.values.truncate(outside);
        self.block = exit;
    }

    /// Stores some values, so that they matter.
    fn observe(&mut self) {
        let base = self.push(Op::Param(4), Type::I64);
        let latest: Vec<Value> = self.values.iter().rev().copied().take(24).collect();
        for (i, value) in latest.into_iter().enumerate() {
            let ty = self.function.ty(value);
            let value = match ty {
                Type::I1 => self.push(Op::Convert(Convert::Zext, value), Type::I8),
                _ => value,
            };
            let half = if ty.is_float() { CELLS / 2 } else { 0 };
            let offset = (half + i as u64) as i64 * 8;
            let loc = self.loc();
            let op = Op::Store { space: Space::Global, address: base, offset, value };
            self.function.push_effect(self.block, op, loc);
        }
    }
}
