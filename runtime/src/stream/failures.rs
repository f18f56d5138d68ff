//! What went wrong in the kernels of a stream, until somebody is told.

use std::sync::Arc;

use super::Queue;
use crate::backend::cuda::{CudaRecord, CudaStream};
use crate::backend::emulator::EmulatorQueue;
use crate::error::Result;
use crate::panic;

/// The failures of one stream. Streams that waited for it keep them, to tell of them too.
pub(crate) enum Failures {
    Cuda(CudaRecord),
    Emulator { queue: Arc<EmulatorQueue>, record: u64 },
}

impl Failures {
    pub(super) fn new(queue: &Queue) -> Result<Failures> {
        match queue {
            Queue::Cuda(stream) => CudaRecord::new(stream.context()).map(Failures::Cuda),
            Queue::Emulator(queue) => {
                let record = queue.emulator().new_record()?;
                Ok(Failures::Emulator { queue: queue.clone(), record })
            }
        }
    }

    /// The address of the panic record on the device.
    #[inline]
    pub(super) fn record(&self) -> u64 {
        match self {
            Failures::Cuda(record) => record.address(),
            Failures::Emulator { record, .. } => *record,
        }
    }

    /// The first failure that nobody has been told of.
    pub(super) fn check(&self) -> Result<()> {
        let record = match self {
            Failures::Cuda(record) => record.take(),
            Failures::Emulator { queue, record } => {
                if let Some(error) = queue.take_failure() {
                    return Err(error);
                }
                queue.emulator().take_record(*record)
            }
        };
        match record {
            Some(record) => Err(panic::decode(&record)),
            None => Ok(()),
        }
    }

    /// The stream goes; its record must stay until its last kernel has ended.
    pub(super) fn retire(&self, stream: &CudaStream) {
        if let Failures::Cuda(record) = self {
            record.retire(stream);
        }
    }
}

impl Drop for Failures {
    fn drop(&mut self) {
        if let Failures::Emulator { queue, record } = self {
            // Nobody else frees it.
            let _ = queue.emulator().memory.free(*record);
        }
    }
}
