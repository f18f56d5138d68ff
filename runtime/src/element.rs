//! The types that a buffer can hold.

use std::fmt::Debug;

use nvptx_builder::metadata::Scalar;

/// A type that has the same bytes on the host and on the device, so that buffers can hold it.
///
/// # Safety
/// The type has the size, the alignment and the meaning of [`SCALAR`](Self::SCALAR), has no
/// padding, and every bit pattern is a value of it (only `bool` is treated apart: whatever is not
/// zero is read from the device as `true`).
pub unsafe trait Element:
    Copy + Debug + Default + PartialEq + Send + Sync + 'static
{
    /// How the compiler calls the type.
    const SCALAR: Scalar;
}

macro_rules! elements {
    ($($ty:ty => $scalar:ident),* $(,)?) => {$(
        // SAFETY: a primitive without padding, under its own name.
        unsafe impl Element for $ty {
            const SCALAR: Scalar = Scalar::$scalar;
        }
    )*};
}

elements! {
    bool => Bool,
    i8 => I8, i16 => I16, i32 => I32, i64 => I64, isize => Isize,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64, usize => Usize,
    f32 => F32, f64 => F64,
}

/// The bytes of `len` elements.
pub(crate) fn byte_len<T: Element>(len: usize) -> crate::Result<u64> {
    let element = size_of::<T>();
    len.checked_mul(element)
        .filter(|bytes| isize::try_from(*bytes).is_ok())
        .map(|bytes| bytes as u64)
        .ok_or(crate::Error::TooLarge { len, element })
}

/// Makes valid elements of bytes that came from the device.
///
/// # Safety
/// `data` points to `len` elements' worth of initialised bytes that nobody else uses.
pub(crate) unsafe fn normalise<T: Element>(data: *mut T, len: usize) {
    if T::SCALAR == Scalar::Bool {
        // SAFETY: the caller's; a byte has no invalid value.
        let bytes = unsafe { std::slice::from_raw_parts_mut(data.cast::<u8>(), len) };
        for byte in bytes {
            *byte = u8::from(*byte != 0);
        }
    }
}
