//! Types of the high-level IR.

/// A type, fully known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `()`
    Unit,
    /// `!`
    Never,
    /// `bool`
    Bool,
    /// `i8` … `usize`
    Int(IntTy),
    /// `f32`, `f64`
    Float(FloatTy),
    /// `[T; N]`
    Array(Box<Ty>, u64),
    /// `&[T]`, `&mut [T]`: an address and a length.
    Slice {
        /// `T`
        element: Box<Ty>,
        /// `&mut`
        mutable: bool,
        /// Where the elements are.
        space: Space,
    },
    /// `&T`, `&mut T`: an address.
    Ref {
        /// `T`
        target: Box<Ty>,
        /// `&mut`
        mutable: bool,
        /// Where the target is.
        space: Space,
    },
}

/// Which memory a reference points into. Part of its type, so that every access names its state
/// space: ptxas never recovers it from a generic address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// A slice parameter's memory.
    Global,
    /// `block::shared`
    Shared,
    /// A local array.
    Local,
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntTy {
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
}

/// A floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FloatTy {
    F32,
    F64,
}

impl IntTy {
    /// Width in bits; `isize` and `usize` have 64.
    pub fn bits(self) -> u32 {
        match self {
            IntTy::I8 | IntTy::U8 => 8,
            IntTy::I16 | IntTy::U16 => 16,
            IntTy::I32 | IntTy::U32 => 32,
            IntTy::I64 | IntTy::U64 | IntTy::Isize | IntTy::Usize => 64,
        }
    }

    /// Whether it has negative values.
    pub fn signed(self) -> bool {
        matches!(self, IntTy::I8 | IntTy::I16 | IntTy::I32 | IntTy::I64 | IntTy::Isize)
    }
}

impl Ty {
    /// Size in bytes in memory, as Rust lays it out; `None` for `()`, `!` and slices, which this
    /// language does not store.
    pub fn size(&self) -> Option<u64> {
        match self {
            Ty::Bool => Some(1),
            Ty::Int(int) => Some(u64::from(int.bits() / 8)),
            Ty::Float(FloatTy::F32) => Some(4),
            Ty::Float(FloatTy::F64) => Some(8),
            Ty::Array(element, len) => element.size()?.checked_mul(*len),
            Ty::Unit | Ty::Never | Ty::Slice { .. } | Ty::Ref { .. } => None,
        }
    }

    /// Alignment in bytes, where [`size`](Ty::size) is known.
    pub fn align(&self) -> Option<u64> {
        match self {
            Ty::Array(element, _) => element.align(),
            _ => self.size(),
        }
    }
}
