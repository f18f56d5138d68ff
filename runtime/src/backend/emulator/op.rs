//! What can be queued on an emulated stream, and how it is done.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use ptx_emulator::{Launch, MemoryError, Program};

use super::Emulator;
use super::queue::EmulatorQueue;
use crate::error::Error;

/// One operation. Addresses are the emulated device's.
pub(super) enum Op {
    Launch(Box<LaunchOp>),
    /// Bytes that were taken when the operation was queued.
    Write {
        to: u64,
        bytes: Box<[u8]>,
    },
    WriteFrom {
        to: u64,
        from: HostPointer,
        len: usize,
    },
    ReadInto {
        from: u64,
        to: HostPointer,
        len: usize,
    },
    Copy {
        from: u64,
        to: u64,
        bytes: u64,
    },
    Fill {
        to: u64,
        pattern: [u8; 8],
        width: usize,
        count: u64,
    },
    Free {
        address: u64,
    },
    /// Everything of another queue up to a position.
    Wait {
        queue: Arc<EmulatorQueue>,
        position: u64,
    },
    /// Notes the time.
    Mark(Arc<OnceLock<Instant>>),
}

pub(super) struct LaunchOp {
    pub(super) program: Arc<Program>,
    pub(super) kernel: String,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) dynamic_shared: u32,
    pub(super) params: Box<[u8]>,
}

/// Host memory that outlives the operation: whoever queued it keeps it and does not touch it.
pub(super) struct HostPointer(pub(super) *mut u8);

// SAFETY: see above; `EmulatorQueue::write_later` and `read_later` ask it of their callers.
unsafe impl Send for HostPointer {}

impl Op {
    /// Bytes of host memory that the operation keeps while it is queued.
    pub(super) fn weight(&self) -> usize {
        match self {
            Op::Write { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }

    /// Does it. `Wait` is not for here: the queue does that.
    pub(super) fn run(self, emulator: &Emulator) -> Result<(), Error> {
        let memory = &emulator.memory;
        match self {
            Op::Launch(launch) => launch.run(emulator),
            Op::Write { to, bytes } => memory.write(to, &bytes).map_err(failed("upload")),
            Op::WriteFrom { to, from, len } => {
                // SAFETY: whoever queued the operation keeps the memory and does not write to it.
                let bytes = unsafe { std::slice::from_raw_parts(from.0, len) };
                memory.write(to, bytes).map_err(failed("upload"))
            }
            Op::ReadInto { from, to, len } => {
                // SAFETY: whoever queued the operation keeps the memory, which is initialised, and
                // does not use it.
                let bytes = unsafe { std::slice::from_raw_parts_mut(to.0, len) };
                memory.read(from, bytes).map_err(failed("download"))
            }
            Op::Copy { from, to, bytes } => memory.copy(from, to, bytes).map_err(failed("copy")),
            Op::Fill { to, pattern, width, count } => {
                memory.fill(to, &pattern[..width], count).map_err(failed("fill"))
            }
            Op::Free { address } => memory.free(address).map_err(failed("free")),
            Op::Mark(time) => {
                // A mark is run once.
                let _ = time.set(Instant::now());
                Ok(())
            }
            Op::Wait { .. } => Ok(()),
        }
    }
}

impl LaunchOp {
    fn run(&self, emulator: &Emulator) -> Result<(), Error> {
        let error = |message: String| Error::Emulator { operation: self.kernel.clone(), message };
        let kernel = self
            .program
            .kernel(&self.kernel)
            .ok_or_else(|| error(format!("kernel `{}` has gone from its program", self.kernel)))?;
        let launch = Launch {
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.dynamic_shared,
            params: &self.params,
            workers: None,
        };
        ptx_emulator::run(kernel, &launch, &emulator.memory)
            .map(drop)
            .map_err(|fault| error(fault.to_string()))
    }
}

fn failed(operation: &'static str) -> impl Fn(MemoryError) -> Error {
    move |error| Error::Emulator {
        operation: operation.to_owned(),
        message: format!("{operation}: {error}"),
    }
}
