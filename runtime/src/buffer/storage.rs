//! An allocation, and who uses it.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::uses::{Access, Uses};
use crate::device::Device;
use crate::error::Result;
use crate::stream::{Queue, Stream};

/// Memory on a device. When the last handle of it is dropped, it is returned after the work that
/// uses it, in the order of a stream; the host does not wait.
pub(crate) struct Storage {
    device: Device,
    address: u64,
    uses: Mutex<Uses<Stream>>,
}

impl Storage {
    /// `bytes` bytes that work on `stream` may use from now on. No bytes are no allocation.
    pub(super) fn allocate(stream: &Stream, bytes: u64) -> Result<Storage> {
        let address = match &stream.inner.queue {
            _ if bytes == 0 => 0,
            Queue::Cuda(queue) => queue.allocate(bytes)?,
            Queue::Emulator(queue) => queue.emulator().allocate(bytes)?,
        };
        // The allocation is part of the stream's work, so another stream has to wait for it.
        let uses = Uses::allocated_by(stream, 0..bytes);
        Ok(Storage { device: stream.device().clone(), address, uses: Mutex::new(uses) })
    }

    #[inline]
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    fn uses(&self) -> MutexGuard<'_, Uses<Stream>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stream is about to be given work that uses these bytes: it waits, on the device, for what
    /// it has to wait for.
    #[inline]
    pub(super) fn begin(&self, stream: &Stream, bytes: Range<u64>, access: Access) -> Result<u64> {
        stream.device().expect(&self.device, "the buffer")?;
        let address = self.address + bytes.start;
        self.uses().begin(stream, bytes, access, |other| stream.wait_for(other))?;
        Ok(address)
    }

    /// The streams that have written these bytes, for someone who reads them outside our tracking.
    pub(crate) fn writers(&self, bytes: Range<u64>) -> Vec<Stream> {
        self.uses().writers(&bytes)
    }

    /// The streams that have used the memory, for someone who writes to it outside our tracking.
    pub(crate) fn users(&self) -> Vec<Stream> {
        self.uses().all()
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if self.address == 0 {
            return;
        }
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(last) = uses.last().cloned() else { return };
        // The one that used it last waits for the others and returns it. If that fails, the device
        // has failed, or is being captured: then the memory is better lost than reused too early.
        if uses.others(&last).into_iter().try_for_each(|other| last.wait_for(other)).is_err() {
            return;
        }
        match &last.inner.queue {
            Queue::Cuda(queue) => queue.free(self.address),
            Queue::Emulator(queue) => queue.free(self.address),
        }
    }
}
