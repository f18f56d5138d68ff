//! The driver's functions, each looked up once by its name.
//!
//! The types are cudarc's and so is the search for the library. Its wrappers are not used: they
//! panic when a driver lacks a function, and return an error code as a Rust enum, which a newer
//! driver's code would not be a value of. Here a code is a number, and a missing function an error.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUjit_option, CUmemPool_attribute, CUmemoryPool, CUmodule,
    CUpointer_attribute, CUstream,
};

use crate::error::{Error, Result};

/// `CUDA_SUCCESS`.
pub(crate) const SUCCESS: u32 = 0;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(crate) const OUT_OF_MEMORY: u32 = 2;
/// `CUDA_ERROR_STUB_LIBRARY`: the library that toolkits bring for linking, not a driver.
pub(crate) const STUB_LIBRARY: u32 = 34;
/// `CUDA_ERROR_NO_DEVICE`.
pub(crate) const NO_DEVICE: u32 = 100;
/// `CUDA_ERROR_NOT_FOUND`.
pub(crate) const NOT_FOUND: u32 = 500;
/// `CUDA_ERROR_NOT_READY`.
pub(crate) const NOT_READY: u32 = 600;

macro_rules! api {
    (
        required { $($name:ident($($arg:ty),* $(,)?);)* }
        optional { $($opt_name:ident($($opt_arg:ty),* $(,)?);)* }
    ) => {
        /// Pointers to the driver's functions, under the driver's names.
        #[allow(non_snake_case)]
        pub(crate) struct Api {
            $(pub(crate) $name: unsafe extern "C" fn($($arg),*) -> u32,)*
            $(pub(crate) $opt_name: Option<unsafe extern "C" fn($($opt_arg),*) -> u32>,)*
        }

        impl Api {
            /// # Safety
            /// The driver's library is present.
            unsafe fn load() -> Result<Api> {
                Ok(Api {
                    $(
                        // SAFETY: the driver's function of that name has this signature.
                        $name: unsafe { symbol(concat!(stringify!($name), "\0")) }
                            .ok_or_else(|| old_driver(stringify!($name)))?,
                    )*
                    $(
                        // SAFETY: as above.
                        $opt_name: unsafe { symbol(concat!(stringify!($opt_name), "\0")) },
                    )*
                })
            }
        }
    };
}

api! {
    required {
        cuInit(c_uint);
        cuGetErrorName(u32, *mut *const c_char);
        cuGetErrorString(u32, *mut *const c_char);
        cuDeviceGetCount(*mut c_int);
        cuDeviceGet(*mut CUdevice, c_int);
        cuDeviceGetName(*mut c_char, c_int, CUdevice);
        cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
        cuDeviceTotalMem_v2(*mut usize, CUdevice);
        cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
        cuCtxGetCurrent(*mut CUcontext);
        cuCtxSetCurrent(CUcontext);
        cuCtxPushCurrent_v2(CUcontext);
        cuCtxPopCurrent_v2(*mut CUcontext);
        cuCtxSynchronize();
        cuStreamCreate(*mut CUstream, c_uint);
        cuStreamDestroy_v2(CUstream);
        cuStreamSynchronize(CUstream);
        cuStreamQuery(CUstream);
        cuStreamWaitEvent(CUstream, CUevent, c_uint);
        cuStreamIsCapturing(CUstream, *mut c_uint);
        cuThreadExchangeStreamCaptureMode(*mut c_uint);
        cuStreamGetCtx(CUstream, *mut CUcontext);
        cuEventCreate(*mut CUevent, c_uint);
        cuEventDestroy_v2(CUevent);
        cuEventRecord(CUevent, CUstream);
        cuEventQuery(CUevent);
        cuEventSynchronize(CUevent);
        cuEventElapsedTime(*mut f32, CUevent, CUevent);
        cuMemAlloc_v2(*mut CUdeviceptr, usize);
        cuMemFree_v2(CUdeviceptr);
        cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
        cuMemFreeHost(*mut c_void);
        cuMemHostGetDevicePointer_v2(*mut CUdeviceptr, *mut c_void, c_uint);
        cuPointerGetAttributes(c_uint, *mut CUpointer_attribute, *mut *mut c_void, CUdeviceptr);
        cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
        cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
        cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
        cuMemsetD8Async(CUdeviceptr, u8, usize, CUstream);
        cuMemsetD16Async(CUdeviceptr, u16, usize, CUstream);
        cuMemsetD32Async(CUdeviceptr, c_uint, usize, CUstream);
        cuMemsetD2D32Async(CUdeviceptr, usize, c_uint, usize, usize, CUstream);
        cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
        cuModuleUnload(CUmodule);
        cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
        cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
        cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
        cuLaunchKernel(
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
            *mut *mut c_void, *mut *mut c_void,
        );
    }
    optional {
        cuMemAllocAsync(*mut CUdeviceptr, usize, CUstream);
        cuMemFreeAsync(CUdeviceptr, CUstream);
        cuDeviceGetDefaultMemPool(*mut CUmemoryPool, CUdevice);
        cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, *mut c_void);
    }
}

/// Calls a function of the driver; an error code becomes an [`Error::Driver`] that names it.
macro_rules! call {
    ($api:expr, $name:ident($($arg:expr),* $(,)?)) => {
        $api.check(stringify!($name), ($api.$name)($($arg),*))
    };
}
pub(crate) use call;

/// # Safety
/// The driver's library is present, and `F` is a pointer to a function with the signature of the
/// driver's function `name` (which ends with a NUL).
unsafe fn symbol<F: Copy>(name: &'static str) -> Option<F> {
    // SAFETY: the caller's.
    unsafe { sys::culib().get::<F>(name.as_bytes()) }.ok().map(|found| *found)
}

fn old_driver(symbol_name: &'static str) -> Error {
    // SAFETY: only called while loading, so the library is present; the signature is the driver's.
    let version =
        unsafe { symbol::<unsafe extern "C" fn(*mut c_int) -> u32>("cuDriverGetVersion\0") };
    let version = version.and_then(|cu_driver_get_version| {
        let mut number = 0;
        // SAFETY: `number` outlives the call; this function needs no initialisation.
        let code = unsafe { cu_driver_get_version(&raw mut number) };
        (code == SUCCESS).then(|| format!("{}.{}", number / 1000, number % 1000 / 10))
    });
    Error::OldDriver {
        symbol: symbol_name.split('\0').next().unwrap_or(symbol_name),
        version: version.unwrap_or_else(|| "of an unknown version".to_owned()),
    }
}

impl Api {
    /// The driver, loaded and initialised at the first call.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::OldDriver`], [`Error::Forked`], or what `cuInit` says.
    pub(crate) fn get() -> Result<&'static Api> {
        static API: OnceLock<Result<Api>> = OnceLock::new();
        let api = API.get_or_init(|| {
            // SAFETY: loading the driver runs its initialisers, which is what a user of a GPU
            // expects; nothing else depends on when.
            if !unsafe { sys::is_culib_present() } {
                let reason = if cfg!(windows) { "no nvcuda.dll" } else { "no libcuda.so" };
                return Err(Error::NoDriver { reason: reason.to_owned() });
            }
            // SAFETY: the library is present.
            let api = unsafe { Api::load()? };
            super::fork::watch();
            // SAFETY: the flags must be 0, and are.
            let code = unsafe { (api.cuInit)(0) };
            match code {
                NO_DEVICE => return Err(Error::NoDevice { ordinal: 0, available: 0 }),
                STUB_LIBRARY => {
                    let reason = "the library found is the toolkit's stub".to_owned();
                    return Err(Error::NoDriver { reason });
                }
                _ => api.check("cuInit", code)?,
            }
            Ok(api)
        });
        let api = api.as_ref().map_err(Clone::clone)?;
        super::fork::refuse()?;
        Ok(api)
    }

    /// An error if `code` is one.
    #[inline]
    pub(crate) fn check(&self, call: &'static str, code: u32) -> Result<()> {
        if code == SUCCESS { Ok(()) } else { Err(self.error(call, code)) }
    }

    #[cold]
    fn error(&self, call: &'static str, code: u32) -> Error {
        let text = |look_up: unsafe extern "C" fn(u32, *mut *const c_char) -> u32| {
            let mut text = std::ptr::null();
            // SAFETY: `text` outlives the call; any code may be asked for.
            let found = unsafe { look_up(code, &raw mut text) };
            (found == SUCCESS && !text.is_null()).then(|| {
                // SAFETY: the driver's static, NUL-terminated text.
                unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
            })
        };
        Error::Driver {
            call: call.split("_v").next().unwrap_or(call),
            code,
            name: text(self.cuGetErrorName).unwrap_or_else(|| "an unknown error".to_owned()),
            description: text(self.cuGetErrorString)
                .unwrap_or_else(|| "the driver has no words for it".to_owned()),
        }
    }
}
