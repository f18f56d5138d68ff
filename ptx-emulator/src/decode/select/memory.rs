//! Loads, stores, atomics and fences.

use nvptx_builder::ptx::Operand;

use super::{Selected, exactly, found};
use crate::decode::draft::{Builder, Slot};
use crate::decode::error::Refusal;
use crate::decode::types::{Modifiers, Ty, Width};
use crate::exec::Element;
use crate::exec::atomic::{self, Update};
use crate::exec::convert::Cast;
use crate::exec::shapes::{copy, unary};
use crate::exec::{global, local, moves, shared};
use crate::fault::Space;
use crate::program::{Handler, PresetSource};

/// Words that only advise the hardware, or that all memory here obeys anyway.
fn only_advice(word: &str) -> bool {
    matches!(
        word,
        "weak"
            | "volatile"
            | "relaxed"
            | "mmio"
            | "cta"
            | "cluster"
            | "gpu"
            | "sys"
            | "gl"
            | "ca"
            | "cg"
            | "cs"
            | "lu"
            | "cv"
            | "wb"
            | "wt"
            | "nc"
            | "unified"
            | "noftz"
    ) || word.starts_with("L1::")
        || word.starts_with("L2::")
}

/// The state space of an access; generic addresses are global ones.
fn take_space(mods: &mut Modifiers<'_>) -> Option<Space> {
    match mods.take_one_of(&["global", "shared", "shared::cta", "local", "param", "const"]) {
        None | Some(0) => Some(Space::Global),
        Some(1 | 2) => Some(Space::Shared),
        Some(3) => Some(Space::Local),
        Some(_) => None,
    }
}

/// An address, ready for the handlers of its space.
struct Address {
    slot: Slot,
    offset: u64,
}

fn address(b: &mut Builder, operand: &Operand, space: Space) -> Result<Address, Refusal> {
    let Operand::Address { base, offset } = operand else {
        return Err(Refusal::Operands { expected: "an address in brackets" });
    };
    let offset = *offset as u64;
    let width = if space == Space::Global { Width::Bits64 } else { Width::Bits32 };
    let Some(name) = base else {
        return Ok(Address { slot: Slot::Read(b.values.constant(width, offset)), offset: 0 });
    };
    if let Some(place) = b.values.place(name) {
        if place.space != space {
            return Err(Refusal::Operands { expected: "a variable of the instruction's space" });
        }
        let slot = Slot::Read(b.values.constant(width, place.offset.into()));
        return Ok(Address { slot, offset });
    }
    let Some((value, bits)) = b.values.register(name) else {
        return Err(Refusal::Undeclared { name: name.clone() });
    };
    match (b.values.data[value.index()].width, width) {
        (own, wanted) if own == wanted => Ok(Address { slot: Slot::Read(value), offset }),
        // LLVM addresses shared memory with 64 bits.
        (Width::Bits64, Width::Bits32) => {
            let narrow = b.values.temporary(Width::Bits32);
            let slots = [Slot::Write(narrow), Slot::Read(value)];
            b.helper(moves::narrow_address(), &slots, 0, offset);
            Ok(Address { slot: Slot::Read(narrow), offset: 0 })
        }
        _ => Err(Refusal::Width { name: name.clone(), bits }),
    }
}

/// For an access's `aux`; local memory does without.
fn pattern(b: &mut Builder, address: Slot, space: Space, ty: Ty, count: usize) -> u16 {
    if space == Space::Local {
        return 0;
    }
    b.pattern(address, u64::from(ty.bits() / 8) * count as u64)
}

/// The elements of `{…}`, or the one operand.
fn parts(operand: &Operand, count: usize) -> Result<&[Operand], Refusal> {
    let parts = match operand {
        Operand::Vector(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    if parts.len() != count {
        return Err(Refusal::Operands { expected: "as many registers as the vector has elements" });
    }
    Ok(parts)
}

fn take_count(mods: &mut Modifiers<'_>) -> usize {
    match mods.take_one_of(&["v2", "v4"]) {
        None => 1,
        Some(0) => 2,
        Some(_) => 4,
    }
}

/// For an element type and a vector length, the handler of a space.
macro_rules! by_space {
    ($function:ident, $element:ident, $space:expr, $count:expr) => {
        match $space {
            Space::Global => by_space!(@count global, $function, $element, $count),
            Space::Shared => by_space!(@count shared, $function, $element, $count),
            Space::Local => by_space!(@count local, $function, $element, $count),
        }
    };
    (@count $module:ident, $function:ident, $element:ident, $count:expr) => {
        match $count {
            1 => Some($module::$function::<$element, 1>()),
            2 => Some($module::$function::<$element, 2>()),
            _ if $element::SIZE * 4 <= 16 => Some($module::$function::<$element, 4>()),
            _ => None,
        }
    };
}

fn loader(ty: Ty, space: Space, count: usize) -> Option<Handler> {
    match ty.bits() {
        8 => by_space!(load, u8, space, count),
        16 => by_space!(load, u16, space, count),
        32 => by_space!(load, u32, space, count),
        64 => by_space!(load, u64, space, count),
        _ => None,
    }
}

fn storer(ty: Ty, space: Space, count: usize) -> Option<Handler> {
    match ty.bits() {
        8 => by_space!(store, u8, space, count),
        16 => by_space!(store, u16, space, count),
        32 => by_space!(store, u32, space, count),
        64 => by_space!(store, u64, space, count),
        _ => None,
    }
}

pub(super) fn load(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    let count = take_count(&mut mods);
    let strong = mods.take("acquire");
    mods.drop_if(only_advice);
    let [results, source] = exactly(operands, "two operands")?;
    if mods.take("param") {
        mods.finish()?;
        return load_param(b, parts(results, count)?, source, ty);
    }
    let space = take_space(&mut mods).ok_or(Refusal::UnknownInstruction)?;
    mods.finish()?;
    let handler = found(loader(ty, space, count))?;
    let Address { slot, offset } = address(b, source, space)?;
    let mut slots = [Slot::Unused; 5];
    let mut extensions = Vec::new();
    for (at, result) in parts(results, count)?.iter().enumerate() {
        let (write, widening) = b.write_wide(result, ty)?;
        slots[at] = write;
        extensions.push((write, widening));
    }
    slots[4] = slot;
    let aux = pattern(b, slot, space, ty, count);
    b.op(handler, &slots, aux, offset);
    if strong {
        b.helper(moves::fence, &[], 0, 0);
    }
    for (write, widening) in extensions {
        extend_sign(b, write, ty);
        b.widen(widening);
    }
    Ok(())
}

/// Loads extend with zeros; this gives a narrow value its sign.
fn extend_sign(b: &mut Builder, write: Slot, ty: Ty) {
    let (handler, Slot::Write(value)) = (
        match ty {
            Ty::S8 => unary::<Cast<u32, i8>>(),
            Ty::S16 => unary::<Cast<u32, i16>>(),
            _ => return,
        },
        write,
    ) else {
        return;
    };
    b.helper(handler, &[Slot::Write(value), Slot::Read(value)], 0, 0);
}

/// Parameters are in slots of their own, so this is a copy.
fn load_param(b: &mut Builder, results: &[Operand], source: &Operand, ty: Ty) -> Selected {
    let Operand::Address { base: Some(name), offset } = source else {
        return Err(Refusal::Operands { expected: "a parameter in brackets" });
    };
    let Some(param) = b.values.param(name) else {
        return Err(Refusal::Undeclared { name: name.clone() });
    };
    let bytes = ty.bits().div_ceil(8);
    for (at, result) in results.iter().enumerate() {
        let offset = offset.saturating_add(i64::from(bytes) * at as i64);
        let inside = u32::try_from(offset).ok().filter(|offset| {
            offset.is_multiple_of(bytes)
                && offset.checked_add(bytes).is_some_and(|end| end <= param.bytes)
        });
        let Some(inside) = inside else {
            return Err(Refusal::Parameter { name: name.clone(), offset, bytes });
        };
        let (write, widening) = b.write_wide(result, ty)?;
        let offset = param.offset + inside;
        let source = PresetSource::Param { offset, bytes: bytes as u8, signed: ty.signed() };
        let value = b.values.preset(ty.width(), source);
        let handler = match ty.width() {
            Width::Bits32 => copy::<u32>(),
            Width::Bits64 => copy::<u64>(),
            Width::Predicate => return Err(Refusal::UnknownInstruction),
        };
        b.op(handler, &[write, Slot::Read(value)], 0, 0);
        b.widen(widening);
    }
    Ok(())
}

pub(super) fn store(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let ty = mods.take_type()?;
    let count = take_count(&mut mods);
    let strong = mods.take("release");
    mods.drop_if(only_advice);
    let space = take_space(&mut mods).ok_or(Refusal::UnknownInstruction)?;
    mods.finish()?;
    let handler = found(storer(ty, space, count))?;
    let [destination, values] = exactly(operands, "two operands")?;
    let mut slots = [Slot::Unused; 5];
    for (at, value) in parts(values, count)?.iter().enumerate() {
        slots[at] = b.read_narrow(value, ty)?;
    }
    let Address { slot, offset } = address(b, destination, space)?;
    slots[4] = slot;
    if strong {
        b.helper(moves::fence, &[], 0, 0);
    }
    let aux = pattern(b, slot, space, ty, count);
    b.op(handler, &slots, aux, offset);
    Ok(())
}

const UPDATES: [(&str, Update); 10] = [
    ("add", Update::Add),
    ("min", Update::Min),
    ("max", Update::Max),
    ("and", Update::And),
    ("or", Update::Or),
    ("xor", Update::Xor),
    ("exch", Update::Exchange),
    ("cas", Update::CompareAndSwap),
    ("inc", Update::Increment),
    ("dec", Update::Decrement),
];

/// `atom`, or `red`, which has no result.
pub(super) fn atomic(
    b: &mut Builder,
    mut mods: Modifiers<'_>,
    operands: &[Operand],
    result: bool,
) -> Selected {
    let ty = mods.take_type()?;
    let word = mods.take_one_of(&UPDATES.map(|(word, _)| word));
    let (_, update) = UPDATES[word.ok_or(Refusal::UnknownInstruction)?];
    mods.drop_if(|word| only_advice(word) || matches!(word, "acquire" | "release" | "acq_rel"));
    let space = take_space(&mut mods).ok_or(Refusal::UnknownInstruction)?;
    mods.finish()?;
    let handler = found(updater(ty, update, space))?;
    let (d, rest) = match operands {
        [d, rest @ ..] if result => (b.write(d, ty)?, rest),
        rest => (Slot::Unused, rest),
    };
    let (place, x, y) = match (rest, update) {
        ([place, compare, new], Update::CompareAndSwap) => (place, compare, new),
        ([place, x], other) if other != Update::CompareAndSwap => (place, x, x),
        _ => return Err(Refusal::Operands { expected: "an address and the operation's values" }),
    };
    let (x, y) = (b.read(x, ty)?, b.read(y, ty)?);
    let Address { slot, offset } = address(b, place, space)?;
    b.op(handler, &[d, slot, x, y], update as u16, offset);
    Ok(())
}

fn updater(ty: Ty, update: Update, space: Space) -> Option<Handler> {
    use Update::*;
    let known = match ty {
        Ty::F32 | Ty::F64 => update == Add,
        Ty::B32 | Ty::B64 => matches!(update, And | Or | Xor | Exchange | CompareAndSwap),
        Ty::U32 => !matches!(update, And | Or | Xor),
        Ty::S32 | Ty::U64 | Ty::S64 => {
            matches!(update, Add | Min | Max | Exchange | CompareAndSwap)
        }
        _ => false,
    };
    if !known {
        return None;
    }
    macro_rules! of {
        ($rust:ident) => {
            match space {
                Space::Global => Some(atomic::global::<$rust>()),
                Space::Shared => Some(atomic::shared::<$rust>()),
                Space::Local => None,
            }
        };
    }
    match ty {
        Ty::F32 => of!(f32),
        Ty::F64 => of!(f64),
        Ty::S32 => of!(i32),
        Ty::B32 | Ty::U32 => of!(u32),
        Ty::S64 => of!(i64),
        _ => of!(u64),
    }
}

pub(super) fn fence(b: &mut Builder, mut mods: Modifiers<'_>, operands: &[Operand]) -> Selected {
    let [] = exactly(operands, "no operands")?;
    mods.drop_if(|word| only_advice(word) || matches!(word, "sc" | "acq_rel"));
    mods.finish()?;
    b.op(moves::fence, &[], 0, 0);
    Ok(())
}
