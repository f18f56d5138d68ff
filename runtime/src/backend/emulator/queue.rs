//! An emulated stream: a queue whose work runs only when something waits for it.
//!
//! So a dependency that the program forgot is missing every time, not now and then.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use ptx_emulator::Program;

use super::Emulator;
use super::op::{HostPointer, LaunchOp, Op};
use crate::error::Error;

/// Like a GPU's, a queue is not endless: past so many operations, or so many bytes of uploads, the
/// one that adds to it does the work.
const MOST_OPERATIONS: usize = 1024;
const MOST_BYTES: usize = 256 << 20;

/// A queue of operations.
pub(crate) struct EmulatorQueue {
    emulator: Arc<Emulator>,
    waiting: Mutex<Waiting>,
    /// Operations done since the queue was made. Written only while `Emulator::running` is held.
    done: AtomicU64,
    /// The first failure that nobody has been told of.
    failure: Mutex<Option<Error>>,
}

#[derive(Default)]
struct Waiting {
    ops: VecDeque<Op>,
    bytes: usize,
    /// Operations queued since the queue was made.
    queued: u64,
}

/// A point of a queue, and the time when the work came by.
#[derive(Clone)]
pub(crate) struct Mark {
    position: u64,
    time: Arc<OnceLock<Instant>>,
}

impl Mark {
    /// When the work came by, if it has.
    pub(crate) fn time(&self) -> Option<Instant> {
        self.time.get().copied()
    }
}

impl EmulatorQueue {
    pub(crate) fn new(emulator: Arc<Emulator>) -> EmulatorQueue {
        EmulatorQueue {
            emulator,
            waiting: Mutex::default(),
            done: AtomicU64::new(0),
            failure: Mutex::new(None),
        }
    }

    pub(crate) fn emulator(&self) -> &Arc<Emulator> {
        &self.emulator
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues an operation and returns the position after it.
    fn push(&self, op: Op) -> u64 {
        let mut waiting = self.waiting();
        waiting.bytes += op.weight();
        waiting.ops.push_back(op);
        waiting.queued += 1;
        let position = waiting.queued;
        let full = waiting.ops.len() > MOST_OPERATIONS || waiting.bytes > MOST_BYTES;
        drop(waiting);
        if full {
            self.run_to(position);
        }
        position
    }

    pub(crate) fn launch(
        &self,
        program: &Arc<Program>,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        params: &[u8],
    ) {
        self.push(Op::Launch(Box::new(LaunchOp {
            program: program.clone(),
            kernel: kernel.to_owned(),
            grid,
            block,
            dynamic_shared,
            params: params.into(),
        })));
    }

    /// The bytes are taken now.
    pub(crate) fn write(&self, to: u64, bytes: &[u8]) {
        self.push(Op::Write { to, bytes: bytes.into() });
    }

    /// # Safety
    /// `from` points to `len` bytes that stay readable and unchanged until the copy is done.
    pub(crate) unsafe fn write_later(&self, to: u64, from: *const u8, len: usize) {
        self.push(Op::WriteFrom { to, from: HostPointer(from.cast_mut()), len });
    }

    /// # Safety
    /// `to` points to `len` initialised bytes that stay writable, and unused, until the copy is
    /// done.
    pub(crate) unsafe fn read_later(&self, from: u64, to: *mut u8, len: usize) {
        self.push(Op::ReadInto { from, to: HostPointer(to), len });
    }

    pub(crate) fn copy(&self, from: u64, to: u64, bytes: u64) {
        self.push(Op::Copy { from, to, bytes });
    }

    /// Writes `pattern` (at most 8 bytes) `count` times.
    pub(crate) fn fill(&self, to: u64, pattern: &[u8], count: u64) {
        let width = pattern.len();
        let mut padded = [0; 8];
        padded[..width].copy_from_slice(pattern);
        self.push(Op::Fill { to, pattern: padded, width, count });
    }

    pub(crate) fn free(&self, address: u64) {
        self.push(Op::Free { address });
    }

    /// Notes this point of the queue.
    pub(crate) fn mark(&self) -> Mark {
        let time = Arc::new(OnceLock::new());
        Mark { position: self.push(Op::Mark(time.clone())), time }
    }

    /// Later work waits for a mark of `other`.
    pub(crate) fn wait(&self, other: &Arc<EmulatorQueue>, mark: &Mark) {
        self.wait_to(other, mark.position);
    }

    /// Later work waits for what `other` has been given so far.
    pub(crate) fn wait_for(&self, other: &Arc<EmulatorQueue>) {
        self.wait_to(other, other.end());
    }

    fn wait_to(&self, other: &Arc<EmulatorQueue>, position: u64) {
        // A queue's own past is done by then, and what is done needs no waiting.
        if !std::ptr::eq(self, &raw const **other) && !other.is_done(position) {
            self.push(Op::Wait { queue: other.clone(), position });
        }
    }

    fn end(&self) -> u64 {
        self.waiting().queued
    }

    fn is_done(&self, position: u64) -> bool {
        self.done.load(Ordering::Acquire) >= position
    }

    /// Does all that has been queued.
    pub(crate) fn synchronize(&self) {
        self.run_to(self.end());
    }

    /// Does what was queued before a mark.
    pub(crate) fn run_to_mark(&self, mark: &Mark) {
        self.run_to(mark.position);
    }

    /// The first failure since the last call.
    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn run_to(&self, position: u64) {
        if !self.is_done(position) {
            let _running = self.emulator.run();
            self.run_holding(position);
        }
    }

    /// Does the work up to `position`; the caller holds `Emulator::running`.
    ///
    /// It recurses once for a stream that waits: each waits at its head for something that was
    /// queued earlier, so no stream comes twice, and the depth is at most the number of streams.
    fn run_holding(&self, position: u64) {
        while !self.is_done(position) {
            let op = {
                let mut waiting = self.waiting();
                let Some(op) = waiting.ops.pop_front() else { return };
                waiting.bytes -= op.weight();
                op
            };
            if let Op::Wait { queue, position } = &op {
                // The same device, as a stream refuses others' events: the lock is held.
                queue.run_holding(*position);
            } else if let Err(error) = op.run(&self.emulator) {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
            }
            self.done.fetch_add(1, Ordering::Release);
        }
    }
}
