//! From an instruction to operations: one file for each family of instructions.

mod arithmetic;
mod bitwise;
mod compare;
mod control;
mod convert;
mod memory;
mod moves;
mod warp;

use nvptx_builder::ptx::{Instruction, Operand};

use super::draft::{Builder, Guard};
use super::error::Refusal;
use super::types::{Modifiers, Ty};
use crate::program::Handler;

type Selected = Result<(), Refusal>;

/// Picks the handler of a shape for an operation, by an integer type.
macro_rules! integer_handler {
    ($ty:expr, $shape:ident, $op:ident) => {
        integer_handler!($ty, $shape, $op, [u16 i16 u32 i32 u64 i64])
    };
    ($ty:expr, $shape:ident, $op:ident, [$($rust:ident)*]) => {
        match $ty {
            $( integer_handler!(@pattern $rust) => Some($shape::<$op<$rust>>()), )*
            _ => None,
        }
    };
    (@pattern u16) => { Ty::U16 | Ty::B16 };
    (@pattern i16) => { Ty::S16 };
    (@pattern u32) => { Ty::U32 | Ty::B32 };
    (@pattern i32) => { Ty::S32 };
    (@pattern u64) => { Ty::U64 | Ty::B64 };
    (@pattern i64) => { Ty::S64 };
}

/// Picks the handler of a shape for a bit operation, by the type's width alone.
macro_rules! bits_handler {
    ($ty:expr, $shape:ident, $op:ident) => {
        match $ty.bits() {
            16 => Some($shape::<$op<u16>>()),
            32 => Some($shape::<$op<u32>>()),
            64 => Some($shape::<$op<u64>>()),
            _ => None,
        }
    };
}

use {bits_handler, integer_handler};

/// Adds an instruction.
pub(super) fn instruction(b: &mut Builder, instruction: &Instruction) -> Selected {
    b.guard = match &instruction.guard {
        Some(guard) => {
            Some(Guard { predicate: b.named_predicate(&guard.register)?, negated: guard.negated })
        }
        None => None,
    };
    let mods = Modifiers::new(&instruction.modifiers);
    let operands = instruction.operands.as_slice();
    match instruction.opcode.as_str() {
        "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "neg" | "abs" | "min" | "max"
        | "sad" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh"
        | "copysign" => arithmetic::select(b, &instruction.opcode, mods, operands),
        "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "popc" | "clz" | "brev"
        | "bfind" | "bfe" | "bfi" | "prmt" | "lop3" => {
            bitwise::select(b, &instruction.opcode, mods, operands)
        }
        "setp" => compare::set_predicate(b, mods, operands),
        "set" => compare::set(b, mods, operands),
        "testp" => compare::test(b, mods, operands),
        "selp" => compare::select(b, mods, operands),
        "slct" => compare::select_by_sign(b, mods, operands),
        "cvt" => convert::select(b, mods, operands),
        "mov" => moves::mov(b, mods, operands),
        "cvta" => moves::convert_address(b, mods, operands),
        "ld" | "ldu" => memory::load(b, mods, operands),
        "st" => memory::store(b, mods, operands),
        "atom" => memory::atomic(b, mods, operands, true),
        "red" => memory::atomic(b, mods, operands, false),
        "membar" | "fence" => memory::fence(b, mods, operands),
        "prefetch" | "prefetchu" | "nanosleep" | "pmevent" => {
            b.op(crate::exec::moves::nothing, &[], 0, 0);
            Ok(())
        }
        "bra" => control::branch(b, mods, operands),
        "ret" | "exit" => control::exit(b, mods, operands),
        "trap" => control::trap(b, mods, operands),
        "bar" | "barrier" => control::barrier(b, &instruction.opcode, mods, operands),
        "shfl" => warp::shuffle(b, mods, operands),
        "vote" => warp::vote(b, mods, operands),
        "activemask" => warp::active_mask(b, mods, operands),
        "match" => warp::matching(b, mods, operands),
        "redux" => warp::reduce(b, mods, operands),
        _ => Err(Refusal::UnknownInstruction),
    }
}

/// So many operands.
fn exactly<'a, const N: usize>(
    operands: &'a [Operand],
    expected: &'static str,
) -> Result<&'a [Operand; N], Refusal> {
    operands.try_into().map_err(|_| Refusal::Operands { expected })
}

/// `d, a`, all of one type.
fn one_operand(b: &mut Builder, handler: Handler, operands: &[Operand], ty: Ty) -> Selected {
    let [d, a] = exactly(operands, "two operands")?;
    let slots = [b.write(d, ty)?, b.read(a, ty)?];
    b.op(handler, &slots, 0, 0);
    Ok(())
}

/// `d, a, b`, all of one type.
fn two_operands(b: &mut Builder, handler: Handler, operands: &[Operand], ty: Ty) -> Selected {
    let [d, x, y] = exactly(operands, "three operands")?;
    let slots = [b.write(d, ty)?, b.read(x, ty)?, b.read(y, ty)?];
    b.op(handler, &slots, 0, 0);
    Ok(())
}

/// `d, a, b, c`, all of one type.
fn three_operands(b: &mut Builder, handler: Handler, operands: &[Operand], ty: Ty) -> Selected {
    let [d, x, y, z] = exactly(operands, "four operands")?;
    let slots = [b.write(d, ty)?, b.read(x, ty)?, b.read(y, ty)?, b.read(z, ty)?];
    b.op(handler, &slots, 0, 0);
    Ok(())
}

/// The handler, if there is one for these modifiers.
fn found(handler: Option<Handler>) -> Result<Handler, Refusal> {
    handler.ok_or(Refusal::UnknownInstruction)
}
