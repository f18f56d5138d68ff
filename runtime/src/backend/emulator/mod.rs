//! The emulator behind the same operations as the GPU's.

mod op;
mod queue;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nvptx_builder::metadata::PanicRecord;
use ptx_emulator::{LIMITS, Memory};

use crate::device::{Limits, StreamList};
use crate::error::{Error, Result};

pub(crate) use queue::{EmulatorQueue, Mark};

/// The architecture that the emulator stands for: it runs what an H200 runs.
const COMPUTE_CAPABILITY: (u32, u32) = (9, 0);

/// One emulated device.
pub(crate) struct Emulator {
    pub(crate) number: u64,
    pub(crate) limits: Limits,
    pub(crate) memory: Memory,
    pub(crate) streams: StreamList,
    /// Held while queued work runs. One lock for all streams, because a stream that waits for an
    /// event runs the other one up to it, and two of them may do so at once in both directions. A
    /// kernel spreads its blocks over the cores by itself.
    running: Mutex<()>,
}

impl Emulator {
    pub(crate) fn new() -> Emulator {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Emulator {
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            limits: Limits {
                compute_capability: COMPUTE_CAPABILITY,
                grid: LIMITS.grid,
                block: LIMITS.block,
                threads_per_block: LIMITS.threads,
                shared_per_block: LIMITS.static_shared,
                shared_per_block_opt_in: LIMITS.shared,
                warp_size: LIMITS.warp,
                multiprocessors: u32::try_from(cores).unwrap_or(u32::MAX),
                memory: u64::MAX,
            },
            memory: Memory::new(),
            streams: StreamList::default(),
            running: Mutex::new(()),
        }
    }

    pub(crate) fn allocate(&self, bytes: u64) -> Result<u64> {
        self.memory
            .allocate(bytes)
            .map_err(|_| Error::OutOfMemory { device: "the emulator".to_owned(), bytes })
    }

    fn run(&self) -> MutexGuard<'_, ()> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory for a stream's panic record, empty.
    pub(crate) fn new_record(&self) -> Result<u64> {
        let address = self.allocate(PanicRecord::SIZE as u64)?;
        self.write_record(address, PanicRecord::default());
        Ok(address)
    }

    fn write_record(&self, address: u64, record: PanicRecord) {
        // It was allocated with that size and is freed with its stream, so this cannot fail.
        let _ = self.memory.write(address, &record.to_bytes());
    }

    /// The record of a thread that has panicked; the record is then empty again.
    pub(crate) fn take_record(&self, address: u64) -> Option<PanicRecord> {
        let _running = self.run();
        let mut bytes = [0; PanicRecord::SIZE];
        self.memory.read(address, &mut bytes).ok()?;
        let record = PanicRecord::from_bytes(&bytes);
        (record.state == 2).then(|| {
            self.write_record(address, PanicRecord::default());
            record
        })
    }
}
