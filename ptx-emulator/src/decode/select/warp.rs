//! Operations between the lanes of a warp.

use nvptx_builder::ptx::Operand;

use super::{Selected, exactly};
use crate::decode::draft::{Builder, DraftEnd, Slot};
use crate::decode::error::Refusal;
use crate::decode::types::{Modifiers, Ty, Width};
use crate::exec::cross_lane::{
    self, REDUCE_ADD, REDUCE_AND, REDUCE_MAX, REDUCE_MAX_SIGNED, REDUCE_MIN, REDUCE_MIN_SIGNED,
    REDUCE_OR, REDUCE_XOR, SHUFFLE_MODES, VOTE_MODES, VOTE_NEGATED,
};
use crate::program::Handler;

/// Adds an operation for which the lanes of a member mask have to be together.
fn converged(b: &mut Builder, mask: Slot, handler: Handler, slots: &[Slot], aux: u16) -> Selected {
    let Slot::Read(mask) = mask else {
        return Err(Refusal::Operands { expected: "a member mask" });
    };
    let around = b.guard_by_branch();
    b.end(DraftEnd::Converge { mask }, false);
    b.op(handler, slots, aux, 0);
    b.unguard(around);
    Ok(())
}

/// `d|p`, or `d` alone.
fn result_and_predicate(b: &mut Builder, operand: &Operand) -> Result<(Slot, Slot), Refusal> {
    match operand {
        Operand::Pair(d, p) => Ok((b.write(d, Ty::B32)?, Slot::Write(b.predicate_result(p)?))),
        d => Ok((b.write(d, Ty::B32)?, Slot::Unused)),
    }
}

pub(super) fn shuffle(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    let mode = mods.take_one_of(&SHUFFLE_MODES);
    let (true, Some(mode), Ty::B32) = (mods.take("sync"), mode, ty) else {
        return Err(Refusal::UnknownInstruction);
    };
    mods.finish()?;
    let [results, a, x, c, mask] = exactly(operands, "five operands")?;
    let (d, p) = result_and_predicate(b, results)?;
    let slots = [d, p, b.read(a, ty)?, b.read(x, Ty::B32)?, b.read(c, Ty::B32)?];
    let mask = b.read(mask, Ty::B32)?;
    converged(b, mask, cross_lane::shuffle, &slots, mode as u16)
}

pub(super) fn vote(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    let mode = mods.take_one_of(&VOTE_MODES);
    let (true, Some(mode)) = (mods.take("sync"), mode) else {
        return Err(Refusal::UnknownInstruction);
    };
    mods.finish()?;
    let [d, a, mask] = exactly(operands, "three operands")?;
    let d = match (VOTE_MODES[mode], ty) {
        ("ballot", Ty::B32) => b.write(d, ty)?,
        ("all" | "any" | "uni", Ty::Pred) => Slot::Write(b.predicate_result(d)?),
        _ => return Err(Refusal::UnknownInstruction),
    };
    let (a, negated) = b.signed_predicate(a)?;
    let mask = b.read(mask, Ty::B32)?;
    let aux = mode as u16 | if negated { VOTE_NEGATED } else { 0 };
    converged(b, mask, cross_lane::vote, &[d, Slot::Read(a), mask], aux)
}

pub(super) fn active_mask(
    b: &mut Builder,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
) -> Selected {
    let ty = mods.take_type()?;
    mods.finish()?;
    let [d] = exactly(operands, "a register")?;
    if ty != Ty::B32 {
        return Err(Refusal::UnknownInstruction);
    }
    let d = b.write(d, ty)?;
    b.op(cross_lane::active_mask, &[d], 0, 0);
    Ok(())
}

pub(super) fn matching(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    let mode = mods.take_one_of(&["any", "all"]);
    let (true, Some(mode)) = (mods.take("sync"), mode) else {
        return Err(Refusal::UnknownInstruction);
    };
    mods.finish()?;
    let handler = match ty {
        Ty::B32 => cross_lane::matching::<u32>(),
        Ty::B64 => cross_lane::matching::<u64>(),
        _ => return Err(Refusal::UnknownInstruction),
    };
    let [results, a, mask] = exactly(operands, "three operands")?;
    let (d, p) = result_and_predicate(b, results)?;
    let a = b.read(a, ty)?;
    let mask = b.read(mask, Ty::B32)?;
    converged(b, mask, handler, &[d, p, a, mask], mode as u16)
}

pub(super) fn reduce(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    let words = ["add", "and", "or", "xor", "min", "max"];
    let (Some(word), true) = (mods.take_one_of(&words), mods.take("sync")) else {
        return Err(Refusal::UnknownInstruction);
    };
    mods.finish()?;
    if ty.width() != Width::Bits32 || ty.bits() != 32 || ty.float() {
        return Err(Refusal::UnknownInstruction);
    }
    let aux = match (words[word], ty.signed()) {
        ("add", _) => REDUCE_ADD,
        ("and", _) => REDUCE_AND,
        ("or", _) => REDUCE_OR,
        ("xor", _) => REDUCE_XOR,
        ("min", false) => REDUCE_MIN,
        ("max", false) => REDUCE_MAX,
        ("min", true) => REDUCE_MIN_SIGNED,
        _ => REDUCE_MAX_SIGNED,
    };
    let [d, a, mask] = exactly(operands, "three operands")?;
    let slots = [b.write(d, ty)?, b.read(a, ty)?];
    let mask = b.read(mask, Ty::B32)?;
    converged(b, mask, cross_lane::reduce, &[slots[0], slots[1], mask], aux)
}
