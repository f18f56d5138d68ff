//! `mov` and `cvta`.

use nvptx_builder::ptx::Operand;

use super::{Selected, exactly};
use crate::decode::draft::{Builder, Slot};
use crate::decode::error::Refusal;
use crate::decode::types::{Modifiers, Ty, Width};
use crate::exec::bits::{PREDICATE_COPY, PREDICATE_SET, predicate_operation};
use crate::exec::moves::{
    clock_32, clock_64, global_timer, pack_32, pack_64, unpack_32, unpack_64,
};
use crate::exec::shapes::copy;
use crate::program::Handler;

pub(super) fn mov(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    mods.finish()?;
    let [d, a] = exactly(operands, "two operands")?;
    match (d, a) {
        (_, Operand::Int(value)) if ty == Ty::Pred => {
            let d = Slot::Write(b.predicate_result(d)?);
            let bits = if *value != 0 { u32::MAX } else { 0 };
            b.op(predicate_operation, &[d], PREDICATE_SET, bits.into());
        }
        _ if ty == Ty::Pred => {
            let slots = [Slot::Write(b.predicate_result(d)?), Slot::Read(b.predicate(a)?)];
            b.op(predicate_operation, &slots, PREDICATE_COPY, 0);
        }
        (Operand::Vector(parts), _) => unpack(b, parts, a, ty)?,
        (_, Operand::Vector(parts)) => pack(b, d, parts, ty)?,
        (_, Operand::Name(name)) if clock(name).is_some_and(|(_, own)| own == ty.width()) => {
            if let Some((handler, _)) = clock(name) {
                let d = b.write(d, ty)?;
                b.op(handler, &[d], 0, 0);
            }
        }
        _ => {
            let (to, from) = (b.write(d, ty)?, b.read(a, ty)?);
            b.copy(copier(ty)?, to, from);
        }
    }
    Ok(())
}

fn copier(ty: Ty) -> Result<Handler, Refusal> {
    match ty.width() {
        Width::Bits32 => Ok(copy::<u32>()),
        Width::Bits64 => Ok(copy::<u64>()),
        Width::Predicate => Err(Refusal::UnknownInstruction),
    }
}

/// Special registers that change while a thread runs.
fn clock(name: &str) -> Option<(Handler, Width)> {
    Some(match name {
        "%clock" => (clock_32, Width::Bits32),
        "%clock64" => (clock_64, Width::Bits64),
        "%globaltimer" => (global_timer, Width::Bits64),
        _ => return None,
    })
}

/// The type of each of the parts of a register, and the handlers for two of them.
fn halves(ty: Ty, parts: usize) -> Result<Ty, Refusal> {
    match (ty.bits(), parts) {
        (64, 2) => Ok(Ty::B32),
        (64, 4) | (32, 2) => Ok(Ty::B16),
        _ => Err(Refusal::Operands { expected: "as many parts as fill the register" }),
    }
}

fn pack(b: &mut Builder, d: &Operand, parts: &[Operand], ty: Ty) -> Selected {
    let part = halves(ty, parts.len())?;
    let mut slots = Vec::with_capacity(parts.len());
    for operand in parts {
        slots.push(b.read(operand, part)?);
    }
    let d = b.write(d, ty)?;
    match slots[..] {
        [low, high] if ty.bits() == 64 => b.op(pack_64(), &[d, low, high], 0, 0),
        [low, high] => b.op(pack_32(), &[d, low, high], 0, 0),
        _ => {
            let words = [Width::Bits32; 2].map(|width| b.values.temporary(width));
            for (word, pair) in words.iter().zip(slots.chunks(2)) {
                b.helper(pack_32(), &[Slot::Write(*word), pair[0], pair[1]], 0, 0);
            }
            b.op(pack_64(), &[d, Slot::Read(words[0]), Slot::Read(words[1])], 0, 0);
        }
    }
    Ok(())
}

fn unpack(b: &mut Builder, parts: &[Operand], a: &Operand, ty: Ty) -> Selected {
    let part = halves(ty, parts.len())?;
    let a = b.read(a, ty)?;
    let mut slots = Vec::with_capacity(parts.len());
    for operand in parts {
        slots.push(b.write(operand, part)?);
    }
    match slots[..] {
        [low, high] if ty.bits() == 64 => b.op(unpack_64(), &[low, high, a], 0, 0),
        [low, high] => b.op(unpack_32(), &[low, high, a], 0, 0),
        _ => {
            let words = [Width::Bits32; 2].map(|width| b.values.temporary(width));
            b.op(unpack_64(), &[Slot::Write(words[0]), Slot::Write(words[1]), a], 0, 0);
            for (word, pair) in words.iter().zip(slots.chunks(2)) {
                b.helper(unpack_32(), &[pair[0], pair[1], Slot::Read(*word)], 0, 0);
            }
        }
    }
    Ok(())
}

/// `cvta` of the global space, where generic addresses are the same. Shared and local memory have
/// no generic addresses here.
pub(super) fn convert_address(
    b: &mut Builder,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
) -> Selected {
    let ty = mods.take_type()?;
    mods.take("to");
    if !mods.take("global") {
        return Err(Refusal::UnknownInstruction);
    }
    mods.finish()?;
    let [d, a] = exactly(operands, "two operands")?;
    let (to, from) = (b.write(d, ty)?, b.read(a, ty)?);
    b.copy(copier(ty)?, to, from);
    Ok(())
}
