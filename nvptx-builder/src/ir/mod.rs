//! The optimiser's IR: one function, in SSA form, with block parameters instead of phis.
//!
//! # Semantics
//! **Values.** A value has one [`Type`] and one definition, an instruction or a block parameter,
//! that dominates each of its uses. Integers have no signedness; operations do. `i1` is a truth
//! value. Addresses are integers: `i64` in global memory, `i32` in shared and local memory, whose
//! state space every access names.
//!
//! **Integer arithmetic** wraps. A shift's count has the type of the value it shifts and is below
//! its width: the front end masks it. Division and remainder are undefined for a zero divisor and
//! for `MIN / -1`: the front end checks before it divides. `abs` of `MIN` is `MIN`.
//!
//! **Floating-point arithmetic** is IEEE 754, rounded to nearest even, subnormals kept; `fma` has
//! one rounding. `fmin` and `fmax` return the other operand where one is NaN. `feq`, `flt`, … are
//! false and `fne` is true where one operand is NaN; the `u…` comparisons are the opposite of
//! their ordered counterparts. Nothing is reassociated. `fadd (fmul a b) c` is contracted to `fma`
//! only by the pass of that name.
//!
//! **Conversions.** Float to integer truncates and saturates, and NaN gives 0. Integer to float
//! and f64 to f32 round to nearest even.
//!
//! **Memory.** Loads and stores are aligned to their type's size and inside their object: the
//! front end has checked. Narrow integers load into and store from `i8` and `i16` values. A load
//! marked `readonly` is from memory that nothing writes while the kernel runs: it may move freely
//! between the branches that guard it. `barrier` orders all memory within the block, and neither
//! loads nor stores move across it.
//!
//! **Control.** A block ends in one terminator. `panic` records the site with its values and ends
//! the thread. There is no undefined value: each use has a definition.
//!
//! # Text
//! ```text
//! func @saxpy(f32 %a, i64 %x, i64 %x$len, i64 %y, i64 %y$len) {
//!     slot s0 = shared "tile" size 1024 align 4
//!     site 0 = 1:7:9 "index {usize} is out of bounds for length {usize}"
//! b0:
//!     v0 = param.f32 0
//!     v1 = special.i32 ctaid.x                ; 1:6:13
//!     …
//!     v8 = load.f32 global [v7 + 4] readonly  ; 1:7:9
//!     v9 = cmp.ult v7, v8
//!     br v9, b1, b2(v3)
//! b1:
//!     panic 0(v7, v8)
//! b2(v10: i32):
//!     ret
//! }
//! ```
//! One instruction a line, the result's type behind the operation's name; `;` begins a comment,
//! and `file:line:column` in one after an instruction is its location. [`Function`]'s `Display`
//! prints it; [`parse`] reads it back. [`interpret::interpret`] runs it.

mod dominators;
mod entities;
pub(crate) mod evaluate;
mod function;
pub mod interpret;
mod names;
mod operands;
mod parse;
mod print;
mod verify;
#[cfg(test)]
mod verify_tests;

pub use dominators::Dominators;
pub use entities::{Block, Slot, Value};
pub use parse::{ParseError, parse};
pub use verify::{VerifyError, verify};

use crate::metadata::PanicSite;

/// The type of a value, or of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Type {
    I1,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The entry's name.
    pub name: String,
    /// Flattened: a slice is an address and a length, `x` and `x$len`. A `bool` is an `i8`.
    pub params: Vec<Param>,
    /// Shared and local memory objects.
    pub slots: Vec<SlotData>,
    /// Indexed by [`Value`].
    pub values: Vec<ValueData>,
    /// Indexed by [`Block`]; a block that `layout` lacks is dead.
    pub blocks: Vec<BlockData>,
    /// The order of blocks in the text; the entry block, which has no parameters, first.
    pub layout: Vec<Block>,
    /// Panic sites, by number.
    pub sites: Vec<PanicSite>,
}

/// A flattened parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// `x` or `x$len`
    pub name: String,
    /// Never `I1`.
    pub ty: Type,
}

/// A memory object of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotData {
    /// From the user's `let`, for readers of the PTX; not unique.
    pub name: String,
    /// `Shared` or `Local`.
    pub space: Space,
    /// In bytes.
    pub size: u64,
    /// In bytes, a power of two.
    pub align: u64,
}

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Space {
    Global,
    Shared,
    Local,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockData {
    /// Its parameters.
    pub params: Vec<Value>,
    /// In order.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub end: Terminator,
    /// Where the terminator comes from.
    pub loc: Loc,
}

/// A source position: index of the file, line, column, one-based; all zero when unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Loc {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// The value it defines; `None` for stores and barriers.
    pub result: Option<Value>,
    /// What it does.
    pub op: Op,
    /// Where it comes from.
    pub loc: Loc,
}

/// An operation. The result's type is the operands' unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The bits, zero-extended to 64, of a constant of the result's type.
    Const(u64),
    /// Parameter number n, of the parameter's type.
    Param(u32),
    /// A special register, `i32`.
    Special(Special),
    /// The address of a slot, `i32`.
    SlotAddr(Slot),
    /// One operand.
    Unary(Unary, Value),
    /// Two operands of one type.
    Binary(Binary, Value, Value),
    /// `a * b + c`, one rounding.
    Fma(Value, Value, Value),
    /// 32 × 32 → 64 bits.
    WideMul {
        /// Whether operands are signed.
        signed: bool,
        /// `i32`
        a: Value,
        /// `i32`
        b: Value,
    },
    /// Two operands of one type, `i1` result.
    Compare(Compare, Value, Value),
    /// `condition ? a : b`
    Select(Value, Value, Value),
    /// To the result's type.
    Convert(Convert, Value),
    /// Reads the result's type (not `i1`) from `address + offset`.
    Load {
        /// Where.
        space: Space,
        /// `i64` or `i32`, by the space.
        address: Value,
        /// In bytes.
        offset: i64,
        /// Nothing writes this memory while the kernel runs.
        readonly: bool,
    },
    /// Writes `value` (not `i1`) to `address + offset`.
    Store {
        /// Where.
        space: Space,
        /// `i64` or `i32`, by the space.
        address: Value,
        /// In bytes.
        offset: i64,
        /// What.
        value: Value,
    },
    /// `bar.sync 0`
    Barrier,
}

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Special {
    TidX,
    TidY,
    TidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NtidX,
    NtidY,
    NtidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
}

/// Operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Unary {
    Ineg,
    Inot,
    Iabs,
    Fneg,
    Fabs,
    Fsqrt,
}

/// Operations of two operands. `And`, `Or`, `Xor` are for `i1` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Binary {
    Iadd,
    Isub,
    Imul,
    Sdiv,
    Udiv,
    Srem,
    Urem,
    Smin,
    Smax,
    Umin,
    Umax,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    Fadd,
    Fsub,
    Fmul,
    Fdiv,
    /// Truncated remainder, as Rust's `%`; exact.
    Frem,
    Fmin,
    Fmax,
}

/// Comparisons: of integers (`Eq` … `Uge`; `Eq` and `Ne` of `i1` too), ordered of floats (`Feq` …),
/// and their unordered opposites (`Fult` is true if less *or* NaN).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Compare {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
    Feq,
    Fne,
    Flt,
    Fle,
    Fgt,
    Fge,
    Fult,
    Fule,
    Fugt,
    Fuge,
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Convert {
    /// To a wider integer; from `i1` gives 0 or 1.
    Zext,
    /// To a wider integer; not from `i1`.
    Sext,
    /// To a narrower integer; not to `i1`.
    Trunc,
    /// Signed integer to float.
    SintToFloat,
    /// Unsigned integer to float.
    UintToFloat,
    /// Float to signed integer, saturating.
    FloatToSint,
    /// Float to unsigned integer, saturating.
    FloatToUint,
    /// f32 to f64.
    Fext,
    /// f64 to f32.
    Ftrunc,
    /// Same bits, between integer and float of one width.
    Bitcast,
}

/// A successor with the values of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where to.
    pub block: Block,
    /// One value a parameter.
    pub args: Vec<Value>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// To one block.
    Jump(Target),
    /// By an `i1`.
    Branch {
        /// `i1`
        condition: Value,
        /// Where it is true.
        then: Target,
        /// Where it is false.
        otherwise: Target,
    },
    /// The thread is done.
    Return,
    /// The thread records a panic and is done.
    Panic {
        /// Index into [`Function::sites`].
        site: u32,
        /// As many as the site's message has placeholders; at most 8.
        values: Vec<Value>,
    },
    /// Never reached.
    Unreachable,
}
