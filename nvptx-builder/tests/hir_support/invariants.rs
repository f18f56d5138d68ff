//! What `hir`'s documentation promises to its consumers, checked on a tree.

use nvptx_builder::hir::{BinOp, Block, Expr, ExprKind, Intrinsic, Kernel, Stmt, Ty, UnOp};

/// Panics with the expression that breaks a promise.
pub fn check(kernel: &Kernel) {
    let checker = Checker { kernel };
    assert!(matches!(kernel.body.ty, Ty::Unit | Ty::Never), "the body has a value");
    checker.block(&kernel.body);
}

struct Checker<'k> {
    kernel: &'k Kernel,
}

impl Checker<'_> {
    fn block(&self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Expr(expr) => self.expr(expr),
                Stmt::Let(_, None) => {}
                Stmt::Let(local, Some(init)) => {
                    let local = &self.kernel.locals[local.0 as usize];
                    assert!(!matches!(local.ty, Ty::Unit | Ty::Never), "{init:?}");
                    assert_eq!(local.ty, init.ty, "{}", local.name);
                    self.value(init);
                }
            }
        }
        if let Some(result) = &block.result {
            self.expr(result);
            assert!(result.ty == block.ty || result.ty == Ty::Never, "{result:?}");
        }
    }

    /// An operand: it has a value.
    fn value(&self, expr: &Expr) {
        assert!(!matches!(expr.ty, Ty::Never | Ty::Unit), "an operand without a value: {expr:?}");
        self.expr(expr);
    }

    fn has(&self, expr: &Expr, ty: &Ty) {
        self.value(expr);
        assert_eq!(expr.ty, *ty, "{expr:?}");
    }

    /// A place in memory, or a local.
    fn place(&self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Local(_) | ExprKind::Index { .. } | ExprKind::Deref(_) => self.value(expr),
            _ => panic!("not a place: {expr:?}"),
        }
    }

    fn expr(&self, expr: &Expr) {
        let integer = |ty: &Ty| matches!(ty, Ty::Int(_));
        let arm = |ty: &Ty| *ty == expr.ty || *ty == Ty::Never;
        match &expr.kind {
            ExprKind::Unit => assert_eq!(expr.ty, Ty::Unit),
            ExprKind::Bool(_) => assert_eq!(expr.ty, Ty::Bool),
            ExprKind::Int(value) => {
                let Ty::Int(int) = expr.ty else { panic!("{expr:?}") };
                assert!((int.min()..=int.max()).contains(value), "{expr:?}");
            }
            ExprKind::Float(bits) => {
                let Ty::Float(float) = expr.ty else { panic!("{expr:?}") };
                assert!(float.bits() == 64 || *bits <= u64::from(u32::MAX), "{expr:?}");
            }
            ExprKind::Local(local) => {
                assert_eq!(self.kernel.locals[local.0 as usize].ty, expr.ty);
                assert!(!matches!(expr.ty, Ty::Unit | Ty::Never), "{expr:?}");
            }
            ExprKind::Unary(op, operand) => {
                self.has(operand, &expr.ty);
                let negates = match &expr.ty {
                    Ty::Int(int) => int.signed(),
                    ty => matches!(ty, Ty::Float(_)),
                };
                assert!(*op == UnOp::Not || negates, "{expr:?}");
            }
            ExprKind::Binary(op, left, right) | ExprKind::AssignOp(op, left, right) => {
                let shift = matches!(op, BinOp::Shl | BinOp::Shr);
                if matches!(expr.kind, ExprKind::Binary(..)) {
                    self.has(left, &expr.ty);
                } else {
                    self.place(left);
                    assert_eq!(expr.ty, Ty::Unit);
                }
                self.value(right);
                let fits = if shift { integer(&right.ty) } else { left.ty == right.ty };
                assert!(fits && left.ty.is_scalar(), "{expr:?}");
            }
            ExprKind::Compare(_, left, right) => {
                self.value(left);
                self.has(right, &left.ty);
                assert!(left.ty.is_scalar() && expr.ty == Ty::Bool, "{expr:?}");
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.has(left, &Ty::Bool);
                self.has(right, &Ty::Bool);
            }
            ExprKind::Cast(operand) => {
                self.value(operand);
                assert!(operand.ty.is_scalar() && expr.ty.is_scalar(), "{expr:?}");
            }
            ExprKind::Assign(place, value) => {
                self.place(place);
                self.has(value, &place.ty);
                assert_eq!(expr.ty, Ty::Unit);
            }
            ExprKind::Index { base, index, .. } => {
                self.has(index, &Ty::scalar("usize").expect("a scalar"));
                self.value(base);
                let element = match &base.ty {
                    Ty::Array(element, _) => {
                        self.place(base);
                        assert!(!matches!(base.kind, ExprKind::Deref(_)), "{expr:?}");
                        element
                    }
                    Ty::Slice { element, .. } => element,
                    Ty::Ref { target, .. } => match &**target {
                        Ty::Array(element, _) => element,
                        _ => panic!("{expr:?}"),
                    },
                    _ => panic!("{expr:?}"),
                };
                assert_eq!(**element, expr.ty);
            }
            ExprKind::Ref(place) => {
                self.place(place);
                let scalar_local =
                    matches!(place.kind, ExprKind::Local(_)) && !matches!(place.ty, Ty::Array(..));
                assert!(!scalar_local, "{expr:?}");
                assert!(matches!(&expr.ty, Ty::Ref { target, .. } if **target == place.ty));
            }
            ExprKind::Deref(reference) => {
                self.value(reference);
                let Ty::Ref { target, .. } = &reference.ty else { panic!("{expr:?}") };
                assert_eq!(**target, expr.ty);
            }
            ExprKind::Len(base) => self.value(base),
            ExprKind::Array(values) => {
                let Ty::Array(element, len) = &expr.ty else { panic!("{expr:?}") };
                assert_eq!(*len, values.len() as u64);
                values.iter().for_each(|value| self.has(value, element));
            }
            ExprKind::Repeat(value) => {
                let Ty::Array(element, len) = &expr.ty else { panic!("{expr:?}") };
                assert!(*len > 0);
                self.has(value, element);
            }
            ExprKind::Block(_, block) => {
                self.block(block);
                assert!(arm(&block.ty), "{expr:?}");
            }
            ExprKind::If(condition, then, otherwise) => {
                self.has(condition, &Ty::Bool);
                self.block(then);
                assert!(arm(&then.ty), "{expr:?}");
                match otherwise {
                    Some(otherwise) => {
                        self.expr(otherwise);
                        assert!(arm(&otherwise.ty), "{expr:?}");
                    }
                    None => assert_eq!(expr.ty, Ty::Unit),
                }
            }
            ExprKind::Loop { condition, body, .. } => {
                if let Some(condition) = condition {
                    self.has(condition, &Ty::Bool);
                    assert_eq!(expr.ty, Ty::Unit);
                }
                self.block(body);
                assert!(matches!(body.ty, Ty::Unit | Ty::Never), "{expr:?}");
            }
            ExprKind::For { local, start, end, body, .. } => {
                let item = &self.kernel.locals[local.0 as usize].ty;
                assert!(integer(item));
                self.has(start, item);
                self.has(end, item);
                self.block(body);
                assert!(matches!(body.ty, Ty::Unit | Ty::Never), "{expr:?}");
            }
            ExprKind::Break(_, value) => {
                assert_eq!(expr.ty, Ty::Never);
                if let Some(value) = value {
                    self.value(value);
                }
            }
            ExprKind::Continue(_) | ExprKind::Return => assert_eq!(expr.ty, Ty::Never),
            ExprKind::Intrinsic(intrinsic, values) => {
                values.iter().for_each(|value| self.value(value));
                let same = !matches!(intrinsic, Intrinsic::Bitcast);
                assert!(!same || values.iter().all(|value| value.ty == expr.ty), "{expr:?}");
            }
            ExprKind::Shared => assert!(matches!(expr.ty, Ty::Ref { mutable: true, .. })),
        }
    }
}
