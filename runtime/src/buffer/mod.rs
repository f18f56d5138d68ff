//! Memory on a device.

mod range;
mod storage;
mod uses;
mod view;

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use crate::device::Device;
use crate::element::{Element, byte_len};
use crate::error::Result;
use crate::stream::Stream;

pub(crate) use storage::Storage;
pub use view::{Slice, SliceMut};

/// Elements in a device's memory. A stream makes it ([`Stream::upload`], [`Stream::zeros`]), and
/// any stream of the device can use it: a use on another stream than the last waits for that one,
/// on the device.
///
/// It may be dropped at any time; the memory is returned once the work that uses it is done.
pub struct Buffer<T: Element> {
    storage: Arc<Storage>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    pub(crate) fn allocate(stream: &Stream, len: usize) -> Result<Buffer<T>> {
        let storage = Arc::new(Storage::allocate(stream, byte_len::<T>(len)?)?);
        Ok(Buffer { storage, len, elements: PhantomData })
    }

    /// Elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that the memory is on.
    #[inline]
    pub fn device(&self) -> &Device {
        self.storage.device()
    }

    /// The first element's address on the device; 0 if the buffer is empty.
    #[inline]
    pub fn address(&self) -> u64 {
        self.storage.address()
    }

    /// All of it, to read.
    #[inline]
    pub fn as_slice(&self) -> Slice<'_, T> {
        Slice::new(&self.storage, 0, self.len)
    }

    /// All of it, to write.
    #[inline]
    pub fn as_mut_slice(&mut self) -> SliceMut<'_, T> {
        SliceMut::new(&self.storage, 0, self.len)
    }

    /// Part of it, to read.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range) if the range is not inside.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Slice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// Part of it, to write.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range) if the range is not inside.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<SliceMut<'_, T>> {
        let range = range::resolve(range, self.len)?;
        Ok(SliceMut::new(&self.storage, range.start, range.len()))
    }

    /// The elements before `middle` and those from it on, both to write.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range) if `middle` is beyond the end.
    pub fn split_at_mut(&mut self, middle: usize) -> Result<(SliceMut<'_, T>, SliceMut<'_, T>)> {
        self.as_mut_slice().split_at(middle)
    }

    /// The memory, for whoever shares it beyond the buffer's life.
    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = std::any::type_name::<T>();
        write!(f, "Buffer<{ty}>({} elements on {})", self.len, self.device().id())
    }
}
