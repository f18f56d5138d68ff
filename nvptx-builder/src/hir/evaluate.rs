//! Folds a constant expression to a literal, as rustc's own evaluation of constants does: with
//! overflow an error, and floats rounded once an operation.

use proc_macro2::Span;

use super::{BinOp, CmpOp, Expr, ExprKind, FloatTy, Intrinsic, Ty, UnOp};

/// Why there is no value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failure {
    /// rustc rejects it too.
    Overflow(Span),
    /// This evaluator does not know the expression there.
    NotConstant(Span),
}

/// The literal, or array of literals, that `expr` comes to.
pub(super) fn evaluate(expr: &Expr) -> Result<Expr, Failure> {
    let span = expr.span;
    let value = |kind| Ok(Expr { kind, ty: expr.ty.clone(), span });
    let overflow = Failure::Overflow(span);
    match &expr.kind {
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Unit => {
            Ok(expr.clone())
        }
        ExprKind::Array(elements) => {
            value(ExprKind::Array(elements.iter().map(evaluate).collect::<Result<_, _>>()?))
        }
        ExprKind::Repeat(element) => value(ExprKind::Repeat(Box::new(evaluate(element)?))),
        ExprKind::Unary(op, operand) => {
            let operand = evaluate(operand)?;
            match (op, &operand.kind, &expr.ty) {
                (UnOp::Not, ExprKind::Bool(x), _) => value(ExprKind::Bool(!x)),
                (UnOp::Not, ExprKind::Int(x), Ty::Int(ty)) => value(ExprKind::Int(ty.wrap(!x))),
                (UnOp::Neg, ExprKind::Int(x), Ty::Int(ty)) if *x == ty.min() => Err(overflow),
                (UnOp::Neg, ExprKind::Int(x), _) => value(ExprKind::Int(-x)),
                (UnOp::Neg, ExprKind::Float(bits), Ty::Float(ty)) => {
                    value(ExprKind::Float(bits ^ (1 << (ty.bits() - 1))))
                }
                _ => Err(Failure::NotConstant(span)),
            }
        }
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (evaluate(left)?, evaluate(right)?);
            value(binary(*op, &left, &right, span)?)
        }
        ExprKind::Compare(op, left, right) => {
            let (left, right) = (evaluate(left)?, evaluate(right)?);
            let ordering = match (&left.kind, &right.kind, &left.ty) {
                (ExprKind::Int(x), ExprKind::Int(y), _) => Some(x.cmp(y)),
                (ExprKind::Bool(x), ExprKind::Bool(y), _) => Some(x.cmp(y)),
                (ExprKind::Float(x), ExprKind::Float(y), Ty::Float(ty)) => {
                    to_f64(*x, *ty).partial_cmp(&to_f64(*y, *ty))
                }
                _ => return Err(Failure::NotConstant(span)),
            };
            value(ExprKind::Bool(match op {
                CmpOp::Eq => ordering.is_some_and(|o| o.is_eq()),
                CmpOp::Ne => ordering.is_none_or(|o| o.is_ne()),
                CmpOp::Lt => ordering.is_some_and(|o| o.is_lt()),
                CmpOp::Le => ordering.is_some_and(|o| o.is_le()),
                CmpOp::Gt => ordering.is_some_and(|o| o.is_gt()),
                CmpOp::Ge => ordering.is_some_and(|o| o.is_ge()),
            }))
        }
        ExprKind::And(left, right) => match evaluate(left)?.kind {
            ExprKind::Bool(true) => evaluate(right),
            _ => value(ExprKind::Bool(false)),
        },
        ExprKind::Or(left, right) => match evaluate(left)?.kind {
            ExprKind::Bool(false) => evaluate(right),
            _ => value(ExprKind::Bool(true)),
        },
        ExprKind::Cast(operand) => {
            let operand = evaluate(operand)?;
            value(cast(&operand, &expr.ty).ok_or(Failure::NotConstant(span))?)
        }
        ExprKind::If(condition, then, Some(otherwise)) => match evaluate(condition)?.kind {
            ExprKind::Bool(true) => match (&then.stmts[..], &then.result) {
                ([], Some(result)) => evaluate(result),
                _ => Err(Failure::NotConstant(span)),
            },
            _ => evaluate(otherwise),
        },
        ExprKind::Block(None, block) => match (&block.stmts[..], &block.result) {
            ([], Some(result)) => evaluate(result),
            _ => Err(Failure::NotConstant(span)),
        },
        ExprKind::Intrinsic(intrinsic, operands) => {
            let operands = operands.iter().map(evaluate).collect::<Result<Vec<_>, _>>()?;
            value(call(*intrinsic, &operands, &expr.ty).ok_or(Failure::NotConstant(span))?)
        }
        _ => Err(Failure::NotConstant(span)),
    }
}

/// The bits of `value` as a float of type `ty`.
pub(super) fn float_bits(value: f64, ty: FloatTy) -> u64 {
    match ty {
        FloatTy::F32 => u64::from((value as f32).to_bits()),
        FloatTy::F64 => value.to_bits(),
    }
}

/// The value of a float, exact in an f64.
pub(super) fn to_f64(bits: u64, ty: FloatTy) -> f64 {
    match ty {
        FloatTy::F32 => f64::from(f32::from_bits(bits as u32)),
        FloatTy::F64 => f64::from_bits(bits),
    }
}

fn binary(op: BinOp, left: &Expr, right: &Expr, span: Span) -> Result<ExprKind, Failure> {
    let unknown = Failure::NotConstant(span);
    match (&left.kind, &right.kind, &left.ty) {
        (ExprKind::Bool(x), ExprKind::Bool(y), _) => match op {
            BinOp::BitAnd => Ok(ExprKind::Bool(x & y)),
            BinOp::BitOr => Ok(ExprKind::Bool(x | y)),
            BinOp::BitXor => Ok(ExprKind::Bool(x ^ y)),
            _ => Err(unknown),
        },
        (ExprKind::Int(x), ExprKind::Int(y), Ty::Int(ty)) => {
            let (x, y) = (*x, *y);
            let shift = || u32::try_from(y).ok().filter(|y| *y < ty.bits());
            let result = match op {
                BinOp::Add => Some(x + y),
                BinOp::Sub => Some(x - y),
                BinOp::Mul => x.checked_mul(y),
                BinOp::Div => x.checked_div(y),
                BinOp::Rem if y == -1 && x == ty.min() => None,
                BinOp::Rem => x.checked_rem(y),
                BinOp::BitAnd => Some(x & y),
                BinOp::BitOr => Some(x | y),
                BinOp::BitXor => Some(x ^ y),
                BinOp::Shl => shift().map(|y| ty.wrap(x << y)),
                BinOp::Shr => shift().map(|y| x >> y),
            };
            match result {
                Some(value) if (ty.min()..=ty.max()).contains(&value) => Ok(ExprKind::Int(value)),
                _ => Err(Failure::Overflow(span)),
            }
        }
        (ExprKind::Float(x), ExprKind::Float(y), Ty::Float(FloatTy::F32)) => {
            let (x, y) = (f32::from_bits(*x as u32), f32::from_bits(*y as u32));
            let result = match op {
                BinOp::Add => x + y,
                BinOp::Sub => x - y,
                BinOp::Mul => x * y,
                BinOp::Div => x / y,
                BinOp::Rem => x % y,
                _ => return Err(unknown),
            };
            Ok(ExprKind::Float(u64::from(result.to_bits())))
        }
        (ExprKind::Float(x), ExprKind::Float(y), Ty::Float(FloatTy::F64)) => {
            let (x, y) = (f64::from_bits(*x), f64::from_bits(*y));
            let result = match op {
                BinOp::Add => x + y,
                BinOp::Sub => x - y,
                BinOp::Mul => x * y,
                BinOp::Div => x / y,
                BinOp::Rem => x % y,
                _ => return Err(unknown),
            };
            Ok(ExprKind::Float(result.to_bits()))
        }
        _ => Err(unknown),
    }
}

fn cast(from: &Expr, to: &Ty) -> Option<ExprKind> {
    Some(match (&from.kind, &from.ty, to) {
        (ExprKind::Bool(x), _, Ty::Bool) => ExprKind::Bool(*x),
        (ExprKind::Bool(x), _, Ty::Int(_)) => ExprKind::Int(i128::from(*x)),
        (ExprKind::Int(x), _, Ty::Int(ty)) => ExprKind::Int(ty.wrap(*x)),
        (ExprKind::Int(x), _, Ty::Float(FloatTy::F32)) => {
            ExprKind::Float(u64::from((*x as f32).to_bits()))
        }
        (ExprKind::Int(x), _, Ty::Float(FloatTy::F64)) => ExprKind::Float((*x as f64).to_bits()),
        (ExprKind::Float(x), Ty::Float(from), Ty::Float(to)) if from == to => ExprKind::Float(*x),
        (ExprKind::Float(x), Ty::Float(from), Ty::Float(to)) => {
            ExprKind::Float(float_bits(to_f64(*x, *from), *to))
        }
        (ExprKind::Float(x), Ty::Float(from), Ty::Int(to)) => {
            // The cast to i128 truncates and gives 0 for a NaN; then it saturates.
            ExprKind::Int((to_f64(*x, *from) as i128).clamp(to.min(), to.max()))
        }
        _ => return None,
    })
}

/// The methods that rustc evaluates in constants too.
fn call(intrinsic: Intrinsic, operands: &[Expr], ty: &Ty) -> Option<ExprKind> {
    let int = |at: usize| match operands.get(at)?.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    };
    let Ty::Int(ty) = ty else { return None };
    let value = match intrinsic {
        Intrinsic::WrappingAdd => int(0)?.wrapping_add(int(1)?),
        Intrinsic::WrappingSub => int(0)?.wrapping_sub(int(1)?),
        Intrinsic::WrappingMul => int(0)?.wrapping_mul(int(1)?),
        _ => return None,
    };
    Some(ExprKind::Int(ty.wrap(value)))
}
