//! The typed high-level IR: the kernel as the user wrote it, after name resolution and type
//! inference. Every expression has its type and every node its span.
//!
//! What is already gone here: names (locals are [`LocalId`]s, labels are [`LoopId`]s), type
//! variables, literals without a type, `while` and method syntax, local `const`s. What is still
//! here: places, nested expressions, structured control flow.
//!
//! # Evaluation order
//! Rust's: operands from left to right. In `place op= value` with primitive types the value comes
//! first, then the place; in `place = value` likewise. `a[i]` evaluates `a`, then `i`, then checks.
//!
//! # What a consumer can rely on
//! - An expression of type `!` stands only where a statement stands, a block's result, or an arm of
//!   an `if`: an operand never diverges. Nothing after it runs, but dead code may follow it.
//! - No local is read before it is assigned on every path to the read.
//! - No local of type `()` or `!` is read or assigned; a `let` of one has no initialiser.
//! - The arms of an `if` have its type, or `!`; so have the `break`s of a loop. A `break` carries no
//!   `()`.
//! - Arrays have at least one element, all of one scalar type at the innermost level; references
//!   and slices are never elements of an array.
//! - An element of a slice of type `&[T]` in global memory is read-only while the kernel runs: the
//!   slice is a `&[T]` parameter. A `&T` may point into a `&mut [T]`, so what it points to is not.
//! - The operand of [`ExprKind::Ref`] is a place in memory: an array local, an
//!   [`Index`](ExprKind::Index) or a [`Deref`](ExprKind::Deref) (a reborrow), never a scalar local.

mod build;
mod display;
mod draft;
mod evaluate;
mod finish;
mod infer;
mod initialized;
mod types;

pub use build::build;
pub use types::{FloatTy, IntTy, Space, Ty};

use proc_macro2::Span;

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name, which becomes the PTX entry's.
    pub name: String,
    /// The name's span.
    pub span: Span,
    /// In order; each is also a local.
    pub params: Vec<LocalId>,
    /// All parameters and `let` bindings. A shadowing `let` is a local of its own.
    pub locals: Vec<Local>,
    /// How many loops there are: `LoopId`s are below this.
    pub loops: u32,
    /// The body; its type is unit or never.
    pub body: Block,
}

/// Index into [`Kernel::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// Names a loop, or a labelled block, that `break` and `continue` refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u32);

/// A parameter or a `let` binding.
#[derive(Clone, Debug)]
pub struct Local {
    /// As written.
    pub name: String,
    /// Inferred or annotated.
    pub ty: Ty,
    /// `mut`
    pub mutable: bool,
    /// Of the name.
    pub span: Span,
}

/// `{ statements; result }`
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// The trailing expression.
    pub result: Option<Box<Expr>>,
    /// The result's type, unit without one, never if control cannot reach the end.
    pub ty: Ty,
    /// Of the braces and all between.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `let local = init;` — `None` when it is assigned later.
    Let(LocalId, Option<Expr>),
    /// An expression whose value is dropped.
    Expr(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// Where it is, for diagnostics, `.loc` and panic sites.
    pub span: Span,
}

/// What an expression is. A *place* is a [`Local`](ExprKind::Local), an
/// [`Index`](ExprKind::Index) of a place or a slice, or a [`Deref`](ExprKind::Deref).
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `()`
    Unit,
    /// `true`
    Bool(bool),
    /// An integer, already within its type; a negative one is its two's complement, sign-extended.
    Int(i128),
    /// The bits of an f32 or f64, by `ty` (an f32 in the low half), rounded once from the text.
    Float(u64),
    /// A parameter or binding.
    Local(LocalId),
    /// `-x`, `!x`
    Unary(UnOp, Box<Expr>),
    /// Both sides have the type of the whole, except that a shift's right side is any integer.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// Both sides have the same scalar type; the whole is `bool`.
    Compare(CmpOp, Box<Expr>, Box<Expr>),
    /// `a && b`
    And(Box<Expr>, Box<Expr>),
    /// `a || b`
    Or(Box<Expr>, Box<Expr>),
    /// `x as ty`
    Cast(Box<Expr>),
    /// `place = value`
    Assign(Box<Expr>, Box<Expr>),
    /// `place op= value`
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    /// `base[index]`: base is a place of array type, or an expression of slice or array-reference
    /// type (no `Deref` in between); the index is `usize`. Checked unless `checked` is false.
    Index {
        /// An array place, or a slice or reference value.
        base: Box<Expr>,
        /// A `usize`.
        index: Box<Expr>,
        /// `false` in `get_unchecked`.
        checked: bool,
    },
    /// `&place` or `&mut place`
    Ref(Box<Expr>),
    /// `*reference`
    Deref(Box<Expr>),
    /// `x.len()` of a slice or of an array (or a reference to one).
    Len(Box<Expr>),
    /// `[a, b, c]`
    Array(Vec<Expr>),
    /// `[value; n]`, `n` from the type.
    Repeat(Box<Expr>),
    /// `{ … }`, `unsafe { … }`. With an id it is labelled and can be the target of `break`.
    Block(Option<LoopId>, Block),
    /// `if c { a } else { b }`
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// `loop { … }`; `while c { … }` is `loop { if c { … } else { break } }` with `c` in `condition`.
    Loop {
        /// What `break` and `continue` name.
        id: LoopId,
        /// Of a `while`.
        condition: Option<Box<Expr>>,
        /// The body.
        body: Block,
    },
    /// `for local in start..end { … }`; `start` and `end` are evaluated once.
    For {
        /// What `break` and `continue` name.
        id: LoopId,
        /// The loop variable; a fresh binding every round.
        local: LocalId,
        /// First value.
        start: Box<Expr>,
        /// Last value or the one after.
        end: Box<Expr>,
        /// `..=`
        inclusive: bool,
        /// The body.
        body: Block,
    },
    /// `break 'id value`
    Break(LoopId, Option<Box<Expr>>),
    /// `continue 'id`
    Continue(LoopId),
    /// `return`
    Return,
    /// A device intrinsic or a method of a scalar.
    Intrinsic(Intrinsic, Vec<Expr>),
    /// `block::shared::<T>()`: a `&mut T` in shared memory, one object per call site.
    Shared,
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// `-`, wrapping on integers.
    Neg,
    /// `!`, bitwise on integers, logical on `bool`.
    Not,
}

/// An arithmetic or bitwise operator; `bool` has `BitAnd`, `BitOr` and `BitXor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// x, y or z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Axis {
    X,
    Y,
    Z,
}

/// What the compiler knows by name. Geometry has type `usize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// `thread::x()`: `%tid`
    ThreadIndex(Axis),
    /// `thread::global_x()`: `block::x() * block::dim_x() + thread::x()`
    GlobalIndex(Axis),
    /// `thread::lane()`: `%laneid`
    Lane,
    /// `block::x()`: `%ctaid`
    BlockIndex(Axis),
    /// `block::dim_x()`: `%ntid`
    BlockDim(Axis),
    /// `grid::dim_x()`: `%nctaid`
    GridDim(Axis),
    /// `block::sync()`: `bar.sync 0`
    BlockSync,
    /// `x.sqrt()`, correctly rounded.
    Sqrt,
    /// `x.abs()` of a float or a signed integer (wrapping).
    Abs,
    /// `a.min(b)`: of integers, or of floats as Rust's `f32::min` (a NaN loses).
    Min,
    /// `a.max(b)`
    Max,
    /// `a.mul_add(b, c)`, one rounding.
    MulAdd,
    /// `a.wrapping_add(b)`
    WrappingAdd,
    /// `a.wrapping_sub(b)`
    WrappingSub,
    /// `a.wrapping_mul(b)`
    WrappingMul,
    /// `x.to_bits()`, `f32::from_bits(x)`: the same bits as the type of the whole.
    Bitcast,
}
