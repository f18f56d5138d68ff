//! Virtual registers: one for each value that needs one, numbered by class.

use crate::ir::{Type, Value};
use crate::ptx::Statement;

/// The register classes in the order of their declarations: type, prefix.
const CLASSES: [(&str, &str); 5] =
    [("pred", "%p"), ("b32", "%r"), ("b64", "%rd"), ("f32", "%f"), ("f64", "%fd")];

/// The class of a type. Narrow integers live in 32-bit registers, whose upper bits say nothing.
fn class(ty: Type) -> usize {
    match ty {
        Type::I1 => 0,
        Type::I8 | Type::I16 | Type::I32 => 1,
        Type::I64 => 2,
        Type::F32 => 3,
        Type::F64 => 4,
    }
}

/// Hands registers out.
pub(super) struct Registers {
    counts: [u32; CLASSES.len()],
    /// By value.
    names: Vec<Option<String>>,
    /// By value, for truth values: the register that holds the opposite.
    inverted: Vec<Option<String>>,
}

impl Registers {
    pub(super) fn new(values: usize) -> Registers {
        Registers {
            counts: [0; CLASSES.len()],
            names: vec![None; values],
            inverted: vec![None; values],
        }
    }

    /// A register that belongs to no value.
    pub(super) fn temporary(&mut self, ty: Type) -> String {
        let class = class(ty);
        let number = self.counts[class];
        self.counts[class] += 1;
        format!("{}{number}", CLASSES[class].1)
    }

    /// The register of a value.
    pub(super) fn of(&mut self, value: Value, ty: Type) -> String {
        match &self.names[value.index()] {
            Some(name) => name.clone(),
            None => {
                let name = self.temporary(ty);
                self.names[value.index()] = Some(name.clone());
                name
            }
        }
    }

    /// The register of the opposite of a truth value.
    pub(super) fn of_inverse(&mut self, value: Value) -> String {
        match &self.inverted[value.index()] {
            Some(name) => name.clone(),
            None => {
                let name = self.temporary(Type::I1);
                self.inverted[value.index()] = Some(name.clone());
                name
            }
        }
    }

    /// The declarations, of the classes in use.
    pub(super) fn declarations(&self) -> impl Iterator<Item = Statement> + '_ {
        let used = CLASSES.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        used.map(|((ty, prefix), count)| Statement::Registers {
            ty: (*ty).to_owned(),
            prefix: (*prefix).to_owned(),
            count: Some(count),
        })
    }
}
