//! Markers for a kernel's parameters: what [`Kernel::Params`](crate::Kernel::Params) consists of.

use std::marker::PhantomData;

use nvptx_builder::metadata::ParamType;

use crate::element::Element;

/// A scalar, passed by value.
pub struct Scalar<T>(PhantomData<fn() -> T>);

/// `&[T]`: memory of the device that the kernel reads.
pub struct Slice<T>(PhantomData<fn() -> T>);

/// `&mut [T]`: memory of the device that the kernel reads and writes.
pub struct SliceMut<T>(PhantomData<fn() -> T>);

/// One of the markers.
pub trait Parameter: sealed::Sealed {
    /// The type as a kernel's metadata has it.
    const TYPE: ParamType;
}

impl<T: Element> Parameter for Scalar<T> {
    const TYPE: ParamType = ParamType::Scalar(T::SCALAR);
}

impl<T: Element> Parameter for Slice<T> {
    const TYPE: ParamType = ParamType::Slice { element: T::SCALAR, mutable: false };
}

impl<T: Element> Parameter for SliceMut<T> {
    const TYPE: ParamType = ParamType::Slice { element: T::SCALAR, mutable: true };
}

/// A kernel's parameters: a tuple of 0 to 16 markers.
pub trait Parameters: sealed::Sealed + 'static {
    /// Their types, in order.
    const TYPES: &'static [ParamType];
}

pub(super) mod sealed {
    pub trait Sealed {}

    impl<T> Sealed for super::Scalar<T> {}
    impl<T> Sealed for super::Slice<T> {}
    impl<T> Sealed for super::SliceMut<T> {}
}
