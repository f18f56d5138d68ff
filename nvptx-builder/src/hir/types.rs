//! Types of the high-level IR.

use std::fmt;

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

    /// The smallest value.
    pub fn min(self) -> i128 {
        if self.signed() { -(1 << (self.bits() - 1)) } else { 0 }
    }

    /// The largest value.
    pub fn max(self) -> i128 {
        (1 << (self.bits() - u32::from(self.signed()))) - 1
    }

    /// The low bits of `value`, read as this type: what wrapping arithmetic leaves of it.
    pub fn wrap(self, value: i128) -> i128 {
        let low = value & ((1 << self.bits()) - 1);
        if low > self.max() { low - (1 << self.bits()) } else { low }
    }

    /// As Rust spells it.
    pub fn name(self) -> &'static str {
        match self {
            IntTy::I8 => "i8",
            IntTy::I16 => "i16",
            IntTy::I32 => "i32",
            IntTy::I64 => "i64",
            IntTy::Isize => "isize",
            IntTy::U8 => "u8",
            IntTy::U16 => "u16",
            IntTy::U32 => "u32",
            IntTy::U64 => "u64",
            IntTy::Usize => "usize",
        }
    }

    /// Whether it has negative values.
    pub fn signed(self) -> bool {
        matches!(self, IntTy::I8 | IntTy::I16 | IntTy::I32 | IntTy::I64 | IntTy::Isize)
    }
}

impl FloatTy {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            FloatTy::F32 => 32,
            FloatTy::F64 => 64,
        }
    }

    /// As Rust spells it.
    pub fn name(self) -> &'static str {
        match self {
            FloatTy::F32 => "f32",
            FloatTy::F64 => "f64",
        }
    }
}

impl Ty {
    /// The scalar type that Rust spells like this.
    pub fn scalar(name: &str) -> Option<Ty> {
        const INTS: [IntTy; 10] = [
            IntTy::I8,
            IntTy::I16,
            IntTy::I32,
            IntTy::I64,
            IntTy::Isize,
            IntTy::U8,
            IntTy::U16,
            IntTy::U32,
            IntTy::U64,
            IntTy::Usize,
        ];
        match name {
            "bool" => Some(Ty::Bool),
            "f32" => Some(Ty::Float(FloatTy::F32)),
            "f64" => Some(Ty::Float(FloatTy::F64)),
            _ => INTS.into_iter().find(|int| int.name() == name).map(Ty::Int),
        }
    }

    /// Whether it is a `bool`, an integer or a float.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Ty::Bool | Ty::Int(_) | Ty::Float(_))
    }

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

impl fmt::Display for IntTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for FloatTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// As Rust writes it; the state space of a reference does not show.
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let and = |mutable| if mutable { "&mut " } else { "&" };
        match self {
            Ty::Unit => f.write_str("()"),
            Ty::Never => f.write_str("!"),
            Ty::Bool => f.write_str("bool"),
            Ty::Int(int) => int.fmt(f),
            Ty::Float(float) => float.fmt(f),
            Ty::Array(element, len) => write!(f, "[{element}; {len}]"),
            Ty::Slice { element, mutable, .. } => write!(f, "{}[{element}]", and(*mutable)),
            Ty::Ref { target, mutable, .. } => write!(f, "{}{target}", and(*mutable)),
        }
    }
}
