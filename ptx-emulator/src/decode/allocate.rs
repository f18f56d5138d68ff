//! Gives values their slots. Registers that do not live at the same time share one, so that a
//! warp's registers stay in the processor's cache: compilers print a new register for each value.
//!
//! Linear scan (Poletto and Sarkar, 1999) over intervals from liveness. What lives is decided
//! for one thread. That is enough for lanes that have diverged, because a slot's lanes are apart,
//! and an operation writes only those of its mask.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::draft::{Draft, Slot};
use super::error::Refusal;
use super::types::Width;
use super::values::{Value, Values};
use crate::program::NONE;

/// Liveness needs a bit for each register in each block; above so many, nothing is shared.
const MOST_BITS: usize = 1 << 26;

/// A basic block, as liveness sees it.
pub(super) struct Flow {
    pub(super) start: usize,
    pub(super) stop: usize,
    /// What its end reads.
    pub(super) uses: Vec<Value>,
    pub(super) successors: Vec<u32>,
}

/// Where values are.
pub(super) struct Slots {
    of: Vec<u16>,
    pub(super) units: usize,
    pub(super) predicates: usize,
    /// Slots of registers that may be read before they are written, by width.
    pub(super) cleared: Vec<u16>,
    pub(super) cleared_wide: Vec<u16>,
    pub(super) cleared_predicates: Vec<u16>,
}

impl Slots {
    pub(super) fn of(&self, value: Value) -> u16 {
        self.of[value.index()]
    }
}

/// When a register lives. Operation `n` reads at `2n` and writes at `2n + 1`.
#[derive(Clone, Copy)]
struct Interval {
    start: usize,
    stop: usize,
}

/// Storage of one kind.
#[derive(Default)]
struct Pool {
    used: usize,
    free: Vec<u16>,
}

impl Pool {
    /// `size` in a row.
    fn take(&mut self, size: usize) -> Result<u16, Refusal> {
        if let Some(slot) = self.free.pop() {
            return Ok(slot);
        }
        let slot = u16::try_from(self.used).ok().filter(|slot| *slot < NONE - 1);
        self.used += size;
        slot.ok_or(Refusal::TooManyRegisters)
    }
}

pub(super) fn allocate(
    values: &Values,
    drafts: &[(Draft, u32)],
    flows: &[Flow],
) -> Result<Slots, Refusal> {
    let count = values.data.len();
    let live = Liveness::compute(count, drafts, flows);
    let mut slots = Slots {
        of: vec![NONE; count],
        units: 0,
        predicates: 0,
        cleared: Vec::new(),
        cleared_wide: Vec::new(),
        cleared_predicates: Vec::new(),
    };
    // Narrow and wide registers have free lists of their own over the same units.
    let (mut units, mut predicates) = (Pool::default(), Pool::default());
    let mut free_wide: Vec<u16> = Vec::new();
    let is_register = |at: &usize| values.data[*at].preset.is_none();
    let lives = |at: &usize| is_register(at) && live.intervals[*at].is_some();
    let mut order: Vec<usize> = (0..count).filter(lives).collect();
    order.sort_by_key(|at| live.intervals[*at].map_or(0, |interval| interval.start));
    let mut active: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let wide_slot = |units: &mut Pool, free: &mut Vec<u16>| match free.pop() {
        Some(slot) => Ok(slot),
        None => {
            let narrow = std::mem::take(&mut units.free);
            let slot = units.take(2);
            units.free = narrow;
            slot
        }
    };
    for at in 0..count {
        if values.data[at].preset.is_some() {
            slots.of[at] = match values.data[at].width {
                Width::Bits64 => wide_slot(&mut units, &mut free_wide)?,
                _ => units.take(1)?,
            };
        }
    }
    for at in order {
        let Some(Interval { start, stop }) = live.intervals[at] else { continue };
        while let Some(Reverse((ended, old))) = active.peek().copied() {
            if ended >= start {
                break;
            }
            active.pop();
            match values.data[old].width {
                Width::Predicate => predicates.free.push(slots.of[old]),
                Width::Bits32 => units.free.push(slots.of[old]),
                Width::Bits64 => free_wide.push(slots.of[old]),
            }
        }
        slots.of[at] = match values.data[at].width {
            Width::Predicate => predicates.take(1)?,
            Width::Bits32 => units.take(1)?,
            Width::Bits64 => wide_slot(&mut units, &mut free_wide)?,
        };
        active.push(Reverse((stop, at)));
        if live.at_entry(at) {
            match values.data[at].width {
                Width::Predicate => slots.cleared_predicates.push(slots.of[at]),
                Width::Bits32 => slots.cleared.push(slots.of[at]),
                Width::Bits64 => slots.cleared_wide.push(slots.of[at]),
            }
        }
    }
    slots.units = units.used;
    slots.predicates = predicates.used;
    Ok(slots)
}

struct Liveness {
    /// By value; `None` where nothing mentions it.
    intervals: Vec<Option<Interval>>,
    /// Bits of the values that live at the entry.
    entry: Vec<u64>,
}

impl Liveness {
    fn at_entry(&self, value: usize) -> bool {
        self.entry.get(value / 64).is_some_and(|word| word >> (value % 64) & 1 != 0)
    }

    fn compute(count: usize, drafts: &[(Draft, u32)], flows: &[Flow]) -> Liveness {
        let mut intervals: Vec<Option<Interval>> = vec![None; count];
        let Some(live) = LiveBits::compute(count, drafts, flows) else {
            // Everything lives all the time.
            let all = Interval { start: 0, stop: 2 * drafts.len() + 2 };
            intervals.fill(Some(all));
            return Liveness { intervals, entry: vec![u64::MAX; count.div_ceil(64)] };
        };
        let mut touch = |value: usize, position: usize| {
            let interval =
                intervals[value].get_or_insert(Interval { start: position, stop: position });
            interval.start = interval.start.min(position);
            interval.stop = interval.stop.max(position);
        };
        for (at, flow) in flows.iter().enumerate() {
            for value in bits(live.before(at)) {
                touch(value, 2 * flow.start);
            }
            // A block's end reads where the next block's first operation would; a value that dies
            // there must outlive what the block's last operation writes.
            for value in bits(live.after(at)) {
                touch(value, 2 * flow.stop);
            }
            for value in &flow.uses {
                touch(value.index(), 2 * flow.stop);
            }
            for (number, (draft, _)) in drafts[flow.start..flow.stop].iter().enumerate() {
                let position = 2 * (flow.start + number);
                for slot in draft.slots {
                    match slot {
                        Slot::Unused => {}
                        Slot::Read(value) => touch(value.index(), position),
                        Slot::Write(value) => touch(value.index(), position + 1),
                    }
                }
                if let Some(guard) = draft.guard {
                    touch(guard.predicate.index(), position);
                }
            }
        }
        let entry = live.before(0).to_vec();
        Liveness { intervals, entry }
    }
}

/// What lives where blocks meet: a bit for each value.
pub(super) struct LiveBits {
    pub(super) words: usize,
    before: Vec<u64>,
    after: Vec<u64>,
}

impl LiveBits {
    /// At the start of a block; nothing, if there is no such block.
    pub(super) fn before(&self, block: usize) -> &[u64] {
        self.before.get(block * self.words..(block + 1) * self.words).unwrap_or_default()
    }

    /// At the end of a block.
    pub(super) fn after(&self, block: usize) -> &[u64] {
        &self.after[block * self.words..][..self.words]
    }

    /// `None` if that would take too many bits.
    pub(super) fn compute(
        count: usize,
        drafts: &[(Draft, u32)],
        flows: &[Flow],
    ) -> Option<LiveBits> {
        let words = count.div_ceil(64);
        if words.saturating_mul(64).saturating_mul(flows.len()) > MOST_BITS {
            return None;
        }
        let mut read_first = vec![0u64; words * flows.len()];
        let mut written = vec![0u64; words * flows.len()];
        for (at, flow) in flows.iter().enumerate() {
            let read_first = &mut read_first[at * words..][..words];
            let written = &mut written[at * words..][..words];
            let mut read = |value: Value, written: &[u64]| {
                let (word, bit) = (value.index() / 64, 1 << (value.index() % 64));
                read_first[word] |= bit & !written[word];
            };
            for (draft, _) in &drafts[flow.start..flow.stop] {
                for slot in draft.slots {
                    if let Slot::Read(value) = slot {
                        read(value, written);
                    }
                }
                if let Some(guard) = draft.guard {
                    read(guard.predicate, written);
                }
                for slot in draft.slots {
                    let Slot::Write(value) = slot else { continue };
                    if draft.guard.is_some() {
                        // Where the guard fails, the old value lives on.
                        read(value, written);
                    }
                    written[value.index() / 64] |= 1 << (value.index() % 64);
                }
            }
            for value in &flow.uses {
                read(*value, written);
            }
        }
        let (before, after) = solve(words, flows, &read_first, &written);
        Some(LiveBits { words, before, after })
    }
}

/// Backwards data flow: what lives at the start and the end of each block.
fn solve(
    words: usize,
    flows: &[Flow],
    read_first: &[u64],
    written: &[u64],
) -> (Vec<u64>, Vec<u64>) {
    let mut live_in = read_first.to_vec();
    let mut live_out = vec![0u64; words * flows.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..flows.len()).rev() {
            for word in 0..words {
                let own = at * words + word;
                let mut out = live_out[own];
                for successor in &flows[at].successors {
                    // The last block ends in an exit, so successors exist.
                    out |= live_in[*successor as usize * words + word];
                }
                live_out[own] = out;
                let into = read_first[own] | out & !written[own];
                changed |= into != live_in[own];
                live_in[own] = into;
            }
        }
    }
    (live_in, live_out)
}

/// The numbers of the bits that are set.
pub(super) fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, word)| {
        let mut left = *word;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(64 * at + bit)
        })
    })
}
