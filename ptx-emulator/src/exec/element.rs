//! What memory holds: the types of loads and stores.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::lanes::Lane;
use crate::memory::pointer;

/// A value in memory, little-endian and naturally aligned.
pub(crate) trait Element: Lane + Default {
    /// In bytes.
    const SIZE: usize;

    /// Reads global memory.
    ///
    /// # Safety
    /// The address is a multiple of `SIZE`, in an allocation that the launch keeps alive.
    unsafe fn load(address: u64) -> Self;

    /// Writes global memory.
    ///
    /// # Safety
    /// As for [`Self::load`].
    unsafe fn store(self, address: u64);
}

macro_rules! elements {
    ($($ty:ty: $atomic:ty),*) => {$(
        impl Element for $ty {
            const SIZE: usize = size_of::<$ty>();
            #[inline(always)]
            unsafe fn load(address: u64) -> $ty {
                // SAFETY: the caller's; all accesses to global memory are atomic.
                unsafe { &*pointer::<$atomic>(address) }.load(Relaxed)
            }
            #[inline(always)]
            unsafe fn store(self, address: u64) {
                // SAFETY: the caller's; all accesses to global memory are atomic.
                unsafe { &*pointer::<$atomic>(address) }.store(self, Relaxed)
            }
        }
    )*};
}

elements!(u8: AtomicU8, u16: AtomicU16, u32: AtomicU32, u64: AtomicU64);
