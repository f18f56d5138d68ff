//! DLPack: handing a buffer to PyTorch, JAX, CuPy, NumPy or any other consumer, without a copy and
//! in the right order.
//!
//! ```
//! use gridlaunch_runtime::{Device, dlpack::ConsumerStream};
//!
//! let stream = Device::emulator().new_stream()?;
//! let buffer = stream.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let tensor = buffer.into_dlpack().shape(&[2, 3]).for_stream(ConsumerStream::LEGACY_DEFAULT)?;
//! let raw = tensor.into_raw(); // a DLManagedTensorVersioned, for a consumer that takes it over
//! # unsafe { (raw.as_ref().deleter.unwrap())(raw.as_ptr()) };
//! # Ok::<(), gridlaunch_runtime::Error>(())
//! ```
//!
//! # Order
//! The consumer says on which stream it will use the data ([`ConsumerStream`]), and that stream
//! waits, on the device, for an event on each stream of ours that has used the memory; nothing
//! waits on the host. Where it is the same stream there is nothing to wait for. A consumer that
//! cannot name its stream (TensorFlow) gets [`Export::synchronized`], which does wait on the host.
//!
//! # Devices
//! A GPU's buffer is exported as `kDLCUDA` with the device's number. An emulated buffer is memory of
//! the host and is exported as `kDLCPU`; whatever stream is named, the work that the buffer waits
//! for is done first, as nobody could wait for it later.
//!
//! # Lifetime
//! The memory lives until the consumer calls the deleter, on any thread and at any time. As a
//! consumer's kernels may still be in flight then, on streams that we do not know, the deleter of a
//! GPU's memory waits for the device before it returns the memory.

mod consumer;
mod export;
pub mod ffi;
mod tensor;

pub use consumer::ConsumerStream;
pub use export::Export;
pub use tensor::DlpackTensor;

/// Why a buffer cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DlpackError {
    /// A stream argument without a meaning.
    #[error(
        "{argument} is no stream for DLPack: -1 is no ordering, None or 1 the legacy default \
         stream, 2 the per-thread default stream, and above 2 a stream's handle"
    )]
    Stream {
        /// The argument.
        argument: i64,
    },

    /// The shape has another number of elements than the buffer.
    #[error("shape {shape:?} does not have the {len} elements of the buffer")]
    Shape {
        /// The shape.
        shape: Vec<usize>,
        /// The buffer's elements.
        len: usize,
    },

    /// A read-only tensor for a consumer that takes the structure before DLPack 1.0, which cannot
    /// say that it is read-only.
    #[error("the memory is read-only, which only DLPack 1.0 and later can say")]
    ReadOnly,
}
