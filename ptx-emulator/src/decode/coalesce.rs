//! Gives a copy's two registers one name where they may share storage, so that the copy need not run.
//!
//! A loop's variables arrive as copies at its end, one for each: in a short loop a quarter of all
//! instructions. Two registers may share storage unless one is written while the other lives, but
//! for the copy itself, which leaves both with the same value (Chaitin, 1982). As in
//! [`super::allocate`], what lives is decided for one thread, and that is enough.

use super::allocate::{Flow, LiveBits, bits};
use super::draft::{Draft, Slot};
use super::values::{Value, Values};

/// Most bits of the table of what may not be merged.
const MOST_BITS: usize = 1 << 26;

/// The register that each value is in from now on.
pub(super) fn merge(values: &Values, drafts: &[(Draft, u32)], flows: &[Flow]) -> Vec<Value> {
    let count = values.data.len();
    let mut names: Vec<Value> = (0..count as u32).map(Value).collect();
    let copies: Vec<(Value, Value)> = drafts
        .iter()
        .filter_map(|(draft, _)| copied(draft))
        .filter(|(_, from)| values.data[from.index()].preset.is_none())
        .collect();
    if copies.is_empty() {
        return names;
    }
    let Some(live) = LiveBits::compute(count, drafts, flows) else { return names };
    let Some(mut apart) = Apart::compute(&copies, &live, drafts, flows) else { return names };
    for (to, from) in copies {
        let (to, from) = (root(&names, to), root(&names, from));
        let widths = [to, from].map(|value| values.data[value.index()].width);
        if to != from && widths[0] == widths[1] && !apart.has(to, from) {
            names[from.index()] = to;
            apart.merge(from, to);
        }
    }
    (0..count as u32).map(|at| root(&names, Value(at))).collect()
}

/// Where an unconditional copy's value goes and comes from.
pub(super) fn copied(draft: &Draft) -> Option<(Value, Value)> {
    match draft.slots {
        [Slot::Write(to), Slot::Read(from), ..] if draft.copies && draft.guard.is_none() => {
            Some((to, from))
        }
        _ => None,
    }
}

fn root(names: &[Value], mut value: Value) -> Value {
    while names[value.index()] != value {
        value = names[value.index()];
    }
    value
}

/// Which values that copies mention may not share storage.
struct Apart {
    /// A value's row in the table.
    rows: Vec<Option<u32>>,
    words: usize,
    /// Symmetric: a bit for each value in each row.
    table: Vec<u64>,
}

impl Apart {
    fn compute(
        copies: &[(Value, Value)],
        live: &LiveBits,
        drafts: &[(Draft, u32)],
        flows: &[Flow],
    ) -> Option<Apart> {
        let words = live.words;
        let mut apart = Apart { rows: vec![None; words * 64], words, table: Vec::new() };
        let mut mentioned = vec![0u64; words];
        let mut count = 0;
        for value in copies.iter().flat_map(|(to, from)| [to, from]) {
            let row = &mut apart.rows[value.index()];
            if row.is_none() {
                *row = Some(count);
                count += 1;
                mentioned[value.index() / 64] |= 1 << (value.index() % 64);
            }
        }
        let size = words * count as usize;
        if size * 64 > MOST_BITS {
            return None;
        }
        apart.table = vec![0; size];
        let mut at_entry = live.before(0).to_vec();
        keep(&mut at_entry, &mentioned);
        for value in bits(&at_entry) {
            // These are cleared before the kernel runs, as if they all were written there.
            apart.add(value, &at_entry, None);
        }
        let mut now = vec![0u64; words];
        for (at, flow) in flows.iter().enumerate() {
            now.copy_from_slice(live.after(at));
            for value in &flow.uses {
                now[value.index() / 64] |= 1 << (value.index() % 64);
            }
            keep(&mut now, &mentioned);
            for (draft, _) in drafts[flow.start..flow.stop].iter().rev() {
                apart.step(draft, &mut now);
                keep(&mut now, &mentioned);
            }
        }
        Some(apart)
    }

    /// Goes back over an operation: `now` is what lives after it, then before it.
    fn step(&mut self, draft: &Draft, now: &mut [u64]) {
        let set = |now: &mut [u64], value: Value| {
            now[value.index() / 64] |= 1 << (value.index() % 64);
        };
        let written = draft.slots.iter().filter_map(|slot| match slot {
            Slot::Write(value) => Some(*value),
            _ => None,
        });
        // An operation's results are there together, whether or not anyone wants them.
        written.clone().for_each(|value| set(now, value));
        let source = copied(draft).map(|(_, from)| from);
        for value in written.clone() {
            self.add(value.index(), now, source);
        }
        if draft.guard.is_none() {
            // Where a guard fails, the old value lives on.
            for value in written {
                now[value.index() / 64] &= !(1 << (value.index() % 64));
            }
        }
        for slot in draft.slots {
            if let Slot::Read(value) = slot {
                set(now, value);
            }
        }
        if let Some(guard) = draft.guard {
            set(now, guard.predicate);
        }
    }

    /// Keeps a value that is written apart from what lives then, but for the source of its copy.
    fn add(&mut self, value: usize, now: &[u64], source: Option<Value>) {
        if self.rows[value].is_none() {
            return;
        }
        for other in bits(now) {
            if other != value && source.is_none_or(|source| source.index() != other) {
                self.set(value, other);
                self.set(other, value);
            }
        }
    }

    fn set(&mut self, value: usize, other: usize) {
        if let Some(row) = self.rows[value] {
            self.table[row as usize * self.words + other / 64] |= 1 << (other % 64);
        }
    }

    fn has(&self, value: Value, other: Value) -> bool {
        let (word, bit) = (other.index() / 64, other.index() % 64);
        self.rows[value.index()]
            .is_none_or(|row| self.table[row as usize * self.words + word] >> bit & 1 != 0)
    }

    /// `from` has become a part of `to`.
    fn merge(&mut self, from: Value, to: Value) {
        let Some(row) = self.rows[from.index()] else { return };
        let row = self.table[row as usize * self.words..][..self.words].to_vec();
        for other in bits(&row) {
            self.set(to.index(), other);
            self.set(other, to.index());
        }
    }
}

/// Keeps the bits that are in both.
fn keep(bits: &mut [u64], mask: &[u64]) {
    for (word, mask) in bits.iter_mut().zip(mask) {
        *word &= mask;
    }
}

#[cfg(test)]
mod tests {
    use crate::{Launch, Memory, Program, run};

    /// Stores `%r0` to `%r2` as they are after the body.
    fn run_body(body: &str) -> ([u32; 3], u64, usize) {
        let text = format!(
            ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
             .reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<2>;\n\
             ld.param.u64 %rd0, [out];\n{body}\n\
             st.global.u32 [%rd0], %r0;\nst.global.u32 [%rd0+4], %r1;\n\
             st.global.u32 [%rd0+8], %r2;\nret;\n}}\n"
        );
        let program = Program::load(&text).expect("decodes");
        let kernel = program.kernel("k").expect("is there");
        let memory = Memory::new();
        let out = memory.allocate(12).expect("there is room");
        let params = out.to_le_bytes();
        let (grid, block) = ([1; 3], [1; 3]);
        let launch = Launch { grid, block, dynamic_shared: 0, params: &params, workers: Some(1) };
        let counters = run(kernel, &launch, &memory).expect("runs");
        let mut bytes = [0; 12];
        memory.read(out, &mut bytes).expect("is allocated");
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[4 * at + i]));
        ([word(0), word(1), word(2)], counters.lane_operations, kernel.ops.len())
    }

    #[test]
    fn a_loop_that_swaps_its_variables_keeps_both() {
        let (out, ..) = run_body(
            "mov.u32 %r0, 1;\nmov.u32 %r1, 2;\nmov.u32 %r2, 0;\n\
             $again:\nmov.u32 %r5, %r0;\nmov.u32 %r0, %r1;\nmov.u32 %r1, %r5;\n\
             add.u32 %r6, %r2, 1;\nmov.u32 %r2, %r6;\nsetp.lt.u32 %p0, %r2, 3;\n@%p0 bra $again;",
        );
        assert_eq!(out, [2, 1, 3]);
    }

    #[test]
    fn a_copy_outlives_a_write_to_its_source() {
        let (out, ..) = run_body(
            "mov.u32 %r5, %tid.x;\nadd.u32 %r0, %r5, 7;\nmov.u32 %r1, %r0;\n\
             add.u32 %r0, %r0, 1;\nmov.u32 %r2, %r1;\nadd.u32 %r1, %r1, 5;",
        );
        assert_eq!(out, [8, 12, 7]);
    }

    #[test]
    fn a_conditional_copy_keeps_the_old_value() {
        let (out, ..) = run_body(
            "add.u32 %r0, %r8, 4;\nadd.u32 %r1, %r8, 9;\nmov.u32 %r2, %r0;\n\
             setp.eq.u32 %p0, %r0, 5;\n@%p0 mov.u32 %r2, %r1;\n@!%p0 mov.u32 %r1, %r2;",
        );
        assert_eq!(out, [4, 4, 4]);
    }

    #[test]
    fn copies_that_do_not_run_count_as_instructions() {
        let (out, operations, ops) = run_body(
            "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nmov.u32 %r2, 5;\n\
             $again:\nadd.u32 %r5, %r0, 1;\nadd.u32 %r6, %r1, %r2;\nsetp.lt.u32 %p0, %r5, 4;\n\
             mov.u32 %r0, %r5;\nmov.u32 %r1, %r6;\n@%p0 bra $again;",
        );
        assert_eq!(out, [4, 20, 5]);
        assert_eq!(operations, 4 + 4 * 6 + 4);
        assert_eq!(ops, 4 + 3 + 3, "both of the loop's copies are gone");
    }
}
