//! `cvt`.

use nvptx_builder::ptx::Operand;

use super::{Selected, exactly};
use crate::decode::draft::Builder;
use crate::decode::error::Refusal;
use crate::decode::types::{Modifiers, Ty};
use crate::exec::convert::{
    Cast, Conversion, Down, Integral, Nearest, Number, Resize, Rounding, Truncate, Up, Zero,
    general,
};
use crate::exec::shapes::unary;
use crate::program::Handler;

/// The handler of an operation for the integer type that a type is.
macro_rules! by_integer {
    ($ty:expr, |$rust:ident| $handler:ty) => {
        match $ty {
            Ty::U8 => by_integer!(@one u8, $rust, $handler),
            Ty::S8 => by_integer!(@one i8, $rust, $handler),
            Ty::U16 => by_integer!(@one u16, $rust, $handler),
            Ty::S16 => by_integer!(@one i16, $rust, $handler),
            Ty::U32 => by_integer!(@one u32, $rust, $handler),
            Ty::S32 => by_integer!(@one i32, $rust, $handler),
            Ty::U64 => by_integer!(@one u64, $rust, $handler),
            Ty::S64 => by_integer!(@one i64, $rust, $handler),
            _ => None,
        }
    };
    (@one $own:ident, $rust:ident, $handler:ty) => {{
        type $rust = $own;
        Some(unary::<$handler>())
    }};
}

pub(super) fn select(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let (from, to) = (mods.take_type()?, mods.take_type()?);
    let mode = |mode: Option<usize>| mode.map(|mode| mode as Rounding);
    let conversion = Conversion {
        to: number(to)?,
        from: number(from)?,
        rounding: mode(mods.take_one_of(&["rn", "rz", "rm", "rp"])),
        integral: mode(mods.take_one_of(&["rni", "rzi", "rmi", "rpi"])),
        ftz: mods.take("ftz"),
        sat: mods.take("sat"),
    };
    mods.finish()?;
    if !makes_sense(&conversion, from, to) {
        return Err(Refusal::UnknownInstruction);
    }
    let [d, a] = exactly(operands, "two operands")?;
    let source = b.read_narrow(a, from)?;
    let (result, widening) = b.write_wide(d, to)?;
    let handler = common(&conversion, from, to).unwrap_or(general);
    b.op(handler, &[result, source], 0, conversion.encode());
    b.widen(widening);
    Ok(())
}

fn number(ty: Ty) -> Result<Number, Refusal> {
    match ty {
        Ty::Pred | Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64 => Err(Refusal::UnknownInstruction),
        ty if ty.float() => Ok(Number::Float { bits: ty.bits() }),
        ty => Ok(Number::Integer { bits: ty.bits(), signed: ty.signed() }),
    }
}

/// Whether PTX has this combination of modifiers.
fn makes_sense(c: &Conversion, from: Ty, to: Ty) -> bool {
    let (rounded, integral) = (c.rounding.is_some(), c.integral.is_some());
    let single = from == Ty::F32 || to == Ty::F32;
    (single || !c.ftz)
        && match (from.float(), to.float()) {
            (false, false) => !rounded && !integral,
            (false, true) => rounded && !integral && !c.ftz,
            (true, false) => integral && !rounded,
            (true, true) if from == to => !rounded,
            (true, true) => rounded == (from == Ty::F64) && !integral,
        }
}

/// The conversions that are worth a handler of their own.
fn common(c: &Conversion, from: Ty, to: Ty) -> Option<Handler> {
    let Conversion { ftz: false, sat, .. } = *c else { return None };
    match (from.float(), to.float()) {
        (false, false) if !sat => between_integers(from, to),
        (false, true) if !sat && c.rounding == Some(0) => match to {
            Ty::F32 => by_integer!(from, |S| Cast<f32, S>),
            _ => by_integer!(from, |S| Cast<f64, S>),
        },
        // The result is in range anyway, so `.sat` changes nothing.
        (true, false) if c.integral == Some(1) => match from {
            Ty::F32 => by_integer!(to, |D| Truncate<D, f32>),
            _ => by_integer!(to, |D| Truncate<D, f64>),
        },
        (true, true) if !sat => between_floats(c, from, to),
        _ => None,
    }
}

fn between_integers(from: Ty, to: Ty) -> Option<Handler> {
    let wide = from.bits() == 64;
    Some(match (to, from) {
        (Ty::U32 | Ty::S32, Ty::U8) => unary::<Cast<u32, u8>>(),
        (Ty::U32 | Ty::S32, Ty::S8) => unary::<Cast<u32, i8>>(),
        (Ty::U32 | Ty::S32, Ty::U16) => unary::<Cast<u32, u16>>(),
        (Ty::U32 | Ty::S32, Ty::S16) => unary::<Cast<u32, i16>>(),
        (Ty::U32 | Ty::S32, Ty::U32 | Ty::S32) => unary::<Cast<u32, u32>>(),
        (Ty::U32 | Ty::S32, _) => unary::<Cast<u32, u64>>(),
        (Ty::U64 | Ty::S64, Ty::U8) => unary::<Cast<u64, u8>>(),
        (Ty::U64 | Ty::S64, Ty::S8) => unary::<Cast<u64, i8>>(),
        (Ty::U64 | Ty::S64, Ty::U16) => unary::<Cast<u64, u16>>(),
        (Ty::U64 | Ty::S64, Ty::S16) => unary::<Cast<u64, i16>>(),
        (Ty::U64 | Ty::S64, Ty::U32) => unary::<Cast<u64, u32>>(),
        (Ty::U64 | Ty::S64, Ty::S32) => unary::<Cast<u64, i32>>(),
        (Ty::U64 | Ty::S64, _) => unary::<Cast<u64, u64>>(),
        // To a narrow type from one that is not narrower, the source's sign does not matter.
        _ if from.bits() < to.bits() => return None,
        (Ty::U8, _) if wide => unary::<Cast<u8, u64>>(),
        (Ty::U8, _) => unary::<Cast<u8, u32>>(),
        (Ty::S8, _) if wide => unary::<Cast<i8, u64>>(),
        (Ty::S8, _) => unary::<Cast<i8, u32>>(),
        (Ty::U16, _) if wide => unary::<Cast<u16, u64>>(),
        (Ty::U16, _) => unary::<Cast<u16, u32>>(),
        (Ty::S16, _) if wide => unary::<Cast<i16, u64>>(),
        (Ty::S16, _) => unary::<Cast<i16, u32>>(),
        _ => return None,
    })
}

fn between_floats(c: &Conversion, from: Ty, to: Ty) -> Option<Handler> {
    Some(match (to, from, c.rounding, c.integral) {
        (Ty::F32, Ty::F64, Some(0), None) => unary::<Resize<f32, f64>>(),
        (Ty::F64, Ty::F32, None, None) => unary::<Resize<f64, f32>>(),
        (Ty::F32, Ty::F32, None, Some(0)) => unary::<Integral<f32, Nearest>>(),
        (Ty::F32, Ty::F32, None, Some(1)) => unary::<Integral<f32, Zero>>(),
        (Ty::F32, Ty::F32, None, Some(2)) => unary::<Integral<f32, Down>>(),
        (Ty::F32, Ty::F32, None, Some(_)) => unary::<Integral<f32, Up>>(),
        (Ty::F64, Ty::F64, None, Some(0)) => unary::<Integral<f64, Nearest>>(),
        (Ty::F64, Ty::F64, None, Some(1)) => unary::<Integral<f64, Zero>>(),
        (Ty::F64, Ty::F64, None, Some(2)) => unary::<Integral<f64, Down>>(),
        (Ty::F64, Ty::F64, None, Some(_)) => unary::<Integral<f64, Up>>(),
        _ => return None,
    })
}
