//! Received programs: equal texts are one program.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::Program;

/// Programs that stay alive although no dispatcher uses them: a worker that receives a dispatcher,
/// launches it and drops it, a thousand times over, loads the kernel once.
const KEPT: usize = 32;

/// Below this many buckets there is no point in looking for dead ones.
const SWEEP_FROM: usize = 64;

struct Interned {
    hasher: RandomState,
    /// By the hash of name and text.
    programs: HashMap<u64, Vec<Weak<Program>>>,
    /// How many buckets there may be before dead ones are removed.
    sweep_at: usize,
    /// The latest ones, the oldest first.
    kept: VecDeque<Arc<Program>>,
}

static INTERNED: LazyLock<Mutex<Interned>> = LazyLock::new(|| {
    Mutex::new(Interned {
        hasher: RandomState::new(),
        programs: HashMap::new(),
        sweep_at: SWEEP_FROM,
        kept: VecDeque::new(),
    })
});

/// The program of that name and text: the one that is there already, or a new one.
pub(crate) fn intern(name: &str, ptx: String) -> Arc<Program> {
    let (program, evicted) = {
        // Nothing in here is left half done by a panic.
        let mut interned = INTERNED.lock().unwrap_or_else(PoisonError::into_inner);
        let program = interned.find_or_insert(name, ptx);
        let evicted = interned.keep(&program);
        (program, evicted)
    };
    // Outside of the lock: this may unload a kernel from a device.
    drop(evicted);
    program
}

impl Interned {
    fn find_or_insert(&mut self, name: &str, ptx: String) -> Arc<Program> {
        let hash = self.hasher.hash_one((name, ptx.as_str()));
        let bucket = self.programs.entry(hash).or_default();
        let same = |program: &Arc<Program>| program.name() == name && program.ptx() == ptx;
        if let Some(program) = bucket.iter().filter_map(Weak::upgrade).find(same) {
            return program;
        }
        let program = Arc::new(Program::received(name, ptx));
        bucket.retain(|program| program.strong_count() > 0);
        bucket.push(Arc::downgrade(&program));
        if self.programs.len() > self.sweep_at {
            self.programs.retain(|_, bucket| bucket.iter().any(|it| it.strong_count() > 0));
            self.sweep_at = SWEEP_FROM.max(2 * self.programs.len());
        }
        program
    }

    /// Makes `program` the latest one; returns what has to go for it.
    fn keep(&mut self, program: &Arc<Program>) -> Option<Arc<Program>> {
        let position = self.kept.iter().position(|kept| Arc::ptr_eq(kept, program));
        if let Some(position) = position {
            self.kept.remove(position);
        }
        self.kept.push_back(Arc::clone(program));
        if self.kept.len() > KEPT { self.kept.pop_front() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_program_and_unused_ones_go() {
        let first = intern("intern_test", "same".to_owned());
        let again = intern("intern_test", "same".to_owned());
        assert!(Arc::ptr_eq(&first, &again));
        assert!(!Arc::ptr_eq(&first, &intern("intern_test", "other".to_owned())));
        assert!(!Arc::ptr_eq(&first, &intern("intern_test_2", "same".to_owned())));

        let weak = Arc::downgrade(&intern("intern_test", "brief".to_owned()));
        assert!(weak.upgrade().is_some(), "kept for the next one who receives it");
        for i in 0..500 {
            intern("intern_test", format!("text {i}"));
        }
        assert!(weak.upgrade().is_none());
        assert!(Arc::ptr_eq(&first, &intern("intern_test", "same".to_owned())), "still in use");
        let buckets = INTERNED.lock().unwrap().programs.len();
        assert!(buckets <= 200, "{buckets} buckets for at most {KEPT} live programs");
    }
}
