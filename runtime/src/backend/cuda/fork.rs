//! CUDA's state does not survive a fork: notices that one happened.
//!
//! Asking for the process id at every call would cost a system call each; the C library runs a
//! function of ours in every child instead, and a call looks at one flag.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

static FORKED: AtomicBool = AtomicBool::new(false);

/// From now on, a child of this process is noticed. Called when the driver is initialised, so that
/// a child of a process that never used the GPU may use it.
pub(crate) fn watch() {
    #[cfg(unix)]
    {
        unsafe extern "C" {
            fn pthread_atfork(
                prepare: Option<unsafe extern "C" fn()>,
                parent: Option<unsafe extern "C" fn()>,
                child: Option<unsafe extern "C" fn()>,
            ) -> std::ffi::c_int;
        }
        unsafe extern "C" fn in_child() {
            FORKED.store(true, Ordering::Relaxed);
        }
        // SAFETY: the C library's function with its POSIX signature; the handler stores to an
        // atomic, which is allowed between fork and exec. It fails only for want of memory, and
        // then a fork goes unnoticed.
        unsafe { pthread_atfork(None, None, Some(in_child)) };
    }
}

/// Whether this process is such a child.
#[inline]
pub(crate) fn happened() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// [`Error::Forked`] in such a child.
#[inline]
pub(crate) fn refuse() -> Result<()> {
    if happened() { Err(Error::Forked) } else { Ok(()) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_a_process_that_used_the_driver_is_told_so() {
        unsafe extern "C" {
            fn fork() -> i32;
            fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
            fn _exit(status: i32) -> !;
        }
        watch();
        assert_eq!(refuse(), Ok(()));
        // SAFETY: the child only reads an atomic and leaves.
        let child = unsafe { fork() };
        if child == 0 {
            let status = i32::from(refuse() != Err(Error::Forked));
            // SAFETY: ends the child without running anybody's destructors.
            unsafe { _exit(status) };
        }
        let mut status = -1;
        // SAFETY: our child; `status` outlives the call.
        assert_eq!(unsafe { waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0, "the child did not notice");
        assert_eq!(refuse(), Ok(()), "the parent goes on");
    }
}
