//! Kernels on a stream.

use super::{Queue, Stream};
use crate::device::{Code, LoadedKernel};
use crate::error::{Error, Result};

impl Stream {
    /// Puts a kernel on the stream. `params` are the packed bytes of its parameters, with the
    /// address of [`panic_record`](Self::panic_record) in its place. The caller has checked the
    /// dimensions and the parameters.
    ///
    /// # Errors
    /// [`Error::WrongDevice`], [`Error::SharedMemory`], what the driver says.
    #[inline]
    pub(crate) fn enqueue(
        &self,
        kernel: &LoadedKernel,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        params: &mut [u8],
    ) -> Result<()> {
        kernel.prepare(dynamic_shared)?;
        match (&self.inner.queue, kernel.code()) {
            (Queue::Cuda(stream), Code::Cuda(function))
                if std::ptr::eq(stream.context(), function.context()) =>
            {
                stream.launch(function, grid, block, dynamic_shared, params)
            }
            (Queue::Emulator(queue), Code::Emulator(program)) => {
                queue.launch(program, kernel.name(), grid, block, dynamic_shared, params);
                Ok(())
            }
            _ => Err(Error::WrongDevice {
                what: format!("kernel `{}`", kernel.name()),
                expected: self.device().id().to_string(),
                found: kernel.device_name().to_owned(),
            }),
        }
    }

    /// The address, on the device, of the record that a panicking thread of this stream fills.
    #[inline]
    pub(crate) fn panic_record(&self) -> u64 {
        self.inner.failures.record()
    }
}
