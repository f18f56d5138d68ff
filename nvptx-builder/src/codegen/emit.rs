//! Instructions, block by block.

use super::demand::Demand;
use super::flow::{self, Hoisted, Plan};
use super::liveness::Liveness;
use super::names::{label, memory_type, special_register, variable, variable_name};
use super::narrow::register;
use super::registers::Registers;
use super::select::{Base, Selection, Shape, Wide};
use crate::ir::{Block, Function, Inst, Loc, Op, Space, Terminator, Type, Value};
use crate::metadata::Panics;
use crate::ptx::{Guard, Instruction, Operand, Statement};
use std::collections::{HashMap, HashSet};

/// What stands between the braces of the entry.
pub(super) fn body(function: &Function, kernel: &str, panics: Option<&Panics>) -> Vec<Statement> {
    let selection = Selection::new(function);
    let liveness = Liveness::new(function, &selection);
    let order = flow::order(function);
    let mut plans = HashMap::new();
    let mut indifferent = HashMap::new();
    let positions = flow::positions(function);
    let facts = (&selection, &liveness, positions.as_slice());
    for (i, &block) in order.iter().enumerate() {
        if let Terminator::Branch { condition, then, otherwise } = &function.block(block).end {
            let next = order.get(i + 1).copied();
            let branch = (*condition, then, otherwise);
            let plan = flow::plan(function, facts, (block, next), branch);
            if flow::is_indifferent(plan, next, then, otherwise) {
                indifferent.insert(block, *condition);
            }
            plans.insert(block, plan);
        }
    }
    let demand = |plans: &HashMap<Block, (Plan, Hoisted)>, but: &HashMap<Block, Value>| {
        Demand::new(function, &selection, |block| {
            let plan = plans.get(&block).filter(|_| !but.contains_key(&block))?;
            Some(plan.0)
        })
    };
    let without = demand(&plans, &indifferent);
    for (&block, &condition) in &indifferent {
        if without.is_inverse_needed(condition) && !without.is_needed(condition) {
            plans.entry(block).and_modify(|(plan, _)| *plan = Plan::Otherwise);
        }
    }
    let demand = demand(&plans, &HashMap::new());
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
    pub(super) function: &'a Function,
    kernel: &'a str,
    pub(super) selection: &'a Selection<'a>,
    demand: &'a Demand,
    pub(super) registers: Registers,
    body: Vec<Statement>,
    /// Of the last `.loc`.
    loc: Loc,
    pub(super) block: Block,
    /// The block that follows in the text.
    pub(super) next: Option<Block>,
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
    pub(super) fn go_to(&mut self, block: Block) {
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

    pub(super) fn with_sources<const N: usize>(
        &mut self,
        name: &str,
        to: Value,
        sources: [Operand; N],
    ) {
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
