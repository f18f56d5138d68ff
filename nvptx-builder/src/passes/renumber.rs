//! Numbers everything in the order of the layout, and drops what is not used.

use crate::ir::{Block, Function, Op, Slot, Terminator, Value};

/// Blocks, values, panic sites and slots get new numbers, without gaps, in the order in which the
/// text has them; sites and slots that nothing refers to are dropped. A function without panics
/// has no sites after this.
pub(super) fn renumber(function: &mut Function) -> bool {
    let before = function.clone();
    sites_and_slots(function);
    blocks(function);
    values(function);
    *function != before
}

fn sites_and_slots(function: &mut Function) {
    let mut site_used = vec![false; function.sites.len()];
    let mut slot_used = vec![false; function.slots.len()];
    for &block in &function.layout {
        let data = &function.blocks[block.index()];
        for inst in &data.insts {
            if let Op::SlotAddr(slot) = inst.op {
                slot_used[slot.index()] = true;
            }
        }
        if let Terminator::Panic { site, .. } = data.end {
            site_used[site as usize] = true;
        }
    }
    let site_numbers = compact(&mut function.sites, &site_used);
    let slot_numbers = compact(&mut function.slots, &slot_used);
    for &block in &function.layout {
        let data = &mut function.blocks[block.index()];
        for inst in &mut data.insts {
            if let Op::SlotAddr(slot) = &mut inst.op {
                *slot = Slot(slot_numbers[slot.index()]);
            }
        }
        if let Terminator::Panic { site, .. } = &mut data.end {
            *site = site_numbers[*site as usize];
        }
    }
}

/// Keeps what is used; the new number of each old one.
fn compact<T>(table: &mut Vec<T>, used: &[bool]) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(used.len());
    let mut next = 0;
    for &used in used {
        numbers.push(next);
        next += u32::from(used);
    }
    let mut used = used.iter();
    table.retain(|_| used.next() == Some(&true));
    numbers
}

fn blocks(function: &mut Function) {
    let mut numbers = vec![Block(0); function.blocks.len()];
    let mut blocks = Vec::with_capacity(function.layout.len());
    for (i, &block) in function.layout.iter().enumerate() {
        numbers[block.index()] = Block(i as u32);
        blocks.push(function.blocks[block.index()].clone());
    }
    for data in &mut blocks {
        for target in data.end.targets_mut() {
            target.block = numbers[target.block.index()];
        }
    }
    function.layout = (0..blocks.len() as u32).map(Block).collect();
    function.blocks = blocks;
}

fn values(function: &mut Function) {
    let mut numbers: Vec<Option<Value>> = vec![None; function.values.len()];
    let mut table = Vec::new();
    for data in &mut function.blocks {
        let results = data.insts.iter_mut().filter_map(|inst| inst.result.as_mut());
        for value in data.params.iter_mut().chain(results) {
            let new = Value(table.len() as u32);
            table.push(function.values[value.index()]);
            numbers[value.index()] = Some(new);
            *value = new;
        }
    }
    function.values = table;
    function.map_operands(|value| numbers[value.index()].unwrap_or(value));
}
