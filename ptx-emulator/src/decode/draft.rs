//! Operations while they are being decoded: values instead of slots, labels instead of blocks.

use nvptx_builder::ptx::Operand;

use super::error::Refusal;
use super::types::{Ty, Width};
use super::values::{Value, Values, special};
use crate::exec::convert::Cast;
use crate::exec::pattern::PATTERNS;
use crate::exec::shapes::unary;
use crate::program::{Handler, OPERANDS, PresetSource};

/// An operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Unused,
    Read(Value),
    Write(Value),
}

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub(super) predicate: Value,
    pub(super) negated: bool,
}

/// An operation.
pub(super) struct Draft {
    pub(super) handler: Handler,
    pub(super) slots: [Slot; OPERANDS],
    pub(super) guard: Option<Guard>,
    pub(super) aux: u16,
    pub(super) imm: u64,
    /// Not an instruction of the text.
    pub(super) helper: bool,
    /// An access that finds its address register's pattern.
    pub(super) finds: bool,
    /// All that it does is to copy a register.
    pub(super) copies: bool,
}

/// A barrier's number or thread count.
#[derive(Clone, Copy, Debug)]
pub(super) enum BarrierArgument {
    Number(u32),
    Register(Value),
}

/// The end of a basic block.
#[derive(Clone, Copy, Debug)]
pub(super) enum DraftEnd {
    Fall,
    Jump(u32),
    Branch { guard: Guard, label: u32 },
    Exit { guard: Option<Guard> },
    Trap,
    Barrier { id: BarrierArgument, count: Option<BarrierArgument>, aligned: bool, wait: bool },
    Converge { mask: Value },
}

/// What a body decodes to.
pub(super) enum Item {
    Label(u32),
    Op(Draft, u32),
    End {
        end: DraftEnd,
        location: u32,
        /// An instruction of the text.
        counts: bool,
    },
}

/// Collects what a body decodes to.
pub(super) struct Builder {
    pub(super) values: Values,
    pub(super) items: Vec<Item>,
    /// Of the current instruction.
    pub(super) guard: Option<Guard>,
    pub(super) location: u32,
    /// The address registers, and bytes of the accesses, whose patterns are known at this point of the block.
    patterns: [Option<(Value, u64)>; PATTERNS],
    next_pattern: usize,
    /// The next operation finds the pattern that [`Self::pattern`] has promised.
    finds: bool,
}

/// Where an instruction's result goes if its register is wider than the result.
pub(super) struct Widening {
    from: Value,
    to: Value,
    signed: bool,
}

fn operands_expected(expected: &'static str) -> Refusal {
    Refusal::Operands { expected }
}

impl Builder {
    pub(super) fn new(values: Values) -> Builder {
        Builder {
            values,
            items: Vec::new(),
            guard: None,
            location: 0,
            patterns: [None; PATTERNS],
            next_pattern: 0,
            finds: false,
        }
    }

    /// Adds an operation of the text.
    pub(super) fn op(&mut self, handler: Handler, slots: &[Slot], aux: u16, imm: u64) {
        self.push(handler, slots, aux, imm, false);
    }

    /// Adds an operation of the text that copies a register.
    pub(super) fn copy(&mut self, handler: Handler, to: Slot, from: Slot) {
        self.op(handler, &[to, from], 0, 0);
        if let Some(Item::Op(draft, _)) = self.items.last_mut() {
            draft.copies = true;
        }
    }

    /// Adds an operation that the text does not have.
    pub(super) fn helper(&mut self, handler: Handler, slots: &[Slot], aux: u16, imm: u64) {
        self.push(handler, slots, aux, imm, true);
    }

    fn push(&mut self, handler: Handler, given: &[Slot], aux: u16, imm: u64, helper: bool) {
        self.forget(given);
        let finds = std::mem::take(&mut self.finds);
        let mut slots = [Slot::Unused; OPERANDS];
        slots[..given.len()].copy_from_slice(given);
        let draft =
            Draft { handler, slots, guard: self.guard, aux, imm, helper, finds, copies: false };
        self.items.push(Item::Op(draft, self.location));
    }

    /// Begins a block.
    pub(super) fn label(&mut self, label: u32) {
        self.patterns = [None; PATTERNS];
        self.items.push(Item::Label(label));
    }

    /// Ends a block.
    pub(super) fn end(&mut self, end: DraftEnd, counts: bool) {
        self.patterns = [None; PATTERNS];
        self.items.push(Item::End { end, location: self.location, counts });
    }

    /// Makes what follows, up to [`Self::unguard`], conditional by a branch, for instructions that
    /// end a block.
    pub(super) fn guard_by_branch(&mut self) -> Option<u32> {
        let guard = self.guard.take()?;
        let label = self.values.fresh_label();
        let around = Guard { negated: !guard.negated, ..guard };
        self.end(DraftEnd::Branch { guard: around, label }, false);
        Some(label)
    }

    /// The end of what [`Self::guard_by_branch`] began.
    pub(super) fn unguard(&mut self, label: Option<u32>) {
        if let Some(label) = label {
            self.label(label);
        }
    }

    /// A predicate that is read.
    pub(super) fn predicate(&mut self, operand: &Operand) -> Result<Value, Refusal> {
        let Operand::Name(name) = operand else { return Err(operands_expected("a predicate")) };
        self.named_predicate(name)
    }

    pub(super) fn named_predicate(&mut self, name: &str) -> Result<Value, Refusal> {
        match self.values.register(name) {
            Some((value, 1)) => Ok(value),
            Some((_, bits)) => Err(Refusal::Width { name: name.to_owned(), bits }),
            None => Err(Refusal::Undeclared { name: name.to_owned() }),
        }
    }

    /// A predicate, and whether it stands as `!p`.
    pub(super) fn signed_predicate(&mut self, operand: &Operand) -> Result<(Value, bool), Refusal> {
        match operand {
            Operand::Not(name) => Ok((self.named_predicate(name)?, true)),
            other => Ok((self.predicate(other)?, false)),
        }
    }

    /// A predicate that is written.
    pub(super) fn predicate_result(&mut self, operand: &Operand) -> Result<Value, Refusal> {
        match operand {
            Operand::Name(name) if name == "_" => Ok(self.values.temporary(Width::Predicate)),
            other => self.predicate(other),
        }
    }

    /// An operand of a type, in a slot of the type's width.
    pub(super) fn read(&mut self, operand: &Operand, ty: Ty) -> Result<Slot, Refusal> {
        let value = self.source(operand, ty)?;
        match self.values.data[value.index()].width == ty.width() {
            true => Ok(Slot::Read(value)),
            false => Err(self.wrong_width(operand)),
        }
    }

    /// As [`Self::read`], but a 64-bit register may stand for a narrower value.
    pub(super) fn read_narrow(&mut self, operand: &Operand, ty: Ty) -> Result<Slot, Refusal> {
        let value = self.source(operand, ty)?;
        match (self.values.data[value.index()].width, ty.width()) {
            (own, wanted) if own == wanted => Ok(Slot::Read(value)),
            (Width::Bits64, Width::Bits32) => {
                let narrow = self.values.temporary(Width::Bits32);
                let handler = unary::<Cast<u32, u64>>();
                self.helper(handler, &[Slot::Write(narrow), Slot::Read(value)], 0, 0);
                Ok(Slot::Read(narrow))
            }
            _ => Err(self.wrong_width(operand)),
        }
    }

    fn wrong_width(&mut self, operand: &Operand) -> Refusal {
        match operand {
            Operand::Name(name) => {
                let bits = self.values.register(name).map_or(32, |(_, bits)| bits);
                Refusal::Width { name: name.clone(), bits }
            }
            _ => operands_expected("operands of the instruction's width"),
        }
    }

    /// What an operand names.
    fn source(&mut self, operand: &Operand, ty: Ty) -> Result<Value, Refusal> {
        let width = ty.width();
        let mask = if ty.bits() == 64 { u64::MAX } else { (1 << ty.bits()) - 1 };
        Ok(match operand {
            Operand::Name(name) => return self.named(name, width),
            Operand::Int(value) if !ty.float() => self.values.constant(width, *value as u64 & mask),
            Operand::F32(bits) if ty.bits() == 32 => self.values.constant(width, u64::from(*bits)),
            Operand::F64(bits) if ty == Ty::F32 => {
                let value = f64::from_bits(*bits) as f32;
                self.values.constant(width, u64::from(value.to_bits()))
            }
            Operand::F64(bits) if ty.bits() == 64 => self.values.constant(width, *bits),
            Operand::Offset(name, offset) => {
                let place = self.values.place(name);
                let place = place.ok_or_else(|| Refusal::Undeclared { name: name.clone() })?;
                let address = i64::from(place.offset).wrapping_add(*offset);
                self.values.constant(width, address as u64 & mask)
            }
            _ => {
                return Err(operands_expected(
                    "a register or a constant of the instruction's type",
                ));
            }
        })
    }

    fn named(&mut self, name: &str, width: Width) -> Result<Value, Refusal> {
        if let Some((value, _)) = self.values.register(name) {
            return Ok(value);
        }
        if let Some(special) = special(name) {
            return Ok(self.values.preset(width, PresetSource::Special(special)));
        }
        if let Some(place) = self.values.place(name) {
            return Ok(self.values.constant(width, place.offset.into()));
        }
        if name == "WARP_SZ" {
            return Ok(self.values.constant(width, 32));
        }
        Err(Refusal::Undeclared { name: name.to_owned() })
    }

    /// A register of the type's width that is written.
    pub(super) fn write(&mut self, operand: &Operand, ty: Ty) -> Result<Slot, Refusal> {
        let Operand::Name(name) = operand else { return Err(operands_expected("a register")) };
        if name == "_" {
            return Ok(Slot::Write(self.values.temporary(ty.width())));
        }
        let (value, bits) =
            self.values.register(name).ok_or_else(|| Refusal::Undeclared { name: name.clone() })?;
        match self.values.data[value.index()].width == ty.width() {
            true => Ok(Slot::Write(value)),
            false => Err(Refusal::Width { name: name.clone(), bits }),
        }
    }

    /// As [`Self::write`], but a 64-bit register may receive a narrower value: then
    /// [`Self::widen`] has to follow the operation.
    pub(super) fn write_wide(
        &mut self,
        operand: &Operand,
        ty: Ty,
    ) -> Result<(Slot, Option<Widening>), Refusal> {
        if let Operand::Name(name) = operand
            && let Some((to, 64)) = self.values.register(name)
            && ty.width() == Width::Bits32
        {
            let from = self.values.temporary(Width::Bits32);
            return Ok((Slot::Write(from), Some(Widening { from, to, signed: ty.signed() })));
        }
        Ok((self.write(operand, ty)?, None))
    }

    /// Fills the rest of a register that is wider than the result.
    pub(super) fn widen(&mut self, widening: Option<Widening>) {
        let Some(Widening { from, to, signed }) = widening else { return };
        let handler = if signed { unary::<Cast<u64, i32>>() } else { unary::<Cast<u64, u32>>() };
        self.helper(handler, &[Slot::Write(to), Slot::Read(from)], 0, 0);
    }

    /// The number of the pattern of an access of so many bytes by this address register, for the
    /// operation's `aux`. That has to be the next one: it finds the pattern, if no earlier access
    /// has, for the same lanes and since the register was written last.
    pub(super) fn pattern(&mut self, address: Slot, bytes: u64) -> u16 {
        let Slot::Read(register) = address else { return 0 };
        let wanted = Some((register, bytes));
        // A guard means other lanes.
        if self.guard.is_none()
            && let Some(number) = self.patterns.iter().position(|known| *known == wanted)
        {
            return number as u16;
        }
        let number = self.next_pattern;
        self.next_pattern = (number + 1) % PATTERNS;
        self.finds = true;
        self.patterns[number] = if self.guard.is_none() { wanted } else { None };
        number as u16
    }

    /// Forgets what is known of the addresses in a register that is written.
    fn forget(&mut self, slots: &[Slot]) {
        for known in &mut self.patterns {
            if known.is_some_and(|(register, _)| slots.contains(&Slot::Write(register))) {
                *known = None;
            }
        }
    }
}
