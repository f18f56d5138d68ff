//! PTX's names for things.

use super::convert::narrow_type;
use crate::ir::{Block, Function, Special, Type};
use crate::metadata::ptx_name;
use crate::ptx::Variable;

/// The label of a block.
pub(super) fn label(block: Block) -> String {
    format!("${block}")
}

/// How a value of this type is copied.
pub(super) fn mov(ty: Type) -> &'static str {
    match ty {
        Type::I1 => "mov.pred",
        Type::I8 | Type::I16 | Type::I32 => "mov.b32",
        Type::I64 => "mov.b64",
        Type::F32 => "mov.f32",
        Type::F64 => "mov.f64",
    }
}

/// A type that is copied so.
pub(super) fn mov_type(class: &str) -> Type {
    [Type::I1, Type::I64, Type::F32, Type::F64]
        .into_iter()
        .find(|&ty| mov(ty) == class)
        .unwrap_or(Type::I32)
}

/// As loads and stores have it.
pub(super) fn memory_type(ty: Type, signed: bool) -> &'static str {
    match ty {
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::I1 => "u8",
        Type::I8 | Type::I16 => narrow_type(signed, ty),
        Type::I32 => "u32",
        Type::I64 => "u64",
    }
}

pub(super) fn special_register(special: Special) -> &'static str {
    match special {
        Special::TidX => "%tid.x",
        Special::TidY => "%tid.y",
        Special::TidZ => "%tid.z",
        Special::CtaidX => "%ctaid.x",
        Special::CtaidY => "%ctaid.y",
        Special::CtaidZ => "%ctaid.z",
        Special::NtidX => "%ntid.x",
        Special::NtidY => "%ntid.y",
        Special::NtidZ => "%ntid.z",
        Special::NctaidX => "%nctaid.x",
        Special::NctaidY => "%nctaid.y",
        Special::NctaidZ => "%nctaid.z",
        Special::LaneId => "%laneid",
    }
}

/// A slot's name in the PTX, unlike any other's.
pub(super) fn variable_name(function: &Function, slot: usize) -> String {
    format!("{}${slot}", ptx_name(&function.slots[slot].name))
}

pub(super) fn variable(function: &Function, slot: usize) -> Variable {
    let data = &function.slots[slot];
    Variable {
        linkage: None,
        space: data.space.to_string(),
        align: u32::try_from(data.align).ok(),
        ty: "b8".to_owned(),
        name: variable_name(function, slot),
        // PTX has no empty arrays.
        dims: vec![Some(data.size.max(1))],
        attributes: Vec::new(),
        init: Vec::new(),
    }
}
