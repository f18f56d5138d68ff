//! Which instructions of the IR become one instruction of PTX, and which values need a register.

use crate::ir::{
    Binary, Block, Compare, Convert, Function, Inst, Op, Slot, Terminator, Type, Unary, Value,
};

/// An address as PTX writes it: `[base+offset]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) base: Base,
    pub(super) offset: i64,
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Register(Value),
    Variable(Slot),
}

/// A multiplication, or one with an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One instruction for one.
    Plain,
    /// The same bits as another value: no instruction.
    Same(Value),
    /// `a << k`, for a multiplication by a power of two.
    Shift(Value, u32),
    /// `a * b + c`
    Mad(Value, Value, Value),
    /// 32 × 32 → 64 bits, and perhaps an addition.
    Wide { signed: bool, a: Value, b: Wide, add: Option<Value> },
}

/// The second operand of a widening multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wide {
    Value(Value),
    Constant(i64),
}

/// Facts about a function, gathered once.
pub(super) struct Selection<'a> {
    function: &'a Function,
    definitions: Vec<Option<(Block, usize)>>,
    uses: Vec<u32>,
    /// Who reads a narrow value's upper bits: whether it wants them signed, whether unsigned.
    wants: Vec<(bool, bool)>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(function: &'a Function) -> Selection<'a> {
        let mut selection = Selection {
            function,
            definitions: function.definitions(),
            uses: vec![0; function.values.len()],
            wants: vec![(false, false); function.values.len()],
        };
        for &block in &function.layout {
            let data = function.block(block);
            for inst in &data.insts {
                inst.op.for_each_operand(|value| selection.uses[value.index()] += 1);
                selection.note_wants(inst);
            }
            data.end.for_each_operand(|value| selection.uses[value.index()] += 1);
        }
        selection
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    /// The instruction that defines a value.
    pub(super) fn definition(&self, value: Value) -> Option<&'a Inst> {
        let (block, position) = self.definitions[value.index()]?;
        self.function.block(block).insts.get(position)
    }

    fn op(&self, value: Value) -> Option<Op> {
        self.definition(value).map(|inst| inst.op)
    }

    /// The bits of a constant.
    pub(super) fn constant(&self, value: Value) -> Option<u64> {
        match self.op(value) {
            Some(Op::Const(bits)) => Some(bits),
            _ => None,
        }
    }

    /// A constant integer, sign-extended.
    pub(super) fn signed_constant(&self, value: Value) -> Option<i64> {
        let unused = 64 - self.ty(value).bits();
        self.constant(value).map(|bits| ((bits << unused) as i64) >> unused)
    }

    /// Constant additions and the address of a variable, folded into the access.
    pub(super) fn address(&self, address: Value, offset: i64) -> Address {
        let (mut at, mut total) = (address, offset);
        let fits = |offset: i64| i32::try_from(offset).is_ok();
        loop {
            match self.op(at) {
                Some(Op::Binary(Binary::Iadd, a, b)) => {
                    let (rest, constant) = match (self.signed_constant(a), self.signed_constant(b))
                    {
                        (_, Some(constant)) => (a, constant),
                        (Some(constant), None) => (b, constant),
                        (None, None) => break,
                    };
                    match total.checked_add(constant) {
                        Some(sum) if fits(sum) => (at, total) = (rest, sum),
                        _ => break,
                    }
                }
                Some(Op::SlotAddr(slot)) => {
                    return Address { base: Base::Variable(slot), offset: total };
                }
                _ => break,
            }
        }
        Address { base: Base::Register(at), offset: total }
    }

    /// The shape of an instruction with a result.
    pub(super) fn shape(&self, inst: &Inst) -> Shape {
        let Some(result) = inst.result else { return Shape::Plain };
        match inst.op {
            Op::Binary(Binary::Iadd, a, b) => self.addition(result, a, b),
            Op::Binary(Binary::Imul, a, b) => self.multiplication(a, b),
            Op::Binary(Binary::Shl, a, b) => self.wide_shift(a, b),
            Op::WideMul { signed, a, b } => {
                let b = match self.signed_constant(b) {
                    Some(constant) if signed => Wide::Constant(constant),
                    Some(constant) => Wide::Constant(constant & 0xffff_ffff),
                    None => Wide::Value(b),
                };
                Shape::Wide { signed, a, b, add: None }
            }
            Op::Convert(Convert::Trunc, a) if self.ty(a) != Type::I64 => Shape::Same(a),
            Op::Convert(Convert::Zext, a)
                if self.is_word(result, a) && self.is_zero_extended(a) =>
            {
                Shape::Same(a)
            }
            Op::Convert(Convert::Sext, a)
                if self.is_word(result, a) && self.is_sign_extended(a) =>
            {
                Shape::Same(a)
            }
            _ => Shape::Plain,
        }
    }

    /// Both are integers that live in 32-bit registers.
    fn is_word(&self, a: Value, b: Value) -> bool {
        [a, b].into_iter().all(|v| matches!(self.ty(v), Type::I8 | Type::I16 | Type::I32))
    }

    fn addition(&self, result: Value, a: Value, b: Value) -> Shape {
        for (product, c) in [(a, b), (b, a)] {
            let local = self.definitions[product.index()].map(|(block, _)| block)
                == self.definitions[result.index()].map(|(block, _)| block);
            let (Some(inst), true) = (self.definition(product), local) else { continue };
            if self.uses[product.index()] != 1 {
                continue;
            }
            match (self.shape(inst), inst.op) {
                (Shape::Wide { signed, a, b, add: None }, _) => {
                    return Shape::Wide { signed, a, b, add: Some(c) };
                }
                (Shape::Plain, Op::Binary(Binary::Imul, a, b)) => return Shape::Mad(a, b, c),
                _ => {}
            }
        }
        Shape::Plain
    }

    fn multiplication(&self, a: Value, b: Value) -> Shape {
        let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
        match self.wide(a, b) {
            Some(shape) => shape,
            None => match self.constant(b) {
                Some(bits) if bits.is_power_of_two() => Shape::Shift(a, bits.trailing_zeros()),
                _ => Shape::Plain,
            },
        }
    }

    fn wide_shift(&self, a: Value, b: Value) -> Shape {
        let count = self.constant(b).filter(|&count| count < 31);
        match (count, self.extended_word(a)) {
            (Some(count), Some((signed, a))) => {
                Shape::Wide { signed, a, b: Wide::Constant(1 << count), add: None }
            }
            _ => Shape::Plain,
        }
    }

    /// A 64-bit product of two extended 32-bit values.
    fn wide(&self, a: Value, b: Value) -> Option<Shape> {
        let (signed, x) = self.extended_word(a)?;
        let y = match (self.signed_constant(b), self.extended_word(b)) {
            (Some(constant), _) => {
                let range = if signed { -(1 << 31)..1 << 31 } else { 0..1 << 32 };
                Wide::Constant(Some(constant).filter(|constant| range.contains(constant))?)
            }
            (None, Some((same, y))) if same == signed => Wide::Value(y),
            _ => return None,
        };
        Some(Shape::Wide { signed, a: x, b: y, add: None })
    }

    /// The `i32` that this `i64` extends, and whether it is signed.
    fn extended_word(&self, value: Value) -> Option<(bool, Value)> {
        match self.op(value)? {
            Op::Convert(op @ (Convert::Zext | Convert::Sext), a)
                if self.ty(a) == Type::I32 && self.ty(value) == Type::I64 =>
            {
                Some((op == Convert::Sext, a))
            }
            _ => None,
        }
    }

    /// The value whose register holds this one.
    pub(super) fn canonical(&self, value: Value) -> Value {
        let mut at = value;
        while let Some(Shape::Same(other)) = self.definition(at).map(|inst| self.shape(inst)) {
            at = other;
        }
        at
    }

    /// The upper bits of a narrow value's register are zero.
    pub(super) fn is_zero_extended(&self, value: Value) -> bool {
        let positive = |value: Value| self.signed_constant(value).is_some_and(|bits| bits >= 0);
        match self.op(value) {
            Some(Op::Param(_)) => true,
            Some(Op::Load { .. }) => !self.loads_signed(value),
            Some(Op::Binary(Binary::And, a, b)) => positive(a) || positive(b),
            Some(Op::Binary(op, ..)) => {
                matches!(
                    op,
                    Binary::Lshr | Binary::Udiv | Binary::Urem | Binary::Umin | Binary::Umax
                )
            }
            Some(Op::Unary(Unary::Iabs, _)) => true,
            Some(Op::Convert(Convert::Zext | Convert::FloatToUint, _)) => true,
            _ => false,
        }
    }

    /// The upper bits of a narrow value's register repeat its sign.
    pub(super) fn is_sign_extended(&self, value: Value) -> bool {
        match self.op(value) {
            Some(Op::Load { .. }) => self.loads_signed(value),
            // Not so for division: `MIN / -1` never happens, but the emulator would be right too.
            Some(Op::Binary(op, ..)) => matches!(
                op,
                Binary::Ashr | Binary::Sdiv | Binary::Srem | Binary::Smin | Binary::Smax
            ),
            Some(Op::Convert(Convert::Sext | Convert::FloatToSint, _)) => true,
            Some(Op::Convert(Convert::Zext, a)) => self.ty(a).bits() < self.ty(value).bits(),
            _ => false,
        }
    }

    /// A narrow load is signed if everyone who cares wants it so.
    pub(super) fn loads_signed(&self, value: Value) -> bool {
        self.wants[value.index()] == (true, false)
    }

    fn note_wants(&mut self, inst: &Inst) {
        let signed = match inst.op {
            Op::Convert(Convert::Sext | Convert::SintToFloat, _) => true,
            Op::Convert(Convert::Zext | Convert::UintToFloat, _) => false,
            Op::Unary(Unary::Iabs, _) => true,
            Op::Binary(op, ..) => match op {
                Binary::Sdiv | Binary::Srem | Binary::Smin | Binary::Smax | Binary::Ashr => true,
                Binary::Udiv | Binary::Urem | Binary::Umin | Binary::Umax | Binary::Lshr => false,
                _ => return,
            },
            Op::Compare(op, ..) => match op {
                Compare::Slt | Compare::Sle | Compare::Sgt | Compare::Sge => true,
                // Equality takes either, as long as both sides agree.
                Compare::Eq | Compare::Ne => return,
                _ => false,
            },
            _ => return,
        };
        inst.op.for_each_operand(|value| {
            let wants = &mut self.wants[value.index()];
            if signed {
                wants.0 = true;
            } else {
                wants.1 = true;
            }
        });
    }

    /// Equality compares signed values: of narrow ones, those that are there sign-extended.
    pub(super) fn equality_is_signed(&self, a: Value, b: Value) -> bool {
        let signed = |value| self.is_sign_extended(value) || self.constant(value).is_some();
        !matches!(self.ty(a), Type::I8 | Type::I16) || signed(a) && signed(b)
    }

    /// The opposite of a truth value costs no more than the value.
    pub(super) fn is_invertible(&self, value: Value) -> bool {
        self.invertible_to(value, 8)
    }

    fn invertible_to(&self, value: Value, depth: u32) -> bool {
        let next = depth.checked_sub(1);
        match (self.op(value), next) {
            (Some(Op::Compare(_, a, _)), _) => self.ty(a) != Type::I1,
            (Some(Op::Const(_)), _) => true,
            (Some(Op::Unary(Unary::Inot, _)), _) => true,
            (Some(Op::Binary(Binary::And | Binary::Or, a, b)), Some(depth)) => {
                self.invertible_to(a, depth) && self.invertible_to(b, depth)
            }
            _ => false,
        }
    }

    /// What the instruction reads: registers only, neither constants nor what is folded away.
    pub(super) fn reads(&self, inst: &Inst) -> Vec<Value> {
        let mut values = Vec::new();
        match (self.shape(inst), inst.op) {
            (Shape::Same(a) | Shape::Shift(a, _), _) => values.push(a),
            (Shape::Mad(a, b, c), _) => values.extend([a, b, c]),
            (Shape::Wide { a, b, add, .. }, _) => {
                values.push(a);
                if let Wide::Value(b) = b {
                    values.push(b);
                }
                values.extend(add);
            }
            (_, Op::Load { address, offset, .. }) => {
                values.extend(self.base_register(address, offset));
            }
            (_, Op::Store { address, offset, value, .. }) => {
                values.extend(self.base_register(address, offset));
                values.push(value);
            }
            (_, op) => op.for_each_operand(|value| values.push(value)),
        }
        values.retain(|&value| self.constant(value).is_none());
        values
    }

    fn base_register(&self, address: Value, offset: i64) -> Option<Value> {
        match self.address(address, offset).base {
            Base::Register(value) => Some(value),
            Base::Variable(_) => None,
        }
    }

    /// What the terminator reads, the arguments of jumps included.
    pub(super) fn end_reads(&self, end: &Terminator) -> Vec<Value> {
        let mut values = Vec::new();
        end.for_each_operand(|value| {
            if self.constant(value).is_none() {
                values.push(value);
            }
        });
        values
    }
}
