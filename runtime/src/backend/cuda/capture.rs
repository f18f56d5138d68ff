//! Living beside graphs that are being captured, by us or by other libraries in the process.

use std::ffi::c_uint;

use super::Context;
use super::api::{Api, call};
use crate::error::Result;

/// `CU_STREAM_CAPTURE_MODE_RELAXED`
const RELAXED: c_uint = 2;

/// While it lives, calls of this thread may not end a capture that has nothing to do with them.
///
/// Without it the driver takes calls that might wait or allocate for mistakes as long as a stream
/// is being captured (on this thread, or in `GLOBAL` mode on any), refuses them, and ends the
/// capture with an error.
#[must_use]
pub(crate) struct CapturesLeftAlone {
    api: &'static Api,
    mode: c_uint,
}

impl Drop for CapturesLeftAlone {
    fn drop(&mut self) {
        // SAFETY: the thread's mode before; `mode` outlives the call. It cannot fail.
        unsafe { (self.api.cuThreadExchangeStreamCaptureMode)(&raw mut self.mode) };
    }
}

impl Context {
    pub(crate) fn leave_captures_alone(&self) -> Result<CapturesLeftAlone> {
        let mut mode = RELAXED;
        // SAFETY: `mode` outlives the call, which leaves the old mode there.
        unsafe { call!(self.api, cuThreadExchangeStreamCaptureMode(&raw mut mode))? };
        Ok(CapturesLeftAlone { api: self.api, mode })
    }

    /// Waits until the device has done all that anybody has given it, and leaves captures alone.
    ///
    /// `cuCtxSynchronize` ends every capture, in whatever mode (seen with CUDA 13.0). `cuMemFree`
    /// does not, and waits as well: it "causes the GPU to synchronize across all executing CUDA
    /// streams" (*CUDA C++ Programming Guide*, "Stream Ordered Memory Allocator").
    pub(crate) fn wait_for_everybody(&self) -> Result<()> {
        let _entered = self.enter()?;
        let _captures = self.leave_captures_alone()?;
        let mut address = 0;
        // SAFETY: `address` outlives the call, and nobody else gets it.
        unsafe {
            call!(self.api, cuMemAlloc_v2(&raw mut address, 1))?;
            call!(self.api, cuMemFree_v2(address))
        }
    }
}
