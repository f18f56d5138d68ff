//! The body while its types are still being inferred: the shape of the HIR, with type variables,
//! untyped literals and methods that become something simpler once the types are known.

use proc_macro2::Span;

use super::infer::Type;
use super::{BinOp, CmpOp, Intrinsic, LocalId, LoopId, UnOp};

/// A local whose type may still be open.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) mutable: bool,
    /// Declared without a value.
    pub(super) deferred: bool,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) stmts: Vec<Stmt>,
    pub(super) result: Option<Box<Expr>>,
    pub(super) ty: Type,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum Stmt {
    Let(LocalId, Option<Expr>),
    Expr(Expr),
}

#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) ty: Type,
    pub(super) span: Span,
}

impl Expr {
    pub(super) fn new(kind: Kind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty, span }
    }

    /// What stands where an error was reported.
    pub(super) fn error(span: Span) -> Expr {
        Expr { kind: Kind::Err, ty: Type::Err, span }
    }

    pub(super) fn unit(span: Span) -> Expr {
        Expr { kind: Kind::Unit, ty: Type::Unit, span }
    }

    /// `*self`, of type `ty`.
    pub(super) fn deref(self, ty: Type) -> Expr {
        let span = self.span;
        Expr { kind: Kind::Deref(Box::new(self)), ty, span }
    }
}

#[derive(Debug)]
pub(super) enum Kind {
    Err,
    Unit,
    Bool(bool),
    /// An integer literal: its value, before a sign.
    Int(u128),
    /// A float literal: its digits, to be rounded once the type is known.
    Float(String),
    /// A folded constant: a literal or an array of them.
    Const(super::Expr),
    Local(LocalId),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Compare(CmpOp, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// With the span of the type.
    Cast(Box<Expr>, Span),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
        checked: bool,
    },
    Ref(Box<Expr>),
    Deref(Box<Expr>),
    Len(Box<Expr>),
    Array(Vec<Expr>),
    Repeat(Box<Expr>),
    Block(Option<LoopId>, Block),
    If(Box<Expr>, Block, Option<Box<Expr>>),
    Loop {
        id: LoopId,
        condition: Option<Box<Expr>>,
        body: Block,
    },
    For {
        id: LoopId,
        local: LocalId,
        start: Box<Expr>,
        end: Box<Expr>,
        inclusive: bool,
        body: Block,
    },
    Break(LoopId, Option<Box<Expr>>),
    Continue(LoopId),
    Return,
    /// The geometry and the barrier.
    Intrinsic(Intrinsic),
    /// A method of a scalar, receiver first; with the span of its name.
    Method(Method, Vec<Expr>, Span),
    Shared,
}

/// The methods of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Sqrt,
    Abs,
    Min,
    Max,
    Clamp,
    MulAdd,
    IsNan,
    IsFinite,
    IsInfinite,
    ToBits,
    FromBits,
    WrappingAdd,
    WrappingSub,
    WrappingMul,
}
