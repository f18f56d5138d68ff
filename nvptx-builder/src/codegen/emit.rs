//! Instructions, block by block.

use super::copies::{self, Copy};
use super::demand::{Demand, inverted_operand};
use super::flow::{self, Hoisted, Plan};
use super::liveness::Liveness;
use super::narrow::register;
use super::panic::Report;
use super::registers::Registers;
use super::select::{Base, Selection, Shape, Wide};
use crate::ir::{
    Binary, Block, Compare, Function, Inst, Loc, Op, Space, Special, Target, Terminator, Type,
    Unary, Value,
};
use crate::metadata::{Panics, ptx_name};
use crate::ptx::{Guard, Instruction, Operand, Statement, Variable};
use std::collections::{HashMap, HashSet};

/// What stands between the braces of the entry.
pub(super) fn body(function: &Function, kernel: &str, panics: Option<&Panics>) -> Vec<Statement> {
    let selection = Selection::new(function);
    let liveness = Liveness::new(function, &selection);
    let order = flow::order(function);
    let mut plans = HashMap::new();
    for (i, &block) in order.iter().enumerate() {
        if let Terminator::Branch { condition, then, otherwise } = &function.block(block).end {
            let place = (block, order.get(i + 1).copied());
            let branch = (*condition, then, otherwise);
            plans.insert(block, flow::plan(function, &selection, &liveness, place, branch));
        }
    }
    let demand = Demand::new(function, &selection, |block| Some(plans.get(&block)?.0));
    let mut emitter = Emitter {
        function,
        kernel,
        selection: &selection,
        demand: &demand,
        registers: Registers::new(function.values.len()),
        body: Vec::new(),
        loc: Loc::default(),
        block: function.entry(),
        next: None,
    };
    emitter.blocks(&order, &plans, panics);
    let Emitter { registers, body, .. } = emitter;
    let variables = (0..function.slots.len()).map(|slot| variable(function, slot));
    let variables = variables.map(Statement::Variable);
    registers.declarations().chain(variables).chain(without_unused_labels(body)).collect()
}

pub(super) struct Emitter<'a> {
    function: &'a Function,
    kernel: &'a str,
    pub(super) selection: &'a Selection<'a>,
    demand: &'a Demand,
    pub(super) registers: Registers,
    body: Vec<Statement>,
    /// Of the last `.loc`.
    loc: Loc,
    block: Block,
    /// The block that follows in the text.
    next: Option<Block>,
}

impl Emitter<'_> {
    fn blocks(
        &mut self,
        order: &[Block],
        plans: &HashMap<Block, (Plan, Hoisted)>,
        panics: Option<&Panics>,
    ) {
        let most = order.iter().map(|&block| match &self.function.block(block).end {
            Terminator::Panic { values, .. } => values.len(),
            _ => 0,
        });
        let most = most.max().unwrap_or(0);
        let report = panics.map(|_| self.prepare_report(most));
        for (i, &block) in order.iter().enumerate() {
            self.block = block;
            self.next = order.get(i + 1).copied();
            self.label(&label(block));
            let data = self.function.block(block);
            for inst in &data.insts {
                self.inst(inst);
            }
            self.locate(data.loc);
            self.end(&data.end, plans.get(&block), report.as_ref());
        }
        if let (Some(panics), Some(report)) = (panics, &report) {
            self.report(self.kernel, panics, report);
        }
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    /// The register that an instruction writes.
    pub(super) fn target(&mut self, value: Value) -> Operand {
        let ty = self.ty(value);
        Operand::Name(self.registers.of(value, ty))
    }

    pub(super) fn instruction(&mut self, name: &str, operands: Vec<Operand>) {
        self.guarded(None, name, operands);
    }

    fn guarded(&mut self, guard: Option<Guard>, name: &str, operands: Vec<Operand>) {
        let mut words = name.split('.').map(str::to_owned);
        let opcode = words.next().unwrap_or_default();
        let modifiers = words.collect();
        let instruction = Instruction { guard, opcode, modifiers, operands };
        self.body.push(Statement::Instruction(instruction));
    }

    pub(super) fn label(&mut self, name: &str) {
        self.body.push(Statement::Label(name.to_owned()));
    }

    pub(super) fn jump(&mut self, label: &str) {
        self.instruction("bra", vec![register(label)]);
    }

    pub(super) fn jump_if(&mut self, predicate: &str, label: &str) {
        let guard = Guard { register: predicate.to_owned(), negated: false };
        self.guarded(Some(guard), "bra", vec![register(label)]);
    }

    /// To a block, unless it follows anyway.
    fn go_to(&mut self, block: Block) {
        if self.next != Some(block) {
            self.jump(&label(block));
        }
    }

    fn locate(&mut self, loc: Loc) {
        if loc != self.loc && !loc.is_unknown() {
            let Loc { file, line, column } = loc;
            self.body.push(Statement::Loc { file, line, column });
            self.loc = loc;
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let before = self.body.len();
        let outer = self.loc;
        self.locate(inst.loc);
        let after = self.body.len();
        self.operation(inst);
        if self.body.len() == after {
            // It is folded into another instruction, whose place counts.
            self.body.truncate(before);
            self.loc = outer;
        }
    }

    fn operation(&mut self, inst: &Inst) {
        let Some(result) = inst.result else { return self.effect(inst.op) };
        if self.demand.is_inverse_needed(result) {
            self.opposite(result, inst.op);
        }
        if !self.demand.is_needed(result) {
            return;
        }
        match self.selection.shape(inst) {
            Shape::Plain => self.plain(result, inst.op),
            Shape::Same(_) => {}
            Shape::Shift(a, count) => {
                let width = if self.ty(result) == Type::I64 { "shl.b64" } else { "shl.b32" };
                let operands = vec![self.target(result), self.read(a), Operand::Int(count.into())];
                self.instruction(width, operands);
            }
            Shape::Mad(a, b, c) => {
                let name = if self.ty(result) == Type::I64 { "mad.lo.s64" } else { "mad.lo.s32" };
                let sources = [a, b, c].map(|value| self.read(value));
                self.with_sources(name, result, sources);
            }
            Shape::Wide { signed, a, b, add } => self.wide(result, signed, (a, b), add),
        }
    }

    fn wide(&mut self, result: Value, signed: bool, (a, b): (Value, Wide), add: Option<Value>) {
        let sign = if signed { "s32" } else { "u32" };
        let a = self.read_as(a, signed);
        let b = match b {
            Wide::Value(b) => self.read_as(b, signed),
            Wide::Constant(constant) => Operand::Int(constant.into()),
        };
        match add {
            None => self.with_sources(&format!("mul.wide.{sign}"), result, [a, b]),
            Some(c) => {
                let c = self.read(c);
                self.with_sources(&format!("mad.wide.{sign}"), result, [a, b, c]);
            }
        }
    }

    fn with_sources<const N: usize>(&mut self, name: &str, to: Value, sources: [Operand; N]) {
        let mut operands = vec![self.target(to)];
        operands.extend(sources);
        self.instruction(name, operands);
    }

    fn plain(&mut self, result: Value, op: Op) {
        let ty = self.ty(result);
        match op {
            // In place where it is used.
            Op::Const(_) => {}
            Op::Param(number) => {
                let param = &self.function.params[number as usize];
                let name = super::param_name(self.kernel, &param.name);
                let from = Operand::Address { base: Some(name), offset: 0 };
                let operands = vec![self.target(result), from];
                self.instruction(&format!("ld.param.{}", memory_type(ty, false)), operands);
            }
            Op::Special(special) => {
                let operands = vec![self.target(result), register(special_register(special))];
                self.instruction("mov.u32", operands);
            }
            Op::SlotAddr(slot) => {
                let name = variable_name(self.function, slot.index());
                let operands = vec![self.target(result), register(&name)];
                self.instruction("mov.u32", operands);
            }
            Op::Unary(op, a) => self.unary(op, result, a),
            Op::Binary(op, a, b) => self.binary(op, result, a, b),
            Op::Fma(a, b, c) => {
                let sources = [a, b, c].map(|value| self.read(value));
                self.with_sources(&format!("fma.rn.{ty}"), result, sources);
            }
            // Always of a shape of its own.
            Op::WideMul { .. } => {}
            Op::Compare(op, a, b) => {
                let target = self.target(result);
                self.compare(op, target, a, b);
            }
            Op::Select(condition, a, b) => self.select(result, condition, a, b),
            Op::Convert(op, a) => self.convert(op, result, a),
            Op::Load { space, address, offset, readonly } => {
                let from = self.address(address, offset);
                let ty = memory_type(ty, self.selection.loads_signed(result));
                let cache = if readonly && space == Space::Global { ".nc" } else { "" };
                let operands = vec![self.target(result), from];
                self.instruction(&format!("ld.{space}{cache}.{ty}"), operands);
            }
            Op::Store { .. } | Op::Barrier => {}
        }
    }

    fn effect(&mut self, op: Op) {
        match op {
            Op::Store { space, address, offset, value } => {
                let to = self.address(address, offset);
                let ty = memory_type(self.ty(value), false);
                let value = match self.ty(value) {
                    Type::I8 | Type::I16 if self.selection.constant(value).is_some() => {
                        self.read_unsigned(value)
                    }
                    _ => self.read(value),
                };
                self.instruction(&format!("st.{space}.{ty}"), vec![to, value]);
            }
            Op::Barrier => self.instruction("bar.sync", vec![Operand::Int(0)]),
            _ => {}
        }
    }

    fn address(&mut self, address: Value, offset: i64) -> Operand {
        let folded = self.selection.address(address, offset);
        let base = match folded.base {
            Base::Variable(slot) => variable_name(self.function, slot.index()),
            Base::Register(value) => {
                let ty = self.ty(value);
                let value = self.read(value);
                match self.in_register(value, ty) {
                    Operand::Name(name) => name,
                    _ => String::new(),
                }
            }
        };
        Operand::Address { base: Some(base), offset: folded.offset }
    }

    fn unary(&mut self, op: Unary, result: Value, a: Value) {
        let ty = self.ty(result);
        let wide = ty == Type::I64;
        let name = match op {
            Unary::Inot if ty == Type::I1 => {
                return match inverted_operand(self.selection, a, false) {
                    true => {
                        let (to, from) = (self.target(result), self.predicate(a, true));
                        self.instruction("mov.pred", vec![to, from]);
                    }
                    false => {
                        let (to, from) = (self.target(result), self.predicate(a, false));
                        self.instruction("not.pred", vec![to, from]);
                    }
                };
            }
            Unary::Ineg => if wide { "neg.s64" } else { "neg.s32" }.to_owned(),
            Unary::Inot => if wide { "not.b64" } else { "not.b32" }.to_owned(),
            Unary::Iabs => if wide { "abs.s64" } else { "abs.s32" }.to_owned(),
            Unary::Fneg => format!("neg.{ty}"),
            Unary::Fabs => format!("abs.{ty}"),
            Unary::Fsqrt => format!("sqrt.rn.{ty}"),
        };
        let source = if op == Unary::Iabs { self.read_signed(a) } else { self.read(a) };
        self.with_sources(&name, result, [source]);
    }

    fn binary(&mut self, op: Binary, result: Value, a: Value, b: Value) {
        let ty = self.ty(result);
        let width = if ty == Type::I64 { "64" } else { "32" };
        let (name, signed) = match op {
            Binary::And | Binary::Or | Binary::Xor => {
                let width = if ty == Type::I1 {
                    "pred"
                } else if ty == Type::I64 {
                    "b64"
                } else {
                    "b32"
                };
                let sources = [self.read(a), self.read(b)];
                return self.with_sources(&format!("{}.{width}", bitwise(op)), result, sources);
            }
            Binary::Iadd | Binary::Isub | Binary::Imul => {
                let name = match op {
                    Binary::Iadd => "add.s",
                    Binary::Isub => "sub.s",
                    _ => "mul.lo.s",
                };
                let sources = [self.read(a), self.read(b)];
                return self.with_sources(&format!("{name}{width}"), result, sources);
            }
            Binary::Shl | Binary::Lshr | Binary::Ashr => return self.shift(op, result, a, b),
            Binary::Fadd | Binary::Fsub | Binary::Fmul | Binary::Fdiv => {
                let name = match op {
                    Binary::Fadd => "add",
                    Binary::Fsub => "sub",
                    Binary::Fmul => "mul",
                    _ => "div",
                };
                let sources = [self.read(a), self.read(b)];
                return self.with_sources(&format!("{name}.rn.{ty}"), result, sources);
            }
            Binary::Fmin | Binary::Fmax => {
                let name = if op == Binary::Fmin { "min" } else { "max" };
                let sources = [self.read(a), self.read(b)];
                return self.with_sources(&format!("{name}.{ty}"), result, sources);
            }
            // Expanded before.
            Binary::Frem => return,
            Binary::Sdiv => ("div", true),
            Binary::Udiv => ("div", false),
            Binary::Srem => ("rem", true),
            Binary::Urem => ("rem", false),
            Binary::Smin => ("min", true),
            Binary::Umin => ("min", false),
            Binary::Smax => ("max", true),
            Binary::Umax => ("max", false),
        };
        let sources = [self.read_as(a, signed), self.read_as(b, signed)];
        let sign = if signed { 's' } else { 'u' };
        self.with_sources(&format!("{name}.{sign}{width}"), result, sources);
    }

    /// The count is always a 32-bit operand.
    fn shift(&mut self, op: Binary, result: Value, a: Value, b: Value) {
        let wide = self.ty(result) == Type::I64;
        let value = match op {
            Binary::Ashr => self.read_signed(a),
            Binary::Lshr => self.read_unsigned(a),
            _ => self.read(a),
        };
        let mut count = self.read_unsigned(b);
        if wide && matches!(count, Operand::Name(_)) {
            let short = self.registers.temporary(Type::I32);
            self.instruction("cvt.u32.u64", vec![register(&short), count]);
            count = register(&short);
        }
        let name = match (op, wide) {
            (Binary::Ashr, false) => "shr.s32",
            (Binary::Ashr, true) => "shr.s64",
            (Binary::Lshr, false) => "shr.u32",
            (Binary::Lshr, true) => "shr.u64",
            (_, false) => "shl.b32",
            (_, true) => "shl.b64",
        };
        self.with_sources(name, result, [value, count]);
    }

    fn compare(&mut self, op: Compare, target: Operand, a: Value, b: Value) {
        let ty = self.ty(a);
        if ty == Type::I1 {
            let sources = [self.read(a), self.read(b)];
            let mut operands = vec![target.clone()];
            operands.extend(sources);
            self.instruction("xor.pred", operands);
            if op == Compare::Eq {
                self.instruction("not.pred", vec![target.clone(), target]);
            }
            return;
        }
        let (name, signed) = comparison(op);
        let operands = if ty.is_float() {
            vec![target, self.read(a), self.read(b)]
        } else {
            let signed = signed.unwrap_or_else(|| self.selection.equality_is_signed(a, b));
            vec![target, self.read_as(a, signed), self.read_as(b, signed)]
        };
        let ty = if ty.is_float() {
            ty.name()
        } else {
            match (signed != Some(false), ty == Type::I64) {
                (true, true) => "s64",
                (true, false) => "s32",
                (false, true) => "u64",
                (false, false) => "u32",
            }
        };
        self.instruction(&format!("setp.{name}.{ty}"), operands);
    }

    /// A truth value, or its opposite, in a register.
    fn predicate(&mut self, value: Value, inverse: bool) -> Operand {
        match (self.selection.constant(value), inverse) {
            (Some(bits), true) => {
                let to = self.registers.temporary(Type::I1);
                let operands = vec![register(&to), Operand::Int((bits ^ 1).into())];
                self.instruction("mov.pred", operands);
                register(&to)
            }
            (None, true) => Operand::Name(self.registers.of_inverse(value)),
            (_, false) => self.read(value),
        }
    }

    /// Computes the opposite of a truth value.
    fn opposite(&mut self, result: Value, op: Op) {
        let target = Operand::Name(self.registers.of_inverse(result));
        match op {
            Op::Compare(op, a, b) => self.compare(op.inverse(), target, a, b),
            Op::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let sources = [self.predicate(a, true), self.predicate(b, true)];
                let name = if op == Binary::And { "or.pred" } else { "and.pred" };
                let mut operands = vec![target];
                operands.extend(sources);
                self.instruction(name, operands);
            }
            Op::Unary(Unary::Inot, a) => {
                let from = self.predicate(a, false);
                self.instruction("mov.pred", vec![target, from]);
            }
            _ => {}
        }
    }

    fn select(&mut self, result: Value, condition: Value, a: Value, b: Value) {
        let ty = self.ty(result);
        let name = match ty {
            Type::I1 => return self.select_predicate(result, condition, a, b),
            Type::I64 => "selp.b64",
            Type::F32 => "selp.f32",
            Type::F64 => "selp.f64",
            _ => "selp.b32",
        };
        let sources = [self.read(a), self.read(b), self.read(condition)];
        self.with_sources(name, result, sources);
    }

    /// `condition && a || !condition && b`
    fn select_predicate(&mut self, result: Value, condition: Value, a: Value, b: Value) {
        let [c, a, b] = [condition, a, b].map(|value| self.read(value));
        let [yes, not, no] = [(); 3].map(|()| register(&self.registers.temporary(Type::I1)));
        self.instruction("and.pred", vec![yes.clone(), c.clone(), a]);
        self.instruction("not.pred", vec![not.clone(), c]);
        self.instruction("and.pred", vec![no.clone(), not, b]);
        self.with_sources("or.pred", result, [yes, no]);
    }

    fn end(&mut self, end: &Terminator, plan: Option<&(Plan, Hoisted)>, report: Option<&Report>) {
        match (end, plan, report) {
            (Terminator::Jump(target), ..) => {
                self.copies(target);
                self.go_to(target.block);
            }
            (Terminator::Branch { condition, then, otherwise }, Some(&(plan, hoisted)), _) => {
                self.branch(*condition, (then, otherwise), plan, hoisted);
            }
            (Terminator::Return, ..) => self.instruction("ret", Vec::new()),
            (Terminator::Panic { site, values }, _, Some(report)) => {
                let last = self.next.is_none();
                self.panic(report, *site, values, last);
            }
            // Nobody gets here.
            _ => self.instruction("exit", Vec::new()),
        }
    }

    fn branch(
        &mut self,
        condition: Value,
        (then, otherwise): (&Target, &Target),
        plan: Plan,
        hoisted: Hoisted,
    ) {
        if let Some(bits) = self.selection.constant(condition) {
            let target = if bits == 1 { then } else { otherwise };
            self.copies(target);
            return self.go_to(target.block);
        }
        let predicate = self.predicate(condition, plan == Plan::Otherwise);
        let Operand::Name(predicate) = predicate else { return };
        for (target, hoisted) in [(then, hoisted.then), (otherwise, hoisted.otherwise)] {
            if hoisted {
                self.copies(target);
            }
        }
        let not_yet = |target: &Target, hoisted: bool| {
            if hoisted { Target::to(target.block) } else { target.clone() }
        };
        let (then, otherwise) =
            (not_yet(then, hoisted.then), not_yet(otherwise, hoisted.otherwise));
        match plan {
            Plan::Then => {
                self.jump_if(&predicate, &label(then.block));
                self.copies(&otherwise);
                self.go_to(otherwise.block);
            }
            Plan::Otherwise => {
                self.jump_if(&predicate, &label(otherwise.block));
                self.copies(&then);
                self.go_to(then.block);
            }
            Plan::Both => {
                let here = format!("{}_then", label(self.block));
                self.jump_if(&predicate, &here);
                self.copies(&otherwise);
                self.jump(&label(otherwise.block));
                self.label(&here);
                self.copies(&then);
                self.go_to(then.block);
            }
        }
    }

    /// Arguments into the registers of the parameters.
    fn copies(&mut self, target: &Target) {
        let params = &self.function.block(target.block).params;
        let mut copies = Vec::new();
        for (&param, &arg) in params.iter().zip(&target.args) {
            let ty = self.ty(param);
            let from = self.read(arg);
            copies.push(Copy { to: self.registers.of(param, ty), from, class: mov(ty) });
        }
        let registers = &mut self.registers;
        let sequence = copies::in_sequence(copies, |class| registers.temporary(mov_type(class)));
        for Copy { to, from, class } in sequence {
            self.instruction(class, vec![register(&to), from]);
        }
    }
}

fn label(block: Block) -> String {
    format!("${block}")
}

/// How a value of this type is copied.
pub(super) fn mov(ty: Type) -> &'static str {
    match ty {
        Type::I1 => "mov.pred",
        Type::I8 | Type::I16 | Type::I32 => "mov.b32",
        Type::I64 => "mov.b64",
        Type::F32 => "mov.f32",
        Type::F64 => "mov.f64",
    }
}

/// A type that is copied so.
fn mov_type(class: &str) -> Type {
    [Type::I1, Type::I64, Type::F32, Type::F64]
        .into_iter()
        .find(|&ty| mov(ty) == class)
        .unwrap_or(Type::I32)
}

/// As loads and stores have it.
fn memory_type(ty: Type, signed: bool) -> &'static str {
    match ty {
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::I1 => "u8",
        Type::I8 | Type::I16 => super::convert::narrow_type(signed, ty),
        Type::I32 => "u32",
        Type::I64 => "u64",
    }
}

fn bitwise(op: Binary) -> &'static str {
    match op {
        Binary::And => "and",
        Binary::Or => "or",
        _ => "xor",
    }
}

/// PTX's name, and for an order of integers its signedness.
fn comparison(op: Compare) -> (&'static str, Option<bool>) {
    match op {
        Compare::Eq => ("eq", None),
        Compare::Ne => ("ne", None),
        Compare::Slt => ("lt", Some(true)),
        Compare::Sle => ("le", Some(true)),
        Compare::Sgt => ("gt", Some(true)),
        Compare::Sge => ("ge", Some(true)),
        Compare::Ult => ("lt", Some(false)),
        Compare::Ule => ("le", Some(false)),
        Compare::Ugt => ("gt", Some(false)),
        Compare::Uge => ("ge", Some(false)),
        Compare::Feq => ("eq", None),
        // Rust's `!=` is true where one side is NaN.
        Compare::Fne => ("neu", None),
        Compare::Flt => ("lt", None),
        Compare::Fle => ("le", None),
        Compare::Fgt => ("gt", None),
        Compare::Fge => ("ge", None),
        Compare::Fult => ("ltu", None),
        Compare::Fule => ("leu", None),
        Compare::Fugt => ("gtu", None),
        Compare::Fuge => ("geu", None),
    }
}

fn special_register(special: Special) -> &'static str {
    match special {
        Special::TidX => "%tid.x",
        Special::TidY => "%tid.y",
        Special::TidZ => "%tid.z",
        Special::CtaidX => "%ctaid.x",
        Special::CtaidY => "%ctaid.y",
        Special::CtaidZ => "%ctaid.z",
        Special::NtidX => "%ntid.x",
        Special::NtidY => "%ntid.y",
        Special::NtidZ => "%ntid.z",
        Special::NctaidX => "%nctaid.x",
        Special::NctaidY => "%nctaid.y",
        Special::NctaidZ => "%nctaid.z",
        Special::LaneId => "%laneid",
    }
}

/// A slot's name in the PTX, unlike any other's.
fn variable_name(function: &Function, slot: usize) -> String {
    format!("{}${slot}", ptx_name(&function.slots[slot].name))
}

fn variable(function: &Function, slot: usize) -> Variable {
    let data = &function.slots[slot];
    Variable {
        linkage: None,
        space: data.space.to_string(),
        align: u32::try_from(data.align).ok(),
        ty: "b8".to_owned(),
        name: variable_name(function, slot),
        // PTX has no empty arrays.
        dims: vec![Some(data.size.max(1))],
        attributes: Vec::new(),
        init: Vec::new(),
    }
}

/// Labels that nothing jumps to say nothing.
fn without_unused_labels(body: Vec<Statement>) -> impl Iterator<Item = Statement> {
    let jumps = body.iter().filter_map(|statement| match statement {
        Statement::Instruction(Instruction { opcode, operands, .. }) if opcode == "bra" => {
            operands.first()
        }
        _ => None,
    });
    let used: HashSet<String> = jumps
        .filter_map(|operand| match operand {
            Operand::Name(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    body.into_iter().filter(move |statement| match statement {
        Statement::Label(name) => used.contains(name),
        _ => true,
    })
}
