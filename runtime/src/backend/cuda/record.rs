//! Panic records in host memory that the device sees.
//!
//! A stream borrows one of a pool, because pinned memory comes in pages and must outlive the
//! kernels in flight, which a dropped stream does not.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use nvptx_builder::metadata::PanicRecord;

use super::api::call;
use super::{Context, CudaEvent, CudaStream, Timing};
use crate::error::Result;

/// Records in one allocation: a page of 4 KiB.
const RECORDS_PER_PAGE: usize = 4096 / size_of::<PanicRecord>();

/// The records of one device that no stream uses.
#[derive(Default)]
pub(crate) struct RecordPool(Mutex<Records>);

#[derive(Default)]
struct Records {
    free: Vec<RecordSlot>,
    /// Records of dropped streams that were still busy, with the ends of their work.
    retiring: Vec<(CudaEvent, RecordSlot)>,
}

/// One record, as the host and as the device see it.
struct RecordSlot {
    host: *mut PanicRecord,
    /// Its address on the device.
    address: u64,
}

// SAFETY: the host reads and resets the record through atomics and only while it is complete, when
// no device thread touches it.
unsafe impl Send for RecordSlot {}
// SAFETY: as above.
unsafe impl Sync for RecordSlot {}

impl RecordPool {
    /// Lends an empty record.
    fn take(&self, context: &Context) -> Result<RecordSlot> {
        let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Records { free, retiring } = &mut *records;
        if free.is_empty() {
            for index in (0..retiring.len()).rev() {
                if retiring[index].0.query()? {
                    free.push(retiring.swap_remove(index).1);
                }
            }
        }
        if free.is_empty() {
            *free = page(context)?;
        }
        let slot = free.pop().unwrap_or_else(|| unreachable!("a page holds records"));
        slot.reset();
        Ok(slot)
    }

    /// Takes a record back; if its stream was still busy when it went, after the end of that.
    fn give_back(&self, slot: RecordSlot, end: Option<CudaEvent>) {
        let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match end {
            Some(end) => records.retiring.push((end, slot)),
            None => records.free.push(slot),
        }
    }
}

/// A record that a stream has borrowed. It may be asked about after the stream has gone.
pub(crate) struct CudaRecord {
    context: &'static Context,
    /// Present until this is dropped.
    slot: Option<RecordSlot>,
    /// Where the stream's work ended, if it went while busy.
    end: Mutex<Option<CudaEvent>>,
    /// One thread at a time takes a record.
    taking: Mutex<()>,
}

impl CudaRecord {
    pub(crate) fn new(context: &'static Context) -> Result<CudaRecord> {
        let slot = Some(context.records.take(context)?);
        Ok(CudaRecord { context, slot, end: Mutex::default(), taking: Mutex::default() })
    }

    fn slot(&self) -> &RecordSlot {
        self.slot.as_ref().unwrap_or_else(|| unreachable!("present until this is dropped"))
    }

    /// The record's address on the device.
    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.slot().address
    }

    /// The record of a thread that has panicked; the record is then empty again.
    #[inline]
    pub(crate) fn take(&self) -> Option<PanicRecord> {
        if !self.slot().is_complete() {
            return None;
        }
        let _one = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        self.slot().take()
    }

    /// The stream goes, and what it has been given may still be running.
    pub(crate) fn retire(&self, stream: &CudaStream) {
        if stream.query().unwrap_or(true) {
            // Idle, or failed for good: nothing runs any more.
            return;
        }
        let end = CudaEvent::new(self.context, Timing::Off)
            .and_then(|event| stream.record(&event).map(|()| event));
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = end.ok();
    }
}

impl Drop for CudaRecord {
    fn drop(&mut self) {
        let end = self.end.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(slot) = self.slot.take() {
            self.context.records.give_back(slot, end);
        }
    }
}

fn page(context: &Context) -> Result<Vec<RecordSlot>> {
    const PORTABLE_AND_MAPPED: u32 = 1 | 2;
    let _entered = context.enter()?;
    let bytes = RECORDS_PER_PAGE * size_of::<PanicRecord>();
    let mut host: *mut c_void = ptr::null_mut();
    // SAFETY: `host` outlives the call. The page is never freed.
    unsafe { call!(context.api, cuMemHostAlloc(&raw mut host, bytes, PORTABLE_AND_MAPPED))? };
    // SAFETY: that many bytes, just allocated.
    unsafe { ptr::write_bytes(host.cast::<u8>(), 0, bytes) };
    let mut device = 0;
    // SAFETY: a mapped allocation; `device` outlives the call.
    unsafe { call!(context.api, cuMemHostGetDevicePointer_v2(&raw mut device, host, 0))? };
    let slot = |index: usize| RecordSlot {
        // SAFETY: within the page.
        host: unsafe { host.cast::<PanicRecord>().add(index) },
        address: device + (index * size_of::<PanicRecord>()) as u64,
    };
    Ok((0..RECORDS_PER_PAGE).map(slot).collect())
}

impl RecordSlot {
    fn state(&self) -> &AtomicU32 {
        // SAFETY: the record's first word; the page is never freed, and both sides access the
        // word atomically.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.host).state) }
    }

    fn reset(&self) {
        self.state().store(0, Ordering::Release);
    }

    /// Whether a thread has panicked and its record is complete.
    #[inline]
    fn is_complete(&self) -> bool {
        self.state().load(Ordering::Acquire) == 2
    }

    /// A complete record, which is then empty again. The caller sees to it that one thread at a
    /// time asks.
    fn take(&self) -> Option<PanicRecord> {
        self.is_complete().then(|| {
            // SAFETY: complete, so no device thread writes until the reset below.
            let record = unsafe { ptr::read_volatile(self.host) };
            self.reset();
            record
        })
    }
}
