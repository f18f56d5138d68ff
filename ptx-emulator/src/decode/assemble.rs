//! Cuts what was decoded into basic blocks and writes the program.

use super::allocate::{self, Flow, Slots};
use super::coalesce;
use super::draft::{BarrierArgument, Builder, Draft, DraftEnd, Guard, Item, Slot};
use super::error::Refusal;
use super::types::Width;
use super::values::{Value, Values};
use crate::program::{BarrierOperand, Block, End, Kernel, NONE, OPERANDS, Op, Preset};

/// A basic block: operations from here to the next block's.
struct DraftBlock {
    start: usize,
    end: DraftEnd,
    location: u32,
    counts: bool,
}

/// All but the kernel's name and its memory.
pub(super) fn assemble(builder: Builder) -> Result<Kernel, Refusal> {
    let Builder { values, items, .. } = builder;
    let mut drafts: Vec<(Draft, u32)> = Vec::new();
    let mut blocks: Vec<DraftBlock> = Vec::new();
    let mut labels = vec![0u32; values.label_count()];
    let mut start = 0;
    let mut last_location = 0;
    for item in items {
        match item {
            Item::Label(label) => {
                if drafts.len() > start {
                    let (end, location) = (DraftEnd::Fall, last_location);
                    blocks.push(DraftBlock { start, end, location, counts: false });
                    start = drafts.len();
                }
                labels[label as usize] = blocks.len() as u32;
            }
            Item::Op(draft, location) => {
                last_location = location;
                drafts.push((draft, location));
            }
            Item::End { end, location, counts } => {
                last_location = location;
                blocks.push(DraftBlock { start, end, location, counts });
                start = drafts.len();
            }
        }
    }
    let counted: Vec<usize> = (0..blocks.len())
        .map(|at| {
            let own = &drafts[blocks[at].start..stop_of(&blocks, &drafts, at)];
            own.iter().filter(|(draft, _)| !draft.helper).count() + usize::from(blocks[at].counts)
        })
        .collect();
    merge_copies(&values, &mut drafts, &mut blocks, &labels);
    let flows = flows(&blocks, &drafts, &labels);
    let slots = allocate::allocate(&values, &drafts, &flows)?;
    let finished = blocks.iter().enumerate().map(|(at, block)| Block {
        start: block.start as u32,
        stop: stop_of(&blocks, &drafts, at) as u32,
        instructions: counted[at] as u32,
        end: finish_end(block.end, &labels, &slots),
        end_location: block.location,
    });
    let blocks = finished.collect();
    let presets = values.data.iter().enumerate().filter_map(|(at, data)| {
        Some(Preset {
            slot: slots.of(Value(at as u32)),
            wide: data.width == Width::Bits64,
            source: data.preset?,
        })
    });
    Ok(Kernel {
        name: String::new(),
        param_bytes: 0,
        static_shared: 0,
        dynamic_shared_at: 0,
        local_bytes: 0,
        units: slots.units,
        predicates: slots.predicates,
        ops: drafts.iter().map(|(draft, _)| finish_op(draft, &slots)).collect(),
        op_locations: drafts.iter().map(|(_, location)| *location).collect(),
        blocks,
        locations: Vec::new(),
        presets: presets.collect(),
        cleared: slots.cleared.clone(),
        cleared_wide: slots.cleared_wide.clone(),
        cleared_predicates: slots.cleared_predicates.clone(),
    })
}

fn stop_of(blocks: &[DraftBlock], drafts: &[(Draft, u32)], at: usize) -> usize {
    blocks.get(at + 1).map_or(drafts.len(), |next| next.start)
}

fn flows(blocks: &[DraftBlock], drafts: &[(Draft, u32)], labels: &[u32]) -> Vec<Flow> {
    let flow = |(at, block): (usize, &DraftBlock)| Flow {
        start: block.start,
        stop: stop_of(blocks, drafts, at),
        uses: uses(&block.end),
        successors: successors(&block.end, at as u32, labels),
    };
    blocks.iter().enumerate().map(flow).collect()
}

/// Drops the copies whose registers can be one. They count as instructions still.
fn merge_copies(
    values: &Values,
    drafts: &mut Vec<(Draft, u32)>,
    blocks: &mut [DraftBlock],
    labels: &[u32],
) {
    let names = coalesce::merge(values, drafts, &flows(blocks, drafts, labels));
    let rename = |value: &mut Value| *value = names[value.index()];
    let mut dropped = 0;
    // How many of the operations before each one are gone.
    let mut before = Vec::with_capacity(drafts.len() + 1);
    for (draft, _) in drafts.iter_mut() {
        before.push(dropped);
        for slot in &mut draft.slots {
            if let Slot::Read(value) | Slot::Write(value) = slot {
                rename(value);
            }
        }
        if let Some(guard) = &mut draft.guard {
            rename(&mut guard.predicate);
        }
        dropped += usize::from(is_idle(draft));
    }
    before.push(dropped);
    drafts.retain(|(draft, _)| !is_idle(draft));
    for block in blocks {
        block.start -= before[block.start];
        end_values(&mut block.end).into_iter().flatten().for_each(rename);
    }
}

/// Copies a register to itself.
fn is_idle(draft: &Draft) -> bool {
    coalesce::copied(draft).is_some_and(|(to, from)| to == from)
}

fn argument_value(argument: &mut BarrierArgument) -> Option<&mut Value> {
    match argument {
        BarrierArgument::Register(value) => Some(value),
        BarrierArgument::Number(_) => None,
    }
}

/// The registers that the end of a block reads.
fn end_values(end: &mut DraftEnd) -> [Option<&mut Value>; 2] {
    match end {
        DraftEnd::Branch { guard, .. } | DraftEnd::Exit { guard: Some(guard) } => {
            [Some(&mut guard.predicate), None]
        }
        DraftEnd::Barrier { id, count, .. } => {
            [argument_value(id), count.as_mut().and_then(argument_value)]
        }
        DraftEnd::Converge { mask } => [Some(mask), None],
        _ => [None, None],
    }
}

/// What the end of a block reads.
fn uses(end: &DraftEnd) -> Vec<Value> {
    match end {
        DraftEnd::Branch { guard, .. } | DraftEnd::Exit { guard: Some(guard) } => {
            vec![guard.predicate]
        }
        DraftEnd::Barrier { id, count, .. } => {
            let register = |argument: &BarrierArgument| match argument {
                BarrierArgument::Register(value) => Some(*value),
                BarrierArgument::Number(_) => None,
            };
            std::iter::once(id).chain(count).filter_map(register).collect()
        }
        DraftEnd::Converge { mask } => vec![*mask],
        _ => Vec::new(),
    }
}

fn successors(end: &DraftEnd, at: u32, labels: &[u32]) -> Vec<u32> {
    match end {
        DraftEnd::Jump(label) => vec![labels[*label as usize]],
        DraftEnd::Branch { label, .. } => vec![labels[*label as usize], at + 1],
        DraftEnd::Exit { guard: None } | DraftEnd::Trap => Vec::new(),
        _ => vec![at + 1],
    }
}

fn finish_op(draft: &Draft, slots: &Slots) -> Op {
    let mut operands = [NONE; OPERANDS];
    for (operand, slot) in operands.iter_mut().zip(draft.slots) {
        if let Slot::Read(value) | Slot::Write(value) = slot {
            *operand = slots.of(value);
        }
    }
    Op {
        handler: draft.handler,
        slots: operands,
        guard: draft.guard.map_or(NONE, |guard| slots.of(guard.predicate)),
        aux: draft.aux,
        imm: draft.imm,
        guard_negated: draft.guard.is_some_and(|guard| guard.negated),
        helper: draft.helper,
        finds: draft.finds,
    }
}

fn finish_end(end: DraftEnd, labels: &[u32], slots: &Slots) -> End {
    let argument = |argument| match argument {
        BarrierArgument::Number(number) => BarrierOperand::Value(number),
        BarrierArgument::Register(value) => BarrierOperand::Slot(slots.of(value)),
    };
    match end {
        DraftEnd::Fall => End::Fall,
        DraftEnd::Jump(label) => End::Jump(labels[label as usize]),
        DraftEnd::Branch { guard: Guard { predicate, negated }, label } => {
            End::Branch { predicate: slots.of(predicate), negated, target: labels[label as usize] }
        }
        DraftEnd::Exit { guard } => {
            End::Exit { guard: guard.map(|guard| (slots.of(guard.predicate), guard.negated)) }
        }
        DraftEnd::Trap => End::Trap,
        DraftEnd::Barrier { id, count, aligned, wait } => {
            End::Barrier { id: argument(id), count: count.map(argument), aligned, wait }
        }
        DraftEnd::Converge { mask } => End::Converge { mask: slots.of(mask) },
    }
}
