//! Host memory that the device copies to and from by itself.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use crate::backend::cuda::PinnedBlock;
use crate::device::{Device, Kind};
use crate::element::{Element, byte_len, normalise};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::stream::Stream;

/// Elements in page-locked host memory: [`Device::pinned`]. Transfers to and from it
/// ([`Stream::write_pinned`], [`Stream::download_pinned`]) run while the host goes on.
///
/// It is a slice. Looking into it waits for copies that write to it, changing it waits for copies
/// of either direction, and so does dropping it; so nobody sees half a copy. A driver's error in
/// such a wait is left to the stream's next [`synchronize`](Stream::synchronize): the copy has
/// ended either way.
pub struct PinnedBuffer<T: Element> {
    block: Block,
    len: usize,
    in_flight: Mutex<InFlight>,
    elements: PhantomData<T>,
}

enum Block {
    Cuda(PinnedBlock),
    /// The emulator's copies are the host's own. Words, for the alignment.
    Host(Vec<UnsafeCell<u128>>),
    Empty,
}

/// Events after the copies that are not known to be done, at most one a stream.
#[derive(Default)]
struct InFlight {
    from_device: Vec<Event>,
    to_device: Vec<Event>,
}

impl<T: Element> PinnedBuffer<T> {
    pub(crate) fn new(device: &Device, len: usize) -> Result<PinnedBuffer<T>> {
        let bytes = byte_len::<T>(len)? as usize;
        let block = match &device.kind {
            _ if bytes == 0 => Block::Empty,
            Kind::Cuda(context) => Block::Cuda(PinnedBlock::new(context, bytes)?),
            Kind::Emulator(_) => {
                let mut words = Vec::new();
                words.try_reserve_exact(bytes.div_ceil(16)).map_err(|_| Error::OutOfMemory {
                    device: "pinned host memory".to_owned(),
                    bytes: bytes as u64,
                })?;
                words.resize_with(bytes.div_ceil(16), UnsafeCell::default);
                Block::Host(words)
            }
        };
        Ok(PinnedBuffer { block, len, in_flight: Mutex::default(), elements: PhantomData })
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

    fn data(&self) -> *mut T {
        match &self.block {
            Block::Cuda(block) => block.data.cast(),
            Block::Host(words) => UnsafeCell::raw_get(words.as_ptr()).cast(),
            Block::Empty => std::ptr::NonNull::dangling().as_ptr(),
        }
    }

    /// Lets `copy` read the bytes on a stream, until the event that is recorded after it.
    pub(crate) fn lend_for_reading(
        &self,
        stream: &Stream,
        copy: impl FnOnce(*const u8, usize) -> Result<()>,
    ) -> Result<()> {
        if self.len == 0 {
            return Ok(());
        }
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        settle_others(&mut in_flight.from_device, Some(stream));
        copy(self.data().cast(), self.len * size_of::<T>())?;
        note(&mut in_flight.to_device, stream)
    }

    /// Lets `copy` write the bytes on a stream, until the event that is recorded after it.
    pub(crate) fn lend_for_writing(
        &mut self,
        stream: &Stream,
        copy: impl FnOnce(*mut u8, usize) -> Result<()>,
    ) -> Result<()> {
        if self.len == 0 {
            return Ok(());
        }
        let data = self.data();
        let in_flight = self.in_flight.get_mut().unwrap_or_else(PoisonError::into_inner);
        settle_others(&mut in_flight.from_device, Some(stream));
        settle_others(&mut in_flight.to_device, Some(stream));
        copy(data.cast(), self.len * size_of::<T>())?;
        note(&mut in_flight.from_device, stream)
    }

    /// Waits for copies that write here.
    fn settle_writes(&self) {
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if !in_flight.from_device.is_empty() {
            settle_others(&mut in_flight.from_device, None);
            // SAFETY: `len` initialised elements. The copies that wrote them are done, and while
            // there was one in flight nobody could look: that is what the lock is held for.
            unsafe { normalise(self.data(), self.len) };
        }
    }
}

/// Waits for the events of all streams but one, whose own order is enough.
fn settle_others(events: &mut Vec<Event>, stream: Option<&Stream>) {
    events.retain(|event| {
        if Some(event.stream()) == stream {
            return true;
        }
        // After an error of the driver no copy runs any more; the stream tells of it.
        let _ = event.settle();
        false
    });
}

fn note(events: &mut Vec<Event>, stream: &Stream) -> Result<()> {
    let event = match Event::untimed(stream) {
        Ok(event) => event,
        Err(error) => {
            // Without an event the only end to wait for is the stream's.
            let _ = stream.settle();
            return Err(error);
        }
    };
    events.retain(|known| known.stream() != stream);
    events.push(event);
    Ok(())
}

impl<T: Element> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.settle_writes();
        // SAFETY: `len` initialised elements; no copy writes to them until `&mut self` is taken.
        unsafe { std::slice::from_raw_parts(self.data(), self.len) }
    }
}

impl<T: Element> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.settle_writes();
        let in_flight = self.in_flight.get_mut().unwrap_or_else(PoisonError::into_inner);
        settle_others(&mut in_flight.to_device, None);
        // SAFETY: `len` initialised elements; no copy reads or writes them.
        unsafe { std::slice::from_raw_parts_mut(self.data(), self.len) }
    }
}

impl<T: Element> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        let in_flight = self.in_flight.get_mut().unwrap_or_else(PoisonError::into_inner);
        settle_others(&mut in_flight.from_device, None);
        settle_others(&mut in_flight.to_device, None);
    }
}

// SAFETY: owns its elements, which are Send.
unsafe impl<T: Element> Send for PinnedBuffer<T> {}
// SAFETY: through `&self` the elements are only read, once the copies that write to them are done,
// which a mutex sees to.
unsafe impl<T: Element> Sync for PinnedBuffer<T> {}

impl<T: Element> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer<{}>({} elements)", std::any::type_name::<T>(), self.len)
    }
}
