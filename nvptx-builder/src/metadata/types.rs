//! The Rust types that a kernel's parameters can have.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

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

/// A text that is not a type which a kernel's parameter can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the type of a kernel parameter")]
pub struct UnknownType(pub String);

impl Scalar {
    /// Every scalar type.
    pub const ALL: [Scalar; 13] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::Isize,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::Usize,
        Scalar::F32,
        Scalar::F64,
    ];

    /// The type's name in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::Isize => "isize",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::Usize => "usize",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// Its size in bytes on the device. That is also its alignment.
    pub const fn size(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::Isize | Scalar::U64 | Scalar::Usize | Scalar::F64 => 8,
        }
    }

    /// Its alignment in bytes on the device.
    pub const fn align(self) -> u32 {
        self.size()
    }

    /// The type of its `.param`, without the dot: `bool` is `u8`, `usize` is `u64`.
    pub const fn ptx(self) -> &'static str {
        match self {
            Scalar::Bool | Scalar::U8 => "u8",
            Scalar::I8 => "s8",
            Scalar::I16 => "s16",
            Scalar::I32 => "s32",
            Scalar::I64 | Scalar::Isize => "s64",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 | Scalar::Usize => "u64",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// A signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
    }

    /// Writes the value in the low bits of `bits` as Rust's `{}` does for this type. Of a `bool`
    /// the low byte counts, and every value of it but 0 is true.
    pub fn write_value(self, f: &mut dyn fmt::Write, bits: u64) -> fmt::Result {
        match self {
            Scalar::Bool => write!(f, "{}", bits as u8 != 0),
            Scalar::I8 => write!(f, "{}", bits as i8),
            Scalar::I16 => write!(f, "{}", bits as i16),
            Scalar::I32 => write!(f, "{}", bits as i32),
            Scalar::I64 | Scalar::Isize => write!(f, "{}", bits as i64),
            Scalar::U8 => write!(f, "{}", bits as u8),
            Scalar::U16 => write!(f, "{}", bits as u16),
            Scalar::U32 => write!(f, "{}", bits as u32),
            Scalar::U64 | Scalar::Usize => write!(f, "{bits}"),
            Scalar::F32 => write!(f, "{}", f32::from_bits(bits as u32)),
            Scalar::F64 => write!(f, "{}", f64::from_bits(bits)),
        }
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scalar {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        let known = Scalar::ALL.into_iter().find(|scalar| scalar.name() == text);
        known.ok_or_else(|| UnknownType(text.to_owned()))
    }
}

impl ParamType {
    /// The scalar type, or the slice's element type.
    pub const fn element(&self) -> Scalar {
        match self {
            ParamType::Scalar(scalar) => *scalar,
            ParamType::Slice { element, .. } => *element,
        }
    }
}

impl Display for ParamType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ParamType::Scalar(scalar) => write!(f, "{scalar}"),
            ParamType::Slice { element, mutable: false } => write!(f, "&[{element}]"),
            ParamType::Slice { element, mutable: true } => write!(f, "&mut [{element}]"),
        }
    }
}

impl FromStr for ParamType {
    type Err = UnknownType;

    /// Reads exactly what [`Display`] writes.
    fn from_str(text: &str) -> Result<Self, UnknownType> {
        let unknown = |_| UnknownType(text.to_owned());
        let slice =
            |prefix| text.strip_prefix(prefix).and_then(|rest: &str| rest.strip_suffix(']'));
        let element = |text: &str| text.parse().map_err(unknown);
        if let Some(text) = slice("&[") {
            Ok(ParamType::Slice { element: element(text)?, mutable: false })
        } else if let Some(text) = slice("&mut [") {
            Ok(ParamType::Slice { element: element(text)?, mutable: true })
        } else {
            Ok(ParamType::Scalar(element(text)?))
        }
    }
}
