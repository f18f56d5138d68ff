//! Streams: queues of work that runs in order.

mod failures;
mod launch;
mod transfer;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::backend::cuda::CudaStream;
use crate::backend::emulator::EmulatorQueue;
use crate::device::{Device, Kind};
use crate::error::{Error, Result};
use crate::event::Event;
use failures::Failures;

/// A queue of work on a device: transfers and kernels, which run in the order in which they were
/// put there, while the host goes on. Clones are the same stream. It may be used from any thread.
///
/// A buffer that one stream has written can be used on another: the other then waits, on the
/// device, for what the first has been given up to that moment. On one stream alone no event is
/// ever made and nothing waits.
///
/// On the emulator a stream runs nothing until something waits for it: a download, a
/// synchronisation, a query, or another stream that waits for an event (or after 1024 operations).
/// A dependency that a program forgot is therefore missing every time.
#[derive(Clone)]
pub struct Stream {
    pub(crate) inner: Arc<Inner>,
}

/// A stream. Buffers that it used keep it, so that they can wait for it.
pub(crate) struct Inner {
    device: Device,
    pub(crate) queue: Queue,
    failures: Arc<Failures>,
    /// The failures of streams that this one has waited for since the host last waited for it:
    /// what they broke, this one may have used.
    upstream: Mutex<Vec<Arc<Failures>>>,
}

pub(crate) enum Queue {
    Cuda(CudaStream),
    Emulator(Arc<EmulatorQueue>),
}

impl Stream {
    pub(crate) fn new(device: &Device) -> Result<Stream> {
        let queue = match &device.kind {
            Kind::Cuda(context) => Queue::Cuda(CudaStream::new(context)?),
            Kind::Emulator(emulator) => {
                Queue::Emulator(Arc::new(EmulatorQueue::new(emulator.clone())))
            }
        };
        Stream::with_queue(device, queue)
    }

    fn with_queue(device: &Device, queue: Queue) -> Result<Stream> {
        let failures = Arc::new(Failures::new(&queue)?);
        let upstream = Mutex::default();
        let inner = Arc::new(Inner { device: device.clone(), queue, failures, upstream });
        let stream = Stream { inner };
        device.streams().add(&stream);
        Ok(stream)
    }

    /// Borrows a stream that something else made, such as PyTorch's current one. It is never
    /// destroyed here. `0` and `1` are the legacy default stream. A handle that is borrowed twice,
    /// or that came from [`raw_handle`](Self::raw_handle), gives the same stream.
    ///
    /// # Errors
    /// [`Error::StreamHandle`] on the emulator (its streams have no handles but those that
    /// [`raw_handle`](Self::raw_handle) gave), for a stream of another device, and for `2`, the
    /// per-thread default stream: that is a different stream on every thread, so a buffer could
    /// not know what it waits for.
    ///
    /// # Safety
    /// `handle` is a `CUstream` of this process, and it is not destroyed before all that uses it
    /// here is dropped: this stream, its clones and events, and every buffer that was used on it.
    pub unsafe fn from_raw(device: &Device, handle: u64) -> Result<Stream> {
        const LEGACY: u64 = 1;
        const PER_THREAD: u64 = 2;
        let refused = |reason| Err(Error::StreamHandle { handle, reason });
        let raw = if handle == 0 { LEGACY } else { handle };
        if raw == PER_THREAD {
            return refused("the per-thread default stream is another stream on every thread");
        }
        if let Some(known) = device.streams().find(raw) {
            return Ok(known);
        }
        let Kind::Cuda(context) = &device.kind else {
            return refused("the emulator has no such stream");
        };
        let pointer = std::ptr::with_exposed_provenance_mut(raw as usize);
        // SAFETY: the caller's.
        if raw != LEGACY && !unsafe { context.owns(pointer)? } {
            return refused("it is a stream of another device or context");
        }
        // SAFETY: the caller's, and the context is this one.
        let queue = Queue::Cuda(unsafe { CudaStream::borrow(context, pointer) });
        Stream::with_queue(device, queue)
    }

    /// The driver's handle (a `CUstream`); for the emulator, a number that no other live stream
    /// has.
    pub fn raw_handle(&self) -> u64 {
        match &self.inner.queue {
            Queue::Cuda(stream) => stream.raw().expose_provenance() as u64,
            Queue::Emulator(queue) => Arc::as_ptr(queue).addr() as u64,
        }
    }

    /// The device that the stream belongs to.
    #[inline]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Waits until all that the stream has been given is done.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if a thread of a kernel has panicked since the last wait, on this
    /// stream or on one that it waited for; the stream goes on working. [`Error::Emulator`] if the
    /// emulator stopped a kernel; likewise. [`Error::Capturing`]. What the driver says.
    pub fn synchronize(&self) -> Result<()> {
        self.refuse_capture("synchronize")?;
        self.settle()?;
        self.check()?;
        // All of it is done and has been looked at.
        self.upstream().clear();
        Ok(())
    }

    /// Waits until all that the stream has been given is done, without looking for failures.
    pub(crate) fn settle(&self) -> Result<()> {
        match &self.inner.queue {
            Queue::Cuda(stream) => stream.synchronize(),
            Queue::Emulator(queue) => {
                queue.synchronize();
                Ok(())
            }
        }
    }

    /// Whether all that the stream has been given is done. It does not wait; the emulator does the
    /// work.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize), if the answer would be yes.
    pub fn query(&self) -> Result<bool> {
        match &self.inner.queue {
            Queue::Cuda(stream) if !stream.query()? => return Ok(false),
            Queue::Cuda(_) => {}
            Queue::Emulator(queue) => queue.synchronize(),
        }
        self.check().map(|()| true)
    }

    /// Notes this point of the stream: the event happens when all that the stream has been given
    /// up to now is done.
    ///
    /// # Errors
    /// What the driver says.
    pub fn record(&self) -> Result<Event> {
        Event::record(self)
    }

    /// What the stream is given from now on waits, on the device, for an event.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] if one of the two is on an emulator and the other is not there; a
    /// GPU's event can be waited for on another GPU. What the driver says.
    pub fn wait(&self, event: &Event) -> Result<()> {
        event.hold_back(self)?;
        self.add_upstream(event.stream());
        Ok(())
    }

    /// What this stream is given from now on waits for what `other`, of the same device, has been
    /// given up to now.
    pub(crate) fn wait_for(&self, other: &Stream) -> Result<()> {
        match (&self.inner.queue, &other.inner.queue) {
            (Queue::Cuda(this), Queue::Cuda(other)) => this.wait_for(other)?,
            (Queue::Emulator(this), Queue::Emulator(other)) => this.wait_for(other),
            _ => unreachable!("a device has streams of one kind"),
        }
        self.add_upstream(other);
        Ok(())
    }

    /// What somebody else's stream is given from now on waits, on the device, for what this one
    /// has been given up to now. The emulator does the work at once: nobody can wait for it later.
    ///
    /// # Safety
    /// `waiter` is a `CUstream` of this process, or 0, 1 or 2, if the device is a GPU.
    pub(crate) unsafe fn hold_back(&self, waiter: u64) -> Result<()> {
        match &self.inner.queue {
            Queue::Cuda(stream) => {
                let pointer = std::ptr::with_exposed_provenance_mut(waiter as usize);
                // SAFETY: the caller's.
                unsafe { stream.hold_back(pointer) }
            }
            Queue::Emulator(_) => self.synchronize(),
        }
    }

    /// The first failure that nobody has been told of, here or upstream.
    pub(crate) fn check(&self) -> Result<()> {
        self.inner.failures.check()?;
        self.upstream().iter().try_for_each(|failures| failures.check())
    }

    /// Whether the stream is being captured into a graph.
    ///
    /// # Errors
    /// What the driver says.
    pub fn is_capturing(&self) -> Result<bool> {
        match &self.inner.queue {
            Queue::Cuda(stream) => stream.is_capturing(),
            Queue::Emulator(_) => Ok(false),
        }
    }

    /// An error while the stream is being captured: waiting would end the capture, and a graph
    /// would keep pointers to host memory.
    pub(crate) fn refuse_capture(&self, operation: &'static str) -> Result<()> {
        if self.is_capturing()? { Err(Error::Capturing { operation }) } else { Ok(()) }
    }

    fn upstream(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Failures>>> {
        self.inner.upstream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_upstream(&self, other: &Stream) {
        if self == other {
            return;
        }
        // Copied first: two streams may wait for each other at once.
        let mut more = other.upstream().clone();
        more.push(other.inner.failures.clone());
        let mut upstream = self.upstream();
        for failures in more {
            if !Arc::ptr_eq(&failures, &self.inner.failures)
                && !upstream.iter().any(|known| Arc::ptr_eq(known, &failures))
            {
                upstream.push(failures);
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        match &self.queue {
            Queue::Cuda(stream) => self.failures.retire(stream),
            // As on a GPU, a stream that is dropped finishes what it has been given.
            Queue::Emulator(queue) => {
                if !std::thread::panicking() {
                    queue.synchronize();
                }
            }
        }
    }
}

/// The same stream, not only equal ones.
impl PartialEq for Stream {
    #[inline]
    fn eq(&self, other: &Stream) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:#x} on {})", self.raw_handle(), self.device().id())
    }
}
