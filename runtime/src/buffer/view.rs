//! Parts of a buffer: to read, and to write.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::Arc;

use super::Buffer;
use super::range::resolve;
use super::storage::Storage;
use super::uses::Access;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::stream::Stream;

/// Elements of a [`Buffer`], borrowed to read.
pub struct Slice<'a, T: Element> {
    storage: &'a Arc<Storage>,
    start: usize,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

/// Elements of a [`Buffer`], borrowed to write.
pub struct SliceMut<'a, T: Element> {
    storage: &'a Arc<Storage>,
    start: usize,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

impl<'a, T: Element> Slice<'a, T> {
    pub(super) fn new(storage: &'a Arc<Storage>, start: usize, len: usize) -> Slice<'a, T> {
        Slice { storage, start, len, elements: PhantomData }
    }

    /// Part of it.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range) if the range is not inside.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Slice<'a, T>> {
        let range = resolve(range, self.len)?;
        Ok(Slice::new(self.storage, self.start + range.start, range.len()))
    }

    /// The elements before `middle`, and those from it on.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range) if `middle` is beyond the end.
    pub fn split_at(&self, middle: usize) -> Result<(Slice<'a, T>, Slice<'a, T>)> {
        Ok((self.slice(..middle)?, self.slice(middle..)?))
    }

    /// Notes that work which `stream` is given next reads the elements, after it has made the
    /// stream wait for whoever writes them. Returns the first one's address.
    #[inline]
    pub(crate) fn begin_read(&self, stream: &Stream) -> Result<u64> {
        self.storage.begin(stream, self.bytes(), Access::Read)
    }
}

impl<'a, T: Element> SliceMut<'a, T> {
    pub(super) fn new(storage: &'a Arc<Storage>, start: usize, len: usize) -> SliceMut<'a, T> {
        SliceMut { storage, start, len, elements: PhantomData }
    }

    /// The same elements, to read.
    #[inline]
    pub fn as_slice(&self) -> Slice<'_, T> {
        Slice::new(self.storage, self.start, self.len)
    }

    /// The same elements, to write, for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> SliceMut<'_, T> {
        SliceMut::new(self.storage, self.start, self.len)
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
        let range = resolve(range, self.len)?;
        Ok(SliceMut::new(self.storage, self.start + range.start, range.len()))
    }

    /// The elements before `middle` and those from it on, both to write, for as long as this was
    /// borrowed.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range) if `middle` is beyond the end.
    pub fn split_at(self, middle: usize) -> Result<(SliceMut<'a, T>, SliceMut<'a, T>)> {
        let rest = resolve(middle.., self.len)?;
        let (start, end) = (self.start, self.start + middle);
        Ok((
            SliceMut::new(self.storage, start, middle),
            SliceMut::new(self.storage, end, rest.len()),
        ))
    }

    /// The elements before `middle` and those from it on, both to write.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range) if `middle` is beyond the end.
    pub fn split_at_mut(&mut self, middle: usize) -> Result<(SliceMut<'_, T>, SliceMut<'_, T>)> {
        self.reborrow().split_at(middle)
    }

    /// Notes that work which `stream` is given next writes the elements, after it has made the
    /// stream wait for whoever uses them. Returns the first one's address.
    #[inline]
    pub(crate) fn begin_write(&mut self, stream: &Stream) -> Result<u64> {
        self.storage.begin(stream, self.bytes(), Access::Write)
    }
}

/// What both kinds have.
macro_rules! common {
    ($($view:ident),*) => {$(
        impl<T: Element> $view<'_, T> {
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

            /// The first element's address on the device.
            #[inline]
            pub fn address(&self) -> u64 {
                self.storage.address() + self.bytes().start
            }

            /// Bytes of all elements.
            #[inline]
            pub(crate) fn byte_len(&self) -> u64 {
                (self.len * size_of::<T>()) as u64
            }

            /// Where they are in the buffer.
            #[inline]
            fn bytes(&self) -> Range<u64> {
                let start = (self.start * size_of::<T>()) as u64;
                start..start + self.byte_len()
            }
        }

        impl<T: Element> fmt::Debug for $view<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (name, ty) = (stringify!($view), std::any::type_name::<T>());
                let Range { start, end } = self.start..self.start + self.len;
                write!(f, "{name}<{ty}>({start}..{end} on {})", self.device().id())
            }
        }
    )*};
}

common!(Slice, SliceMut);

impl<T: Element> Clone for Slice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element> Copy for Slice<'_, T> {}

impl<'a, T: Element> From<&'a Buffer<T>> for Slice<'a, T> {
    fn from(buffer: &'a Buffer<T>) -> Slice<'a, T> {
        buffer.as_slice()
    }
}

impl<'a, T: Element> From<&'a mut Buffer<T>> for Slice<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> Slice<'a, T> {
        buffer.as_slice()
    }
}

impl<'a, T: Element> From<&Slice<'a, T>> for Slice<'a, T> {
    fn from(slice: &Slice<'a, T>) -> Slice<'a, T> {
        *slice
    }
}

impl<'a, T: Element> From<&'a SliceMut<'_, T>> for Slice<'a, T> {
    fn from(slice: &'a SliceMut<'_, T>) -> Slice<'a, T> {
        slice.as_slice()
    }
}

impl<'a, T: Element> From<SliceMut<'a, T>> for Slice<'a, T> {
    fn from(slice: SliceMut<'a, T>) -> Slice<'a, T> {
        Slice::new(slice.storage, slice.start, slice.len)
    }
}

impl<'a, T: Element> From<&'a mut Buffer<T>> for SliceMut<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> SliceMut<'a, T> {
        buffer.as_mut_slice()
    }
}

impl<'a, T: Element> From<&'a mut SliceMut<'_, T>> for SliceMut<'a, T> {
    fn from(slice: &'a mut SliceMut<'_, T>) -> SliceMut<'a, T> {
        slice.reborrow()
    }
}
