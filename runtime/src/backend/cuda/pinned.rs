//! Page-locked host memory.

use std::ffi::c_void;
use std::ptr;

use super::Context;
use super::api::{OUT_OF_MEMORY, call};
use super::fork;
use crate::error::{Error, Result};

/// A block of page-locked host memory, which the device copies from and to by itself.
pub(crate) struct PinnedBlock {
    context: &'static Context,
    pub(crate) data: *mut u8,
}

// SAFETY: memory, freed once.
unsafe impl Send for PinnedBlock {}
// SAFETY: gives out a pointer only.
unsafe impl Sync for PinnedBlock {}

impl PinnedBlock {
    /// `bytes` zeroed bytes, usable by every context; at least one.
    pub(crate) fn new(context: &'static Context, bytes: usize) -> Result<PinnedBlock> {
        const PORTABLE: u32 = 1;
        let _entered = context.enter()?;
        let mut data: *mut c_void = ptr::null_mut();
        // SAFETY: `data` outlives the call.
        let code = unsafe { (context.api.cuMemHostAlloc)(&raw mut data, bytes, PORTABLE) };
        if code == OUT_OF_MEMORY {
            let device = "pinned host memory".to_owned();
            return Err(Error::OutOfMemory { device, bytes: bytes as u64 });
        }
        context.api.check("cuMemHostAlloc", code)?;
        // SAFETY: that many bytes, just allocated.
        unsafe { ptr::write_bytes(data.cast::<u8>(), 0, bytes) };
        Ok(PinnedBlock { context, data: data.cast() })
    }
}

impl Drop for PinnedBlock {
    fn drop(&mut self) {
        if fork::happened() {
            return;
        }
        if let Ok(_entered) = self.context.enter() {
            // SAFETY: allocated by `new`, and no copy is in flight: `PinnedBuffer` has waited.
            // An error has nobody to go to.
            let _ = unsafe { call!(self.context.api, cuMemFreeHost(self.data.cast())) };
        }
    }
}
