//! Comparisons and selections.

use nvptx_builder::ptx::Operand;

use super::{Selected, exactly, found, integer_handler};
use crate::decode::draft::{Builder, Slot};
use crate::decode::error::Refusal;
use crate::decode::types::{Modifiers, Ty, Width};
use crate::exec::float::{self, Ftz};
use crate::exec::integer;
use crate::exec::shapes::{
    COMBINE_AND, COMBINE_NEGATED, COMBINE_NONE, COMBINE_OR, COMBINE_XOR, select as select_lanes,
    set_predicate as into_predicate, ternary,
};
use crate::program::Handler;

const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
    "geu", "num", "nan",
];

/// The handler of a shape for a comparison of a type.
macro_rules! comparison {
    ($shape:ident, $name:expr, $ty:expr, $ftz:expr) => {{
        use integer::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        match ($name, $ty) {
            (name, Ty::F32) if $ftz => match name {
                "eq" => Some($shape::<Ftz<float::Equal<f32>>>()),
                "ne" => Some($shape::<Ftz<float::NotEqual<f32>>>()),
                "lt" => Some($shape::<Ftz<float::Less<f32>>>()),
                "le" => Some($shape::<Ftz<float::LessEqual<f32>>>()),
                "gt" => Some($shape::<Ftz<float::Greater<f32>>>()),
                "ge" => Some($shape::<Ftz<float::GreaterEqual<f32>>>()),
                "equ" => Some($shape::<Ftz<float::EqualUnordered<f32>>>()),
                "neu" => Some($shape::<Ftz<float::NotEqualUnordered<f32>>>()),
                "ltu" => Some($shape::<Ftz<float::LessUnordered<f32>>>()),
                "leu" => Some($shape::<Ftz<float::LessEqualUnordered<f32>>>()),
                "gtu" => Some($shape::<Ftz<float::GreaterUnordered<f32>>>()),
                "geu" => Some($shape::<Ftz<float::GreaterEqualUnordered<f32>>>()),
                "num" => Some($shape::<float::BothNumbers<f32>>()),
                "nan" => Some($shape::<float::AnyNan<f32>>()),
                _ => None,
            },
            _ if $ftz => None,
            (name, Ty::F32) => comparison!(@float $shape, name, f32),
            (name, Ty::F64) => comparison!(@float $shape, name, f64),
            ("eq", ty) => integer_handler!(ty, $shape, Equal),
            ("ne", ty) => integer_handler!(ty, $shape, NotEqual),
            ("lt" | "lo", ty) => integer_handler!(ty, $shape, Less),
            ("le" | "ls", ty) => integer_handler!(ty, $shape, LessEqual),
            ("gt" | "hi", ty) => integer_handler!(ty, $shape, Greater),
            ("ge" | "hs", ty) => integer_handler!(ty, $shape, GreaterEqual),
            _ => None,
        }
    }};
    (@float $shape:ident, $name:expr, $rust:ident) => {
        match $name {
            "eq" => Some($shape::<float::Equal<$rust>>()),
            "ne" => Some($shape::<float::NotEqual<$rust>>()),
            "lt" => Some($shape::<float::Less<$rust>>()),
            "le" => Some($shape::<float::LessEqual<$rust>>()),
            "gt" => Some($shape::<float::Greater<$rust>>()),
            "ge" => Some($shape::<float::GreaterEqual<$rust>>()),
            "equ" => Some($shape::<float::EqualUnordered<$rust>>()),
            "neu" => Some($shape::<float::NotEqualUnordered<$rust>>()),
            "ltu" => Some($shape::<float::LessUnordered<$rust>>()),
            "leu" => Some($shape::<float::LessEqualUnordered<$rust>>()),
            "gtu" => Some($shape::<float::GreaterUnordered<$rust>>()),
            "geu" => Some($shape::<float::GreaterEqualUnordered<$rust>>()),
            "num" => Some($shape::<float::BothNumbers<$rust>>()),
            "nan" => Some($shape::<float::AnyNan<$rust>>()),
            _ => None,
        }
    };
}

/// What comes after the comparison's own operands.
struct Combination {
    aux: u16,
    predicate: Slot,
}

/// `.and`, `.or` or `.xor`, with its operand.
fn combination(
    b: &mut Builder,
    mods: &mut Modifiers<'_>,
    operands: &[Operand],
) -> Result<Combination, Refusal> {
    let how = mods.take_one_of(&["and", "or", "xor"]);
    match (how, operands) {
        (None, []) => Ok(Combination { aux: COMBINE_NONE, predicate: Slot::Unused }),
        (Some(how), [c]) => {
            let (predicate, negated) = b.signed_predicate(c)?;
            let aux = [COMBINE_AND, COMBINE_OR, COMBINE_XOR][how];
            let aux = if negated { aux | COMBINE_NEGATED } else { aux };
            Ok(Combination { aux, predicate: Slot::Read(predicate) })
        }
        _ => Err(Refusal::Operands { expected: "a third predicate with .and, .or or .xor alone" }),
    }
}

fn take_comparison<'a>(mods: &mut Modifiers<'_>) -> Result<&'a str, Refusal> {
    let at = mods.take_one_of(&COMPARISONS).ok_or(Refusal::UnknownInstruction)?;
    Ok(COMPARISONS[at])
}

pub(super) fn set_predicate(
    b: &mut Builder,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
) -> Selected {
    let ty = mods.take_type()?;
    let name = take_comparison(&mut mods)?;
    let ftz = mods.take("ftz");
    let handler: Option<Handler> = comparison!(into_predicate, name, ty, ftz);
    let handler = found(handler)?;
    let [results, x, y, rest @ ..] = operands else {
        return Err(Refusal::Operands { expected: "at least three operands" });
    };
    let Combination { aux, predicate } = combination(b, &mut mods, rest)?;
    mods.finish()?;
    let (p, q) = match results {
        Operand::Pair(p, q) => {
            (Slot::Write(b.predicate_result(p)?), Slot::Write(b.predicate_result(q)?))
        }
        p => (Slot::Write(b.predicate_result(p)?), Slot::Unused),
    };
    let slots = [p, q, b.read(x, ty)?, b.read(y, ty)?, predicate];
    b.op(handler, &slots, aux, 0);
    Ok(())
}

pub(super) fn set(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    let result = mods.take_type()?;
    let yes = match result {
        Ty::U32 | Ty::S32 => u64::from(u32::MAX),
        Ty::F32 => u64::from(1.0f32.to_bits()),
        _ => return Err(Refusal::UnknownInstruction),
    };
    let name = take_comparison(&mut mods)?;
    let ftz = mods.take("ftz");
    let handler: Option<Handler> = comparison!(into_predicate, name, ty, ftz);
    let handler = found(handler)?;
    let [d, x, y, rest @ ..] = operands else {
        return Err(Refusal::Operands { expected: "at least three operands" });
    };
    let Combination { aux, predicate } = combination(b, &mut mods, rest)?;
    mods.finish()?;
    let d = b.write(d, result)?;
    let p = b.values.temporary(Width::Predicate);
    let slots = [Slot::Write(p), Slot::Unused, b.read(x, ty)?, b.read(y, ty)?, predicate];
    b.helper(handler, &slots, aux, 0);
    let [yes, no] = [yes, 0].map(|bits| Slot::Read(b.values.constant(Width::Bits32, bits)));
    b.op(select_lanes::<u32>(), &[d, yes, no, Slot::Read(p)], 0, 0);
    Ok(())
}

/// `testp`: as a comparison of an operand with itself.
pub(super) fn test(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    use float::{TestFinite, TestInfinite, TestNan, TestNormal, TestNumber, TestSubnormal};
    let ty = mods.take_type()?;
    let words = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
    let word = mods.take_one_of(&words).ok_or(Refusal::UnknownInstruction)?;
    mods.finish()?;
    macro_rules! test {
        ($rust:ident) => {
            match words[word] {
                "finite" => into_predicate::<TestFinite<$rust>>(),
                "infinite" => into_predicate::<TestInfinite<$rust>>(),
                "number" => into_predicate::<TestNumber<$rust>>(),
                "notanumber" => into_predicate::<TestNan<$rust>>(),
                "normal" => into_predicate::<TestNormal<$rust>>(),
                _ => into_predicate::<TestSubnormal<$rust>>(),
            }
        };
    }
    let handler = match ty {
        Ty::F32 => test!(f32),
        Ty::F64 => test!(f64),
        _ => return Err(Refusal::UnknownInstruction),
    };
    let [p, x] = exactly(operands, "two operands")?;
    let (p, x) = (Slot::Write(b.predicate_result(p)?), b.read(x, ty)?);
    b.op(handler, &[p, Slot::Unused, x, x], COMBINE_NONE, 0);
    Ok(())
}

pub(super) fn select(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    mods.finish()?;
    let handler = match ty.width() {
        Width::Bits32 if ty.bits() > 8 => select_lanes::<u32>(),
        Width::Bits64 => select_lanes::<u64>(),
        _ => return Err(Refusal::UnknownInstruction),
    };
    let [d, x, y, p] = exactly(operands, "four operands")?;
    let p = Slot::Read(b.predicate(p)?);
    let slots = [b.write(d, ty)?, b.read(x, ty)?, b.read(y, ty)?, p];
    b.op(handler, &slots, 0, 0);
    Ok(())
}

/// `slct`.
pub(super) fn select_by_sign(
    b: &mut Builder,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
) -> Selected {
    use float::{SelectByFloat32, SelectByFloat64, SelectByInt32, SelectByInt64};
    let sign = mods.take_type()?;
    let ty = mods.take_type()?;
    let ftz = mods.take("ftz");
    mods.finish()?;
    let handler = match (ty.bits(), sign) {
        (32, Ty::S32) => ternary::<SelectByInt32<u32>>(),
        (64, Ty::S32) => ternary::<SelectByInt64<u64>>(),
        (32, Ty::F32) if !ftz => ternary::<SelectByFloat32<u32>>(),
        (64, Ty::F32) if !ftz => ternary::<SelectByFloat64<u64>>(),
        _ => return Err(Refusal::UnknownInstruction),
    };
    let [d, x, y, c] = exactly(operands, "four operands")?;
    let slots = [b.write(d, ty)?, b.read(x, ty)?, b.read(y, ty)?, b.read(c, sign)?];
    b.op(handler, &slots, 0, 0);
    Ok(())
}
