//! From a buffer to an exported tensor.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use nvptx_builder::metadata::Scalar;

use super::ffi::{DLDataType, DLDevice};
use super::{ConsumerStream, DlpackError, DlpackTensor};
use crate::buffer::Buffer;
use crate::device::{Device, DeviceId, Kind};
use crate::element::Element;
use crate::error::Result;
use crate::stream::Stream;

/// The most dimensions of a tensor, which is more than any consumer takes.
const MAX_DIMENSIONS: usize = 64;

/// A buffer about to be exported; [`for_stream`](Self::for_stream) or
/// [`synchronized`](Self::synchronized) does it.
#[must_use = "nothing is exported before `for_stream` or `synchronized`"]
pub struct Export<T: Element> {
    source: Source<T>,
    shape: Option<Vec<usize>>,
    read_only: bool,
}

enum Source<T: Element> {
    /// The consumer will be the only one who has it.
    Owned(Buffer<T>),
    /// The program goes on reading it.
    Shared(Arc<Buffer<T>>),
}

impl<T: Element> Source<T> {
    fn buffer(&self) -> &Buffer<T> {
        match self {
            Source::Owned(buffer) => buffer,
            Source::Shared(buffer) => buffer,
        }
    }
}

impl<T: Element> Buffer<T> {
    /// Gives the buffer to a DLPack consumer, which may write to it.
    pub fn into_dlpack(self) -> Export<T> {
        Export { source: Source::Owned(self), shape: None, read_only: false }
    }

    /// Shares the buffer with a DLPack consumer, read-only for both sides.
    pub fn share_dlpack(self: &Arc<Buffer<T>>) -> Export<T> {
        Export { source: Source::Shared(Arc::clone(self)), shape: None, read_only: true }
    }
}

impl<T: Element> Export<T> {
    /// The dimensions, in row-major order; without it there is one, the buffer's length.
    pub fn shape(mut self, shape: &[usize]) -> Export<T> {
        self.shape = Some(shape.to_vec());
        self
    }

    /// Tells the consumer not to write.
    pub fn read_only(mut self) -> Export<T> {
        self.read_only = true;
        self
    }

    /// Exports to a consumer that uses the data on `consumer`: work that it puts there from now on
    /// comes after all that has been done to the buffer. The host does not wait.
    ///
    /// # Errors
    /// [`DlpackError::Stream`], [`DlpackError::Shape`];
    /// [`Error::Capturing`](crate::Error::Capturing) if one of the streams is being captured, whose
    /// capture goes on; on the emulator, what the work that is now done brings to light. The buffer
    /// is dropped with an error.
    pub fn for_stream(self, consumer: ConsumerStream) -> Result<DlpackTensor> {
        let shape = self.checked_shape()?;
        if let Some(handle) = consumer.handle() {
            for stream in self.users() {
                order(&stream, handle)?;
            }
        }
        Ok(self.tensor(shape))
    }

    /// Exports to a consumer that cannot say which stream it uses: the host waits until all that
    /// has been done to the buffer is finished.
    ///
    /// # Errors
    /// [`DlpackError::Shape`]; as [`Stream::synchronize`], a kernel that panicked included. The
    /// buffer is dropped with an error.
    pub fn synchronized(self) -> Result<DlpackTensor> {
        let shape = self.checked_shape()?;
        for stream in self.users() {
            stream.synchronize()?;
        }
        Ok(self.tensor(shape))
    }

    /// The streams that the consumer must come after: those that wrote, and for a consumer who may
    /// write also those that read.
    fn users(&self) -> Vec<Stream> {
        let storage = self.source.buffer().storage();
        if self.read_only { storage.writers(0..u64::MAX) } else { storage.users() }
    }

    fn checked_shape(&self) -> std::result::Result<Box<[i64]>, DlpackError> {
        let len = self.source.buffer().len();
        let shape = match &self.shape {
            Some(shape) => shape.as_slice(),
            None => &[len],
        };
        let wrong = || DlpackError::Shape { shape: shape.to_vec(), len };
        let elements = if shape.contains(&0) {
            Some(0) // whatever the other dimensions multiply to
        } else {
            shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size))
        };
        if elements != Some(len) || shape.len() > MAX_DIMENSIONS {
            return Err(wrong());
        }
        shape.iter().map(|size| i64::try_from(*size).map_err(|_| wrong())).collect()
    }

    fn tensor(self, shape: Box<[i64]>) -> DlpackTensor {
        let buffer = self.source.buffer();
        let (address, device) = (buffer.address(), dl_device(buffer.device()));
        let owner: Box<dyn Send> = match self.source {
            Source::Owned(buffer) => Box::new(Retained::new(buffer.device().clone(), buffer)),
            Source::Shared(buffer) => Box::new(Retained::new(buffer.device().clone(), buffer)),
        };
        DlpackTensor::new(address, device, data_type(T::SCALAR), shape, self.read_only, owner)
    }
}

/// Makes the consumer's stream wait for `stream`, unless it is the same one.
fn order(stream: &Stream, consumer: u64) -> Result<()> {
    if !stream.device().is_emulator() && stream.raw_handle() == consumer {
        return Ok(());
    }
    stream.refuse_capture("a DLPack export")?;
    // SAFETY: who made the `ConsumerStream` vouches for its handle.
    unsafe { stream.hold_back(consumer) }
}

fn dl_device(device: &Device) -> DLDevice {
    match device.id() {
        DeviceId::Cuda(ordinal) => DLDevice {
            device_type: DLDevice::CUDA,
            // The driver's own numbers are `int`s.
            device_id: ordinal as i32,
        },
        DeviceId::Emulator(_) => DLDevice { device_type: DLDevice::CPU, device_id: 0 },
    }
}

fn data_type(scalar: Scalar) -> DLDataType {
    let code = match scalar {
        Scalar::Bool => DLDataType::BOOL,
        Scalar::F32 | Scalar::F64 => DLDataType::FLOAT,
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize => DLDataType::INT,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::Usize => DLDataType::UINT,
    };
    // At most 8 bytes.
    DLDataType { code, bits: (8 * scalar.size()) as u8, lanes: 1 }
}

/// Memory that a consumer has used in ways that we do not know of.
struct Retained<M> {
    device: Device,
    memory: ManuallyDrop<M>,
}

impl<M> Retained<M> {
    fn new(device: Device, memory: M) -> Retained<M> {
        Retained { device, memory: ManuallyDrop::new(memory) }
    }
}

impl<M> Drop for Retained<M> {
    fn drop(&mut self) {
        if let Kind::Cuda(context) = &self.device.kind
            && context.wait_for_everybody().is_err()
        {
            // The device has failed, or the process has forked: then the memory is better lost
            // than reused under a kernel that still writes to it.
            return;
        }
        // SAFETY: this is the only place that takes it, and it runs once.
        unsafe { ManuallyDrop::drop(&mut self.memory) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_has_its_code() {
        let of = |scalar| {
            let DLDataType { code, bits, lanes } = data_type(scalar);
            (code, bits, lanes)
        };
        assert_eq!(of(Scalar::Bool), (6, 8, 1));
        assert_eq!(of(Scalar::I8), (0, 8, 1));
        assert_eq!(of(Scalar::I64), (0, 64, 1));
        assert_eq!(of(Scalar::Isize), (0, 64, 1));
        assert_eq!(of(Scalar::U16), (1, 16, 1));
        assert_eq!(of(Scalar::U32), (1, 32, 1));
        assert_eq!(of(Scalar::Usize), (1, 64, 1));
        assert_eq!(of(Scalar::F32), (2, 32, 1));
        assert_eq!(of(Scalar::F64), (2, 64, 1));
    }
}
