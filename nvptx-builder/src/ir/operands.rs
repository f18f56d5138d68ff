//! The operands of operations and terminators, and what kinds of operation there are.

use super::{Binary, Compare, Op, Target, Terminator, Value};

impl Op {
    /// Calls `f` with each operand, in order.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        let mut copy = *self;
        copy.map_operands(|value| {
            f(value);
            value
        });
    }

    /// Replaces each operand, in order.
    pub fn map_operands(&mut self, mut f: impl FnMut(Value) -> Value) {
        match self {
            Op::Const(_) | Op::Param(_) | Op::Special(_) | Op::SlotAddr(_) | Op::Barrier => {}
            Op::Unary(_, a) | Op::Convert(_, a) => *a = f(*a),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) | Op::WideMul { a, b, .. } => {
                *a = f(*a);
                *b = f(*b);
            }
            Op::Fma(a, b, c) | Op::Select(a, b, c) => {
                *a = f(*a);
                *b = f(*b);
                *c = f(*c);
            }
            Op::Load { address, .. } => *address = f(*address),
            Op::Store { address, value, .. } => {
                *address = f(*address);
                *value = f(*value);
            }
        }
    }

    /// It can be seen by others: a store or a barrier. It has no result and has to stay.
    pub fn has_effect(&self) -> bool {
        matches!(self, Op::Store { .. } | Op::Barrier)
    }

    /// The result depends on the operands (and, for a read-only load, on memory that never
    /// changes) alone, so that two of them with the same operands are one.
    pub fn is_pure(&self) -> bool {
        match self {
            Op::Store { .. } | Op::Barrier => false,
            Op::Load { readonly, .. } => *readonly,
            _ => true,
        }
    }

    /// Defined for all operands and free of memory: it can be computed where it was not before.
    pub fn is_speculatable(&self) -> bool {
        match self {
            Op::Store { .. } | Op::Barrier | Op::Load { .. } => false,
            Op::Binary(op, ..) => !matches!(
                op,
                Binary::Sdiv
                    | Binary::Udiv
                    | Binary::Srem
                    | Binary::Urem
                    | Binary::Shl
                    | Binary::Lshr
                    | Binary::Ashr
            ),
            _ => true,
        }
    }
}

impl Binary {
    /// The operands can be swapped. Not so for `fmin` and `fmax`, whose NaN payloads differ.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Binary::Iadd
                | Binary::Imul
                | Binary::Smin
                | Binary::Smax
                | Binary::Umin
                | Binary::Umax
                | Binary::And
                | Binary::Or
                | Binary::Xor
                | Binary::Fadd
                | Binary::Fmul
        )
    }

    /// Takes and gives floats.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Binary::Fadd
                | Binary::Fsub
                | Binary::Fmul
                | Binary::Fdiv
                | Binary::Frem
                | Binary::Fmin
                | Binary::Fmax
        )
    }
}

impl Compare {
    /// Compares floats.
    pub fn is_float(self) -> bool {
        use Compare::*;
        matches!(self, Feq | Fne | Flt | Fle | Fgt | Fge | Fult | Fule | Fugt | Fuge)
    }

    /// The comparison that is true exactly where this one is false.
    pub fn inverse(self) -> Compare {
        use Compare::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Slt => Sge,
            Sle => Sgt,
            Sgt => Sle,
            Sge => Slt,
            Ult => Uge,
            Ule => Ugt,
            Ugt => Ule,
            Uge => Ult,
            Feq => Fne,
            Fne => Feq,
            Flt => Fuge,
            Fle => Fugt,
            Fgt => Fule,
            Fge => Fult,
            Fult => Fge,
            Fule => Fgt,
            Fugt => Fle,
            Fuge => Flt,
        }
    }

    /// The comparison that is true for `(b, a)` exactly where this one is for `(a, b)`.
    pub fn swapped(self) -> Compare {
        use Compare::*;
        match self {
            Eq | Ne | Feq | Fne => self,
            Slt => Sgt,
            Sle => Sge,
            Sgt => Slt,
            Sge => Sle,
            Ult => Ugt,
            Ule => Uge,
            Ugt => Ult,
            Uge => Ule,
            Flt => Fgt,
            Fle => Fge,
            Fgt => Flt,
            Fge => Fle,
            Fult => Fugt,
            Fule => Fuge,
            Fugt => Fult,
            Fuge => Fule,
        }
    }
}

impl Terminator {
    /// The successors, with their arguments.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let (first, second) = match self {
            Terminator::Jump(target) => (Some(target), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return | Terminator::Panic { .. } | Terminator::Unreachable => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The successors, to change them.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target> {
        let (first, second) = match self {
            Terminator::Jump(target) => (Some(target), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return | Terminator::Panic { .. } | Terminator::Unreachable => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Calls `f` with each operand: the condition, then the successors' arguments; or the values
    /// of a panic.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        match self {
            Terminator::Branch { condition, .. } => f(*condition),
            Terminator::Panic { values, .. } => values.iter().copied().for_each(&mut f),
            _ => {}
        }
        for target in self.targets() {
            target.args.iter().copied().for_each(&mut f);
        }
    }

    /// Replaces each operand, in the same order.
    pub fn map_operands(&mut self, mut f: impl FnMut(Value) -> Value) {
        match self {
            Terminator::Branch { condition, .. } => *condition = f(*condition),
            Terminator::Panic { values, .. } => {
                values.iter_mut().for_each(|value| *value = f(*value));
            }
            _ => {}
        }
        for target in self.targets_mut() {
            target.args.iter_mut().for_each(|value| *value = f(*value));
        }
    }
}
