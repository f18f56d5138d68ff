//! What an operation's handler works on: one warp's registers and the memory it can see.

use std::sync::Arc;

use super::lanes::{Bits, FULL, LANES, Lane, Unit};
use super::pattern::{PATTERNS, Pattern};
use crate::fault::FaultKind;
use crate::memory::Table;
use crate::program::Kernel;

/// Entries of the cache of allocations: one for each pattern.
pub(crate) const RANGES: usize = PATTERNS;

/// A live allocation that an operation met before.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

/// The state that handlers see: everything that a worker thread owns, pointed at the warp that
/// runs.
pub(crate) struct Context {
    /// Registers of all warps of the block, one warp's after the other's.
    frames: Vec<Unit>,
    predicates: Vec<u32>,
    /// Of the warp that runs: indices of its first unit, predicate and row of local memory.
    frame: usize,
    predicate_base: usize,
    local_base: usize,
    /// Lanes that have exited or never existed: what happens to their registers does not matter.
    pub(crate) dead: u32,
    pub(crate) shared: Vec<u8>,
    /// Local memory: for each 4 bytes of a thread's, a row of 32 lanes; all warps'.
    local: Vec<[u32; LANES]>,
    local_rows: usize,
    pub(crate) table: Arc<Table>,
    pub(crate) ranges: [Range; RANGES],
    pub(super) patterns: [Pattern; PATTERNS],
    /// Instructions that this worker has executed: what `%clock` reads.
    pub(crate) clock: u64,
    pub(crate) fault: Option<LaneFault>,
}

/// What a handler found wrong.
pub(crate) struct LaneFault {
    pub(crate) lane: usize,
    pub(crate) kind: FaultKind,
}

impl Context {
    /// For blocks of so many warps.
    pub(crate) fn new(kernel: &Kernel, warps: usize, shared: usize, table: Arc<Table>) -> Context {
        let local_rows = kernel.local_bytes as usize / 4;
        Context {
            frames: vec![Unit([0; LANES]); kernel.units * warps],
            predicates: vec![0; kernel.predicates * warps],
            frame: 0,
            predicate_base: 0,
            local_base: 0,
            dead: 0,
            shared: vec![0; shared],
            local: vec![[0; LANES]; local_rows * warps],
            local_rows,
            table,
            ranges: [Range { address: 0, bytes: 0 }; RANGES],
            patterns: [Pattern::NONE; PATTERNS],
            clock: 0,
            fault: None,
        }
    }

    /// Points at a warp.
    pub(crate) fn switch_to(&mut self, kernel: &Kernel, warp: usize) {
        self.frame = kernel.units * warp;
        self.predicate_base = kernel.predicates * warp;
        self.local_base = self.local_rows * warp;
    }

    /// Memory that has not been written is the same in every run.
    pub(crate) fn reset_memory(&mut self) {
        self.shared.fill(0xff);
        self.local.fill([u32::MAX; LANES]);
    }

    /// The warp's local memory.
    #[inline(always)]
    pub(crate) fn local(&mut self) -> &mut [[u32; LANES]] {
        &mut self.local[self.local_base..][..self.local_rows]
    }

    /// Bytes of local memory that a thread has.
    #[inline(always)]
    pub(crate) fn local_bytes(&self) -> usize {
        self.local_rows * 4
    }

    /// A register's lanes.
    ///
    /// # Safety
    /// `slot` is inside the frame, with as many units behind it as `B` takes.
    #[inline(always)]
    pub(crate) unsafe fn lanes<B: Bits>(&self, slot: u16) -> &[B; LANES] {
        // SAFETY: the caller's; units are aligned for both widths, and any bits are valid.
        unsafe { &*self.frames.as_ptr().add(self.frame + slot as usize).cast() }
    }

    /// Writes the lanes of `mask`; lanes that are dead may be written too.
    ///
    /// # Safety
    /// As for [`Self::lanes`].
    #[inline(always)]
    pub(crate) unsafe fn set<B: Bits>(&mut self, slot: u16, values: &[B; LANES], mask: u32) {
        // SAFETY: the caller's, and `&mut self` makes it the only reference.
        let into: &mut [B; LANES] =
            unsafe { &mut *self.frames.as_mut_ptr().add(self.frame + slot as usize).cast() };
        if mask | self.dead == FULL {
            *into = *values;
        } else {
            for lane in 0..LANES {
                into[lane] = values[lane].choose(into[lane], mask, lane);
            }
        }
    }

    /// A register, read as a type.
    ///
    /// # Safety
    /// As for [`Self::lanes`].
    #[inline(always)]
    pub(crate) unsafe fn get<T: Lane>(&self, slot: u16) -> &[T::Bits; LANES] {
        // SAFETY: the caller's.
        unsafe { self.lanes::<T::Bits>(slot) }
    }

    /// A predicate's lanes.
    ///
    /// # Safety
    /// `slot` is one of the kernel's predicates.
    #[inline(always)]
    pub(crate) unsafe fn predicate(&self, slot: u16) -> u32 {
        // SAFETY: the caller's.
        unsafe { *self.predicates.get_unchecked(self.predicate_base + slot as usize) }
    }

    /// Writes a predicate's lanes of `mask`.
    ///
    /// # Safety
    /// As for [`Self::predicate`].
    #[inline(always)]
    pub(crate) unsafe fn set_predicate(&mut self, slot: u16, value: u32, mask: u32) {
        let at = self.predicate_base + slot as usize;
        // SAFETY: the caller's.
        let into = unsafe { self.predicates.get_unchecked_mut(at) };
        *into = *into & !mask | value & mask;
    }
}
