//! `cvt`.

use nvptx_builder::ptx::Operand;

use super::{Selected, exactly, found};
use crate::decode::draft::Builder;
use crate::decode::types::{Modifiers, Ty};
use crate::exec::convert::*;
use crate::exec::float::{Ftz, Saturate};
use crate::exec::shapes::unary;
use crate::program::Handler;

/// Calls a macro for an integer type, and gives `None` for any other.
macro_rules! for_integer {
    ($ty:expr, $then:ident) => {
        match $ty {
            Ty::U8 => $then!(u8),
            Ty::S8 => $then!(i8),
            Ty::U16 => $then!(u16),
            Ty::S16 => $then!(i16),
            Ty::U32 => $then!(u32),
            Ty::S32 => $then!(i32),
            Ty::U64 => $then!(u64),
            Ty::S64 => $then!(i64),
            _ => None,
        }
    };
}

/// Calls a macro for a rounding mode.
macro_rules! for_rounding {
    ($rounding:expr, $then:ident) => {
        match $rounding {
            0 => $then!(Nearest),
            1 => $then!(Zero),
            2 => $then!(Down),
            _ => $then!(Up),
        }
    };
}

/// What the modifiers say.
struct Conversion {
    to: Ty,
    from: Ty,
    /// `.rn`, `.rz`, `.rm`, `.rp`
    rounding: Option<usize>,
    /// `.rni`, `.rzi`, `.rmi`, `.rpi`
    integral: Option<usize>,
    ftz: bool,
    sat: bool,
}

pub(super) fn select(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let (from, to) = (mods.take_type()?, mods.take_type()?);
    let conversion = Conversion {
        to,
        from,
        rounding: mods.take_one_of(&["rn", "rz", "rm", "rp"]),
        integral: mods.take_one_of(&["rni", "rzi", "rmi", "rpi"]),
        ftz: mods.take("ftz"),
        sat: mods.take("sat"),
    };
    mods.finish()?;
    let handler = found(match (to.float(), from.float()) {
        (false, false) => between_integers(&conversion),
        (true, false) => to_float(&conversion),
        (false, true) => to_integer(&conversion),
        (true, true) => between_floats(&conversion),
    })?;
    let [d, a] = exactly(operands, "two operands")?;
    let source = b.read_narrow(a, from)?;
    let (result, widening) = b.write_wide(d, to)?;
    b.op(handler, &[result, source], 0, 0);
    b.widen(widening);
    Ok(())
}

fn between_integers(c: &Conversion) -> Option<Handler> {
    let Conversion { rounding: None, integral: None, ftz: false, .. } = c else { return None };
    macro_rules! to {
        ($d:ident) => {{
            macro_rules! from {
                ($s:ident) => {
                    Some(if c.sat { unary::<Clamp<$d, $s>>() } else { unary::<Cast<$d, $s>>() })
                };
            }
            for_integer!(c.from, from)
        }};
    }
    for_integer!(c.to, to)
}

fn to_float(c: &Conversion) -> Option<Handler> {
    let Conversion { integral: None, ftz: false, rounding: Some(rounding), .. } = *c else {
        return None;
    };
    macro_rules! from {
        ($s:ident) => {{
            macro_rules! rounded {
                ($r:ident) => {
                    match (c.to, c.sat) {
                        (Ty::F32, false) => Some(unary::<Directed<f32, $s, $r>>()),
                        (Ty::F32, true) => Some(unary::<Saturate<Directed<f32, $s, $r>>>()),
                        (Ty::F64, false) => Some(unary::<Directed<f64, $s, $r>>()),
                        _ => None,
                    }
                };
            }
            match (rounding, c.to, c.sat) {
                (0, Ty::F32, false) => Some(unary::<Cast<f32, $s>>()),
                (0, Ty::F64, false) => Some(unary::<Cast<f64, $s>>()),
                _ => for_rounding!(rounding, rounded),
            }
        }};
    }
    for_integer!(c.from, from)
}

fn to_integer(c: &Conversion) -> Option<Handler> {
    // The result is in range anyway, so `.sat` changes nothing.
    let Conversion { integral: Some(integral), rounding: None, .. } = *c else { return None };
    macro_rules! to {
        ($d:ident) => {{
            macro_rules! rounded {
                ($r:ident) => {
                    match (c.from, c.ftz) {
                        (Ty::F32, false) => Some(unary::<ToInteger<$d, f32, $r>>()),
                        (Ty::F32, true) => Some(unary::<ToIntegerFtz<$d, $r>>()),
                        (Ty::F64, false) => Some(unary::<ToInteger<$d, f64, $r>>()),
                        _ => None,
                    }
                };
            }
            for_rounding!(integral, rounded)
        }};
    }
    for_integer!(c.to, to)
}

fn between_floats(c: &Conversion) -> Option<Handler> {
    macro_rules! rounded {
        ($r:ident) => {
            match (c.to, c.from, c.ftz, c.sat) {
                (Ty::F32, Ty::F32, false, false) => Some(unary::<Integral<f32, $r>>()),
                (Ty::F32, Ty::F32, true, false) => Some(unary::<Ftz<Integral<f32, $r>>>()),
                (Ty::F32, Ty::F32, false, true) => Some(unary::<Saturate<Integral<f32, $r>>>()),
                (Ty::F64, Ty::F64, false, false) => Some(unary::<Integral<f64, $r>>()),
                (Ty::F64, Ty::F64, false, true) => Some(unary::<Saturate<Integral<f64, $r>>>()),
                _ => None,
            }
        };
    }
    macro_rules! narrowed {
        ($r:ident) => {
            match (c.ftz, c.sat) {
                (false, false) => Some(unary::<Directed<f32, f64, $r>>()),
                (true, false) => Some(unary::<Ftz<Directed<f32, f64, $r>>>()),
                (false, true) => Some(unary::<Saturate<Directed<f32, f64, $r>>>()),
                (true, true) => Some(unary::<Saturate<Ftz<Directed<f32, f64, $r>>>>()),
            }
        };
    }
    macro_rules! resized {
        ($d:ident, $s:ident) => {
            match (c.ftz, c.sat) {
                (false, false) => Some(unary::<Resize<$d, $s>>()),
                (true, false) => Some(unary::<Ftz<Resize<$d, $s>>>()),
                (false, true) => Some(unary::<Saturate<Resize<$d, $s>>>()),
                (true, true) => Some(unary::<Saturate<Ftz<Resize<$d, $s>>>>()),
            }
        };
    }
    match (c.to, c.from, c.rounding, c.integral) {
        (Ty::F32, Ty::F64, Some(0), None) => resized!(f32, f64),
        (Ty::F32, Ty::F64, Some(rounding), None) => for_rounding!(rounding, narrowed),
        (Ty::F64, Ty::F32, None, None) => resized!(f64, f32),
        (Ty::F32, Ty::F32, None, None) => resized!(f32, f32),
        (Ty::F64, Ty::F64, None, None) => resized!(f64, f64),
        (_, _, None, Some(integral)) if c.to == c.from => for_rounding!(integral, rounded),
        _ => None,
    }
}
