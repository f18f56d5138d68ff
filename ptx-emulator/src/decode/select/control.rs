//! Branches, exits and barriers.

use nvptx_builder::ptx::Operand;

use super::{Selected, exactly};
use crate::decode::draft::{BarrierArgument, Builder, DraftEnd, Slot};
use crate::decode::error::Refusal;
use crate::decode::types::{Modifiers, Ty};

pub(super) fn branch(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    mods.take("uni");
    mods.finish()?;
    let [Operand::Name(label)] = exactly(operands, "a label")? else {
        return Err(Refusal::Operands { expected: "a label" });
    };
    let label = b.values.label(label)?;
    let end = match b.guard {
        Some(guard) => DraftEnd::Branch { guard, label },
        None => DraftEnd::Jump(label),
    };
    b.end(end, true);
    Ok(())
}

pub(super) fn exit(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    mods.take("uni");
    mods.finish()?;
    let [] = exactly(operands, "no operands")?;
    b.end(DraftEnd::Exit { guard: b.guard }, true);
    Ok(())
}

pub(super) fn trap(b: &mut Builder, mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    mods.finish()?;
    let [] = exactly(operands, "no operands")?;
    let around = b.guard_by_branch();
    b.end(DraftEnd::Trap, true);
    b.unguard(around);
    Ok(())
}

pub(super) fn barrier(
    b: &mut Builder,
    opcode: &str,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
) -> Selected {
    if opcode == "bar" && mods.take("warp") {
        if !mods.take("sync") {
            return Err(Refusal::UnknownInstruction);
        }
        mods.finish()?;
        let [mask] = exactly(operands, "a member mask")?;
        let Slot::Read(mask) = b.read(mask, Ty::B32)? else {
            return Err(Refusal::Operands { expected: "a member mask" });
        };
        let around = b.guard_by_branch();
        b.end(DraftEnd::Converge { mask }, true);
        b.unguard(around);
        return Ok(());
    }
    mods.take("cta");
    let wait = match mods.take_one_of(&["sync", "arrive"]) {
        Some(0) => true,
        Some(_) => false,
        None => return Err(Refusal::UnknownInstruction),
    };
    let aligned = mods.take("aligned") || opcode == "bar";
    mods.finish()?;
    let (id, count) = match operands {
        [id] if wait => (argument(b, id)?, None),
        [id, count] => (argument(b, id)?, Some(argument(b, count)?)),
        _ => return Err(Refusal::Operands { expected: "a barrier, and a thread count to arrive" }),
    };
    let around = b.guard_by_branch();
    b.end(DraftEnd::Barrier { id, count, aligned, wait }, true);
    b.unguard(around);
    Ok(())
}

fn argument(b: &mut Builder, operand: &Operand) -> Result<BarrierArgument, Refusal> {
    match (operand, b.read(operand, Ty::U32)?) {
        (Operand::Int(value), _) => Ok(BarrierArgument::Number(*value as u32)),
        (_, Slot::Read(value)) => Ok(BarrierArgument::Register(value)),
        _ => Err(Refusal::Operands { expected: "a number or a register" }),
    }
}
