//! What memory holds: the types of loads and stores.

use std::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering,
};

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
    unsafe fn load(address: u64, order: Ordering) -> Self;

    /// Writes global memory.
    ///
    /// # Safety
    /// As for [`Self::load`].
    unsafe fn store(self, address: u64, order: Ordering);
}

macro_rules! elements {
    ($($ty:ty: $atomic:ty),*) => {$(
        impl Element for $ty {
            const SIZE: usize = size_of::<$ty>();
            #[inline(always)]
            unsafe fn load(address: u64, order: Ordering) -> $ty {
                // SAFETY: the caller's; all accesses to global memory are atomic.
                unsafe { &*pointer::<$atomic>(address) }.load(order)
            }
            #[inline(always)]
            unsafe fn store(self, address: u64, order: Ordering) {
                // SAFETY: the caller's; all accesses to global memory are atomic.
                unsafe { &*pointer::<$atomic>(address) }.store(self, order)
            }
        }
    )*};
}

elements!(
    u8: AtomicU8, i8: AtomicI8, u16: AtomicU16, i16: AtomicI16,
    u32: AtomicU32, i32: AtomicI32, u64: AtomicU64, i64: AtomicI64
);
