//! The waits are enough, and on one stream there are none.

use super::*;

/// Uses of one allocation by numbered streams, and what each stream has seen of the others: a
/// vector clock a stream, as happens-before is defined.
struct Model {
    uses: Uses<usize>,
    /// `seen[s][t]`: how many operations of stream `t` are known to come before the next of `s`.
    seen: Vec<Vec<u64>>,
    history: Vec<(usize, Range<u64>, Access, u64)>,
    waits: usize,
}

impl Model {
    fn new(streams: usize, bytes: u64) -> Model {
        let mut seen = vec![vec![0; streams]; streams];
        seen[0][0] = 1;
        Model {
            uses: Uses::allocated_by(&0, 0..bytes),
            seen,
            history: vec![(0, 0..bytes, Access::Write, 1)],
            waits: 0,
        }
    }

    fn apply(&mut self, stream: usize, bytes: Range<u64>, access: Access) {
        let (seen, waits) = (&mut self.seen, &mut self.waits);
        self.uses
            .begin(&stream, bytes.clone(), access, |&other| {
                *waits += 1;
                let theirs = seen[other].clone();
                for (mine, theirs) in seen[stream].iter_mut().zip(theirs) {
                    *mine = (*mine).max(theirs);
                }
                Ok(())
            })
            .unwrap();
        for (other, other_bytes, other_access, number) in &self.history {
            let overlap = bytes.start.max(other_bytes.start) < bytes.end.min(other_bytes.end);
            let conflict = access == Access::Write || *other_access == Access::Write;
            assert!(
                !(overlap && conflict) || self.seen[stream][*other] >= *number,
                "stream {stream} {access:?} {bytes:?} is not ordered after operation {number} of \
                 stream {other}, {other_access:?} {other_bytes:?}: {:?}",
                self.uses
            );
        }
        self.seen[stream][stream] += 1;
        self.history.push((stream, bytes, access, self.seen[stream][stream]));
    }
}

/// xorshift64*, so that a failure repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % bound
    }
}

#[test]
fn whatever_the_order_of_uses_conflicting_ones_are_ordered() {
    for seed in 1..400 {
        let mut random = Random(seed);
        let streams = 1 + random.below(4);
        let bytes = 1 + random.below(12);
        let mut model = Model::new(streams as usize, bytes);
        for _ in 0..60 {
            let start = random.below(bytes);
            let end =
                if random.below(3) == 0 { bytes } else { start + random.below(bytes - start + 1) };
            let access = if random.below(2) == 0 { Access::Read } else { Access::Write };
            model.apply(random.below(streams) as usize, start..end, access);
        }
    }
}

#[test]
fn many_small_parts_are_ordered_and_take_bounded_room() {
    let mut random = Random(7);
    let mut model = Model::new(5, 1000);
    for _ in 0..1500 {
        let start = random.below(1000);
        let end = (start + 1 + random.below(5)).min(1000);
        let access = if random.below(3) == 0 { Access::Write } else { Access::Read };
        model.apply(random.below(5) as usize, start..end, access);
        assert!(model.uses.entries.len() <= MOST_ENTRIES);
    }
}

#[test]
fn one_stream_never_waits_and_keeps_one_entry() {
    let mut model = Model::new(1, 100);
    for part in [0..100, 10..20, 0..100, 99..100] {
        model.apply(0, part.clone(), Access::Read);
        model.apply(0, part, Access::Write);
    }
    assert_eq!(model.waits, 0);
    assert_eq!(model.uses.entries.len(), 1);
}

#[test]
fn a_reader_waits_once_for_a_write() {
    let mut model = Model::new(3, 100);
    for _ in 0..10 {
        model.apply(1, 0..100, Access::Read);
        model.apply(2, 0..50, Access::Read);
        model.apply(0, 0..100, Access::Read);
    }
    assert_eq!(model.waits, 2);
    model.apply(0, 0..100, Access::Write);
    assert_eq!(model.waits, 4, "a write waits for both readers");
    model.apply(0, 0..100, Access::Write);
    assert_eq!(model.waits, 4);
}

#[test]
fn streams_that_work_on_their_own_halves_do_not_wait_for_each_other() {
    let mut model = Model::new(2, 100);
    for _ in 0..10 {
        model.apply(0, 0..50, Access::Write);
        model.apply(1, 50..100, Access::Write);
    }
    assert_eq!(model.waits, 1, "the second stream waits for the allocation");
}

#[test]
fn a_buffer_that_goes_is_ordered_after_all_its_users() {
    let mut model = Model::new(3, 100);
    model.apply(1, 0..10, Access::Read);
    model.apply(2, 20..30, Access::Read);
    assert_eq!(model.uses.last(), Some(&2));
    assert_eq!(model.uses.others(&2), [&0, &1]);
}

#[test]
fn a_wait_that_fails_notes_no_use() {
    let mut uses = Uses::allocated_by(&0, 0..10);
    let fail = |_: &i32| Err(crate::Error::Forked);
    assert_eq!(uses.begin(&1, 0..10, Access::Read, fail), Err(crate::Error::Forked));
    assert_eq!(uses.others(&0), Vec::<&i32>::new());
}
