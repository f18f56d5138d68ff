//! Bit operations, on registers and predicates.

use nvptx_builder::ptx::Operand;

use super::{
    Selected, bits_handler, exactly, found, integer_handler, one_operand, three_operands,
    two_operands,
};
use crate::decode::draft::{Builder, Slot};
use crate::decode::error::Refusal;
use crate::decode::types::{Modifiers, Ty};
use crate::exec::bits::*;
use crate::exec::shapes::{binary, scalar_ternary, scalar_unary, ternary, unary};
use crate::program::Handler;

pub(super) fn select(
    b: &mut Builder,
    opcode: &str,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
) -> Selected {
    if opcode == "prmt" {
        return permute(b, mods, operands);
    }
    let ty = mods.take_type()?;
    if ty == Ty::Pred {
        mods.finish()?;
        return predicates(b, opcode, operands);
    }
    match opcode {
        "shf" => return funnel_shift(b, mods, operands, ty),
        "bfind" => return find_top(b, mods, operands, ty),
        _ => mods.finish()?,
    }
    match opcode {
        "and" => two_operands(b, found(bits_handler!(ty, binary, And))?, operands, ty),
        "or" => two_operands(b, found(bits_handler!(ty, binary, Or))?, operands, ty),
        "xor" => two_operands(b, found(bits_handler!(ty, binary, Xor))?, operands, ty),
        "not" => one_operand(b, found(bits_handler!(ty, unary, Not))?, operands, ty),
        "cnot" => one_operand(b, found(bits_handler!(ty, scalar_unary, IsZero))?, operands, ty),
        "shl" => shift(b, found(bits_handler!(ty, binary, ShiftLeft))?, operands, ty),
        "shr" if ty.signed() => {
            let handler = integer_handler!(ty, binary, ShiftRightSigned, [i16 i32 i64]);
            shift(b, found(handler)?, operands, ty)
        }
        "shr" => shift(b, found(bits_handler!(ty, binary, ShiftRight))?, operands, ty),
        "popc" => count(b, integer_handler!(ty, scalar_unary, CountOnes, [u32 u64]), operands, ty),
        "clz" => {
            count(b, integer_handler!(ty, scalar_unary, LeadingZeros, [u32 u64]), operands, ty)
        }
        "brev" => one_operand(
            b,
            found(integer_handler!(ty, scalar_unary, Reverse, [u32 u64]))?,
            operands,
            ty,
        ),
        "bfe" => extract(b, operands, ty),
        "bfi" => insert(b, operands, ty),
        "lop3" => lookup(b, operands, ty),
        _ => Err(Refusal::UnknownInstruction),
    }
}

fn predicates(b: &mut Builder, opcode: &str, operands: &[Operand]) -> Selected {
    let operation = match opcode {
        "and" => PREDICATE_AND,
        "or" => PREDICATE_OR,
        "xor" => PREDICATE_XOR,
        "not" => PREDICATE_NOT,
        _ => return Err(Refusal::UnknownInstruction),
    };
    if operation == PREDICATE_NOT {
        let [d, x] = exactly(operands, "two predicates")?;
        let slots = [Slot::Write(b.predicate_result(d)?), Slot::Read(b.predicate(x)?)];
        b.op(predicate_operation, &slots, operation, 0);
    } else {
        let [d, x, y] = exactly(operands, "three predicates")?;
        let d = Slot::Write(b.predicate_result(d)?);
        let slots = [d, Slot::Read(b.predicate(x)?), Slot::Read(b.predicate(y)?)];
        b.op(predicate_operation, &slots, operation, 0);
    }
    Ok(())
}

/// The count is 32 bits wide, whatever is shifted.
fn shift(b: &mut Builder, handler: Handler, operands: &[Operand], ty: Ty) -> Selected {
    let [d, x, n] = exactly(operands, "three operands")?;
    let slots = [b.write(d, ty)?, b.read(x, ty)?, b.read(n, Ty::U32)?];
    b.op(handler, &slots, 0, 0);
    Ok(())
}

/// The result is 32 bits wide, whatever is counted.
fn count(b: &mut Builder, handler: Option<Handler>, operands: &[Operand], ty: Ty) -> Selected {
    let handler = found(handler)?;
    let [d, x] = exactly(operands, "two operands")?;
    let slots = [b.write(d, Ty::U32)?, b.read(x, ty)?];
    b.op(handler, &slots, 0, 0);
    Ok(())
}

fn funnel_shift(
    b: &mut Builder,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
    ty: Ty,
) -> Selected {
    let direction = mods.take_one_of(&["l", "r"]);
    let mode = mods.take_one_of(&["clamp", "wrap"]);
    mods.finish()?;
    let handler = match (direction, mode, ty) {
        (Some(0), Some(0), Ty::B32) => ternary::<FunnelLeftClamp<u32>>(),
        (Some(0), Some(1), Ty::B32) => ternary::<FunnelLeftWrap<u32>>(),
        (Some(1), Some(0), Ty::B32) => ternary::<FunnelRightClamp<u32>>(),
        (Some(1), Some(1), Ty::B32) => ternary::<FunnelRightWrap<u32>>(),
        _ => return Err(Refusal::UnknownInstruction),
    };
    three_operands(b, handler, operands, ty)
}

/// The type comes before the mode.
fn permute(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let mode = mods.take_one_of(&PERMUTE_MODES);
    if !mods.take("b32") {
        return Err(Refusal::UnknownInstruction);
    }
    mods.finish()?;
    let ty = Ty::B32;
    let [d, x, y, selector] = exactly(operands, "four operands")?;
    let slots = [b.write(d, ty)?, b.read(x, ty)?, b.read(y, ty)?, b.read(selector, ty)?];
    b.op(crate::exec::bits::permute(), &slots, mode.map_or(0, |mode| mode as u16 + 1), 0);
    Ok(())
}

fn find_top(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand], ty: Ty) -> Selected {
    let shift = mods.take("shiftamt");
    mods.finish()?;
    let handler = match (shift, ty) {
        (false, Ty::U32) => scalar_unary::<FindTop<u32>>(),
        (false, Ty::U64) => scalar_unary::<FindTop<u64>>(),
        (false, Ty::S32) => scalar_unary::<FindTopSigned<i32>>(),
        (false, Ty::S64) => scalar_unary::<FindTopSigned<i64>>(),
        (true, Ty::U32) => scalar_unary::<FindTopShift<u32>>(),
        (true, Ty::U64) => scalar_unary::<FindTopShift<u64>>(),
        (true, Ty::S32) => scalar_unary::<FindTopShiftSigned<i32>>(),
        (true, Ty::S64) => scalar_unary::<FindTopShiftSigned<i64>>(),
        _ => return Err(Refusal::UnknownInstruction),
    };
    count(b, Some(handler), operands, ty)
}

fn extract(b: &mut Builder, operands: &[Operand], ty: Ty) -> Selected {
    let handler = match ty {
        Ty::U32 => scalar_ternary::<Extract<u32>>(),
        Ty::U64 => scalar_ternary::<Extract<u64>>(),
        Ty::S32 => scalar_ternary::<ExtractSigned<i32>>(),
        Ty::S64 => scalar_ternary::<ExtractSigned<i64>>(),
        _ => return Err(Refusal::UnknownInstruction),
    };
    let [d, x, position, length] = exactly(operands, "four operands")?;
    let position = b.read(position, Ty::U32)?;
    let slots = [b.write(d, ty)?, b.read(x, ty)?, position, b.read(length, Ty::U32)?];
    b.op(handler, &slots, 0, 0);
    Ok(())
}

fn insert(b: &mut Builder, operands: &[Operand], ty: Ty) -> Selected {
    let handler = match ty {
        Ty::B32 => insert_field_32(),
        Ty::B64 => insert_field_64(),
        _ => return Err(Refusal::UnknownInstruction),
    };
    let [d, x, y, position, length] = exactly(operands, "five operands")?;
    let (position, length) = (b.read(position, Ty::U32)?, b.read(length, Ty::U32)?);
    let slots = [b.write(d, ty)?, b.read(x, ty)?, b.read(y, ty)?, position, length];
    b.op(handler, &slots, 0, 0);
    Ok(())
}

fn lookup(b: &mut Builder, operands: &[Operand], ty: Ty) -> Selected {
    let [d, x, y, z, table] = exactly(operands, "five operands")?;
    let (Operand::Int(table @ 0..=255), Ty::B32) = (table, ty) else {
        return Err(Refusal::Operands { expected: "a truth table of 0 to 255" });
    };
    let slots = [b.write(d, ty)?, b.read(x, ty)?, b.read(y, ty)?, b.read(z, ty)?];
    b.op(lookup_3(), &slots, *table as u16, 0);
    Ok(())
}
