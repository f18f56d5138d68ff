//! Memory on a stream: allocation, transfers, fills.

use nvptx_builder::metadata::Scalar;

use super::{Queue, Stream};
use crate::buffer::{Buffer, Slice, SliceMut};
use crate::element::{Element, normalise};
use crate::error::{Error, Result};
use crate::pinned::PinnedBuffer;

impl Stream {
    /// A new buffer with a copy of `data`, which may change as soon as this returns.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Capturing`], what the driver says.
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<Buffer<T>> {
        // SAFETY: all of it is written before it can be used.
        let mut buffer = unsafe { self.allocate(data.len())? };
        self.write(&mut buffer, data)?;
        Ok(buffer)
    }

    /// A new buffer of `len` elements, each zero (`false`).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::TooLarge`], what the driver says.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        // SAFETY: all of it is written before it can be used.
        let mut buffer = unsafe { self.allocate(len)? };
        let mut all = SliceMut::from(&mut buffer);
        let bytes = all.byte_len();
        if bytes > 0 {
            let address = all.begin_write(self)?;
            self.fill_bytes(address, &[0], bytes)?;
        }
        Ok(buffer)
    }

    /// A new buffer of `len` elements that nobody has written yet.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::TooLarge`], what the driver says.
    ///
    /// # Safety
    /// Every element is written before it is read, by a kernel or by a transfer.
    pub unsafe fn allocate<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::allocate(self, len)
    }

    /// Sets every element of `destination` (a `&mut Buffer`, a [`SliceMut`] or a `&mut` of one).
    ///
    /// # Errors
    /// [`Error::WrongDevice`], what the driver says.
    pub fn fill<'a, T: Element>(
        &self,
        destination: impl Into<SliceMut<'a, T>>,
        value: T,
    ) -> Result<()> {
        let mut destination = destination.into();
        let address = destination.begin_write(self)?;
        if destination.is_empty() {
            return Ok(());
        }
        self.fill_bytes(address, as_bytes(&[value]), destination.len() as u64)
    }

    /// Copies on the device. The two have the same length.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::WrongDevice`], what the driver says.
    pub fn copy<'a, 'b, T: Element>(
        &self,
        source: impl Into<Slice<'a, T>>,
        destination: impl Into<SliceMut<'b, T>>,
    ) -> Result<()> {
        let (source, mut destination) = (source.into(), destination.into());
        same_length("copy", source.len(), destination.len())?;
        let from = source.begin_read(self)?;
        let to = destination.begin_write(self)?;
        let bytes = source.byte_len();
        if bytes == 0 {
            return Ok(());
        }
        match &self.inner.queue {
            Queue::Cuda(stream) => stream.copy(from, to, bytes),
            Queue::Emulator(queue) => {
                queue.copy(from, to, bytes);
                Ok(())
            }
        }
    }

    /// Copies `source` to the device; it may change as soon as this returns. The two have the same
    /// length.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::WrongDevice`], [`Error::Capturing`], what the driver says.
    pub fn write<'a, T: Element>(
        &self,
        destination: impl Into<SliceMut<'a, T>>,
        source: &[T],
    ) -> Result<()> {
        let mut destination = destination.into();
        same_length("write", source.len(), destination.len())?;
        self.refuse_capture("write")?;
        let to = destination.begin_write(self)?;
        if source.is_empty() {
            return Ok(());
        }
        match &self.inner.queue {
            Queue::Cuda(stream) => stream.write(to, as_bytes(source)),
            Queue::Emulator(queue) => {
                queue.write(to, as_bytes(source));
                Ok(())
            }
        }
    }

    /// Copies to the device while the host goes on. Whoever writes to `source` (or drops it) before
    /// the copy is done waits for it there.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_pinned<'a, T: Element>(
        &self,
        destination: impl Into<SliceMut<'a, T>>,
        source: &PinnedBuffer<T>,
    ) -> Result<()> {
        let mut destination = destination.into();
        same_length("write_pinned", source.len(), destination.len())?;
        self.refuse_capture("write_pinned")?;
        let to = destination.begin_write(self)?;
        source.lend_for_reading(self, |from, len| match &self.inner.queue {
            // SAFETY: the pinned buffer keeps the bytes until the event that it records next.
            Queue::Cuda(stream) => unsafe { stream.write_later(to, from, len) },
            Queue::Emulator(queue) => {
                // SAFETY: as above.
                unsafe { queue.write_later(to, from, len) };
                Ok(())
            }
        })
    }

    /// A new buffer with a copy of pinned memory, made while the host goes on.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    pub fn upload_pinned<T: Element>(&self, source: &PinnedBuffer<T>) -> Result<Buffer<T>> {
        // SAFETY: all of it is written before it can be used.
        let mut buffer = unsafe { self.allocate(source.len())? };
        self.write_pinned(&mut buffer, source)?;
        Ok(buffer)
    }

    /// Waits for the stream and copies from the device.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize): a kernel that panicked before is reported here.
    /// [`Error::WrongDevice`].
    pub fn download<'a, T: Element>(&self, source: impl Into<Slice<'a, T>>) -> Result<Vec<T>> {
        let source = source.into();
        let len = source.len();
        let mut data = Vec::<T>::new();
        let too_much =
            |_| Error::OutOfMemory { device: "host memory".to_owned(), bytes: source.byte_len() };
        data.try_reserve_exact(len).map_err(too_much)?;
        if self.device().is_emulator() || T::SCALAR == Scalar::Bool {
            // Those two take initialised memory; for the rest it would be a pass over it for
            // nothing.
            data.resize(len, T::default());
        }
        // SAFETY: capacity for `len` elements, initialised where that is asked for.
        unsafe { self.read_now("download", source, data.as_mut_ptr())? };
        // SAFETY: all of them have been written.
        unsafe { data.set_len(len) };
        Ok(data)
    }

    /// Waits for the stream and copies from the device to `destination`, of the same length.
    ///
    /// # Errors
    /// [`Error::Length`], and as [`download`](Self::download). After an error `destination` may
    /// have been written to.
    pub fn download_into<'a, T: Element>(
        &self,
        source: impl Into<Slice<'a, T>>,
        destination: &mut [T],
    ) -> Result<()> {
        let source = source.into();
        same_length("download_into", source.len(), destination.len())?;
        // SAFETY: a mutable slice of that length.
        unsafe { self.read_now("download_into", source, destination.as_mut_ptr()) }
    }

    /// Copies from the device to pinned memory while the host goes on. Whoever looks into
    /// `destination` (or drops it) before the copy is done waits for it there. A kernel that
    /// panicked is reported by the stream's next [`synchronize`](Self::synchronize).
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::WrongDevice`], [`Error::Capturing`], what the driver says.
    pub fn download_pinned<'a, T: Element>(
        &self,
        source: impl Into<Slice<'a, T>>,
        destination: &mut PinnedBuffer<T>,
    ) -> Result<()> {
        let source = source.into();
        same_length("download_pinned", source.len(), destination.len())?;
        self.refuse_capture("download_pinned")?;
        let from = source.begin_read(self)?;
        destination.lend_for_writing(self, |to, len| match &self.inner.queue {
            // SAFETY: the pinned buffer keeps the bytes until the event that it records next.
            Queue::Cuda(stream) => unsafe { stream.read_later(from, to, len) },
            Queue::Emulator(queue) => {
                // SAFETY: as above.
                unsafe { queue.read_later(from, to, len) };
                Ok(())
            }
        })
    }

    /// # Safety
    /// `to` has room for the elements of `source`; on the emulator, and for `bool`, they are
    /// initialised.
    unsafe fn read_now<T: Element>(
        &self,
        operation: &'static str,
        source: Slice<'_, T>,
        to: *mut T,
    ) -> Result<()> {
        self.refuse_capture(operation)?;
        let from = source.begin_read(self)?;
        let bytes = source.byte_len() as usize;
        if bytes > 0 {
            match &self.inner.queue {
                // SAFETY: the caller's; it is waited for below, and if that fails, the device has
                // stopped for good.
                Queue::Cuda(stream) => unsafe { stream.read_later(from, to.cast(), bytes)? },
                // SAFETY: the caller's; it is waited for below.
                Queue::Emulator(queue) => unsafe { queue.read_later(from, to.cast(), bytes) },
            }
        }
        let outcome = self.synchronize();
        if bytes > 0 && T::SCALAR == Scalar::Bool {
            // Also after an error: the caller's slice stays in use.
            // SAFETY: the caller's.
            unsafe { normalise(to, source.len()) };
        }
        outcome
    }

    fn fill_bytes(&self, to: u64, pattern: &[u8], count: u64) -> Result<()> {
        match &self.inner.queue {
            Queue::Cuda(stream) => stream.fill(to, pattern, count),
            Queue::Emulator(queue) => {
                queue.fill(to, pattern, count);
                Ok(())
            }
        }
    }
}

fn same_length(operation: &'static str, source_len: usize, destination_len: usize) -> Result<()> {
    if source_len == destination_len {
        return Ok(());
    }
    Err(Error::Length { operation, source_len, destination_len })
}

fn as_bytes<T: Element>(data: &[T]) -> &[u8] {
    // SAFETY: an element has no padding, so all its bytes are initialised.
    unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), size_of_val(data)) }
}
