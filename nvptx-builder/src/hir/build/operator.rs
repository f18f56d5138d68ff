//! Operators, assignment and casts.

use syn::spanned::Spanned;

use super::place::is_place;
use super::{Builder, Expect, advice, span};
use crate::hir::draft::{Expr, Kind};
use crate::hir::infer::Type;
use crate::hir::{BinOp, CmpOp, UnOp};

/// What a binary operator of the syntax is.
enum Operator {
    And,
    Or,
    Arithmetic(BinOp),
    Assign(BinOp),
    Compare(CmpOp),
}

fn operator(op: &syn::BinOp) -> Option<Operator> {
    use Operator::{Arithmetic, Assign, Compare};
    Some(match op {
        syn::BinOp::And(_) => Operator::And,
        syn::BinOp::Or(_) => Operator::Or,
        syn::BinOp::Add(_) => Arithmetic(BinOp::Add),
        syn::BinOp::Sub(_) => Arithmetic(BinOp::Sub),
        syn::BinOp::Mul(_) => Arithmetic(BinOp::Mul),
        syn::BinOp::Div(_) => Arithmetic(BinOp::Div),
        syn::BinOp::Rem(_) => Arithmetic(BinOp::Rem),
        syn::BinOp::BitAnd(_) => Arithmetic(BinOp::BitAnd),
        syn::BinOp::BitOr(_) => Arithmetic(BinOp::BitOr),
        syn::BinOp::BitXor(_) => Arithmetic(BinOp::BitXor),
        syn::BinOp::Shl(_) => Arithmetic(BinOp::Shl),
        syn::BinOp::Shr(_) => Arithmetic(BinOp::Shr),
        syn::BinOp::AddAssign(_) => Assign(BinOp::Add),
        syn::BinOp::SubAssign(_) => Assign(BinOp::Sub),
        syn::BinOp::MulAssign(_) => Assign(BinOp::Mul),
        syn::BinOp::DivAssign(_) => Assign(BinOp::Div),
        syn::BinOp::RemAssign(_) => Assign(BinOp::Rem),
        syn::BinOp::BitAndAssign(_) => Assign(BinOp::BitAnd),
        syn::BinOp::BitOrAssign(_) => Assign(BinOp::BitOr),
        syn::BinOp::BitXorAssign(_) => Assign(BinOp::BitXor),
        syn::BinOp::ShlAssign(_) => Assign(BinOp::Shl),
        syn::BinOp::ShrAssign(_) => Assign(BinOp::Shr),
        syn::BinOp::Eq(_) => Compare(CmpOp::Eq),
        syn::BinOp::Ne(_) => Compare(CmpOp::Ne),
        syn::BinOp::Lt(_) => Compare(CmpOp::Lt),
        syn::BinOp::Le(_) => Compare(CmpOp::Le),
        syn::BinOp::Gt(_) => Compare(CmpOp::Gt),
        syn::BinOp::Ge(_) => Compare(CmpOp::Ge),
        _ => return None,
    })
}

impl<'a> Builder<'a> {
    pub(super) fn unary(&mut self, expr: &'a syn::ExprUnary, expected: &Expect) -> Expr {
        let span = expr.op.span();
        match expr.op {
            syn::UnOp::Deref(_) => self.deref(&expr.expr, span),
            syn::UnOp::Neg(_) => {
                let operand = self.expr(&expr.expr, expected);
                self.negate(operand, UnOp::Neg, span)
            }
            syn::UnOp::Not(_) => {
                let operand = self.expr(&expr.expr, expected);
                self.negate(operand, UnOp::Not, span)
            }
            _ => self.unsupported(span, "a kernel does not know this operator"),
        }
    }

    fn negate(&mut self, operand: Expr, op: UnOp, span: proc_macro2::Span) -> Expr {
        let operand = self.read_through(operand);
        let ty = self.infer.resolve(&operand.ty);
        let fits = match (&ty, op) {
            (Type::Err, _) => return Expr::error(span),
            (Type::Never, _) => return operand,
            // Whether an open integer is signed is checked when it is known.
            (Type::Int(int), UnOp::Neg) => int.signed(),
            (Type::Bool, op) => op == UnOp::Not,
            (ty, UnOp::Neg) => self.infer.is_integral(ty) || self.infer.is_float(ty),
            (ty, UnOp::Not) => self.infer.is_integral(ty),
        };
        if !fits {
            let sign = if op == UnOp::Neg { "-" } else { "!" };
            let message = format!("`{sign}` has no meaning for `{}`", self.infer.show(&ty));
            return self.invalid(span, message);
        }
        Expr::new(Kind::Unary(op, Box::new(operand)), ty, span)
    }

    /// `*r` where Rust's operators and methods read through a reference to a scalar.
    pub(super) fn read_through(&mut self, expr: Expr) -> Expr {
        match self.infer.resolve(&expr.ty) {
            Type::Ref { target, .. } if self.infer.is_scalar(&target) => {
                let ty = self.infer.resolve(&target);
                expr.deref(ty)
            }
            _ => expr,
        }
    }

    pub(super) fn binary(&mut self, expr: &'a syn::ExprBinary) -> Expr {
        let span = span::start(&expr.left);
        match operator(&expr.op) {
            Some(Operator::And) => self.logical(expr, Kind::And),
            Some(Operator::Or) => self.logical(expr, Kind::Or),
            Some(Operator::Arithmetic(op)) => {
                let left = self.expr(&expr.left, &Expect::Nothing);
                let right = self.expr(&expr.right, &Expect::Nothing);
                let (left, right) = (self.read_through(left), self.read_through(right));
                match self.arithmetic(op, &left, &right, &expr.op) {
                    Some(ty) => {
                        Expr::new(Kind::Binary(op, Box::new(left), Box::new(right)), ty, span)
                    }
                    None => Expr::error(span),
                }
            }
            Some(Operator::Compare(op)) => self.compare(op, expr),
            Some(Operator::Assign(op)) => self.assign_op(op, expr),
            None => self.unsupported(expr.op.span(), "a kernel does not know this operator"),
        }
    }

    fn logical(
        &mut self,
        expr: &'a syn::ExprBinary,
        kind: fn(Box<Expr>, Box<Expr>) -> Kind,
    ) -> Expr {
        if let Some(token) = advice::let_in_condition(&expr.left) {
            let message =
                "a kernel cannot match a pattern in a condition: compare with `==` instead";
            return self.unsupported(token, message);
        }
        let left = self.expr(&expr.left, &Expect::Has(Type::Bool));
        let left = self.coerce(left, &Type::Bool);
        let diverges = self.diverges;
        let right = self.expr(&expr.right, &Expect::Has(Type::Bool));
        let right = self.coerce(right, &Type::Bool);
        self.diverges = diverges;
        let span = left.span;
        Expr::new(kind(Box::new(left), Box::new(right)), Type::Bool, span)
    }

    /// The type of `left op right`, as rustc finds it for the built-in operators: both sides have
    /// one type, except of a shift. `None` after an error, reported here or before.
    fn arithmetic(
        &mut self,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        token: &syn::BinOp,
    ) -> Option<Type> {
        let (l, r) = (self.infer.resolve(&left.ty), self.infer.resolve(&right.ty));
        match (&l, &r) {
            (Type::Err, _) | (_, Type::Err) => return None,
            (Type::Never, _) | (_, Type::Never) => return Some(Type::Never),
            _ => {}
        }
        let infer = &self.infer;
        let open = infer.unknown(&l) || infer.unknown(&r);
        let integers = infer.is_integral(&l) && infer.is_integral(&r);
        let floats = infer.is_float(&l) && infer.is_float(&r);
        let bools = infer.is_bool(&l) && infer.is_bool(&r);
        let fits = open
            || match op {
                BinOp::Shl | BinOp::Shr => integers,
                BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => integers || bools,
                _ => integers || floats,
            };
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        if fits && (shift || self.agree(&l, &r)) {
            return Some(l);
        }
        let message = format!(
            "`{}` cannot have the operands `{}` and `{}`",
            advice::spelling(token),
            self.infer.show(&l),
            self.infer.show(&r)
        );
        self.diagnostics.invalid(token.span(), message);
        None
    }

    fn compare(&mut self, op: CmpOp, expr: &'a syn::ExprBinary) -> Expr {
        let left = self.expr(&expr.left, &Expect::Nothing);
        let right = self.expr(&expr.right, &Expect::Nothing);
        let (l, r) = (self.infer.resolve(&left.ty), self.infer.resolve(&right.ty));
        let (left, right) = match (&l, &r) {
            // `&a == &b` compares what they refer to; `&a == b` does not compile.
            (Type::Ref { .. }, Type::Ref { .. }) => {
                (self.read_through(left), self.read_through(right))
            }
            _ => (left, right),
        };
        let span = left.span;
        let (l, r) = (self.infer.resolve(&left.ty), self.infer.resolve(&right.ty));
        match (&l, &r) {
            (Type::Err, _) | (_, Type::Err) => return Expr::error(span),
            (Type::Never, _) | (_, Type::Never) => {}
            (Type::Array(..) | Type::Slice { .. }, _)
            | (_, Type::Array(..) | Type::Slice { .. }) => {
                let message = "a kernel compares scalars: compare the elements in a loop";
                return self.unsupported(expr.op.span(), message);
            }
            _ => {
                let open = self.infer.unknown(&l) || self.infer.unknown(&r);
                let scalars = self.infer.is_scalar(&l) && self.infer.is_scalar(&r);
                if !(open || scalars) || !self.agree(&l, &r) {
                    let message = format!(
                        "`{}` cannot compare `{}` with `{}`",
                        advice::spelling(&expr.op),
                        self.infer.show(&l),
                        self.infer.show(&r)
                    );
                    return self.invalid(expr.op.span(), message);
                }
            }
        }
        Expr::new(Kind::Compare(op, Box::new(left), Box::new(right)), Type::Bool, span)
    }

    pub(super) fn assign(&mut self, expr: &'a syn::ExprAssign) -> Expr {
        let span = span::start(&expr.left);
        if let Some((token, message)) = advice::destructuring(&expr.left) {
            return self.unsupported(token, message);
        }
        if let syn::Expr::Infer(_) = &*expr.left {
            // `_ = value` drops the value.
            let value = self.expr(&expr.right, &Expect::Nothing);
            let block = crate::hir::draft::Block {
                stmts: vec![crate::hir::draft::Stmt::Expr(value)],
                result: None,
                ty: Type::Unit,
                span,
            };
            return Expr::new(Kind::Block(None, block), Type::Unit, span);
        }
        let place = self.expr(&expr.left, &Expect::Nothing);
        let value = self.expr(&expr.right, &Expect::Has(place.ty.clone()));
        let value = self.coerce(value, &place.ty);
        if !self.assignable(&place, expr.eq_token.span) {
            return Expr::error(span);
        }
        Expr::new(Kind::Assign(Box::new(place), Box::new(value)), Type::Unit, span)
    }

    fn assign_op(&mut self, op: BinOp, expr: &'a syn::ExprBinary) -> Expr {
        let place = self.expr(&expr.left, &Expect::Nothing);
        let value = self.expr(&expr.right, &Expect::Nothing);
        let is_reference = matches!(self.infer.resolve(&value.ty), Type::Ref { .. });
        if is_reference && !matches!(place.kind, Kind::Local(_) | Kind::Err) {
            // With a reference Rust evaluates the left side first, and without it last.
            let message = "read the reference on the right with `*`";
            return self.unsupported(value.span, message);
        }
        let value = self.read_through(value);
        let span = place.span;
        if self.arithmetic(op, &place, &value, &expr.op).is_none()
            || !self.assignable(&place, expr.op.span())
        {
            return Expr::error(span);
        }
        Expr::new(Kind::AssignOp(op, Box::new(place), Box::new(value)), Type::Unit, span)
    }

    fn assignable(&mut self, place: &Expr, operator: proc_macro2::Span) -> bool {
        if matches!(place.kind, Kind::Err) {
            return false;
        }
        if !is_place(place) {
            self.invalid(operator, "the left side is a value, and cannot be assigned to");
            return false;
        }
        if self.in_temporary(place) {
            let message = "this writes to a temporary value, which nothing reads: bind it with \
                           `let mut` first";
            self.unsupported(place.span, message);
            return false;
        }
        match place.kind {
            // Declared without a value: the first assignment gives it one.
            Kind::Local(id) if self.locals[id.0 as usize].deferred => true,
            _ => self.require_mutable(place),
        }
    }

    pub(super) fn cast(&mut self, expr: &'a syn::ExprCast) -> Expr {
        let ty = self.ty(&expr.ty);
        let operand = self.expr(&expr.expr, &Expect::Castable(ty.clone()));
        let span = operand.span;
        if matches!(ty, Type::Err) || matches!(operand.ty, Type::Err) {
            return Expr::error(span);
        }
        Expr::new(Kind::Cast(Box::new(operand), expr.as_token.span), ty, span)
    }
}
