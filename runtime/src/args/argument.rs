//! Which values may stand for which parameter.

use super::Packer;
use super::param::{Scalar, Slice as SliceParam, SliceMut as SliceMutParam};
use crate::buffer::{Buffer, Slice, SliceMut};
use crate::element::Element;
use crate::error::Result;

/// A value that a launch passes for the parameter `P`, one of the markers in
/// [`param`](crate::param).
///
/// | parameter | argument |
/// |---|---|
/// | `a: f32` | an `f32` |
/// | `x: &[f32]` | `&buffer`, `buffer.slice(range)?` or a reference to such a slice |
/// | `y: &mut [f32]` | `&mut buffer`, `buffer.slice_mut(range)?` or `&mut` such a slice |
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `{P}` cannot take `{Self}`",
    label = "not an argument for `{P}`"
)]
pub trait Argument<P> {
    /// Appends the argument to the launch's parameters.
    ///
    /// # Errors
    /// [`Error::WrongDevice`](crate::Error::WrongDevice) for memory of another device than the
    /// stream's; what the driver says when the stream must wait for another one.
    #[doc(hidden)]
    fn pack(self, packer: &mut Packer<'_>) -> Result<()>;
}

/// A value for a scalar parameter: exactly a `T`, as in a call of a Rust function.
#[diagnostic::on_unimplemented(
    message = "this kernel's parameter is `{T}`, and the argument is `{Self}`",
    label = "expected `{T}`",
    note = "scalars are not converted: write `value as {T}`, or a literal such as `3 as {T}`"
)]
pub trait ScalarArgument<T>: Sized {
    /// The value.
    #[doc(hidden)]
    fn value(self) -> T;
}

impl<T: Element> ScalarArgument<T> for T {
    #[inline]
    fn value(self) -> T {
        self
    }
}

/// Memory for a parameter `&[T]`.
#[diagnostic::on_unimplemented(
    message = "this kernel's parameter is a `&[{T}]` on the device, and the argument is `{Self}`",
    label = "expected `&buffer` with a `Buffer<{T}>`",
    note = "write `&x` for the whole of a `Buffer<{T}>`, `x.slice(range)?` for a part of it; \
            `stream.upload(&data)?` makes a buffer of host data"
)]
pub trait SliceArgument<T: Element>: Sized {
    /// Appends address and length.
    #[doc(hidden)]
    fn pack_slice(self, packer: &mut Packer<'_>) -> Result<()>;
}

/// Memory for a parameter `&mut [T]`.
#[diagnostic::on_unimplemented(
    message = "this kernel's parameter is a `&mut [{T}]` on the device, and the argument is \
               `{Self}`",
    label = "expected `&mut buffer` with a `Buffer<{T}>`",
    note = "write `&mut y` for the whole of a `Buffer<{T}>`, `y.slice_mut(range)?` for a part of \
            it, and `&mut *y` if `y` is a `&mut Buffer<{T}>` already"
)]
pub trait SliceMutArgument<T: Element>: Sized {
    /// Appends address and length.
    #[doc(hidden)]
    fn pack_slice_mut(self, packer: &mut Packer<'_>) -> Result<()>;
}

impl<T: Element, A: ScalarArgument<T>> Argument<Scalar<T>> for A {
    #[inline]
    fn pack(self, packer: &mut Packer<'_>) -> Result<()> {
        packer.block.push(self.value());
        Ok(())
    }
}

impl<T: Element, A: SliceArgument<T>> Argument<SliceParam<T>> for A {
    #[inline]
    fn pack(self, packer: &mut Packer<'_>) -> Result<()> {
        self.pack_slice(packer)
    }
}

impl<T: Element, A: SliceMutArgument<T>> Argument<SliceMutParam<T>> for A {
    #[inline]
    fn pack(self, packer: &mut Packer<'_>) -> Result<()> {
        self.pack_slice_mut(packer)
    }
}

impl<T: Element> SliceArgument<T> for &Slice<'_, T> {
    #[inline]
    fn pack_slice(self, packer: &mut Packer<'_>) -> Result<()> {
        packer.expect_device(self.device())?;
        let address = self.begin_read(packer.stream)?;
        packer.block.push(address);
        packer.block.push(self.len() as u64);
        Ok(())
    }
}

impl<T: Element> SliceArgument<T> for Slice<'_, T> {
    #[inline]
    fn pack_slice(self, packer: &mut Packer<'_>) -> Result<()> {
        (&self).pack_slice(packer)
    }
}

impl<T: Element> SliceArgument<T> for &Buffer<T> {
    #[inline]
    fn pack_slice(self, packer: &mut Packer<'_>) -> Result<()> {
        Slice::from(self).pack_slice(packer)
    }
}

impl<T: Element> SliceMutArgument<T> for &mut SliceMut<'_, T> {
    #[inline]
    fn pack_slice_mut(self, packer: &mut Packer<'_>) -> Result<()> {
        packer.expect_device(self.device())?;
        let address = self.begin_write(packer.stream)?;
        packer.block.push(address);
        packer.block.push(self.len() as u64);
        Ok(())
    }
}

impl<T: Element> SliceMutArgument<T> for SliceMut<'_, T> {
    #[inline]
    fn pack_slice_mut(mut self, packer: &mut Packer<'_>) -> Result<()> {
        (&mut self).pack_slice_mut(packer)
    }
}

impl<T: Element> SliceMutArgument<T> for &mut Buffer<T> {
    #[inline]
    fn pack_slice_mut(self, packer: &mut Packer<'_>) -> Result<()> {
        SliceMut::from(self).pack_slice_mut(packer)
    }
}
