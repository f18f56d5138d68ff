//! Types with variables, and their unification: rustc's algorithm for the scalars, arrays, slices
//! and references of a kernel.
//!
//! An unsuffixed literal has a variable of its own that only integers, or only floats, can fill;
//! what is still open at the end becomes `i32` or `f64`. The state space of a reference is part of
//! its type here, and has variables too: an annotation such as `&mut [f32; 32]` does not name it.

use std::fmt;
use std::rc::Rc;

use super::types::{FloatTy, IntTy, Space, Ty};

/// A type while inference runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Type {
    /// An error was reported here; it agrees with everything, so that one mistake is one error.
    Err,
    #[default]
    Unit,
    Never,
    Bool,
    Int(IntTy),
    Float(FloatTy),
    Array(Rc<Type>, u64),
    Slice {
        element: Rc<Type>,
        mutable: bool,
        space: SpaceRef,
    },
    /// What `*slice` is: a place without a size, only good to be indexed or borrowed again.
    SlicePlace {
        element: Rc<Type>,
        mutable: bool,
        space: SpaceRef,
    },
    Ref {
        target: Rc<Type>,
        mutable: bool,
        space: SpaceRef,
    },
    Var(TypeVar),
}

/// A type variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeVar(u32);

/// A state space, known or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpaceRef {
    Known(Space),
    Var(SpaceVar),
}

/// A state-space variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpaceVar(u32);

/// What a type variable can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VarKind {
    Any,
    Integer,
    Float,
    /// Any; nothing but diverging expressions flowed into it so far.
    Diverging,
}

#[derive(Clone, Debug)]
enum Slot {
    Open(VarKind),
    Bound(Type),
}

/// Why two types do not unify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// Different types: rustc rejects it too.
    Types,
    /// The same Rust type in different state spaces: rustc does not see it.
    Spaces,
}

/// All variables of one body.
#[derive(Debug, Default)]
pub(super) struct Infer {
    types: Vec<Slot>,
    spaces: Vec<Option<SpaceRef>>,
}

impl Infer {
    pub(super) fn fresh(&mut self, kind: VarKind) -> Type {
        self.types.push(Slot::Open(kind));
        Type::Var(TypeVar(self.types.len() as u32 - 1))
    }

    pub(super) fn fresh_space(&mut self) -> SpaceRef {
        self.spaces.push(None);
        SpaceRef::Var(SpaceVar(self.spaces.len() as u32 - 1))
    }

    /// `ty` with a bound variable at its root replaced by what it is bound to.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        let mut ty = ty;
        while let Type::Var(var) = ty {
            match &self.types[var.0 as usize] {
                Slot::Bound(bound) => ty = bound,
                Slot::Open(_) => break,
            }
        }
        ty.clone()
    }

    /// The kind of an open variable; `None` for everything else.
    pub(super) fn open(&self, ty: &Type) -> Option<VarKind> {
        match self.resolve(ty) {
            Type::Var(var) => match self.types[var.0 as usize] {
                Slot::Open(kind) => Some(kind),
                Slot::Bound(_) => None,
            },
            _ => None,
        }
    }

    /// Nothing at all is known of it: not even that it is a number.
    pub(super) fn unknown(&self, ty: &Type) -> bool {
        matches!(self.open(ty), Some(VarKind::Any | VarKind::Diverging))
    }

    pub(super) fn is_integral(&self, ty: &Type) -> bool {
        matches!(self.resolve(ty), Type::Int(_)) || self.open(ty) == Some(VarKind::Integer)
    }

    pub(super) fn is_float(&self, ty: &Type) -> bool {
        matches!(self.resolve(ty), Type::Float(_)) || self.open(ty) == Some(VarKind::Float)
    }

    pub(super) fn is_bool(&self, ty: &Type) -> bool {
        self.resolve(ty) == Type::Bool
    }

    pub(super) fn is_scalar(&self, ty: &Type) -> bool {
        self.is_integral(ty) || self.is_float(ty) || self.is_bool(ty)
    }

    /// A diverging expression flowed into `ty`: should nothing else, it is `!`.
    pub(super) fn note_diverging(&mut self, ty: &Type) {
        if let Type::Var(var) = self.resolve(ty) {
            let slot = &mut self.types[var.0 as usize];
            if matches!(slot, Slot::Open(VarKind::Any)) {
                *slot = Slot::Open(VarKind::Diverging);
            }
        }
    }

    pub(super) fn resolve_space(&self, space: SpaceRef) -> SpaceRef {
        let mut space = space;
        while let SpaceRef::Var(var) = space {
            match self.spaces[var.0 as usize] {
                Some(next) => space = next,
                None => break,
            }
        }
        space
    }

    pub(super) fn unify_spaces(&mut self, a: SpaceRef, b: SpaceRef) -> Result<(), Mismatch> {
        match (self.resolve_space(a), self.resolve_space(b)) {
            (a, b) if a == b => Ok(()),
            (SpaceRef::Var(var), other) | (other, SpaceRef::Var(var)) => {
                self.spaces[var.0 as usize] = Some(other);
                Ok(())
            }
            _ => Err(Mismatch::Spaces),
        }
    }

    /// Makes two types equal.
    pub(super) fn unify(&mut self, a: &Type, b: &Type) -> Result<(), Mismatch> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (&a, &b) {
            (Type::Err, _) | (_, Type::Err) => Ok(()),
            (Type::Var(x), Type::Var(y)) if x == y => Ok(()),
            (Type::Var(x), Type::Var(_)) => {
                let (kind_x, kind_y) = (self.open(&a), self.open(&b));
                match (kind_x, kind_y) {
                    (Some(VarKind::Any | VarKind::Diverging), _) => self.bind(*x, b),
                    (_, Some(VarKind::Any | VarKind::Diverging)) => return self.unify(&b, &a),
                    (x_kind, y_kind) if x_kind == y_kind => self.bind(*x, b),
                    _ => return Err(Mismatch::Types),
                }
                Ok(())
            }
            (Type::Var(var), other) | (other, Type::Var(var)) => {
                let fits = match self.types[var.0 as usize] {
                    Slot::Open(VarKind::Integer) => matches!(other, Type::Int(_)),
                    Slot::Open(VarKind::Float) => matches!(other, Type::Float(_)),
                    _ => !self.occurs(*var, other),
                };
                if !fits {
                    return Err(Mismatch::Types);
                }
                self.bind(*var, other.clone());
                Ok(())
            }
            (Type::Array(x, n), Type::Array(y, m)) if n == m => self.unify(x, y),
            (
                Type::Slice { element: x, mutable: p, space: s },
                Type::Slice { element: y, mutable: q, space: t },
            )
            | (
                Type::Ref { target: x, mutable: p, space: s },
                Type::Ref { target: y, mutable: q, space: t },
            ) if p == q => {
                self.unify(x, y)?;
                self.unify_spaces(*s, *t)
            }
            (a, b) if a == b && !matches!(a, Type::SlicePlace { .. }) => Ok(()),
            _ => Err(Mismatch::Types),
        }
    }

    fn bind(&mut self, var: TypeVar, ty: Type) {
        self.types[var.0 as usize] = Slot::Bound(ty);
    }

    fn occurs(&self, var: TypeVar, ty: &Type) -> bool {
        match self.resolve(ty) {
            Type::Var(other) => other == var,
            Type::Array(inner, _) => self.occurs(var, &inner),
            Type::Slice { element: inner, .. }
            | Type::SlicePlace { element: inner, .. }
            | Type::Ref { target: inner, .. } => self.occurs(var, &inner),
            _ => false,
        }
    }

    /// Gives every open variable the type that rustc gives it when a body ends.
    pub(super) fn fall_back(&mut self) {
        for slot in &mut self.types {
            match slot {
                Slot::Open(VarKind::Integer) => *slot = Slot::Bound(Type::Int(IntTy::I32)),
                Slot::Open(VarKind::Float) => *slot = Slot::Bound(Type::Float(FloatTy::F64)),
                Slot::Open(VarKind::Diverging) => *slot = Slot::Bound(Type::Never),
                Slot::Open(VarKind::Any) | Slot::Bound(_) => {}
            }
        }
    }

    /// The type without variables.
    ///
    /// # Errors
    /// [`Unfinished`] says why there is none.
    pub(super) fn finish(&self, ty: &Type) -> Result<Ty, Unfinished> {
        Ok(match self.resolve(ty) {
            Type::Err => return Err(Unfinished::Error),
            Type::Var(_) => return Err(Unfinished::Unknown),
            Type::Unit => Ty::Unit,
            Type::Never => Ty::Never,
            Type::Bool => Ty::Bool,
            Type::Int(int) => Ty::Int(int),
            Type::Float(float) => Ty::Float(float),
            Type::Array(element, len) => Ty::Array(Box::new(self.finish(&element)?), len),
            Type::SlicePlace { .. } => return Err(Unfinished::Unsized),
            Type::Slice { element, mutable, space } => Ty::Slice {
                element: Box::new(self.finish(&element)?),
                mutable,
                space: self.finish_space(space),
            },
            Type::Ref { target, mutable, space } => Ty::Ref {
                target: Box::new(self.finish(&target)?),
                mutable,
                space: self.finish_space(space),
            },
        })
    }

    /// A space that nothing decided belongs to a reference that nothing was assigned to.
    fn finish_space(&self, space: SpaceRef) -> Space {
        match self.resolve_space(space) {
            SpaceRef::Known(space) => space,
            SpaceRef::Var(_) => Space::Local,
        }
    }

    /// For messages: as rustc writes it, `{integer}` and `_` for what is not known yet.
    pub(super) fn show<'i>(&'i self, ty: &'i Type) -> impl fmt::Display + 'i {
        Show { infer: self, ty }
    }
}

/// Why a type has no final form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// An error that was reported already.
    Error,
    /// Nothing in the body says what it is.
    Unknown,
    /// `*slice`, which is no value.
    Unsized,
}

struct Show<'i> {
    infer: &'i Infer,
    ty: &'i Type,
}

impl fmt::Display for Show<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = self.infer.resolve(self.ty);
        let show = |ty| Show { infer: self.infer, ty };
        let and = |mutable| if mutable { "&mut " } else { "&" };
        match &ty {
            Type::Err => f.write_str("_"),
            Type::Unit => Ty::Unit.fmt(f),
            Type::Never => Ty::Never.fmt(f),
            Type::Bool => Ty::Bool.fmt(f),
            Type::Int(int) => int.fmt(f),
            Type::Float(float) => float.fmt(f),
            Type::Array(element, len) => write!(f, "[{}; {len}]", show(element)),
            Type::SlicePlace { element, .. } => write!(f, "[{}]", show(element)),
            Type::Slice { element, mutable, .. } => {
                write!(f, "{}[{}]", and(*mutable), show(element))
            }
            Type::Ref { target, mutable, .. } => write!(f, "{}{}", and(*mutable), show(target)),
            Type::Var(_) => f.write_str(match self.infer.open(&ty) {
                Some(VarKind::Integer) => "{integer}",
                Some(VarKind::Float) => "{float}",
                _ => "_",
            }),
        }
    }
}

impl From<&Ty> for Type {
    fn from(ty: &Ty) -> Type {
        match ty {
            Ty::Unit => Type::Unit,
            Ty::Never => Type::Never,
            Ty::Bool => Type::Bool,
            Ty::Int(int) => Type::Int(*int),
            Ty::Float(float) => Type::Float(*float),
            Ty::Array(element, len) => Type::Array(Rc::new((&**element).into()), *len),
            Ty::Slice { element, mutable, space } => Type::Slice {
                element: Rc::new((&**element).into()),
                mutable: *mutable,
                space: SpaceRef::Known(*space),
            },
            Ty::Ref { target, mutable, space } => Type::Ref {
                target: Rc::new((&**target).into()),
                mutable: *mutable,
                space: SpaceRef::Known(*space),
            },
        }
    }
}
