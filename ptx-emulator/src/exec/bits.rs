//! Bit operations. Shift counts are clamped to the width, as PTX says (Rust masks them; the
//! compiler does that with an `and`).

use std::marker::PhantomData;

use super::context::Context;
use super::integer::operations;
use super::isa::handler;
use super::shapes::{Binary, Ternary, Unary};
use crate::program::Op;

operations! {
    And [u16 u32 u64] (|a: T, b: T| -> T { a & b });
    Or [u16 u32 u64] (|a: T, b: T| -> T { a | b });
    Xor [u16 u32 u64] (|a: T, b: T| -> T { a ^ b });
    Not [u16 u32 u64] (|a: T| -> T { !a });
    /// `cnot`: C's `!`.
    IsZero [u16 u32 u64] (|a: T| -> T { (a == 0) as T });
    ShiftLeft [u16 u32 u64]
        (|a: T, n: u32| -> T { if n >= T::BITS { 0 } else { a << (n & (T::BITS - 1)) } });
    ShiftRight [u16 u32 u64]
        (|a: T, n: u32| -> T { if n >= T::BITS { 0 } else { a >> (n & (T::BITS - 1)) } });
    ShiftRightSigned [i16 i32 i64] (|a: T, n: u32| -> T { a >> n.min(T::BITS - 1) });
    /// `shf.l.clamp`: the upper half of `b:a << n`.
    FunnelLeftClamp [u32]
        (|a: T, b: T, n: u32| -> T { (((b as u64) << 32 | a as u64) << n.min(32) >> 32) as T });
    FunnelLeftWrap [u32]
        (|a: T, b: T, n: u32| -> T { (((b as u64) << 32 | a as u64) << (n & 31) >> 32) as T });
    /// `shf.r.clamp`: the lower half of `b:a >> n`.
    FunnelRightClamp [u32]
        (|a: T, b: T, n: u32| -> T { (((b as u64) << 32 | a as u64) >> n.min(32)) as T });
    FunnelRightWrap [u32]
        (|a: T, b: T, n: u32| -> T { (((b as u64) << 32 | a as u64) >> (n & 31)) as T });
    CountOnes [u32 u64] (|a: T| -> u32 { a.count_ones() });
    LeadingZeros [u32 u64] (|a: T| -> u32 { a.leading_zeros() });
    Reverse [u32 u64] (|a: T| -> T { a.reverse_bits() });
    /// `bfind`: the position of the most significant bit that differs from the sign.
    FindTop [u32 u64]
        (|a: T| -> u32 { (T::BITS - 1).wrapping_sub(a.leading_zeros()) });
    FindTopSigned [i32 i64]
        (|a: T| -> u32 { (T::BITS - 1).wrapping_sub((a ^ a >> (T::BITS - 1)).leading_zeros()) });
    /// `bfind.shiftamt`: how far to shift left to bring that bit to the top.
    FindTopShift [u32 u64]
        (|a: T| -> u32 { if a == 0 { u32::MAX } else { a.leading_zeros() } });
    FindTopShiftSigned [i32 i64] (|a: T| -> u32 {
        match (a ^ a >> (T::BITS - 1)).leading_zeros() {
            T::BITS => u32::MAX,
            zeros => zeros,
        }
    });
    /// `bfe`: `length` bits from `position`, zero-extended. Both counts are 8 bits wide.
    Extract [u32 u64] (|a: T, position: u32, length: u32| -> T {
        extract(a as u64, position, length, T::BITS, false) as T
    });
    ExtractSigned [i32 i64] (|a: T, position: u32, length: u32| -> T {
        extract(a as u64, position, length, T::BITS, true) as T
    });
}

/// `bfe` by the pseudo-code of the *PTX ISA*.
#[inline(always)]
fn extract(a: u64, position: u32, length: u32, width: u32, signed: bool) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let bit = |at: u32| a >> at & 1;
    let sign = match (signed, length) {
        (false, _) | (_, 0) => 0,
        _ => bit((position + length - 1).min(width - 1)),
    };
    let fill = if sign != 0 { u64::MAX } else { 0 };
    let present = length.min(width.saturating_sub(position));
    if present == 0 {
        return fill;
    }
    // `present > 0` means `position < width`, and `present` is at most 64.
    let below = u64::MAX >> (64 - present);
    (a >> position) & below | fill & !below
}

/// `bfi`: puts the low `length` bits of `a` into `b` at `position`.
#[inline(always)]
fn insert(a: u64, b: u64, position: u32, length: u32, width: u32) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let present = length.min(width.saturating_sub(position));
    if present == 0 {
        return b;
    }
    let field = (u64::MAX >> (64 - present)) << position;
    b & !field | (a << position) & field
}

handler! {
    /// `bfi`: slots d, a, b, position, length.
    insert_field_32 [] [] = run_insert_32, no vectors
}
handler! {
    /// `bfi`: slots d, a, b, position, length.
    insert_field_64 [] [] = run_insert_64, no vectors
}

#[inline(always)]
unsafe fn run_insert_32(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, position, length, _] = op.slots;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let (a, b) = (cx.get::<u32>(a), cx.get::<u32>(b));
        let (position, length) = (cx.get::<u32>(position), cx.get::<u32>(length));
        let out = std::array::from_fn(|i| {
            insert(a[i] as u64, b[i] as u64, position[i], length[i], 32) as u32
        });
        cx.set::<u32>(d, &out, mask);
    }
    true
}

#[inline(always)]
unsafe fn run_insert_64(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, position, length, _] = op.slots;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let (a, b) = (cx.get::<u64>(a), cx.get::<u64>(b));
        let (position, length) = (cx.get::<u32>(position), cx.get::<u32>(length));
        let out = std::array::from_fn(|i| insert(a[i], b[i], position[i], length[i], 64));
        cx.set::<u64>(d, &out, mask);
    }
    true
}

/// The modes of `prmt`, as an operation's `aux`.
pub(crate) const PERMUTE_MODES: [&str; 6] = ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"];

handler! {
    /// `prmt`: slots d, a, b, selector; `aux` is 0, or 1 + an index of [`PERMUTE_MODES`].
    permute [] [] = run_permute, no vectors
}

#[inline(always)]
unsafe fn run_permute(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, selector, ..] = op.slots;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let (a, b, selector) = (cx.get::<u32>(a), cx.get::<u32>(b), cx.get::<u32>(selector));
        let out = std::array::from_fn(|i| permute_bytes(a[i], b[i], selector[i], op.aux));
        cx.set::<u32>(d, &out, mask);
    }
    true
}

fn permute_bytes(a: u32, b: u32, selector: u32, mode: u16) -> u32 {
    let bytes = ((b as u64) << 32 | a as u64).to_le_bytes();
    let s = selector as usize & 3;
    let picks: [usize; 4] = match mode {
        0 => {
            return u32::from_le_bytes(std::array::from_fn(|at| {
                let nibble = selector as usize >> (4 * at) & 15;
                let byte = bytes[nibble & 7];
                // The nibble's top bit replicates the byte's sign.
                if nibble & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 }
            }));
        }
        1 => std::array::from_fn(|at| s + at),
        2 => std::array::from_fn(|at| (8 + s - at) & 7),
        3 => [s; 4],
        4 => std::array::from_fn(|at| at.max(s)),
        5 => std::array::from_fn(|at| at.min(s)),
        _ => std::array::from_fn(|at| at & 1 | (s & 1) << 1),
    };
    u32::from_le_bytes(picks.map(|at| bytes[at]))
}

handler! {
    /// `lop3`: slots d, a, b, c; `aux` is the truth table.
    lookup_3 [] [] = run_lookup_3
}

#[inline(always)]
unsafe fn run_lookup_3(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, c, ..] = op.slots;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let (a, b, c) = (cx.get::<u32>(a), cx.get::<u32>(b), cx.get::<u32>(c));
        let mut out = [0u32; 32];
        for row in 0..8u32 {
            if op.aux >> row & 1 == 0 {
                continue;
            }
            let flip = |bit: u32| if row & bit != 0 { 0 } else { u32::MAX };
            for i in 0..32 {
                out[i] |= (a[i] ^ flip(4)) & (b[i] ^ flip(2)) & (c[i] ^ flip(1));
            }
        }
        cx.set::<u32>(d, &out, mask);
    }
    true
}

/// What a two-operand instruction does to predicates; an operation's `aux`.
pub(crate) const PREDICATE_AND: u16 = 0;
pub(crate) const PREDICATE_OR: u16 = 1;
pub(crate) const PREDICATE_XOR: u16 = 2;
pub(crate) const PREDICATE_NOT: u16 = 3;
pub(crate) const PREDICATE_COPY: u16 = 4;
pub(crate) const PREDICATE_SET: u16 = 5;

/// Operations on predicates: slots d, a, b; `imm` is what [`PREDICATE_SET`] writes.
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn predicate_operation(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, ..] = op.slots;
    // SAFETY: `Handler`'s contract; each operation reads only the operands that it has.
    unsafe {
        let value = match op.aux {
            PREDICATE_AND => cx.predicate(a) & cx.predicate(b),
            PREDICATE_OR => cx.predicate(a) | cx.predicate(b),
            PREDICATE_XOR => cx.predicate(a) ^ cx.predicate(b),
            PREDICATE_NOT => !cx.predicate(a),
            PREDICATE_COPY => cx.predicate(a),
            _ => op.imm as u32,
        };
        cx.set_predicate(d, value, mask);
    }
    true
}
