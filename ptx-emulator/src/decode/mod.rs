//! From a PTX tree to dense operations: [`select`] turns instructions into operations over values,
//! [`allocate`] gives the values their slots, [`assemble`] writes the program.

mod allocate;
mod assemble;
mod coalesce;
mod draft;
mod error;
mod kernel;
mod select;
mod types;
mod values;

pub use error::{LoadError, Refusal};

use nvptx_builder::ptx::{self, Function, Instruction};

use crate::program::Kernel;

/// Decodes all entries of a text.
pub(crate) fn program(text: &str) -> Result<Vec<Kernel>, LoadError> {
    let module = ptx::parse(text)?;
    let bodies = module.entries().filter(|entry| entry.body.is_some());
    bodies.map(|entry| kernel::decode(text, &module, entry)).collect()
}

/// Names an instruction, and the line of the text that has it. The tree has no positions: the first
/// line with this opcode is the first such instruction of the text, and it is where decoding stops.
fn refuse(text: &str, entry: &Function, instruction: &Instruction, reason: Refusal) -> LoadError {
    let mut name = instruction.opcode.clone();
    for modifier in &instruction.modifiers {
        name.push('.');
        name.push_str(modifier);
    }
    let has_it = |line: &str| line.split_whitespace().any(|w| w.trim_end_matches(';') == name);
    let line = text.lines().position(has_it).map(|at| at + 1);
    LoadError::Instruction { kernel: entry.name.clone(), line, instruction: name, reason }
}
