//! Why a PTX text cannot be run.

use nvptx_builder::ptx::ParseError;

/// Why a PTX text cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It is not PTX.
    #[error("the text is not PTX: {0}")]
    Syntax(#[from] ParseError),
    /// An instruction that the emulator does not run.
    #[error("kernel `{kernel}`{}: `{instruction}`: {reason}", OfLine(*line))]
    Instruction {
        /// The entry's name.
        kernel: String,
        /// The first line of the text with this opcode, one-based.
        line: Option<usize>,
        /// The opcode with its modifiers.
        instruction: String,
        /// What is wrong.
        reason: Refusal,
    },
    /// Something else in a kernel that the emulator does not run.
    #[error("kernel `{kernel}`: {reason}")]
    Kernel {
        /// The entry's name.
        kernel: String,
        /// What is wrong.
        reason: Refusal,
    },
}

/// What is wrong with a kernel or an instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No such instruction, or not with these modifiers.
    #[error("unknown instruction")]
    UnknownInstruction,
    /// Its operands are not what it takes.
    #[error("expected {expected}")]
    Operands {
        /// What it takes.
        expected: &'static str,
    },
    /// A name that nothing declares.
    #[error("`{name}` is not declared")]
    Undeclared {
        /// The name.
        name: String,
    },
    /// A name that is declared twice.
    #[error("`{name}` is declared twice")]
    DeclaredTwice {
        /// The name.
        name: String,
    },
    /// A branch to a label that is not there.
    #[error("no label `{name}`")]
    NoLabel {
        /// The name.
        name: String,
    },
    /// A register of a width that the instruction does not take.
    #[error("`{name}` has {bits} bits, which does not fit the instruction")]
    Width {
        /// The register.
        name: String,
        /// Its width; 1 for a predicate.
        bits: u32,
    },
    /// A declaration of a type or in a state space that the emulator does not have.
    #[error("cannot declare `{name}` as {what}")]
    Declaration {
        /// The variable.
        name: String,
        /// What the text says.
        what: String,
    },
    /// A constant access to a parameter that is not inside one.
    #[error("{bytes} bytes at offset {offset} are not inside the parameter `{name}`")]
    Parameter {
        /// The parameter.
        name: String,
        /// From its start.
        offset: i64,
        /// What is read.
        bytes: u32,
    },
    /// More than an operation can name.
    #[error("too many registers live at a time")]
    TooManyRegisters,
    /// Variables of a state space take more bytes than there are.
    #[error("its {space} variables take {bytes} bytes, above the limit of {limit}")]
    TooLarge {
        /// The state space.
        space: &'static str,
        /// What they take.
        bytes: u64,
        /// What there is.
        limit: u64,
    },
}

struct OfLine(Option<usize>);

impl std::fmt::Display for OfLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(line) => write!(f, ", line {line}"),
            None => Ok(()),
        }
    }
}
