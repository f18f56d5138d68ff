//! The Rust types that a kernel's parameters can have.

/// A scalar element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F32,
    F64,
}

/// The type of a kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParamType {
    /// Passed by value.
    Scalar(Scalar),
    /// `&[T]` or `&mut [T]` in global memory.
    Slice {
        /// `T`.
        element: Scalar,
        /// `&mut`.
        mutable: bool,
    },
}
