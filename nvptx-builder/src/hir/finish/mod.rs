//! From the draft to the HIR, once inference is done: every type gets its final form, literals
//! their values, and what was waiting for a type is checked.
//!
//! Errors found before left `Err` types behind; what depends on one is skipped silently, and comes
//! back as `None`.

mod operand;
mod scalar;

use proc_macro2::Span;

use super::draft;
use super::infer::{Infer, Type, Unfinished};
use super::{Block, Expr, ExprKind, Local, LocalId, Stmt, Ty};
use crate::diagnostics::Diagnostics;

/// The state of the walk over the draft.
pub(super) struct Finish<'d> {
    infer: Infer,
    locals: Vec<draft::Local>,
    /// Locals that the user did not write, numbered after those that they did.
    temporaries: Vec<Local>,
    diagnostics: &'d mut Diagnostics,
}

impl<'d> Finish<'d> {
    pub(super) fn new(
        mut infer: Infer,
        locals: Vec<draft::Local>,
        diagnostics: &'d mut Diagnostics,
    ) -> Finish<'d> {
        infer.fall_back();
        Finish { infer, locals, temporaries: Vec::new(), diagnostics }
    }

    /// All locals, to be called last.
    pub(super) fn locals(&mut self) -> Option<Vec<Local>> {
        let drafts = std::mem::take(&mut self.locals);
        let mut complete = true;
        let mut locals = Vec::with_capacity(drafts.len() + self.temporaries.len());
        for local in drafts {
            match self.ty(&local.ty, local.span) {
                Some(ty) => locals.push(Local {
                    name: local.name,
                    ty,
                    mutable: local.mutable,
                    span: local.span,
                }),
                None => complete = false,
            }
        }
        locals.append(&mut self.temporaries);
        complete.then_some(locals)
    }

    /// A local for a value that is needed twice.
    fn temporary(&mut self, ty: Ty, span: Span) -> LocalId {
        let id = LocalId((self.locals.len() + self.temporaries.len()) as u32);
        self.temporaries.push(Local { name: "temporary".into(), ty, mutable: false, span });
        id
    }

    fn ty(&mut self, ty: &Type, span: Span) -> Option<Ty> {
        match self.infer.finish(ty) {
            Ok(ty) if well_formed(&ty) => Some(ty),
            Ok(ty) => {
                let message = format!(
                    "a kernel cannot use the type `{ty}`: arrays hold scalars or arrays, and \
                     references refer to these"
                );
                self.diagnostics.unsupported(span, message);
                None
            }
            Err(Unfinished::Error) => None,
            Err(Unfinished::Unknown) => {
                // After another error it would only be its echo.
                if self.diagnostics.is_empty() {
                    self.diagnostics.invalid(span, "nothing says what type this has: annotate it");
                }
                None
            }
            Err(Unfinished::Unsized) => {
                self.diagnostics.invalid(span, "a slice has no size, and so is no value");
                None
            }
        }
    }

    pub(super) fn block(&mut self, block: draft::Block) -> Option<Block> {
        let mut complete = true;
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in block.stmts {
            complete &= self.stmt(stmt, &mut stmts).is_some();
        }
        let result = match block.result {
            Some(result) => match self.expr(*result) {
                Some(result) => Some(Box::new(result)),
                None => {
                    complete = false;
                    None
                }
            },
            None => None,
        };
        let ty = self.ty(&block.ty, block.span)?;
        complete.then_some(Block { stmts, result, ty, span: block.span })
    }

    fn stmt(&mut self, stmt: draft::Stmt, into: &mut Vec<Stmt>) -> Option<()> {
        match stmt {
            draft::Stmt::Expr(expr) => into.push(Stmt::Expr(self.expr(expr)?)),
            draft::Stmt::Let(local, None) => into.push(Stmt::Let(local, None)),
            draft::Stmt::Let(local, Some(init)) => {
                let init = self.expr(init)?;
                match init.ty {
                    // Nothing can be done with the value, so the local need not have it.
                    Ty::Never | Ty::Unit => {
                        into.push(Stmt::Expr(init));
                        into.push(Stmt::Let(local, None));
                    }
                    _ => into.push(Stmt::Let(local, Some(init))),
                }
            }
        }
        Some(())
    }

    pub(super) fn expr(&mut self, expr: draft::Expr) -> Option<Expr> {
        use draft::Kind;
        let span = expr.span;
        let ty = expr.ty;
        match expr.kind {
            Kind::Err => None,
            Kind::Unit => Some(unit(span)),
            Kind::Bool(value) => self.leaf(ExprKind::Bool(value), &ty, span),
            Kind::Int(value) => self.int(value, false, &ty, span),
            Kind::Float(digits) => self.float(&digits, &ty, span),
            Kind::Const(value) => Some(at(value, span)),
            Kind::Local(id) => match self.ty(&ty, span)? {
                Ty::Unit => Some(unit(span)),
                // Only dead code reads it.
                Ty::Never => Some(Expr { kind: ExprKind::Return, ty: Ty::Never, span }),
                ty => Some(Expr { kind: ExprKind::Local(id), ty, span }),
            },
            Kind::Unary(op, operand) => self.unary(op, *operand, &ty, span),
            Kind::Binary(op, left, right) => {
                self.with_operands([*left, *right], &ty, span, |[left, right]| {
                    ExprKind::Binary(op, left.into(), right.into())
                })
            }
            Kind::Compare(op, left, right) => {
                self.with_operands([*left, *right], &ty, span, |[left, right]| {
                    ExprKind::Compare(op, left.into(), right.into())
                })
            }
            Kind::And(left, right) => self.logical(*left, *right, true, span),
            Kind::Or(left, right) => self.logical(*left, *right, false, span),
            Kind::Cast(operand, token) => self.cast(*operand, &ty, token, span),
            Kind::Assign(place, value) => {
                let (value, place) = both(self.expr(*value), self.expr(*place))?;
                match (&value.ty, &place.ty) {
                    (Ty::Never | Ty::Unit, _) => Some(value),
                    (_, Ty::Never) => Some(operand::sequence(vec![value, place], span)),
                    _ => Some(Expr {
                        kind: ExprKind::Assign(place.into(), value.into()),
                        ty: Ty::Unit,
                        span,
                    }),
                }
            }
            Kind::AssignOp(op, place, value) => {
                // The value comes first, as in Rust with primitive types.
                self.with_operands([*value, *place], &ty, span, |[value, place]| {
                    ExprKind::AssignOp(op, place.into(), value.into())
                })
            }
            Kind::Index { base, index, checked } => self.index(*base, *index, checked, &ty, span),
            Kind::Ref(place) => self.reference(*place, &ty, span),
            Kind::Deref(reference) => {
                let reference = self.expr(*reference)?;
                if let Ty::Never = reference.ty {
                    return Some(reference);
                }
                if let ExprKind::Ref(place) = reference.kind {
                    return Some(at(*place, span));
                }
                self.leaf(ExprKind::Deref(Box::new(reference)), &ty, span)
            }
            Kind::Len(base) => {
                self.with_operands([*base], &ty, span, |[base]| ExprKind::Len(base.into()))
            }
            Kind::Array(values) => {
                let values = self.operands(values)?;
                match values {
                    Ok(values) => self.leaf(ExprKind::Array(values), &ty, span),
                    Err(diverging) => Some(diverging),
                }
            }
            Kind::Repeat(value) => {
                self.with_operands([*value], &ty, span, |[value]| ExprKind::Repeat(value.into()))
            }
            Kind::Block(id, block) => {
                let block = self.block(block)?;
                self.leaf(ExprKind::Block(id, block), &ty, span)
            }
            Kind::If(condition, then, otherwise) => {
                let condition = self.expr(*condition);
                let then = self.block(then);
                let otherwise = match otherwise {
                    Some(otherwise) => Some(Box::new(self.expr(*otherwise)?)),
                    None => None,
                };
                let (condition, then) = both(condition, then)?;
                if let Ty::Never = condition.ty {
                    return Some(condition);
                }
                self.leaf(ExprKind::If(condition.into(), then, otherwise), &ty, span)
            }
            Kind::Loop { id, condition, body } => {
                let condition = match condition {
                    Some(condition) => Some(Box::new(self.expr(*condition)?)),
                    None => None,
                };
                let body = self.block(body)?;
                let (condition, body) = match condition {
                    Some(condition) if condition.ty == Ty::Never => {
                        let span = condition.span;
                        let stmts = Vec::new();
                        (None, Block { stmts, result: Some(condition), ty: Ty::Never, span })
                    }
                    condition => (condition, body),
                };
                self.leaf(ExprKind::Loop { id, condition, body }, &ty, span)
            }
            Kind::For { id, local, start, end, inclusive, body } => {
                let item = self.locals[local.0 as usize].ty.clone();
                let bounds = self.operands(vec![*start, *end]);
                let body = self.block(body);
                let item = self.ty(&item, span)?;
                if !matches!(item, Ty::Int(_) | Ty::Never) {
                    let message = format!("a `for` counts in integers, not in `{item}`");
                    self.diagnostics.invalid(span, message);
                    return None;
                }
                let (bounds, body) = both(bounds, body)?;
                let bounds = match bounds {
                    Ok(bounds) => bounds,
                    Err(diverging) => return Some(diverging),
                };
                let [start, end] = <[Expr; 2]>::try_from(bounds).ok()?.map(Box::new);
                let kind = ExprKind::For { id, local, start, end, inclusive, body };
                self.leaf(kind, &ty, span)
            }
            Kind::Break(id, None) => self.leaf(ExprKind::Break(id, None), &ty, span),
            Kind::Break(id, Some(value)) => {
                let value = self.expr(*value)?;
                match value.ty {
                    Ty::Never => Some(value),
                    Ty::Unit => {
                        let exit = Expr { kind: ExprKind::Break(id, None), ty: Ty::Never, span };
                        Some(operand::sequence(vec![value, exit], span))
                    }
                    _ => self.leaf(ExprKind::Break(id, Some(value.into())), &ty, span),
                }
            }
            Kind::Continue(id) => self.leaf(ExprKind::Continue(id), &ty, span),
            Kind::Return => self.leaf(ExprKind::Return, &ty, span),
            Kind::Intrinsic(intrinsic) => {
                self.leaf(ExprKind::Intrinsic(intrinsic, Vec::new()), &ty, span)
            }
            Kind::Method(method, values, name) => self.method(method, values, &ty, name, span),
            Kind::Shared => self.leaf(ExprKind::Shared, &ty, span),
        }
    }

    fn leaf(&mut self, kind: ExprKind, ty: &Type, span: Span) -> Option<Expr> {
        let ty = self.ty(ty, span)?;
        Some(Expr { kind, ty, span })
    }

    fn index(
        &mut self,
        base: draft::Expr,
        index: draft::Expr,
        checked: bool,
        ty: &Type,
        span: Span,
    ) -> Option<Expr> {
        let operands = self.operands(vec![base, index])?;
        let [base, index] = match operands {
            Ok(operands) => <[Expr; 2]>::try_from(operands).ok()?,
            Err(diverging) => return Some(diverging),
        };
        let ty = self.ty(ty, span)?;
        let base = match base.kind {
            ExprKind::Deref(reference) => *reference,
            _ => base,
        };
        let place = |base: Expr| {
            let (base, index) = (Box::new(base), Box::new(index));
            Expr { kind: ExprKind::Index { base, index, checked }, ty: ty.clone(), span }
        };
        if !matches!(base.ty, Ty::Array(..)) || is_place(&base) {
            return Some(place(base));
        }
        // A value has no address: give it a name first.
        let local = self.temporary(base.ty.clone(), span);
        let named = Expr { kind: ExprKind::Local(local), ty: base.ty.clone(), span };
        let result = place(named);
        let block = Block {
            stmts: vec![Stmt::Let(local, Some(base))],
            ty: result.ty.clone(),
            result: Some(Box::new(result)),
            span,
        };
        Some(Expr { ty: block.ty.clone(), kind: ExprKind::Block(None, block), span })
    }

    fn reference(&mut self, place: draft::Expr, ty: &Type, span: Span) -> Option<Expr> {
        let place = self.expr(place)?;
        if let Ty::Never = place.ty {
            return Some(place);
        }
        let ty = self.ty(ty, span)?;
        match place.kind {
            // `&mut *r` is `r`.
            ExprKind::Deref(reference) if reference.ty == ty => Some(at(*reference, span)),
            _ => Some(Expr { kind: ExprKind::Ref(Box::new(place)), ty, span }),
        }
    }
}

/// Whether an expression has an address, or is a local.
fn is_place(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Local(_) | ExprKind::Index { .. } | ExprKind::Deref(_))
}

fn unit(span: Span) -> Expr {
    Expr { kind: ExprKind::Unit, ty: Ty::Unit, span }
}

fn at(expr: Expr, span: Span) -> Expr {
    Expr { span, ..expr }
}

/// Both, so that errors on both sides are found before one of them is given up.
fn both<A, B>(a: Option<A>, b: Option<B>) -> Option<(A, B)> {
    a.zip(b)
}

/// What the language stores: scalars in arrays, and references to these.
fn well_formed(ty: &Ty) -> bool {
    fn stored(ty: &Ty) -> bool {
        match ty {
            Ty::Array(element, _) => stored(element),
            ty => ty.is_scalar(),
        }
    }
    match ty {
        Ty::Array(element, _) => stored(element),
        Ty::Slice { element, .. } => stored(element),
        Ty::Ref { target, .. } => stored(target),
        _ => true,
    }
}
