//! Which streams have used which bytes of an allocation, so that the next one knows whom to wait
//! for.
//!
//! The bytes of a use are kept, not only the stream: halves of one buffer that two streams work on
//! do not wait for each other. Only uses that have to be waited for cost anything: as long as one
//! stream uses the memory there is one entry, which never changes.

use std::ops::Range;

use crate::error::Result;

/// What a use does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// More entries than this are made fewer, at the price of waits that are not needed.
const MOST_ENTRIES: usize = 32;

/// The uses of one allocation. `S` is a stream.
#[derive(Debug)]
pub(super) struct Uses<S> {
    entries: Vec<Use<S>>,
    /// Counts uses: entries are compared by when they were.
    clock: u64,
}

#[derive(Debug)]
struct Use<S> {
    stream: S,
    bytes: Range<u64>,
    access: Access,
    /// The last of these uses.
    latest: u64,
    /// For all these bytes, the stream has waited for everything up to here that a use of this
    /// kind has to wait for.
    ordered: u64,
}

impl<S: Clone + PartialEq> Uses<S> {
    /// The uses of new memory: its bytes are a stream's.
    pub(super) fn allocated_by(stream: &S, bytes: Range<u64>) -> Uses<S> {
        let entry =
            Use { stream: stream.clone(), bytes, access: Access::Write, latest: 1, ordered: 1 };
        Uses { entries: vec![entry], clock: 1 }
    }

    /// Calls `wait` for each stream that `stream` has to wait for before it may use `bytes`, then
    /// notes the use.
    ///
    /// Between this call and the work itself no conflicting use can come, because the caller holds
    /// a borrow of the bytes.
    #[inline]
    pub(super) fn begin(
        &mut self,
        stream: &S,
        bytes: Range<u64>,
        access: Access,
        wait: impl FnMut(&S) -> Result<()>,
    ) -> Result<()> {
        if let [only] = self.entries.as_slice()
            && only.access == Access::Write
            && only.stream == *stream
            && covers(&only.bytes, &bytes)
        {
            // Whoever comes next waits for all that this stream has been given by then.
            return Ok(());
        }
        self.begin_shared(stream, bytes, access, wait)
    }

    fn begin_shared(
        &mut self,
        stream: &S,
        bytes: Range<u64>,
        access: Access,
        mut wait: impl FnMut(&S) -> Result<()>,
    ) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        for (index, other) in self.entries.iter().enumerate() {
            let due = |other: &Use<S>| self.must_wait(stream, &bytes, access, other);
            if due(other)
                && !self.entries[..index]
                    .iter()
                    .any(|seen| seen.stream == other.stream && due(seen))
            {
                wait(&other.stream)?;
            }
        }
        self.clock += 1;
        self.note(stream, bytes, access);
        Ok(())
    }

    fn must_wait(&self, stream: &S, bytes: &Range<u64>, access: Access, other: &Use<S>) -> bool {
        if other.stream == *stream || (access == Access::Read && other.access == Access::Read) {
            return false;
        }
        let shared = bytes.start.max(other.bytes.start)..bytes.end.min(other.bytes.end);
        if shared.is_empty() {
            return false;
        }
        // Not if an earlier use has already waited for it.
        !self.entries.iter().any(|own| {
            own.stream == *stream
                && (own.access == Access::Write || other.access == Access::Write)
                && covers(&own.bytes, &shared)
                && own.ordered >= other.latest
        })
    }

    fn note(&mut self, stream: &S, bytes: Range<u64>, access: Access) {
        let now = self.clock;
        let mut kept = None;
        let mut index = 0;
        self.entries.retain(|entry| {
            let covered = covers(&bytes, &entry.bytes);
            let own = entry.stream == *stream && entry.access == access;
            // A write comes after what it covers, so whoever waits for it has waited for that; and
            // of this stream's own entries of this kind one is enough.
            let first_own = covered && own && kept.is_none();
            let keep = !covered || first_own || (access == Access::Read && !own);
            if first_own {
                kept = Some(index);
            }
            index += usize::from(keep);
            keep
        });
        if let Some(index) = kept {
            let entry = &mut self.entries[index];
            (entry.bytes, entry.latest, entry.ordered) = (bytes, now, now);
            return;
        }
        // A use of a part stands beside an entry of the whole: the rest was not used now.
        if self.entries.len() >= MOST_ENTRIES {
            self.coarsen();
        }
        let stream = stream.clone();
        self.entries.push(Use { stream, bytes, access, latest: now, ordered: now });
    }

    /// Makes one entry of each stream's reads and one of its writes. Nothing is known any more of
    /// what it has waited for in between.
    fn coarsen(&mut self) {
        let mut coarse: Vec<Use<S>> = Vec::new();
        for entry in self.entries.drain(..) {
            let same =
                |known: &&mut Use<S>| known.stream == entry.stream && known.access == entry.access;
            match coarse.iter_mut().find(same) {
                Some(known) => {
                    known.bytes.start = known.bytes.start.min(entry.bytes.start);
                    known.bytes.end = known.bytes.end.max(entry.bytes.end);
                    known.latest = known.latest.max(entry.latest);
                    known.ordered = 0;
                }
                None => coarse.push(entry),
            }
        }
        self.entries = coarse;
    }

    /// The stream of the last use.
    pub(super) fn last(&self) -> Option<&S> {
        self.entries.iter().max_by_key(|entry| entry.latest).map(|entry| &entry.stream)
    }

    /// The streams but one, each once.
    pub(super) fn others(&self, stream: &S) -> Vec<&S> {
        let mut others: Vec<&S> = Vec::new();
        for entry in &self.entries {
            if entry.stream != *stream && !others.contains(&&entry.stream) {
                others.push(&entry.stream);
            }
        }
        others
    }

    /// The streams, each once.
    pub(super) fn all(&self) -> Vec<S> {
        let mut all: Vec<S> = Vec::new();
        for entry in &self.entries {
            if !all.contains(&entry.stream) {
                all.push(entry.stream.clone());
            }
        }
        all
    }

    /// The streams that have written these bytes, each once.
    pub(super) fn writers(&self, bytes: &Range<u64>) -> Vec<S> {
        let mut writers: Vec<S> = Vec::new();
        for entry in &self.entries {
            let shared = entry.bytes.start < bytes.end && bytes.start < entry.bytes.end;
            if shared && entry.access == Access::Write && !writers.contains(&entry.stream) {
                writers.push(entry.stream.clone());
            }
        }
        writers
    }
}

fn covers(outer: &Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
#[path = "uses_tests.rs"]
mod tests;
