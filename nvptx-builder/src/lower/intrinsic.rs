//! What the compiler knows by name.

use super::arith::as_int;
use super::{Lowerer, Values, scalar_type};
use crate::hir::{Axis, Expr, Intrinsic, Ty};
use crate::ir::{Binary, Convert, Op, Special, Type, Unary, Value};

impl Lowerer<'_> {
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        arguments: &[Expr],
        ty: &Ty,
    ) -> Values {
        let values: Values = arguments.iter().map(|argument| self.scalar(argument)).collect();
        let result = scalar_type(ty);
        let int = as_int(ty);
        let op = match (intrinsic, values.as_slice()) {
            (Intrinsic::ThreadIndex(axis), _) => return vec![self.geometry(tid(axis))],
            (Intrinsic::BlockIndex(axis), _) => return vec![self.geometry(ctaid(axis))],
            (Intrinsic::BlockDim(axis), _) => return vec![self.geometry(ntid(axis))],
            (Intrinsic::GridDim(axis), _) => return vec![self.geometry(nctaid(axis))],
            (Intrinsic::Lane, _) => return vec![self.geometry(Special::LaneId)],
            (Intrinsic::GlobalIndex(axis), _) => return vec![self.global_index(axis)],
            (Intrinsic::BlockSync, _) => {
                self.ssa.push_effect(Op::Barrier);
                return Vec::new();
            }
            (Intrinsic::Sqrt, &[a]) => Op::Unary(Unary::Fsqrt, a),
            (Intrinsic::Abs, &[a]) if int.is_some() => Op::Unary(Unary::Iabs, a),
            (Intrinsic::Abs, &[a]) => Op::Unary(Unary::Fabs, a),
            (Intrinsic::Min, &[a, b]) => Op::Binary(
                match int {
                    Some((_, true)) => Binary::Smin,
                    Some((_, false)) => Binary::Umin,
                    None => Binary::Fmin,
                },
                a,
                b,
            ),
            (Intrinsic::Max, &[a, b]) => Op::Binary(
                match int {
                    Some((_, true)) => Binary::Smax,
                    Some((_, false)) => Binary::Umax,
                    None => Binary::Fmax,
                },
                a,
                b,
            ),
            (Intrinsic::MulAdd, &[a, b, c]) => Op::Fma(a, b, c),
            (Intrinsic::WrappingAdd, &[a, b]) => Op::Binary(Binary::Iadd, a, b),
            (Intrinsic::WrappingSub, &[a, b]) => Op::Binary(Binary::Isub, a, b),
            (Intrinsic::WrappingMul, &[a, b]) => Op::Binary(Binary::Imul, a, b),
            (Intrinsic::Bitcast, &[a]) => {
                let from = self.ssa.function.ty(a);
                if from == result {
                    return vec![a];
                }
                return vec![self.convert(Convert::Bitcast, a, from, result)];
            }
            // Too few arguments: type inference has refused that.
            _ => return Vec::new(),
        };
        vec![self.ssa.push(op, result)]
    }

    /// A special register as `usize`.
    fn geometry(&mut self, special: Special) -> Value {
        let value = self.ssa.push(Op::Special(special), Type::I32);
        self.ssa.push(Op::Convert(Convert::Zext, value), Type::I64)
    }

    /// In 64 bits from the first multiplication on: a grid can have more than 2³² threads.
    fn global_index(&mut self, axis: Axis) -> Value {
        let a = self.ssa.push(Op::Special(ctaid(axis)), Type::I32);
        let b = self.ssa.push(Op::Special(ntid(axis)), Type::I32);
        let first = self.ssa.push(Op::WideMul { signed: false, a, b }, Type::I64);
        let thread = self.geometry(tid(axis));
        self.ssa.push(Op::Binary(Binary::Iadd, first, thread), Type::I64)
    }
}

fn tid(axis: Axis) -> Special {
    match axis {
        Axis::X => Special::TidX,
        Axis::Y => Special::TidY,
        Axis::Z => Special::TidZ,
    }
}

fn ctaid(axis: Axis) -> Special {
    match axis {
        Axis::X => Special::CtaidX,
        Axis::Y => Special::CtaidY,
        Axis::Z => Special::CtaidZ,
    }
}

fn ntid(axis: Axis) -> Special {
    match axis {
        Axis::X => Special::NtidX,
        Axis::Y => Special::NtidY,
        Axis::Z => Special::NtidZ,
    }
}

fn nctaid(axis: Axis) -> Special {
    match axis {
        Axis::X => Special::NctaidX,
        Axis::Y => Special::NctaidY,
        Axis::Z => Special::NctaidZ,
    }
}
