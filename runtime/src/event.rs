//! Events: points of a stream that others can wait for.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::backend::cuda::{CudaEvent, Timing};
use crate::backend::emulator::{EmulatorQueue, Mark};
use crate::error::{Error, Result};
use crate::stream::{Queue, Stream};

/// A point of a stream: it happens when all that the stream had been given before it is done. It
/// notes the time. Clones are the same event.
#[derive(Clone)]
pub struct Event {
    stream: Stream,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Cuda(Arc<CudaEvent>),
    Emulator(Arc<EmulatorQueue>, Mark),
}

impl Event {
    pub(crate) fn record(stream: &Stream) -> Result<Event> {
        Event::with_timing(stream, Timing::On)
    }

    /// An event that does not note the time.
    pub(crate) fn untimed(stream: &Stream) -> Result<Event> {
        Event::with_timing(stream, Timing::Off)
    }

    fn with_timing(stream: &Stream, timing: Timing) -> Result<Event> {
        let kind = match &stream.inner.queue {
            Queue::Cuda(queue) => {
                let event = CudaEvent::new(queue.context(), timing)?;
                queue.record(&event)?;
                Kind::Cuda(Arc::new(event))
            }
            Queue::Emulator(queue) => Kind::Emulator(queue.clone(), queue.mark()),
        };
        Ok(Event { stream: stream.clone(), kind })
    }

    /// The stream that it is a point of.
    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Makes a stream wait for it, on the device.
    pub(crate) fn hold_back(&self, waiter: &Stream) -> Result<()> {
        match (&self.kind, &waiter.inner.queue) {
            // The driver lets a stream wait for an event of another GPU.
            (Kind::Cuda(event), Queue::Cuda(queue)) => queue.wait(event),
            (Kind::Emulator(theirs, mark), Queue::Emulator(queue))
                if self.stream.device() == waiter.device() =>
            {
                queue.wait(theirs, mark);
                Ok(())
            }
            _ => Err(Error::WrongDevice {
                what: "the event".to_owned(),
                expected: waiter.device().id().to_string(),
                found: self.stream.device().id().to_string(),
            }),
        }
    }

    /// Waits until it has happened, without looking for failures.
    pub(crate) fn settle(&self) -> Result<()> {
        match &self.kind {
            Kind::Cuda(event) => event.synchronize(),
            Kind::Emulator(queue, mark) => {
                queue.run_to_mark(mark);
                Ok(())
            }
        }
    }

    /// Waits until it has happened.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] and [`Error::Emulator`] as [`Stream::synchronize`]; what the driver
    /// says.
    pub fn synchronize(&self) -> Result<()> {
        self.settle()?;
        self.stream.check()
    }

    /// Whether it has happened. It does not wait; the emulator does the work.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize), if the answer would be yes.
    pub fn query(&self) -> Result<bool> {
        match &self.kind {
            Kind::Cuda(event) if !event.query()? => return Ok(false),
            Kind::Cuda(_) => {}
            Kind::Emulator(queue, mark) => queue.run_to_mark(mark),
        }
        self.stream.check().map(|()| true)
    }

    /// The time from `earlier` to this event, on the device, to about half a microsecond; zero if
    /// `earlier` came later. Waits for both.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] if they are of different devices; as
    /// [`synchronize`](Self::synchronize).
    pub fn elapsed_since(&self, earlier: &Event) -> Result<Duration> {
        self.stream.device().expect(earlier.stream.device(), "the earlier event")?;
        earlier.synchronize()?;
        self.synchronize()?;
        match (&self.kind, &earlier.kind) {
            (Kind::Cuda(this), Kind::Cuda(earlier)) => {
                let seconds = f64::from(this.milliseconds_since(earlier)?) / 1e3;
                Ok(Duration::try_from_secs_f64(seconds).unwrap_or_default())
            }
            (Kind::Emulator(_, this), Kind::Emulator(_, earlier)) => {
                let both: Option<(Instant, Instant)> = this.time().zip(earlier.time());
                Ok(both.map_or(Duration::ZERO, |(to, from)| to.saturating_duration_since(from)))
            }
            _ => unreachable!("a device has events of one kind"),
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(on {:?})", self.stream)
    }
}
