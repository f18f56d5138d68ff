//! One device's primary context, which every CUDA library in the process shares.

use std::collections::HashMap;
use std::ffi::{CStr, c_int};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUmemPool_attribute, CUstream,
};

use super::api::{Api, call};
use super::fork;
use super::record::RecordPool;
use crate::device::{Limits, StreamList};
use crate::error::{Error, Result};

/// A device's primary context. It is retained once and never released: buffers, streams and the
/// static destructors of other libraries may come in any order, up to the process's end.
pub(crate) struct Context {
    pub(crate) api: &'static Api,
    pub(crate) ordinal: u32,
    pub(crate) name: String,
    pub(crate) limits: Limits,
    pub(crate) pool: Option<Pool>,
    /// Whether the device reads pageable host memory through the host's page tables, so that a copy
    /// from it need not be staged and may return before it has read its source.
    pub(crate) host_page_tables: bool,
    pub(crate) records: RecordPool,
    pub(crate) streams: StreamList,
    raw: CUcontext,
}

// SAFETY: a context may be current on any number of threads, and the driver locks what it shares;
// the rest is immutable or behind a mutex.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// The driver's stream-ordered allocator.
pub(crate) struct Pool {
    pub(crate) allocate: unsafe extern "C" fn(*mut CUdeviceptr, usize, CUstream) -> u32,
    pub(crate) free: unsafe extern "C" fn(CUdeviceptr, CUstream) -> u32,
}

/// While it lives, the context is current on this thread.
#[must_use]
pub(crate) struct Entered {
    pushed_on: Option<&'static Api>,
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        if let Some(api) = self.pushed_on {
            let mut popped = ptr::null_mut();
            // SAFETY: `popped` outlives the call. It takes back what `enter` pushed; an error
            // would mean that the driver is shutting down.
            unsafe { (api.cuCtxPopCurrent_v2)(&raw mut popped) };
        }
    }
}

impl Context {
    /// The context of device `ordinal`, created at the first call.
    pub(crate) fn get(ordinal: u32) -> Result<&'static Context> {
        static CONTEXTS: Mutex<Option<HashMap<u32, &'static Context>>> = Mutex::new(None);
        let api = Api::get()?;
        let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
        let contexts = contexts.get_or_insert_default();
        if let Some(context) = contexts.get(&ordinal) {
            return Ok(context);
        }
        let context: &'static Context = Box::leak(Box::new(Context::create(api, ordinal)?));
        contexts.insert(ordinal, context);
        Ok(context)
    }

    fn create(api: &'static Api, ordinal: u32) -> Result<Context> {
        let available = Context::count(api)?;
        let Some(number) = c_int::try_from(ordinal).ok().filter(|_| ordinal < available) else {
            return Err(Error::NoDevice { ordinal, available });
        };
        let mut device: CUdevice = 0;
        // SAFETY: `device` outlives the call.
        unsafe { call!(api, cuDeviceGet(&raw mut device, number))? };
        let name = device_name(api, device)?;
        let limits = device_limits(api, device)?;
        let pool = default_pool(api, device)?;
        let host_page_tables = attribute(
            api,
            device,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
        )? != 0;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` outlives the call.
        unsafe { call!(api, cuDevicePrimaryCtxRetain(&raw mut raw, device))? };
        Ok(Context {
            api,
            ordinal,
            name,
            limits,
            pool,
            host_page_tables,
            records: RecordPool::default(),
            streams: StreamList::default(),
            raw,
        })
    }

    /// How many devices there are.
    fn count(api: &Api) -> Result<u32> {
        let mut count = 0;
        // SAFETY: `count` outlives the call.
        unsafe { call!(api, cuDeviceGetCount(&raw mut count))? };
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// Makes the context current on this thread, for as long as the answer lives if another one
    /// was, else for good.
    #[inline]
    pub(crate) fn enter(&self) -> Result<Entered> {
        fork::refuse()?;
        let mut current = ptr::null_mut();
        // SAFETY: `current` outlives the call.
        unsafe { call!(self.api, cuCtxGetCurrent(&raw mut current))? };
        if current == self.raw {
            return Ok(Entered { pushed_on: None });
        }
        self.enter_from(current)
    }

    #[cold]
    fn enter_from(&self, current: CUcontext) -> Result<Entered> {
        if current.is_null() {
            // SAFETY: a context that is never released.
            unsafe { call!(self.api, cuCtxSetCurrent(self.raw))? };
            return Ok(Entered { pushed_on: None });
        }
        // Someone else's choice for this thread: another library's, or the user's. It comes back.
        // SAFETY: a context that is never released.
        unsafe { call!(self.api, cuCtxPushCurrent_v2(self.raw))? };
        Ok(Entered { pushed_on: Some(self.api) })
    }

    /// Whether a stream handle of the driver belongs to this context.
    ///
    /// # Safety
    /// `stream` is a stream of the driver.
    pub(crate) unsafe fn owns(&self, stream: CUstream) -> Result<bool> {
        let _entered = self.enter()?;
        let mut owner = ptr::null_mut();
        // SAFETY: the caller's; `owner` outlives the call.
        unsafe { call!(self.api, cuStreamGetCtx(stream, &raw mut owner))? };
        Ok(owner == self.raw)
    }

    /// Waits for everything that any stream of the context has been given.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let _entered = self.enter()?;
        // SAFETY: the context is current.
        unsafe { call!(self.api, cuCtxSynchronize()) }
    }
}

fn device_name(api: &Api, device: CUdevice) -> Result<String> {
    let mut name = [0; 256];
    // SAFETY: room for 256 characters, the last of which the driver makes a NUL.
    unsafe { call!(api, cuDeviceGetName(name.as_mut_ptr(), 256, device))? };
    // SAFETY: written just now, with a NUL.
    Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
}

fn attribute(api: &Api, device: CUdevice, which: CUdevice_attribute) -> Result<u32> {
    let mut value = 0;
    // SAFETY: `value` outlives the call.
    unsafe { call!(api, cuDeviceGetAttribute(&raw mut value, which, device))? };
    Ok(u32::try_from(value).unwrap_or(0))
}

fn device_limits(api: &Api, device: CUdevice) -> Result<Limits> {
    use CUdevice_attribute as A;
    let get = |which| attribute(api, device, which);
    let mut memory = 0;
    // SAFETY: `memory` outlives the call.
    unsafe { call!(api, cuDeviceTotalMem_v2(&raw mut memory, device))? };
    Ok(Limits {
        compute_capability: (
            get(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            get(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        grid: [
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        block: [
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        threads_per_block: get(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        shared_per_block: get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_per_block_opt_in: get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        warp_size: get(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        multiprocessors: get(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        memory: memory as u64,
    })
}

/// The stream-ordered allocator, told to keep freed memory instead of returning it to the system
/// at every synchronisation.
fn default_pool(api: &Api, device: CUdevice) -> Result<Option<Pool>> {
    let which = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
    let (Some(allocate), Some(free), Some(default), Some(set)) = (
        api.cuMemAllocAsync,
        api.cuMemFreeAsync,
        api.cuDeviceGetDefaultMemPool,
        api.cuMemPoolSetAttribute,
    ) else {
        return Ok(None);
    };
    if attribute(api, device, which)? == 0 {
        return Ok(None);
    }
    let mut pool = ptr::null_mut();
    // SAFETY: `pool` outlives the call.
    api.check("cuDeviceGetDefaultMemPool", unsafe { default(&raw mut pool, device) })?;
    let mut keep = u64::MAX;
    let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: this attribute's value is a u64.
    api.check("cuMemPoolSetAttribute", unsafe { set(pool, threshold, (&raw mut keep).cast()) })?;
    Ok(Some(Pool { allocate, free }))
}
