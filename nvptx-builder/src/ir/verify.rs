//! Checks that a function means something.

use super::{
    Binary, Block, Convert, Dominators, Function, Inst, Op, Space, Target, Terminator, Type, Unary,
    Value,
};

/// What makes a function invalid: a mistake of the compiler, not of its user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", self.place())]
pub struct VerifyError {
    /// The block with the mistake, unless it concerns the whole function.
    pub block: Option<Block>,
    /// The position of the instruction in its block; the number of instructions for the terminator.
    pub position: Option<usize>,
    /// What is wrong.
    pub problem: String,
}

impl VerifyError {
    fn place(&self) -> String {
        match (self.block, self.position) {
            (Some(block), Some(position)) => format!("{block}, instruction {position}: "),
            (Some(block), None) => format!("{block}: "),
            (None, _) => String::new(),
        }
    }
}

/// Checks the layout, that definitions dominate uses, all types, the arguments of jumps, and the
/// panic sites. In blocks that the entry does not reach, dominance is checked within the block only.
///
/// # Errors
/// The first violation found.
pub fn verify(function: &Function) -> Result<(), VerifyError> {
    let mut verifier = Verifier {
        function,
        placeholders: function.sites.iter().map(|site| placeholders(&site.message)).collect(),
        definitions: Vec::new(),
        block: None,
        position: None,
    };
    verifier.run()
}

/// Where a value is defined.
#[derive(Clone, Copy)]
struct Definition {
    block: Block,
    /// 0 for block parameters, position + 1 for instructions.
    order: usize,
}

struct Verifier<'a> {
    function: &'a Function,
    /// By site, the number of placeholders; `None` for a malformed message.
    placeholders: Vec<Option<usize>>,
    definitions: Vec<Option<Definition>>,
    block: Option<Block>,
    position: Option<usize>,
}

type Check = Result<(), VerifyError>;

impl Verifier<'_> {
    fn fail(&self, problem: impl Into<String>) -> Check {
        Err(VerifyError { block: self.block, position: self.position, problem: problem.into() })
    }

    fn ensure(&self, holds: bool, problem: impl FnOnce() -> String) -> Check {
        if holds { Ok(()) } else { self.fail(problem()) }
    }

    fn run(&mut self) -> Check {
        self.tables()?;
        self.layout()?;
        self.define()?;
        let dominators = Dominators::new(self.function);
        for &block in &self.function.layout {
            self.block = Some(block);
            let data = self.function.block(block);
            for (position, inst) in data.insts.iter().enumerate() {
                self.position = Some(position);
                self.uses(&dominators, position, |f| inst.op.for_each_operand(f))?;
                self.inst(inst)?;
            }
            self.position = Some(data.insts.len());
            self.uses(&dominators, data.insts.len(), |f| data.end.for_each_operand(f))?;
            self.terminator(&data.end)?;
        }
        Ok(())
    }

    fn tables(&self) -> Check {
        for param in &self.function.params {
            self.ensure(param.ty != Type::I1, || format!("parameter {} is an i1", param.name))?;
        }
        for (i, slot) in self.function.slots.iter().enumerate() {
            self.ensure(slot.space != Space::Global, || format!("slot s{i} is in global memory"))?;
            self.ensure(slot.align.is_power_of_two(), || {
                format!("slot s{i}: alignment {} is not a power of two", slot.align)
            })?;
        }
        for (i, count) in self.placeholders.iter().enumerate() {
            self.ensure(count.is_some_and(|count| count <= 8), || {
                format!("site {i}: malformed message, or more than 8 values")
            })?;
        }
        Ok(())
    }

    fn layout(&mut self) -> Check {
        let function = self.function;
        let mut laid_out = vec![false; function.blocks.len()];
        for &block in &function.layout {
            match laid_out.get_mut(block.index()) {
                None => {
                    return self.fail(format!("the layout names {block}, which does not exist"));
                }
                Some(true) => return self.fail(format!("{block} is twice in the layout")),
                Some(seen) => *seen = true,
            }
        }
        let Some(&entry) = function.layout.first() else {
            return self.fail("no entry block");
        };
        self.ensure(function.block(entry).params.is_empty(), || {
            "the entry block has parameters".to_owned()
        })?;
        for &block in &function.layout {
            self.block = Some(block);
            for successor in function.successors(block) {
                let known = laid_out.get(successor.index()).copied().unwrap_or(false);
                self.ensure(known, || format!("goes to {successor}, which is not laid out"))?;
            }
        }
        self.block = None;
        Ok(())
    }

    fn define(&mut self) -> Check {
        let function = self.function;
        self.definitions = vec![None; function.values.len()];
        for &block in &function.layout {
            self.block = Some(block);
            let data = function.block(block);
            let params = data.params.iter().map(|&value| (0, value));
            let results = data.insts.iter().enumerate();
            let results = results.filter_map(|(i, inst)| Some((i + 1, inst.result?)));
            for (order, value) in params.chain(results) {
                match self.definitions.get_mut(value.index()) {
                    None => return self.fail(format!("{value} has no type")),
                    Some(Some(_)) => return self.fail(format!("{value} is defined twice")),
                    Some(slot) => *slot = Some(Definition { block, order }),
                }
            }
        }
        self.block = None;
        Ok(())
    }

    /// Each operand has a definition that dominates this position.
    fn uses(
        &self,
        dominators: &Dominators,
        position: usize,
        each: impl Fn(&mut dyn FnMut(Value)),
    ) -> Check {
        let Some(here) = self.block else { return Ok(()) };
        let mut wrong = None;
        each(&mut |value| {
            let known = self.definitions.get(value.index()).copied().flatten();
            let fine = known.is_some_and(|definition| {
                if definition.block == here {
                    definition.order <= position
                } else {
                    !dominators.is_reachable(here) || dominators.dominates(definition.block, here)
                }
            });
            if !fine && wrong.is_none() {
                wrong = Some((value, known.is_some()));
            }
        });
        match wrong {
            None => Ok(()),
            Some((value, true)) => {
                self.fail(format!("the definition of {value} does not dominate this use"))
            }
            Some((value, false)) => self.fail(format!("{value} is used but never defined")),
        }
    }

    fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    fn expect(&self, value: Value, ty: Type) -> Check {
        self.ensure(self.ty(value) == ty, || {
            format!("{value} is {}, expected {ty}", self.ty(value))
        })
    }

    fn inst(&self, inst: &Inst) -> Check {
        let Some(result) = inst.result else {
            return match inst.op {
                Op::Barrier => Ok(()),
                Op::Store { space, address, value, .. } => {
                    self.expect(address, space.address_type())?;
                    self.ensure(self.ty(value) != Type::I1, || "stores an i1".to_owned())
                }
                _ => self.fail("an operation without a result, which is neither store nor barrier"),
            };
        };
        let ty = self.ty(result);
        match inst.op {
            Op::Barrier | Op::Store { .. } => self.fail("a store or a barrier has no result"),
            Op::Const(bits) => self.ensure(bits & !ty.mask() == 0, || {
                format!("the constant {bits:#x} is wider than {ty}")
            }),
            Op::Param(number) => match self.function.params.get(number as usize) {
                None => self.fail(format!("there is no parameter {number}")),
                Some(param) => self.ensure(param.ty == ty, || {
                    format!("parameter {number} is {}, expected {ty}", param.ty)
                }),
            },
            Op::Special(_) => self.expect(result, Type::I32),
            Op::SlotAddr(slot) => {
                let exists = slot.index() < self.function.slots.len();
                self.ensure(exists, || format!("there is no slot {slot}"))?;
                self.expect(result, Type::I32)
            }
            Op::Unary(op, a) => {
                let fits = match op {
                    Unary::Inot => !ty.is_float(),
                    Unary::Ineg | Unary::Iabs => ty.is_int(),
                    Unary::Fneg | Unary::Fabs | Unary::Fsqrt => ty.is_float(),
                };
                self.ensure(fits, || format!("no {op} of {ty}"))?;
                self.expect(a, ty)
            }
            Op::Binary(op, a, b) => {
                let fits = match op {
                    Binary::And | Binary::Or | Binary::Xor => !ty.is_float(),
                    op if op.is_float() => ty.is_float(),
                    _ => ty.is_int(),
                };
                self.ensure(fits, || format!("no {op} of {ty}"))?;
                self.expect(a, ty)?;
                self.expect(b, ty)
            }
            Op::Fma(a, b, c) => {
                self.ensure(ty.is_float(), || format!("no fma of {ty}"))?;
                self.expect(a, ty)?;
                self.expect(b, ty)?;
                self.expect(c, ty)
            }
            Op::WideMul { a, b, .. } => {
                self.expect(a, Type::I32)?;
                self.expect(b, Type::I32)?;
                self.expect(result, Type::I64)
            }
            Op::Compare(op, a, b) => {
                self.expect(result, Type::I1)?;
                let of = self.ty(a);
                let fits = match op {
                    super::Compare::Eq | super::Compare::Ne => !of.is_float(),
                    op if op.is_float() => of.is_float(),
                    _ => of.is_int(),
                };
                self.ensure(fits, || format!("no {op} of {of}"))?;
                self.expect(b, of)
            }
            Op::Select(condition, a, b) => {
                self.expect(condition, Type::I1)?;
                self.expect(a, ty)?;
                self.expect(b, ty)
            }
            Op::Convert(op, a) => self.conversion(op, self.ty(a), ty),
            Op::Load { space, address, .. } => {
                self.ensure(ty != Type::I1, || "loads an i1".to_owned())?;
                self.expect(address, space.address_type())
            }
        }
    }

    fn conversion(&self, op: Convert, from: Type, to: Type) -> Check {
        let fits = match op {
            Convert::Zext => !from.is_float() && to.is_int() && from.bits() < to.bits(),
            Convert::Sext => from.is_int() && to.is_int() && from.bits() < to.bits(),
            Convert::Trunc => from.is_int() && to.is_int() && from.bits() > to.bits(),
            Convert::SintToFloat | Convert::UintToFloat => from.is_int() && to.is_float(),
            Convert::FloatToSint | Convert::FloatToUint => from.is_float() && to.is_int(),
            Convert::Fext => (from, to) == (Type::F32, Type::F64),
            Convert::Ftrunc => (from, to) == (Type::F64, Type::F32),
            Convert::Bitcast => {
                from.bits() == to.bits()
                    && (from.is_int() && to.is_float() || from.is_float() && to.is_int())
            }
        };
        self.ensure(fits, || format!("no {op} from {from} to {to}"))
    }

    fn terminator(&self, end: &Terminator) -> Check {
        match end {
            Terminator::Jump(target) => self.target(target),
            Terminator::Branch { condition, then, otherwise } => {
                self.expect(*condition, Type::I1)?;
                self.target(then)?;
                self.target(otherwise)
            }
            Terminator::Return | Terminator::Unreachable => Ok(()),
            Terminator::Panic { site, values } => match self.placeholders.get(*site as usize) {
                None => self.fail(format!("there is no panic site {site}")),
                Some(&count) => self.ensure(count == Some(values.len()), || {
                    format!("site {site} does not take {} values", values.len())
                }),
            },
        }
    }

    fn target(&self, target: &Target) -> Check {
        let params = &self.function.block(target.block).params;
        self.ensure(params.len() == target.args.len(), || {
            format!(
                "{} takes {} arguments, given {}",
                target.block,
                params.len(),
                target.args.len()
            )
        })?;
        for (&param, &arg) in params.iter().zip(&target.args) {
            self.expect(arg, self.ty(param))?;
        }
        Ok(())
    }
}

/// How many `{type}` placeholders a panic message has; `None` if a brace is not closed or doubled.
fn placeholders(message: &str) -> Option<usize> {
    let mut count = 0;
    let mut chars = message.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' if chars.peek() == Some(&'{') => {
                chars.next();
            }
            '{' => {
                count += 1;
                loop {
                    match chars.next()? {
                        '}' => break,
                        '{' => return None,
                        _ => {}
                    }
                }
            }
            '}' if chars.next() != Some('}') => return None,
            _ => {}
        }
    }
    Some(count)
}
