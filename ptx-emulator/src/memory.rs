//! The emulated global memory.
//!
//! An address is the real host address of the byte, so a pinned host buffer and a device buffer
//! look alike to a kernel. Every access, the kernel's and the host's, goes through relaxed atomics:
//! a race in a kernel gives it some value, and never undefined behaviour in this process.
//! (Rust's memory model leaves racing atomics of *different widths* on one location open; compilers
//! and hardware treat them as the separate accesses they are, and only a kernel that races with
//! itself in that way gets there.)

use std::alloc::Layout;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Alignment of allocations, and the least distance between two.
const ALIGN: usize = 256;
/// What fresh memory holds: NaN as a float, −1 as an integer, out of range as an index.
const FRESH: u8 = 0xff;
/// Freed memory is kept this long, in bytes, before the host may reuse its addresses, so that a
/// use after free meets the freed range and not somebody else's new buffer.
const QUARANTINE: u64 = 64 << 20;

/// Global memory. Addresses of one `Memory` mean nothing to another.
pub struct Memory {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    table: Arc<Table>,
    quarantine: VecDeque<Arc<Backing>>,
    quarantined: u64,
}

/// What is allocated and what was freed; launches work on a snapshot.
#[derive(Clone, Default)]
pub(crate) struct Table {
    /// By address; no two overlap.
    entries: Vec<Allocation>,
}

/// A range of addresses.
#[derive(Clone)]
pub(crate) struct Allocation {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// `None` once freed. A launch's snapshot holds the backing, so a free during the launch takes
    /// effect after it.
    backing: Option<Arc<Backing>>,
}

impl Allocation {
    pub(crate) fn is_live(&self) -> bool {
        self.backing.is_some()
    }
}

/// Owns the host memory of an allocation, guard gaps included.
struct Backing {
    start: *mut u8,
    layout: Layout,
    bytes: u64,
}

// SAFETY: `Backing` owns plain bytes; whoever accesses them does so through atomics.
unsafe impl Send for Backing {}
// SAFETY: as above; `Backing` itself only frees them, in `drop`, when nobody shares it any more.
unsafe impl Sync for Backing {}

impl Drop for Backing {
    fn drop(&mut self) {
        // SAFETY: `start` came from `alloc` with this layout, in `Memory::allocate`, and is freed
        // only here.
        unsafe { std::alloc::dealloc(self.start, self.layout) }
    }
}

/// The host has no memory left for an emulated allocation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the emulator's host has no {bytes} bytes left to allocate")]
pub struct OutOfMemory {
    /// What was asked for.
    pub bytes: u64,
}

/// A host-side access to global memory that is not inside one live allocation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The range is not inside one allocation.
    #[error("{bytes} bytes at {address:#x} are not inside one allocation")]
    OutOfBounds {
        /// Its start.
        address: u64,
        /// Its length.
        bytes: u64,
    },
    /// The range is inside an allocation that was freed.
    #[error("{bytes} bytes at {address:#x} are in an allocation that was freed")]
    Freed {
        /// Its start.
        address: u64,
        /// Its length.
        bytes: u64,
    },
    /// `free` of an address that `allocate` did not return, or for the second time.
    #[error("no live allocation starts at {address:#x}")]
    NotAllocated {
        /// What was to be freed.
        address: u64,
    },
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Memory {
    /// Without any allocation.
    pub fn new() -> Memory {
        Memory { state: Mutex::new(State::default()) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock halfway through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table as it is now.
    pub(crate) fn snapshot(&self) -> Arc<Table> {
        self.state().table.clone()
    }

    /// Allocates, 256-byte aligned and not adjacent to any other allocation. The contents are
    /// `0xff` bytes: NaN as a float, out of range as an index.
    ///
    /// Zero bytes give an address of their own at which nothing can be accessed.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the host has none.
    pub fn allocate(&self, bytes: u64) -> Result<u64, OutOfMemory> {
        let failed = OutOfMemory { bytes };
        let padded = usize::try_from(bytes)
            .ok()
            .and_then(|bytes| bytes.max(1).checked_next_multiple_of(ALIGN)?.checked_add(2 * ALIGN))
            .ok_or(failed.clone())?;
        let layout = Layout::from_size_align(padded, ALIGN).map_err(|_| failed.clone())?;
        // SAFETY: the layout's size is at least 3 * ALIGN.
        let start = unsafe { std::alloc::alloc(layout) };
        if start.is_null() {
            return Err(failed);
        }
        // SAFETY: `start` points to `padded` bytes that nobody else knows of yet.
        unsafe { start.write_bytes(FRESH, padded) };
        let address = start.expose_provenance() as u64 + ALIGN as u64;
        let backing = Arc::new(Backing { start, layout, bytes });
        let mut state = self.state();
        let entries = &mut Arc::make_mut(&mut state.table).entries;
        // The host reuses addresses once the quarantine lets go of them.
        let end = address + bytes.max(1);
        entries.retain(|old| {
            old.is_live() || old.address + old.bytes.max(1) <= address || old.address >= end
        });
        let at = entries.partition_point(|old| old.address < address);
        entries.insert(at, Allocation { address, bytes, backing: Some(backing) });
        Ok(address)
    }

    /// Frees an allocation. A launch that is running keeps its memory until it ends.
    ///
    /// # Errors
    /// [`MemoryError::NotAllocated`].
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut state = self.state();
        let entries = &mut Arc::make_mut(&mut state.table).entries;
        let backing = entries
            .binary_search_by_key(&address, |entry| entry.address)
            .ok()
            .and_then(|at| entries[at].backing.take())
            .ok_or(MemoryError::NotAllocated { address })?;
        state.quarantined += backing.bytes;
        state.quarantine.push_back(backing);
        while state.quarantined > QUARANTINE {
            let Some(oldest) = state.quarantine.pop_front() else { break };
            state.quarantined -= oldest.bytes;
        }
        Ok(())
    }

    /// Copies from global memory.
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] or [`MemoryError::Freed`].
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), MemoryError> {
        let table = self.snapshot();
        table.check(address, into.len() as u64)?;
        // SAFETY: the range is inside a live allocation, which `table` keeps alive.
        unsafe { read_bytes(address, into) };
        Ok(())
    }

    /// Copies to global memory.
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] or [`MemoryError::Freed`].
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let table = self.snapshot();
        table.check(address, bytes.len() as u64)?;
        // SAFETY: the range is inside a live allocation, which `table` keeps alive.
        unsafe { write_bytes(address, bytes) };
        Ok(())
    }

    /// Writes `pattern` `count` times, one after the other.
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] or [`MemoryError::Freed`].
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), MemoryError> {
        let bytes = (pattern.len() as u64)
            .checked_mul(count)
            .ok_or(MemoryError::OutOfBounds { address, bytes: u64::MAX })?;
        let table = self.snapshot();
        table.check(address, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // Whole repetitions, so that most writes are long.
        let repeat = (4096 / pattern.len() as u64).clamp(1, count);
        let chunk = pattern.repeat(repeat as usize);
        let mut done = 0;
        while done < bytes {
            let now = (bytes - done).min(chunk.len() as u64);
            // SAFETY: `address + done .. + now` is inside the checked range, which `table` keeps
            // alive.
            unsafe { write_bytes(address + done, &chunk[..now as usize]) };
            done += now;
        }
        Ok(())
    }

    /// Copies within global memory; the ranges may overlap.
    ///
    /// # Errors
    /// [`MemoryError::OutOfBounds`] or [`MemoryError::Freed`].
    pub fn copy(&self, from: u64, to: u64, bytes: u64) -> Result<(), MemoryError> {
        let table = self.snapshot();
        table.check(from, bytes)?;
        table.check(to, bytes)?;
        let mut buffer = [0u8; 4096];
        let mut left = bytes;
        while left > 0 {
            let now = left.min(buffer.len() as u64);
            // Backwards where a forward copy would overwrite what it has yet to read.
            let at = if to > from { left - now } else { bytes - left };
            let chunk = &mut buffer[..now as usize];
            // SAFETY: both are inside the checked ranges, which `table` keeps alive.
            unsafe {
                read_bytes(from + at, chunk);
                write_bytes(to + at, chunk);
            }
            left -= now;
        }
        Ok(())
    }
}

impl Table {
    /// The last range that starts at or before the address, live or freed.
    pub(crate) fn at_or_before(&self, address: u64) -> Option<&Allocation> {
        let after = self.entries.partition_point(|entry| entry.address <= address);
        self.entries[..after].last()
    }

    /// The first range that starts after the address, live or freed.
    pub(crate) fn after(&self, address: u64) -> Option<&Allocation> {
        self.entries.get(self.entries.partition_point(|entry| entry.address <= address))
    }

    fn check(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        let out = MemoryError::OutOfBounds { address, bytes };
        if bytes == 0 {
            return Ok(());
        }
        let Some(entry) = self.at_or_before(address) else { return Err(out) };
        let offset = address - entry.address;
        if offset >= entry.bytes || entry.bytes - offset < bytes {
            return Err(out);
        }
        if !entry.is_live() {
            return Err(MemoryError::Freed { address, bytes });
        }
        Ok(())
    }
}

/// Where the 8-byte aligned middle of a range starts and ends.
fn middle(address: u64, length: usize) -> (usize, usize) {
    let head = (address.wrapping_neg() & 7) as usize;
    if head >= length { (length, length) } else { (head, head + (length - head) / 8 * 8) }
}

/// # Safety
/// The bytes are inside a live [`Backing`], which the caller keeps alive.
unsafe fn read_bytes(address: u64, into: &mut [u8]) {
    let (head, tail) = middle(address, into.len());
    // SAFETY: the caller's; atomics of this crate are the only accesses to that memory.
    let byte = |at: usize| unsafe { &*pointer::<AtomicU8>(address + at as u64) };
    for (at, slot) in into[..head].iter_mut().enumerate() {
        *slot = byte(at).load(Relaxed);
    }
    for (at, slot) in into[head..tail].chunks_exact_mut(8).enumerate() {
        // SAFETY: as above, and aligned: `middle` starts at a multiple of 8.
        let word = unsafe { &*pointer::<AtomicU64>(address + (head + 8 * at) as u64) };
        slot.copy_from_slice(&word.load(Relaxed).to_ne_bytes());
    }
    for (at, slot) in into[tail..].iter_mut().enumerate() {
        *slot = byte(tail + at).load(Relaxed);
    }
}

/// # Safety
/// The bytes are inside a live [`Backing`], which the caller keeps alive.
unsafe fn write_bytes(address: u64, bytes: &[u8]) {
    let (head, tail) = middle(address, bytes.len());
    // SAFETY: the caller's; atomics of this crate are the only accesses to that memory.
    let byte = |at: usize| unsafe { &*pointer::<AtomicU8>(address + at as u64) };
    for (at, value) in bytes[..head].iter().enumerate() {
        byte(at).store(*value, Relaxed);
    }
    for (at, value) in bytes[head..tail].chunks_exact(8).enumerate() {
        // SAFETY: as above, and aligned: `middle` starts at a multiple of 8.
        let word = unsafe { &*pointer::<AtomicU64>(address + (head + 8 * at) as u64) };
        let mut array = [0; 8];
        array.copy_from_slice(value);
        word.store(u64::from_ne_bytes(array), Relaxed);
    }
    for (at, value) in bytes[tail..].iter().enumerate() {
        byte(tail + at).store(*value, Relaxed);
    }
}

/// A host address as a pointer again; its provenance was exposed by [`Memory::allocate`].
#[inline(always)]
pub(crate) fn pointer<T>(address: u64) -> *const T {
    std::ptr::with_exposed_provenance(address as usize)
}
