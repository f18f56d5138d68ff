//! Integer and floating-point arithmetic.

use nvptx_builder::ptx::Operand;

use super::{Selected, exactly, found, integer_handler, one_operand, three_operands, two_operands};
use crate::decode::draft::Builder;
use crate::decode::error::Refusal;
use crate::decode::types::{Modifiers, Ty};
use crate::exec::double::{double_binary, double_ternary, double_unary};
use crate::exec::float::{self, Ftz, Saturate};
use crate::exec::integer;
use crate::exec::shapes::{binary, scalar_binary, scalar_ternary, scalar_unary, ternary, unary};
use crate::program::Handler;

/// Picks the handler of a float operation, by type and the `.ftz` and `.sat` flags: of the first
/// shape for f32, of the second for f64.
macro_rules! float_handler {
    ($ty:expr, $flags:expr, $shape:ident, $shape64:ident, $op:ident) => {
        match ($ty, $flags) {
            (Ty::F32, Flags { ftz: false, sat: false }) => Some($shape::<float::$op<f32>>()),
            (Ty::F32, Flags { ftz: true, sat: false }) => Some($shape::<Ftz<float::$op<f32>>>()),
            (Ty::F32, Flags { ftz: false, sat: true }) => {
                Some($shape::<Saturate<float::$op<f32>>>())
            }
            (Ty::F32, Flags { ftz: true, sat: true }) => {
                Some($shape::<Saturate<Ftz<float::$op<f32>>>>())
            }
            (Ty::F64, Flags { ftz: false, sat: false }) => Some($shape64::<float::$op<f64>>()),
            _ => None,
        }
    };
    ($ty:expr, $flags:expr, $shape:ident, $op:ident, only f32) => {
        match ($ty, $flags) {
            (Ty::F32, Flags { ftz: false, sat: false }) => Some($shape::<float::$op<f32>>()),
            (Ty::F32, Flags { ftz: true, sat: false }) => Some($shape::<Ftz<float::$op<f32>>>()),
            _ => None,
        }
    };
}

/// `.ftz` and `.sat`.
#[derive(Clone, Copy)]
struct Flags {
    ftz: bool,
    sat: bool,
}

pub(super) fn select(
    b: &mut Builder,
    opcode: &str,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
) -> Selected {
    let ty = mods.take_type()?;
    if ty.float() {
        float(b, opcode, mods, operands, ty)
    } else {
        integer(b, opcode, mods, operands, ty)
    }
}

fn integer(
    b: &mut Builder,
    opcode: &str,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
    ty: Ty,
) -> Selected {
    use integer::*;
    let part = mods.take_one_of(&["lo", "hi", "wide"]);
    let sat = mods.take("sat");
    mods.finish()?;
    let unknown = Err(Refusal::UnknownInstruction);
    match (opcode, part, sat) {
        ("add", None, false) => {
            two_operands(b, found(integer_handler!(ty, binary, Add))?, operands, ty)
        }
        ("add", None, true) if ty == Ty::S32 => {
            two_operands(b, binary::<AddSaturating<i32>>(), operands, ty)
        }
        ("sub", None, false) => {
            two_operands(b, found(integer_handler!(ty, binary, Sub))?, operands, ty)
        }
        ("sub", None, true) if ty == Ty::S32 => {
            two_operands(b, binary::<SubSaturating<i32>>(), operands, ty)
        }
        ("mul", Some(0), false) => {
            two_operands(b, found(integer_handler!(ty, binary, MulLow))?, operands, ty)
        }
        ("mul", Some(1), false) => {
            two_operands(b, found(integer_handler!(ty, scalar_binary, MulHigh))?, operands, ty)
        }
        ("mul", Some(2), false) => {
            let handler = found(integer_handler!(ty, binary, MulWide, [u16 i16 u32 i32]))?;
            let [d, x, y] = exactly(operands, "three operands")?;
            let slots = [b.write(d, wide(ty))?, b.read(x, ty)?, b.read(y, ty)?];
            b.op(handler, &slots, 0, 0);
            Ok(())
        }
        ("mad", Some(0), false) => {
            three_operands(b, found(integer_handler!(ty, ternary, MadLow))?, operands, ty)
        }
        ("mad", Some(1), false) => {
            three_operands(b, found(integer_handler!(ty, scalar_ternary, MadHigh))?, operands, ty)
        }
        ("mad", Some(2), false) => {
            let handler = found(integer_handler!(ty, ternary, MadWide, [u16 i16 u32 i32]))?;
            let [d, x, y, z] = exactly(operands, "four operands")?;
            let slots =
                [b.write(d, wide(ty))?, b.read(x, ty)?, b.read(y, ty)?, b.read(z, wide(ty))?];
            b.op(handler, &slots, 0, 0);
            Ok(())
        }
        ("sad", None, false) => three_operands(
            b,
            found(integer_handler!(ty, scalar_ternary, SumOfDifferences))?,
            operands,
            ty,
        ),
        ("div", None, false) => {
            two_operands(b, found(integer_handler!(ty, scalar_binary, Div))?, operands, ty)
        }
        ("rem", None, false) => {
            two_operands(b, found(integer_handler!(ty, scalar_binary, Rem))?, operands, ty)
        }
        ("min", None, false) => {
            two_operands(b, found(integer_handler!(ty, binary, Min))?, operands, ty)
        }
        ("max", None, false) => {
            two_operands(b, found(integer_handler!(ty, binary, Max))?, operands, ty)
        }
        ("neg", None, false) => {
            let handler = integer_handler!(ty, unary, Neg, [i16 i32 i64]);
            one_operand(b, found(handler)?, operands, ty)
        }
        ("abs", None, false) => {
            let handler = integer_handler!(ty, unary, Abs, [i16 i32 i64]);
            one_operand(b, found(handler)?, operands, ty)
        }
        _ => unknown,
    }
}

/// The type of a wide product.
fn wide(ty: Ty) -> Ty {
    match ty {
        Ty::U16 => Ty::U32,
        Ty::S16 => Ty::S32,
        Ty::U32 => Ty::U64,
        _ => Ty::S64,
    }
}

fn float(
    b: &mut Builder,
    opcode: &str,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
    ty: Ty,
) -> Selected {
    let flags = Flags { ftz: mods.take("ftz"), sat: mods.take("sat") };
    let approximate = mods.take("approx") | mods.take("full");
    let nearest = mods.take("rn");
    let nan = mods.take("NaN");
    mods.finish()?;
    let handler: Option<Handler> = match opcode {
        "min" if nan => float_handler!(ty, flags, binary, MinNan, only f32),
        "max" if nan => float_handler!(ty, flags, binary, MaxNan, only f32),
        _ if nan => None,
        "add" => float_handler!(ty, flags, binary, double_binary, Add),
        "sub" => float_handler!(ty, flags, binary, double_binary, Sub),
        "mul" => float_handler!(ty, flags, binary, double_binary, Mul),
        "fma" | "mad" => float_handler!(ty, flags, ternary, double_ternary, MulAdd),
        "div" => float_handler!(ty, flags, binary, double_binary, Div),
        "min" => float_handler!(ty, flags, binary, binary, Min),
        "max" => float_handler!(ty, flags, binary, binary, Max),
        "neg" => float_handler!(ty, flags, unary, double_unary, Neg),
        "abs" => float_handler!(ty, flags, unary, double_unary, Abs),
        "copysign" => float_handler!(ty, flags, binary, binary, CopySign),
        "sqrt" if approximate || nearest => {
            float_handler!(ty, flags, unary, double_unary, Sqrt)
        }
        "rcp" if approximate || nearest => {
            float_handler!(ty, flags, unary, double_unary, Reciprocal)
        }
        "rsqrt" if approximate => {
            float_handler!(ty, flags, unary, unary, ReciprocalSqrt)
        }
        "sin" if approximate => float_handler!(ty, flags, scalar_unary, Sin, only f32),
        "cos" if approximate => float_handler!(ty, flags, scalar_unary, Cos, only f32),
        "lg2" if approximate => float_handler!(ty, flags, scalar_unary, Log2, only f32),
        "ex2" if approximate => float_handler!(ty, flags, scalar_unary, Exp2, only f32),
        "tanh" if approximate => float_handler!(ty, flags, scalar_unary, Tanh, only f32),
        _ => None,
    };
    let handler = found(handler)?;
    match opcode {
        "fma" | "mad" => three_operands(b, handler, operands, ty),
        "add" | "sub" | "mul" | "div" | "min" | "max" | "copysign" => {
            two_operands(b, handler, operands, ty)
        }
        _ => one_operand(b, handler, operands, ty),
    }
}
