//! PTX, loaded by the driver.

use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUjit_option, CUmodule};

use super::Context;
use super::api::{NOT_FOUND, call};
use super::fork;
use crate::error::{Error, Result};

/// Bytes of the driver's messages that are kept.
const LOG_BYTES: usize = 16 << 10;

/// What a block may use of shared memory without being asked for more.
const SHARED_WITHOUT_OPT_IN: u32 = 48 << 10;

/// A kernel in a module of its own, which is unloaded with it, once the device is idle.
pub(crate) struct Function {
    context: &'static Context,
    module: CUmodule,
    pub(super) raw: CUfunction,
    /// The most threads that a block of this kernel can have.
    pub(crate) max_threads: u32,
    /// Bytes of shared memory that it declares.
    pub(crate) static_shared: u32,
    /// Bytes of dynamic shared memory that the driver has been told to expect at most.
    granted: AtomicU32,
}

// SAFETY: the driver lets any thread use a module and locks what it shares.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// Unloads a module, unless it has become a [`Function`]'s.
struct Unload(&'static Context, CUmodule);

impl Drop for Unload {
    fn drop(&mut self) {
        if fork::happened() {
            return;
        }
        if let Ok(_entered) = self.0.enter() {
            // The driver does not promise that code outlives its module while it runs.
            if self.0.wait_for_everybody().is_err() {
                return;
            }
            // SAFETY: loaded by `load`, and no function of it is used any more. An error has
            // nobody to go to.
            let _ = unsafe { call!(self.0.api, cuModuleUnload(self.1)) };
        }
    }
}

impl Function {
    /// Loads the entry `kernel` of a PTX text.
    pub(crate) fn load(context: &'static Context, kernel: &str, ptx: &str) -> Result<Function> {
        let refused = |log: String| Error::Load {
            kernel: kernel.to_owned(),
            device: context.name.clone(),
            log,
        };
        let text = CString::new(ptx).map_err(|_| refused("the text contains a NUL".to_owned()))?;
        let name = CString::new(kernel)
            .map_err(|_| Error::KernelNotFound { kernel: kernel.to_owned() })?;
        let _entered = context.enter()?;

        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values: [*mut c_void; 2] =
            [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES)];
        let mut module = ptr::null_mut();
        // SAFETY: the text ends with a NUL; the two options have values of their types, and the
        // log buffer has the size that is given.
        let loaded = unsafe {
            call!(
                context.api,
                cuModuleLoadDataEx(
                    &raw mut module,
                    text.as_ptr().cast(),
                    2,
                    options.as_mut_ptr(),
                    values.as_mut_ptr(),
                )
            )
        };
        if let Err(error) = loaded {
            let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
            let log = String::from_utf8_lossy(&log[..end]).trim().to_owned();
            return Err(refused(if log.is_empty() {
                error.to_string()
            } else {
                format!("{error}\n{log}")
            }));
        }
        let unload = Unload(context, module);

        let mut raw = ptr::null_mut();
        // SAFETY: a live module and a NUL-terminated name.
        let code =
            unsafe { (context.api.cuModuleGetFunction)(&raw mut raw, module, name.as_ptr()) };
        if code == NOT_FOUND {
            return Err(Error::KernelNotFound { kernel: kernel.to_owned() });
        }
        context.api.check("cuModuleGetFunction", code)?;
        let attribute = |which| -> Result<u32> {
            let mut value = 0;
            // SAFETY: a live function; `value` outlives the call.
            unsafe { call!(context.api, cuFuncGetAttribute(&raw mut value, which, raw))? };
            Ok(u32::try_from(value).unwrap_or(0))
        };
        use CUfunction_attribute as A;
        let max_threads = attribute(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        let static_shared = attribute(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;

        std::mem::forget(unload);
        Ok(Function {
            context,
            module,
            raw,
            max_threads,
            static_shared,
            granted: AtomicU32::new(SHARED_WITHOUT_OPT_IN.saturating_sub(static_shared)),
        })
    }

    /// Whether the kernel may be launched with that much dynamic shared memory as it stands.
    #[inline]
    pub(crate) fn grants(&self, dynamic_shared: u32) -> bool {
        dynamic_shared <= self.granted.load(Ordering::Relaxed)
    }

    /// Opts in to all the dynamic shared memory that the device has for this kernel. It is a
    /// permission: what a launch takes is still its own choice, so it is given once and whole,
    /// and no thread can take away what another has just asked for.
    pub(crate) fn grant(&self) -> Result<()> {
        let most = self.context.limits.shared_per_block_opt_in.saturating_sub(self.static_shared);
        let which = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let value = i32::try_from(most).unwrap_or(i32::MAX);
        let _entered = self.context.enter()?;
        // SAFETY: a live function.
        unsafe { call!(self.context.api, cuFuncSetAttribute(self.raw, which, value))? };
        self.granted.store(most, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn context(&self) -> &'static Context {
        self.context
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        drop(Unload(self.context, self.module));
    }
}
