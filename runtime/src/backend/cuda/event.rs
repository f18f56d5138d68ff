//! A driver's event.

use std::ptr;

use cudarc::driver::sys::CUevent;

use super::Context;
use super::api::{NOT_READY, call};
use super::fork;
use crate::error::Result;

/// Whether an event notes the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    /// It does.
    On,
    /// It does not, and so is cheaper.
    Off,
}

/// An event; destroyed when dropped, which the driver defers until it has happened.
pub(crate) struct CudaEvent {
    context: &'static Context,
    pub(super) raw: CUevent,
}

// SAFETY: the driver lets any thread use an event and locks what it shares.
unsafe impl Send for CudaEvent {}
// SAFETY: as above.
unsafe impl Sync for CudaEvent {}

impl CudaEvent {
    pub(crate) fn new(context: &'static Context, timing: Timing) -> Result<CudaEvent> {
        let flags = match timing {
            Timing::On => 0,
            Timing::Off => 2, // CU_EVENT_DISABLE_TIMING
        };
        let _entered = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` outlives the call.
        unsafe { call!(context.api, cuEventCreate(&raw mut raw, flags))? };
        Ok(CudaEvent { context, raw })
    }

    pub(crate) fn synchronize(&self) -> Result<()> {
        let _entered = self.context.enter()?;
        // SAFETY: a live event.
        unsafe { call!(self.context.api, cuEventSynchronize(self.raw)) }
    }

    pub(crate) fn query(&self) -> Result<bool> {
        let _entered = self.context.enter()?;
        // SAFETY: a live event.
        match unsafe { (self.context.api.cuEventQuery)(self.raw) } {
            NOT_READY => Ok(false),
            code => self.context.api.check("cuEventQuery", code).map(|()| true),
        }
    }

    /// Milliseconds between two events that have happened.
    pub(crate) fn milliseconds_since(&self, earlier: &CudaEvent) -> Result<f32> {
        let _entered = self.context.enter()?;
        let mut milliseconds = 0.0;
        let out = &raw mut milliseconds;
        // SAFETY: live events; `milliseconds` outlives the call.
        unsafe { call!(self.context.api, cuEventElapsedTime(out, earlier.raw, self.raw))? };
        Ok(milliseconds)
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        if fork::happened() {
            return;
        }
        if let Ok(_entered) = self.context.enter() {
            // SAFETY: a live event that nobody uses any more. An error has nobody to go to.
            let _ = unsafe { call!(self.context.api, cuEventDestroy_v2(self.raw)) };
        }
    }
}
