//! A PTX syntax tree, with a printer ([`Module`]'s `Display`) and a [parser](parse()) that are each other's inverse.
//!
//! The tree is deliberately close to the text. An instruction is an opcode with its dotted
//! modifiers and its operands, whatever it is, so that PTX from other compilers (nvcc, Triton,
//! Numba) fits it as well as ours does; giving meaning to the modifiers is the reader's work
//! (`ptx-emulator` does so when it decodes). Grammar: *PTX ISA*, chapters 4 and 5.

mod lex;
mod parse;
mod print;

pub use parse::{ParseError, parse};

use crate::metadata::Metadata;

/// A PTX translation unit.
///
/// [`Display`](std::fmt::Display) writes it as text: one statement a line, labels at column 0. If
/// every string in the tree is what its field asks for, [`parse`] gives the same tree back; the
/// printer does not check that.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// What the structured comments before `.version` say; `None` for PTX from elsewhere.
    pub metadata: Option<Metadata>,
    /// `.version major.minor`.
    pub version: (u32, u32),
    /// The first word after `.target`, `sm_70` or `sm_90a`.
    pub target: String,
    /// Words after the first one of `.target` (`debug`, `texmode_independent`).
    pub target_options: Vec<String>,
    /// `.address_size`, 64 if the text has none.
    pub address_size: u32,
    /// Everything else, in order.
    pub items: Vec<Item>,
}

/// A directive at module scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `.file index "name"`; a timestamp and a size after it are dropped.
    File {
        /// What `.loc` refers to.
        index: u32,
        /// The path as written.
        name: String,
    },
    /// A variable in `.global`, `.const` or `.shared` space.
    Variable(Variable),
    /// `.entry` or `.func`.
    Function(Function),
}

/// `.entry` or `.func`.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `.entry` rather than `.func`.
    pub entry: bool,
    /// `.visible`, `.extern`, `.weak` or `.common`, without the dot.
    pub linkage: Option<String>,
    /// What a `.func` returns.
    pub returns: Option<Variable>,
    /// The name, which a launch looks up.
    pub name: String,
    /// `.param` declarations, in order.
    pub params: Vec<Variable>,
    /// Performance directives between the parameters and the body: `("maxntid", [256, 1, 1])`.
    pub directives: Vec<(String, Vec<u64>)>,
    /// `None` for a declaration without a body.
    pub body: Option<Vec<Statement>>,
}

/// A variable declaration: a parameter, or memory at module or function scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// `.visible`, `.extern`, `.weak` or `.common`, without the dot.
    pub linkage: Option<String>,
    /// `param`, `shared`, `local`, `global`, `const` or `reg`.
    pub space: String,
    /// `.align n`.
    pub align: Option<u32>,
    /// The element type without its dot: `u64`, `b8`, `f32`; a vector type is `v2.f32`.
    pub ty: String,
    /// Its name.
    pub name: String,
    /// One entry a dimension; `None` is `[]`, an array of unstated size. Empty for a scalar.
    pub dims: Vec<Option<u64>>,
    /// Words after a parameter's type, `.ptr`, `.global`, `.align 16`, and `.attribute(.managed)`
    /// (which is printed before the type, and comes first here), as text with their dots; usually
    /// empty.
    pub attributes: Vec<String>,
    /// `= { … }`, flattened; empty if there is none.
    pub init: Vec<Operand>,
}

/// What a function body holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `name:`
    Label(String),
    /// `.reg .b32 %r<9>;`: registers `%r0` to `%r8`.
    Registers {
        /// Without its dot.
        ty: String,
        /// With its leading `%` if it has one.
        prefix: String,
        /// `None` declares one register of exactly that name.
        count: Option<u32>,
    },
    /// Memory declared at function scope.
    Variable(Variable),
    /// `.loc file line column`; what follows comes from there.
    Loc {
        /// Index of the `.file`.
        file: u32,
        /// One-based.
        line: u32,
        /// One-based; 0 when unknown.
        column: u32,
    },
    /// An instruction.
    Instruction(Instruction),
    /// `{ … }`
    Block(Vec<Statement>),
    /// `.pragma "text";`
    Pragma(String),
}

/// `@!%p1 ld.global.nc.f32 %f1, [%rd1+4];`
///
/// A directive that a label names, `.branchtargets`, `.calltargets` or `.callprototype`, is an
/// instruction too; its opcode keeps the dot.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The predicate before it.
    pub guard: Option<Guard>,
    /// `ld`
    pub opcode: String,
    /// `["global", "nc", "f32"]`
    pub modifiers: Vec<String>,
    /// In order; the destination first, where there is one.
    pub operands: Vec<Operand>,
}

/// `@%p` or `@!%p`.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// With its `%`.
    pub register: String,
    /// `@!`
    pub negated: bool,
}

/// An instruction's operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, a special register (`%tid.x`, `%laneid`), a variable, a label, a function, `_`
    /// or `WARP_SZ`: any bare name. Registers and special registers begin with `%` in our output.
    Name(String),
    /// `!%p`
    Not(String),
    /// An integer literal; `0xffffffffffffffffU` fits, hence 128 bits.
    Int(i128),
    /// `0fXXXXXXXX`, the bits of an f32.
    F32(u32),
    /// `0dXXXXXXXXXXXXXXXX` or a decimal literal, the bits of an f64.
    F64(u64),
    /// `[base+offset]`; `base` is a register or a variable, or `None` for an absolute address.
    Address {
        /// A name.
        base: Option<String>,
        /// In bytes.
        offset: i64,
    },
    /// `{%f1, %f2}`
    Vector(Vec<Operand>),
    /// `%p1|%p2`, two destinations of one instruction.
    Pair(Box<Operand>, Box<Operand>),
    /// `(%r1, %r2)`, the argument list of a call.
    List(Vec<Operand>),
    /// `name+4` as an initialiser or a `mov` source.
    Offset(String, i64),
}

impl Module {
    /// The functions that a launch can name, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) if function.entry => Some(function),
            _ => None,
        })
    }

    /// The entry of that name.
    pub fn entry(&self, name: &str) -> Option<&Function> {
        self.entries().find(|function| function.name == name)
    }

    /// The path that a `.file` gives to an index.
    pub fn file(&self, index: u32) -> Option<&str> {
        self.items.iter().find_map(|item| match item {
            Item::File { index: i, name } if *i == index => Some(name.as_str()),
            _ => None,
        })
    }
}

impl std::fmt::Display for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        print::module(self, f)
    }
}
