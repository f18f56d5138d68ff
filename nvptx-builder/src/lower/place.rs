//! Places: what can be read, written and borrowed.

use super::ssa::Var;
use super::{Home, Lowerer, Values, scalar_type, state_space};
use crate::hir::{Expr, ExprKind, Ty};
use crate::ir::{self, Binary, Compare, Convert, Op, Slot, Type, Value};

/// A place that is in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) space: ir::Space,
    pub(super) address: Value,
    /// In bytes, beyond `address`.
    pub(super) offset: i64,
    /// Nothing writes it while the kernel runs.
    pub(super) readonly: bool,
}

impl Memory {
    pub(super) fn plus(self, offset: i64) -> Memory {
        Memory { offset: self.offset + offset, ..self }
    }
}

/// A place.
pub(super) enum Place {
    /// A local that lives in variables.
    Vars(Vec<Var>),
    /// Anything else.
    Memory(Memory),
}

/// What is indexed, and how long it is.
struct Indexed {
    memory: Memory,
    len: Value,
}

/// Beyond this, a constant index is added to the address like any other.
const LARGEST_OFFSET: i64 = i32::MAX as i64;

impl Lowerer<'_> {
    pub(super) fn place(&mut self, expr: &Expr) -> Place {
        let outer = self.at(expr.span);
        let place = match &expr.kind {
            ExprKind::Local(id) => match &self.homes[id.0 as usize] {
                Home::Vars(vars) => Place::Vars(vars.clone()),
                Home::Memory(slot) => {
                    let slot = *slot;
                    Place::Memory(self.slot_memory(slot))
                }
            },
            ExprKind::Index { base, index, checked } => {
                Place::Memory(self.index(base, index, *checked, &expr.ty))
            }
            ExprKind::Deref(reference) => {
                let address = self.scalar(reference);
                Place::Memory(self.behind(address, &reference.ty))
            }
            // A value that is used like a place lives in a temporary.
            _ if matches!(expr.ty, Ty::Array(..)) => {
                let memory = self.temporary(&expr.ty);
                self.array_into(expr, memory);
                Place::Memory(memory)
            }
            _ => {
                let values = self.value(expr);
                let vars = self.vars(&expr.ty);
                self.write(&vars, &values);
                Place::Vars(vars)
            }
        };
        self.set_loc(outer);
        place
    }

    /// The place that a reference refers to, or the first element of a slice.
    fn behind(&self, address: Value, ty: &Ty) -> Memory {
        let (space, readonly) = match ty {
            // A `&[T]` is a parameter that nobody writes; a `&T` may point anywhere.
            Ty::Slice { space, mutable, .. } => {
                (state_space(*space), !mutable && *space == crate::hir::Space::Global)
            }
            Ty::Ref { space, .. } => (state_space(*space), false),
            _ => (ir::Space::Local, false),
        };
        Memory { space, address, offset: 0, readonly }
    }

    pub(super) fn slot_memory(&mut self, slot: Slot) -> Memory {
        let space = self.ssa.function.slots[slot.index()].space;
        let address = self.ssa.push(Op::SlotAddr(slot), Type::I32);
        Memory { space, address, offset: 0, readonly: false }
    }

    pub(super) fn temporary(&mut self, ty: &Ty) -> Memory {
        let slot = self.slot(ir::Space::Local, "temporary", ty);
        self.slot_memory(slot)
    }

    fn indexed(&mut self, base: &Expr) -> Indexed {
        match &base.ty {
            Ty::Array(_, len) => {
                let memory = match self.place(base) {
                    Place::Memory(memory) => memory,
                    Place::Vars(_) => self.temporary(&base.ty),
                };
                Indexed { memory, len: self.ssa.constant(Type::I64, *len) }
            }
            ty => {
                let values = self.value(base);
                let zero = self.ssa.constant(Type::I64, 0);
                let address = values.first().copied().unwrap_or(zero);
                let len = match ty {
                    Ty::Ref { target, .. } => match &**target {
                        Ty::Array(_, len) => self.ssa.constant(Type::I64, *len),
                        _ => zero,
                    },
                    _ => values.get(1).copied().unwrap_or(zero),
                };
                Indexed { memory: self.behind(address, ty), len }
            }
        }
    }

    /// `base[index]`: base, index, then the check.
    fn index(&mut self, base: &Expr, index: &Expr, checked: bool, element: &Ty) -> Memory {
        let Indexed { memory, len } = self.indexed(base);
        let index = self.scalar(index);
        let known = self.ssa.bits_of(index);
        let inside = match (known, self.ssa.bits_of(len)) {
            (Some(index), Some(len)) => index < len,
            _ => false,
        };
        if checked && !inside {
            let holds = self.ssa.push(Op::Compare(Compare::Ult, index, len), Type::I1);
            let message = "index {usize} is out of bounds for length {usize}";
            self.panic_unless(holds, message, vec![index, len]);
        }
        let size = element.size().unwrap_or(0);
        let offset = known.and_then(|index| i64::try_from(index.checked_mul(size)?).ok());
        match offset {
            Some(offset) if offset <= LARGEST_OFFSET - memory.offset.min(LARGEST_OFFSET) => {
                memory.plus(offset)
            }
            _ => self.advance(memory, index, size),
        }
    }

    /// `index` elements of `size` bytes further on.
    pub(super) fn advance(&mut self, memory: Memory, index: Value, size: u64) -> Memory {
        let ty = memory.space.address_type();
        let mut distance = match self.ssa.function.ty(index) {
            from if from.bits() > ty.bits() => {
                self.ssa.push(Op::Convert(Convert::Trunc, index), ty)
            }
            _ => index,
        };
        if size != 1 {
            let size = self.ssa.constant(ty, size);
            distance = self.ssa.push(Op::Binary(Binary::Imul, distance, size), ty);
        }
        let address = self.ssa.push(Op::Binary(Binary::Iadd, memory.address, distance), ty);
        Memory { address, ..memory }
    }

    /// The whole address of a place, as a value.
    pub(super) fn address(&mut self, memory: &Memory) -> Value {
        if memory.offset == 0 {
            return memory.address;
        }
        let ty = memory.space.address_type();
        let offset = self.ssa.constant(ty, memory.offset as u64);
        self.ssa.push(Op::Binary(Binary::Iadd, memory.address, offset), ty)
    }

    pub(super) fn read_place(&mut self, place: &Place, ty: &Ty) -> Values {
        match place {
            Place::Vars(vars) => self.read(vars),
            Place::Memory(memory) => vec![self.load(memory, ty)],
        }
    }

    pub(super) fn write_place(&mut self, place: &Place, ty: &Ty, values: &[Value]) {
        match (place, values) {
            (Place::Vars(vars), _) => self.write(vars, values),
            (Place::Memory(memory), [value, ..]) => self.store(memory, ty, *value),
            // The value diverges.
            (Place::Memory(_), []) => {}
        }
    }

    /// Reads a scalar.
    pub(super) fn load(&mut self, memory: &Memory, ty: &Ty) -> Value {
        let &Memory { space, address, offset, readonly } = memory;
        let load = Op::Load { space, address, offset, readonly };
        match scalar_type(ty) {
            Type::I1 => {
                let byte = self.ssa.push(load, Type::I8);
                self.truth_of(byte)
            }
            ty => self.ssa.push(load, ty),
        }
    }

    /// Writes a scalar.
    pub(super) fn store(&mut self, memory: &Memory, ty: &Ty, value: Value) {
        let &Memory { space, address, offset, .. } = memory;
        let value = match scalar_type(ty) {
            Type::I1 => self.ssa.push(Op::Convert(Convert::Zext, value), Type::I8),
            _ => value,
        };
        self.ssa.push_effect(Op::Store { space, address, offset, value });
    }
}
