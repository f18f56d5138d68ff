//! The HIR as text: Rust again, with every type, every suffix and every parenthesis written out.

use std::collections::HashSet;
use std::fmt::{self, Write};

use super::evaluate::to_f64;
use super::{
    Axis, BinOp, Block, CmpOp, Expr, ExprKind, FloatTy, Intrinsic, Kernel, LocalId, LoopId, Space,
    Stmt, Ty, UnOp,
};

/// Rust source of the same meaning. A name that is bound again gets a number; a reference says in
/// a comment which memory it refers to.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = Writer {
            kernel: self,
            names: names(self),
            out: String::new(),
            indent: 0,
            mutable: false,
        };
        writer.kernel()?;
        f.write_str(&writer.out)
    }
}

/// One name for each local.
fn names(kernel: &Kernel) -> Vec<String> {
    let written: HashSet<&str> = kernel.locals.iter().map(|local| local.name.as_str()).collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(kernel.locals.len());
    for local in &kernel.locals {
        let base = if local.name == "_" { "_unused" } else { &local.name };
        let mut name = base.to_owned();
        let mut number = 1;
        while taken.contains(&name) || (number > 1 && written.contains(name.as_str())) {
            number += 1;
            name = format!("{base}_{number}");
        }
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

struct Writer<'k> {
    kernel: &'k Kernel,
    names: Vec<String>,
    out: String,
    indent: usize,
    /// What is written now is a place that is written to or mutably borrowed.
    mutable: bool,
}

impl Writer<'_> {
    fn kernel(&mut self) -> fmt::Result {
        write!(self.out, "fn {}(", self.kernel.name)?;
        for (at, param) in self.kernel.params.iter().enumerate() {
            let local = &self.kernel.locals[param.0 as usize];
            let comma = if at > 0 { ", " } else { "" };
            let mutable = if local.mutable { "mut " } else { "" };
            let name = &self.names[param.0 as usize];
            write!(self.out, "{comma}{mutable}{name}: {}", local.ty)?;
        }
        self.out.push_str(") ");
        self.block(&self.kernel.body)?;
        self.out.push('\n');
        Ok(())
    }

    fn name(&self, local: LocalId) -> &str {
        &self.names[local.0 as usize]
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    fn block(&mut self, block: &Block) -> fmt::Result {
        if block.stmts.is_empty() && block.result.is_none() {
            self.out.push_str("{}");
            return Ok(());
        }
        self.out.push('{');
        self.indent += 1;
        for stmt in &block.stmts {
            self.line();
            self.stmt(stmt)?;
        }
        if let Some(result) = &block.result {
            self.line();
            self.expr(result)?;
        }
        self.indent -= 1;
        self.line();
        self.out.push('}');
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> fmt::Result {
        match stmt {
            Stmt::Let(id, init) => {
                let local = &self.kernel.locals[id.0 as usize];
                let mutable = if local.mutable { "mut " } else { "" };
                let name = &self.names[id.0 as usize];
                write!(self.out, "let {mutable}{name}: {}{}", local.ty, space(&local.ty))?;
                if let Some(init) = init {
                    self.out.push_str(" = ");
                    self.expr(init)?;
                }
            }
            Stmt::Expr(expr) => self.expr(expr)?,
        }
        self.out.push(';');
        Ok(())
    }

    fn label(&mut self, id: LoopId) -> fmt::Result {
        write!(self.out, "'l{}", id.0)
    }

    fn place(&mut self, place: &Expr, mutable: bool) -> fmt::Result {
        let outer = std::mem::replace(&mut self.mutable, mutable);
        self.operand(place)?;
        self.mutable = outer;
        Ok(())
    }

    /// An operand, in parentheses unless it is simple.
    fn operand(&mut self, expr: &Expr) -> fmt::Result {
        let simple = match &expr.kind {
            ExprKind::Int(value) => *value >= 0,
            ExprKind::Float(bits) => match expr.ty {
                Ty::Float(ty) => to_f64(*bits, ty).is_sign_positive(),
                _ => true,
            },
            ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Index { checked: true, .. }
            | ExprKind::Len(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat(_)
            | ExprKind::Shared
            | ExprKind::Intrinsic(..) => true,
            _ => false,
        };
        if simple {
            return self.expr(expr);
        }
        self.out.push('(');
        self.expr(expr)?;
        self.out.push(')');
        Ok(())
    }

    fn list(&mut self, exprs: &[Expr]) -> fmt::Result {
        for (at, expr) in exprs.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.expr(expr)?;
        }
        Ok(())
    }

    fn infix(&mut self, left: &Expr, op: &str, right: &Expr) -> fmt::Result {
        self.operand(left)?;
        write!(self.out, " {op} ")?;
        self.operand(right)
    }

    fn expr(&mut self, expr: &Expr) -> fmt::Result {
        match &expr.kind {
            ExprKind::Unit => self.out.push_str("()"),
            ExprKind::Bool(value) => write!(self.out, "{value}")?,
            ExprKind::Int(value) => write!(self.out, "{value}{}", expr.ty)?,
            ExprKind::Float(bits) => self.float(*bits, &expr.ty)?,
            ExprKind::Local(id) => {
                let name = self.name(*id).to_owned();
                self.out.push_str(&name);
            }
            ExprKind::Unary(op, operand) => {
                self.out.push(match op {
                    UnOp::Neg => '-',
                    UnOp::Not => '!',
                });
                self.operand(operand)?;
            }
            ExprKind::Binary(op, left, right) => self.infix(left, binary(*op), right)?,
            ExprKind::Compare(op, left, right) => self.infix(left, compare(*op), right)?,
            ExprKind::And(left, right) => self.infix(left, "&&", right)?,
            ExprKind::Or(left, right) => self.infix(left, "||", right)?,
            ExprKind::Cast(operand) => {
                self.operand(operand)?;
                write!(self.out, " as {}", expr.ty)?;
            }
            ExprKind::Assign(place, value) => {
                self.place(place, true)?;
                self.out.push_str(" = ");
                self.expr(value)?;
            }
            ExprKind::AssignOp(op, place, value) => {
                self.place(place, true)?;
                write!(self.out, " {}= ", binary(*op))?;
                self.expr(value)?;
            }
            ExprKind::Index { base, index, checked } => {
                let mutable = self.mutable;
                if !checked {
                    self.out.push_str("*unsafe { ");
                }
                self.operand(base)?;
                self.mutable = false;
                self.out.push_str(match (checked, mutable) {
                    (true, _) => "[",
                    (false, false) => ".get_unchecked(",
                    (false, true) => ".get_unchecked_mut(",
                });
                self.expr(index)?;
                self.out.push_str(if *checked { "]" } else { ") }" });
            }
            ExprKind::Ref(place) => {
                let mutable = matches!(expr.ty, Ty::Ref { mutable: true, .. });
                self.out.push_str(if mutable { "&mut " } else { "&" });
                self.place(place, mutable)?;
            }
            ExprKind::Deref(reference) => {
                self.out.push('*');
                self.operand(reference)?;
            }
            ExprKind::Len(base) => {
                self.operand(base)?;
                self.out.push_str(".len()");
            }
            ExprKind::Array(values) => {
                self.out.push('[');
                self.list(values)?;
                self.out.push(']');
            }
            ExprKind::Repeat(value) => {
                self.out.push('[');
                self.expr(value)?;
                let len = match &expr.ty {
                    Ty::Array(_, len) => *len,
                    _ => 0,
                };
                write!(self.out, "; {len}]")?;
            }
            ExprKind::Block(id, block) => {
                if let Some(id) = id {
                    self.label(*id)?;
                    self.out.push_str(": ");
                }
                self.block(block)?;
            }
            ExprKind::If(condition, then, otherwise) => {
                self.out.push_str("if ");
                self.expr(condition)?;
                self.out.push(' ');
                self.block(then)?;
                if let Some(otherwise) = otherwise {
                    self.out.push_str(" else ");
                    match &otherwise.kind {
                        ExprKind::Block(None, _) | ExprKind::If(..) => self.expr(otherwise)?,
                        _ => {
                            self.out.push_str("{ ");
                            self.expr(otherwise)?;
                            self.out.push_str(" }");
                        }
                    }
                }
            }
            ExprKind::Loop { id, condition, body } => {
                self.label(*id)?;
                match condition {
                    Some(condition) => {
                        self.out.push_str(": while ");
                        self.expr(condition)?;
                        self.out.push(' ');
                    }
                    None => self.out.push_str(": loop "),
                }
                self.block(body)?;
            }
            ExprKind::For { id, local, start, end, inclusive, body } => {
                self.label(*id)?;
                let mutable = self.kernel.locals[local.0 as usize].mutable;
                let mutable = if mutable { "mut " } else { "" };
                let name = self.name(*local).to_owned();
                write!(self.out, ": for {mutable}{name} in ")?;
                self.operand(start)?;
                self.out.push_str(if *inclusive { "..=" } else { ".." });
                self.operand(end)?;
                self.out.push(' ');
                self.block(body)?;
            }
            ExprKind::Break(id, value) => {
                self.out.push_str("break ");
                self.label(*id)?;
                if let Some(value) = value {
                    self.out.push(' ');
                    self.expr(value)?;
                }
            }
            ExprKind::Continue(id) => {
                self.out.push_str("continue ");
                self.label(*id)?;
            }
            ExprKind::Return => self.out.push_str("return"),
            ExprKind::Intrinsic(intrinsic, values) => self.intrinsic(*intrinsic, values, expr)?,
            ExprKind::Shared => match &expr.ty {
                Ty::Ref { target, .. } => write!(self.out, "block::shared::<{target}>()")?,
                _ => self.out.push_str("block::shared()"),
            },
        }
        Ok(())
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, values: &[Expr], expr: &Expr) -> fmt::Result {
        let call = match intrinsic {
            Intrinsic::ThreadIndex(axis) => format!("thread::{}", letter(axis)),
            Intrinsic::GlobalIndex(axis) => format!("thread::global_{}", letter(axis)),
            Intrinsic::Lane => "thread::lane".into(),
            Intrinsic::BlockIndex(axis) => format!("block::{}", letter(axis)),
            Intrinsic::BlockDim(axis) => format!("block::dim_{}", letter(axis)),
            Intrinsic::GridDim(axis) => format!("grid::dim_{}", letter(axis)),
            Intrinsic::BlockSync => "block::sync".into(),
            Intrinsic::Bitcast => match &expr.ty {
                Ty::Float(ty) => format!("{ty}::from_bits"),
                _ => match values.first().map(|value| &value.ty) {
                    Some(ty) => format!("{ty}::to_bits"),
                    None => "to_bits".into(),
                },
            },
            Intrinsic::Sqrt => format!("{}::sqrt", expr.ty),
            Intrinsic::Abs => format!("{}::abs", expr.ty),
            Intrinsic::Min => format!("{}::min", expr.ty),
            Intrinsic::Max => format!("{}::max", expr.ty),
            Intrinsic::MulAdd => format!("{}::mul_add", expr.ty),
            Intrinsic::WrappingAdd => format!("{}::wrapping_add", expr.ty),
            Intrinsic::WrappingSub => format!("{}::wrapping_sub", expr.ty),
            Intrinsic::WrappingMul => format!("{}::wrapping_mul", expr.ty),
        };
        write!(self.out, "{call}(")?;
        self.list(values)?;
        self.out.push(')');
        Ok(())
    }

    fn float(&mut self, bits: u64, ty: &Ty) -> fmt::Result {
        let Ty::Float(float) = ty else { return write!(self.out, "{bits}") };
        let value = to_f64(bits, *float);
        if value.is_nan() {
            return write!(self.out, "{ty}::NAN");
        }
        if value.is_infinite() {
            let name = if value > 0.0 { "INFINITY" } else { "NEG_INFINITY" };
            return write!(self.out, "{ty}::{name}");
        }
        match float {
            // Debug text is the shortest that reads back as the same float.
            FloatTy::F32 => write!(self.out, "{:?}{ty}", f32::from_bits(bits as u32)),
            FloatTy::F64 => write!(self.out, "{:?}{ty}", f64::from_bits(bits)),
        }
    }
}

fn space(ty: &Ty) -> &'static str {
    match ty {
        Ty::Slice { space, .. } | Ty::Ref { space, .. } => match space {
            Space::Global => " /* global */",
            Space::Shared => " /* shared */",
            Space::Local => " /* local */",
        },
        _ => "",
    }
}

fn letter(axis: Axis) -> char {
    match axis {
        Axis::X => 'x',
        Axis::Y => 'y',
        Axis::Z => 'z',
    }
}

fn binary(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::BitAnd => "&",
        BinOp::BitOr => "|",
        BinOp::BitXor => "^",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
    }
}

fn compare(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
        CmpOp::Gt => ">",
        CmpOp::Ge => ">=",
    }
}
