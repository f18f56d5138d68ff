//! Runs a function for one thread: the oracle of the passes' tests.
//!
//! It is slow and simple. A barrier does nothing here but leave a mark in the [trace](Run::trace).

use super::{Block, Function, Inst, Op, Space, Special, Target, Terminator, Type, Value, evaluate};

/// Where global memory begins.
pub const GLOBAL_BASE: u64 = 0x7000_0000_0000;

/// What a thread sees of the launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Geometry {
    /// `%tid`
    pub tid: [u32; 3],
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// `%ntid`
    pub ntid: [u32; 3],
    /// `%nctaid`
    pub nctaid: [u32; 3],
}

/// How a thread ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Normally.
    Returned,
    /// With a panic.
    Panicked {
        /// The site.
        site: u32,
        /// The bits of its values.
        values: Vec<u64>,
    },
}

/// Something that others can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Effect {
    Store { space: Space, address: u64, bytes: u64, bits: u64 },
    Barrier,
}

/// A whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its end.
    pub outcome: Outcome,
    /// Barriers and stores to global and shared memory, in order.
    pub trace: Vec<Effect>,
    /// How many instructions and terminators it took.
    pub steps: u64,
}

/// The run has no defined meaning, or takes too long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Fault {
    #[error("{bytes} bytes at {address:#x} are outside {space} memory or misaligned")]
    Memory { space: Space, address: u64, bytes: u64 },
    #[error("the result of {0} is undefined")]
    Undefined(String),
    #[error("unreachable was reached in {0}")]
    Unreachable(Block),
    #[error("out of fuel")]
    Fuel,
    #[error("the function is invalid at {0}")]
    Invalid(String),
}

/// Runs a verified function.
///
/// `args` are the bits of the flattened parameters; `global` is global memory, which begins at
/// [`GLOBAL_BASE`]; shared and local memory begin as zeros. `fuel` bounds the steps.
///
/// # Errors
/// If the run does something undefined or does not end.
pub fn interpret(
    function: &Function,
    args: &[u64],
    geometry: &Geometry,
    global: &mut [u8],
    fuel: u64,
) -> Result<Run, Fault> {
    let mut offsets = Vec::new();
    let (mut shared, mut local) = (0, 0);
    for slot in &function.slots {
        let end = if slot.space == Space::Shared { &mut shared } else { &mut local };
        let start = u64::next_multiple_of(*end, slot.align.max(1));
        offsets.push(start);
        *end = start + slot.size;
    }
    let mut machine = Machine {
        function,
        args,
        geometry,
        global,
        shared: vec![0; shared as usize],
        local: vec![0; local as usize],
        offsets,
        values: vec![0; function.values.len()],
        trace: Vec::new(),
    };
    let mut block = function.entry();
    let mut steps = 0;
    loop {
        let data = function.block(block);
        steps += data.insts.len() as u64 + 1;
        if steps > fuel {
            return Err(Fault::Fuel);
        }
        for inst in &data.insts {
            machine.inst(inst)?;
        }
        let target =
            match &data.end {
                Terminator::Jump(target) => target,
                Terminator::Branch { condition, then, otherwise } => {
                    if machine.get(*condition) == 1 { then } else { otherwise }
                }
                Terminator::Return => {
                    return Ok(Run { outcome: Outcome::Returned, trace: machine.trace, steps });
                }
                Terminator::Panic { site, values } => {
                    let values = values.iter().map(|&value| machine.get(value)).collect();
                    let outcome = Outcome::Panicked { site: *site, values };
                    return Ok(Run { outcome, trace: machine.trace, steps });
                }
                Terminator::Unreachable => return Err(Fault::Unreachable(block)),
            };
        machine.pass(target);
        block = target.block;
    }
}

struct Machine<'a> {
    function: &'a Function,
    args: &'a [u64],
    geometry: &'a Geometry,
    global: &'a mut [u8],
    shared: Vec<u8>,
    local: Vec<u8>,
    /// By slot.
    offsets: Vec<u64>,
    values: Vec<u64>,
    trace: Vec<Effect>,
}

impl Machine<'_> {
    fn get(&self, value: Value) -> u64 {
        self.values[value.index()]
    }

    fn pass(&mut self, target: &Target) {
        // All arguments are read before any parameter is written.
        let args: Vec<u64> = target.args.iter().map(|&arg| self.get(arg)).collect();
        for (&param, bits) in self.function.block(target.block).params.iter().zip(args) {
            self.values[param.index()] = bits;
        }
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Fault> {
        let ty = inst.result.map(|result| self.function.ty(result));
        match (inst.op, ty) {
            (Op::Barrier, _) => self.trace.push(Effect::Barrier),
            (Op::Store { space, address, offset, value }, _) => {
                let bytes = self.function.ty(value).bytes();
                let bits = self.get(value);
                let address = self.address(space, address, offset);
                let place = self.place(space, address, bytes)?;
                place.copy_from_slice(&bits.to_le_bytes()[..bytes as usize]);
                if space != Space::Local {
                    self.trace.push(Effect::Store { space, address, bytes, bits });
                }
            }
            (op, Some(ty)) => {
                let bits = self.value(op, ty)?;
                if let Some(result) = inst.result {
                    self.values[result.index()] = bits;
                }
            }
            (op, None) => return Err(Fault::Invalid(format!("{op:?}"))),
        }
        Ok(())
    }

    fn value(&mut self, op: Op, ty: Type) -> Result<u64, Fault> {
        let undefined = || Fault::Undefined(format!("{op:?}"));
        Ok(match op {
            Op::Const(bits) => bits,
            Op::Param(number) => self.args.get(number as usize).copied().ok_or_else(undefined)?,
            Op::Special(special) => self.special(special).into(),
            Op::SlotAddr(slot) => self.offsets[slot.index()],
            Op::Unary(op, a) => evaluate::unary(op, ty, self.get(a)),
            Op::Binary(op, a, b) => {
                evaluate::binary(op, ty, self.get(a), self.get(b)).ok_or_else(undefined)?
            }
            Op::Fma(a, b, c) => evaluate::fma(ty, self.get(a), self.get(b), self.get(c)),
            Op::WideMul { signed, a, b } => evaluate::wide_mul(signed, self.get(a), self.get(b)),
            Op::Compare(op, a, b) => {
                evaluate::compare(op, self.function.ty(a), self.get(a), self.get(b)).into()
            }
            Op::Select(condition, a, b) => {
                if self.get(condition) == 1 {
                    self.get(a)
                } else {
                    self.get(b)
                }
            }
            Op::Convert(op, a) => evaluate::convert(op, self.function.ty(a), ty, self.get(a)),
            Op::Load { space, address, offset, .. } => {
                let address = self.address(space, address, offset);
                let place = self.place(space, address, ty.bytes())?;
                let mut bytes = [0; 8];
                bytes[..place.len()].copy_from_slice(place);
                u64::from_le_bytes(bytes)
            }
            Op::Store { .. } | Op::Barrier => return Err(Fault::Invalid(format!("{op:?}"))),
        })
    }

    fn special(&self, special: Special) -> u32 {
        let Geometry { tid, ctaid, ntid, nctaid } = self.geometry;
        match special {
            Special::TidX => tid[0],
            Special::TidY => tid[1],
            Special::TidZ => tid[2],
            Special::CtaidX => ctaid[0],
            Special::CtaidY => ctaid[1],
            Special::CtaidZ => ctaid[2],
            Special::NtidX => ntid[0],
            Special::NtidY => ntid[1],
            Special::NtidZ => ntid[2],
            Special::NctaidX => nctaid[0],
            Special::NctaidY => nctaid[1],
            Special::NctaidZ => nctaid[2],
            Special::LaneId => (tid[0] + ntid[0] * (tid[1] + ntid[1] * tid[2])) % 32,
        }
    }

    /// Without wrapping in the narrow state spaces, as the emulator has it.
    fn address(&self, space: Space, address: Value, offset: i64) -> u64 {
        let base = self.get(address);
        match space {
            Space::Global => base.wrapping_add_signed(offset).wrapping_sub(GLOBAL_BASE),
            Space::Shared | Space::Local => base.wrapping_add_signed(offset),
        }
    }

    fn place(&mut self, space: Space, address: u64, bytes: u64) -> Result<&mut [u8], Fault> {
        let memory = match space {
            Space::Global => &mut *self.global,
            Space::Shared => &mut self.shared,
            Space::Local => &mut self.local,
        };
        let range = address.checked_add(bytes).filter(|_| address.is_multiple_of(bytes));
        range.and_then(|end| memory.get_mut(address as usize..end as usize)).ok_or(Fault::Memory {
            space,
            address,
            bytes,
        })
    }
}
