//! A device: a GPU, or the emulator.

mod choice;
mod kernel;
mod limits;
mod streams;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::backend::cuda::Context;
use crate::backend::emulator::Emulator;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::pinned::PinnedBuffer;
use crate::stream::Stream;

pub(crate) use kernel::{Code, LoadedKernel};
pub use limits::Limits;
pub(crate) use streams::StreamList;

/// A GPU, or the emulator. Clones are the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) kind: Kind,
}

#[derive(Clone)]
pub(crate) enum Kind {
    Cuda(&'static Context),
    Emulator(Arc<Emulator>),
}

/// What tells devices apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceId {
    /// The GPU with that number.
    Cuda(u32),
    /// An emulator; they are numbered in the order of their creation.
    Emulator(u64),
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceId::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
            DeviceId::Emulator(number) => write!(f, "emulator:{number}"),
        }
    }
}

impl Device {
    /// The device that the environment variable `GRIDLAUNCH_DEVICE` names (`cuda`, `cuda:N` or
    /// `emulator`); without it the first GPU if there is one, else the emulator. All calls in a
    /// process that come to the emulator share one.
    ///
    /// # Errors
    /// [`Error::DeviceChoice`] if the variable names no device; what [`Device::cuda`] says if it
    /// names a GPU; an [`Error::Driver`] if there is a GPU that does not work.
    pub fn any() -> Result<Device> {
        choice::any()
    }

    /// The GPU with that number, in the driver's order (`CUDA_VISIBLE_DEVICES` counts).
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::NoDevice`], [`Error::Forked`], or what the driver says.
    pub fn cuda(ordinal: u32) -> Result<Device> {
        Context::get(ordinal).map(|context| Device { kind: Kind::Cuda(context) })
    }

    /// A new emulator, with memory of its own.
    pub fn emulator() -> Device {
        Device { kind: Kind::Emulator(Arc::new(Emulator::new())) }
    }

    /// The device's name, such as `NVIDIA H200` or `emulator`.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::Cuda(context) => &context.name,
            Kind::Emulator(_) => "emulator",
        }
    }

    /// What tells this device from others.
    pub fn id(&self) -> DeviceId {
        match &self.kind {
            Kind::Cuda(context) => DeviceId::Cuda(context.ordinal),
            Kind::Emulator(emulator) => DeviceId::Emulator(emulator.number),
        }
    }

    /// Whether the device is the emulator.
    pub fn is_emulator(&self) -> bool {
        matches!(self.kind, Kind::Emulator(_))
    }

    /// What the device can do, and how large things can be.
    pub fn limits(&self) -> &Limits {
        match &self.kind {
            Kind::Cuda(context) => &context.limits,
            Kind::Emulator(emulator) => &emulator.limits,
        }
    }

    /// The compute capability: (9, 0) for `sm_90`.
    pub fn compute_capability(&self) -> (u32, u32) {
        self.limits().compute_capability
    }

    /// A new stream. It does not wait for the driver's legacy default stream, nor that for it.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new_stream(&self) -> Result<Stream> {
        Stream::new(self)
    }

    /// Host memory that the device copies to and from by itself, so that transfers overlap with
    /// work: `len` elements, each zero.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::TooLarge`].
    pub fn pinned<T: Element>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        PinnedBuffer::new(self, len)
    }

    /// Waits until the device has done all that it has been given, on every stream.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] or [`Error::Emulator`] for the first stream on which a kernel failed
    /// and that nobody has been told of; what the driver says.
    pub fn synchronize(&self) -> Result<()> {
        if let Kind::Cuda(context) = &self.kind {
            context.synchronize()?;
        }
        for stream in self.streams().live() {
            match &self.kind {
                // Borrowed streams of a capture may not be waited for, and the context has been.
                Kind::Cuda(_) => stream.check()?,
                Kind::Emulator(_) => stream.synchronize()?,
            }
        }
        Ok(())
    }

    pub(crate) fn streams(&self) -> &StreamList {
        match &self.kind {
            Kind::Cuda(context) => &context.streams,
            Kind::Emulator(emulator) => &emulator.streams,
        }
    }

    /// An error unless `other` is this device.
    #[inline]
    pub(crate) fn expect(&self, other: &Device, what: &str) -> Result<()> {
        if self == other {
            return Ok(());
        }
        Err(Error::WrongDevice {
            what: what.to_owned(),
            expected: self.id().to_string(),
            found: other.id().to_string(),
        })
    }
}

impl PartialEq for Device {
    #[inline]
    fn eq(&self, other: &Device) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Cuda(a), Kind::Cuda(b)) => std::ptr::eq(*a, *b),
            (Kind::Emulator(a), Kind::Emulator(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({}, {})", self.id(), self.name())
    }
}
