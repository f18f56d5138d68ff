//! A driver's stream, and what can be put on it.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{CUpointer_attribute, CUstream};

use super::api::{NOT_READY, OUT_OF_MEMORY, call};
use super::fork;
use super::{Context, CudaEvent, Function, Timing};
use crate::error::{Error, Result};

/// The largest run of 64-bit elements that is filled word by word; longer ones double by copying.
const FILL_SEED: u64 = 1 << 16;

/// A stream.
pub(crate) struct CudaStream {
    context: &'static Context,
    raw: CUstream,
    /// Whether we made the stream, and so destroy it.
    owned: bool,
    /// Recorded whenever another stream has to wait for this one; made when that first happens.
    /// A wait takes the event as it is at that moment, so recording it anew harms nobody.
    crossing: OnceLock<CudaEvent>,
}

// SAFETY: the driver lets any thread use a stream and locks what it shares.
unsafe impl Send for CudaStream {}
// SAFETY: as above.
unsafe impl Sync for CudaStream {}

impl CudaStream {
    /// A new stream that the legacy default stream does not wait for.
    pub(crate) fn new(context: &'static Context) -> Result<CudaStream> {
        const NON_BLOCKING: u32 = 1;
        let _entered = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` outlives the call.
        unsafe { call!(context.api, cuStreamCreate(&raw mut raw, NON_BLOCKING))? };
        Ok(CudaStream { context, raw, owned: true, crossing: OnceLock::new() })
    }

    /// Somebody else's stream.
    ///
    /// # Safety
    /// `raw` is a stream of this context and stays one for as long as the answer lives.
    pub(crate) unsafe fn borrow(context: &'static Context, raw: CUstream) -> CudaStream {
        CudaStream { context, raw, owned: false, crossing: OnceLock::new() }
    }

    pub(crate) fn context(&self) -> &'static Context {
        self.context
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }

    /// Memory that work on this stream may use from now on.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<u64> {
        let out_of_memory = || Error::OutOfMemory { device: self.context.name.clone(), bytes };
        let size = usize::try_from(bytes).map_err(|_| out_of_memory())?;
        let _entered = self.context.enter()?;
        let mut address = 0;
        let out = &raw mut address;
        let (name, code) = match &self.context.pool {
            Some(pool) => {
                // SAFETY: a live stream; `address` outlives the call.
                ("cuMemAllocAsync", unsafe { (pool.allocate)(out, size, self.raw) })
            }
            None => {
                // SAFETY: `address` outlives the call.
                ("cuMemAlloc", unsafe { (self.context.api.cuMemAlloc_v2)(out, size) })
            }
        };
        if code == OUT_OF_MEMORY {
            return Err(out_of_memory());
        }
        self.context.api.check(name, code)?;
        Ok(address)
    }

    /// Returns memory once the work on this stream is done. Without the stream-ordered allocator
    /// the driver waits for the device here.
    pub(crate) fn free(&self, address: u64) {
        if fork::happened() {
            return;
        }
        let Ok(_entered) = self.context.enter() else { return };
        let Ok(_captures) = self.context.leave_captures_alone() else { return };
        if self.is_capturing().unwrap_or(true) {
            // The graph may use the memory, for as long as it lives: better lost than reused.
            return;
        }
        // An error has nobody to go to: it is an earlier one's echo, or the driver's shutdown.
        let _ = match &self.context.pool {
            // SAFETY: allocated by `allocate`, and no work outside this stream's order uses it.
            Some(pool) => unsafe { (pool.free)(address, self.raw) },
            // SAFETY: as above.
            None => unsafe { (self.context.api.cuMemFree_v2)(address) },
        };
    }

    /// Copies from pageable host memory; when it returns, `from` has been read.
    pub(crate) fn write(&self, to: u64, from: &[u8]) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: `from` is readable, and is read before this returns: the driver copies pageable
        // memory before it does, and anything else is waited for below.
        unsafe { self.write_later(to, from.as_ptr(), from.len())? };
        if self.context.host_page_tables || self.is_page_locked(from.as_ptr()) {
            self.synchronize()?;
        }
        Ok(())
    }

    /// Whether the driver would copy from that address without staging, after returning.
    fn is_page_locked(&self, host: *const u8) -> bool {
        let mut kind = 0u32;
        let mut which = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        let mut out: *mut c_void = (&raw mut kind).cast();
        // The call for one attribute would do, but reports memory that the driver does not know as
        // an error, and with it the driver's tools do.
        // SAFETY: one attribute, and `kind` has its type; any address may be asked about, and one
        // that the driver does not know has kind 0.
        let code = unsafe {
            let (which, out) = (&raw mut which, &raw mut out);
            (self.context.api.cuPointerGetAttributes)(1, which, out, host.addr() as u64)
        };
        code == 0 && kind != 0
    }

    /// Copies from host memory, perhaps after returning.
    ///
    /// # Safety
    /// `from` points to `len` bytes that stay readable and unchanged until the copy is done.
    pub(crate) unsafe fn write_later(&self, to: u64, from: *const u8, len: usize) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: the caller's; `to` is a live allocation of ours.
        unsafe { call!(self.context.api, cuMemcpyHtoDAsync_v2(to, from.cast(), len, self.raw)) }
    }

    /// Copies to host memory, perhaps after returning.
    ///
    /// # Safety
    /// `to` points to `len` bytes that stay writable, and unused, until the copy is done.
    pub(crate) unsafe fn read_later(&self, from: u64, to: *mut u8, len: usize) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: the caller's; `from` is a live allocation of ours.
        unsafe { call!(self.context.api, cuMemcpyDtoHAsync_v2(to.cast(), from, len, self.raw)) }
    }

    pub(crate) fn copy(&self, from: u64, to: u64, bytes: u64) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: live allocations of ours that do not overlap.
        unsafe { call!(self.context.api, cuMemcpyDtoDAsync_v2(to, from, bytes as usize, self.raw)) }
    }

    /// Writes `pattern` (1, 2, 4 or 8 bytes) `count` times.
    pub(crate) fn fill(&self, to: u64, pattern: &[u8], count: u64) -> Result<()> {
        let api = self.context.api;
        let _entered = self.context.enter()?;
        let n = count as usize;
        // SAFETY, of each: a live allocation of ours with that many elements, aligned to them.
        match *pattern {
            // SAFETY: above.
            [a] => unsafe { call!(api, cuMemsetD8Async(to, a, n, self.raw)) },
            // SAFETY: above.
            [a, b] => unsafe {
                call!(api, cuMemsetD16Async(to, u16::from_ne_bytes([a, b]), n, self.raw))
            },
            [a, b, c, d] => {
                let word = u32::from_ne_bytes([a, b, c, d]);
                // SAFETY: above.
                unsafe { call!(api, cuMemsetD32Async(to, word, n, self.raw)) }
            }
            [a, b, c, d, e, f, g, h] => {
                let low = u32::from_ne_bytes([a, b, c, d]);
                let high = u32::from_ne_bytes([e, f, g, h]);
                self.fill_pairs(to, low, high, count)
            }
            _ => unreachable!("an element has 1, 2, 4 or 8 bytes"),
        }
    }

    /// The driver fills with 32 bits at most: two strided fills make the first elements, and
    /// copies double them.
    fn fill_pairs(&self, to: u64, low: u32, high: u32, count: u64) -> Result<()> {
        let api = self.context.api;
        if low == high {
            // SAFETY: 2 × `count` words of a live allocation of ours.
            return unsafe { call!(api, cuMemsetD32Async(to, low, count as usize * 2, self.raw)) };
        }
        let mut done = count.min(FILL_SEED);
        let rows = done as usize;
        // SAFETY: one word in each of `rows` rows of 8 bytes, in a live allocation of ours.
        unsafe {
            call!(api, cuMemsetD2D32Async(to, 8, low, 1, rows, self.raw))?;
            call!(api, cuMemsetD2D32Async(to + 4, 8, high, 1, rows, self.raw))?;
        }
        while done < count {
            let more = done.min(count - done);
            self.copy(to, to + done * 8, more * 8)?;
            done += more;
        }
        Ok(())
    }

    /// Puts a kernel on the stream.
    #[inline]
    pub(crate) fn launch(
        &self,
        function: &Function,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        params: &mut [u8],
    ) -> Result<()> {
        const END: usize = 0; // CU_LAUNCH_PARAM_END
        const BUFFER_POINTER: usize = 1; // CU_LAUNCH_PARAM_BUFFER_POINTER
        const BUFFER_SIZE: usize = 2; // CU_LAUNCH_PARAM_BUFFER_SIZE
        let _entered = self.context.enter()?;
        let mut size = params.len();
        let mut extra: [*mut c_void; 5] = [
            ptr::without_provenance_mut(BUFFER_POINTER),
            params.as_mut_ptr().cast(),
            ptr::without_provenance_mut(BUFFER_SIZE),
            (&raw mut size).cast(),
            ptr::without_provenance_mut(END),
        ];
        let extra = if params.is_empty() { ptr::null_mut() } else { extra.as_mut_ptr() };
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        // SAFETY: a live function and stream; the driver copies the parameters before it returns.
        unsafe {
            call!(
                self.context.api,
                cuLaunchKernel(
                    function.raw,
                    gx,
                    gy,
                    gz,
                    bx,
                    by,
                    bz,
                    dynamic_shared,
                    self.raw,
                    ptr::null_mut(),
                    extra,
                )
            )
        }
    }

    pub(crate) fn synchronize(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: a live stream.
        unsafe { call!(self.context.api, cuStreamSynchronize(self.raw)) }
    }

    pub(crate) fn query(&self) -> Result<bool> {
        let _entered = self.context.enter()?;
        // SAFETY: a live stream.
        match unsafe { (self.context.api.cuStreamQuery)(self.raw) } {
            NOT_READY => Ok(false),
            code => self.context.api.check("cuStreamQuery", code).map(|()| true),
        }
    }

    pub(crate) fn is_capturing(&self) -> Result<bool> {
        // SAFETY: a live stream.
        unsafe { self.captures(self.raw) }
    }

    /// # Safety
    /// `stream` is a stream of the driver.
    unsafe fn captures(&self, stream: CUstream) -> Result<bool> {
        let _entered = self.context.enter()?;
        let mut status = 0;
        // SAFETY: the caller's; `status` outlives the call.
        unsafe { call!(self.context.api, cuStreamIsCapturing(stream, &raw mut status))? };
        Ok(status != 0)
    }

    /// Notes this point of the stream in an event.
    pub(crate) fn record(&self, event: &CudaEvent) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: a live event and stream.
        unsafe { call!(self.context.api, cuEventRecord(event.raw, self.raw)) }
    }

    /// Later work on this stream waits, on the device, for an event.
    pub(crate) fn wait(&self, event: &CudaEvent) -> Result<()> {
        // SAFETY: this stream is live.
        unsafe { self.make_wait(self.raw, event) }
    }

    /// Later work on this stream waits, on the device, for what `other` has been given so far.
    pub(crate) fn wait_for(&self, other: &CudaStream) -> Result<()> {
        self.wait(other.record_crossing()?)
    }

    /// Later work on somebody's stream waits, on the device, for what this one has been given.
    ///
    /// # Safety
    /// `waiter` is a stream of the driver.
    pub(crate) unsafe fn hold_back(&self, waiter: CUstream) -> Result<()> {
        // Waiting for an event from outside of a capture would end the capture.
        // SAFETY: the caller's.
        if unsafe { self.captures(waiter)? } {
            return Err(Error::Capturing { operation: "waiting for another stream" });
        }
        let event = self.record_crossing()?;
        // SAFETY: the caller's.
        unsafe { self.make_wait(waiter, event) }
    }

    fn record_crossing(&self) -> Result<&CudaEvent> {
        if self.crossing.get().is_none() {
            // Two threads may both make one; the second is dropped.
            let _ = self.crossing.set(CudaEvent::new(self.context, Timing::Off)?);
        }
        let event = self.crossing.get().unwrap_or_else(|| unreachable!("set above"));
        self.record(event)?;
        Ok(event)
    }

    /// # Safety
    /// `waiter` is a stream of the driver.
    unsafe fn make_wait(&self, waiter: CUstream, event: &CudaEvent) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: the caller's, and a live event.
        unsafe { call!(self.context.api, cuStreamWaitEvent(waiter, event.raw, 0)) }
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if self.owned
            && !fork::happened()
            && let Ok(_entered) = self.context.enter()
        {
            // The driver finishes what the stream has been given.
            // SAFETY: created by `new` and not used any more. An error has nobody to go to.
            let _ = unsafe { call!(self.context.api, cuStreamDestroy_v2(self.raw)) };
        }
    }
}
