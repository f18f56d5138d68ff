//! The shapes of operations that compute lane by lane: operands in, one result out, no memory.

use super::context::Context;
use super::isa::handler;
use super::lanes::{Bits, LANES, Lane};
use crate::program::{NONE, Op};

/// `d = f(a)`
pub(crate) trait Unary {
    /// Operand.
    type A: Lane;
    /// Result.
    type D: Lane;
    /// For any operand: lanes that are switched off are computed too.
    fn apply(a: Self::A) -> Self::D;
}

/// `d = f(a, b)`
pub(crate) trait Binary {
    /// First operand.
    type A: Lane;
    /// Second operand.
    type B: Lane;
    /// Result.
    type D: Lane;
    /// For any operands: lanes that are switched off are computed too.
    fn apply(a: Self::A, b: Self::B) -> Self::D;
}

/// `d = f(a, b, c)`
pub(crate) trait Ternary {
    /// First operand.
    type A: Lane;
    /// Second operand.
    type B: Lane;
    /// Third operand.
    type C: Lane;
    /// Result.
    type D: Lane;
    /// For any operands: lanes that are switched off are computed too.
    fn apply(a: Self::A, b: Self::B, c: Self::C) -> Self::D;
}

/// `p = f(a, b)`
pub(crate) trait Relation {
    /// Both operands.
    type A: Lane;
    /// For any operands: lanes that are switched off are computed too.
    fn holds(a: Self::A, b: Self::A) -> bool;
}

macro_rules! zero {
    ($ty:ty) => {
        [<<$ty as Lane>::Bits as Bits>::ZERO; LANES]
    };
}

handler! {
    /// Slots d, a.
    unary [O: Unary] [O] = run_unary
}

handler! {
    /// As [`unary`], for what vector instructions cannot do.
    scalar_unary [O: Unary] [O] = run_unary, no vectors
}

#[inline(always)]
unsafe fn run_unary<O: Unary>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, ..] = op.slots;
    let mut out = zero!(O::D);
    // SAFETY: `Handler`'s contract: the slots have these widths.
    unsafe {
        let a = cx.get::<O::A>(a);
        for lane in 0..LANES {
            out[lane] = O::apply(O::A::from_bits(a[lane])).to_bits();
        }
        cx.set(d, &out, mask);
    }
    true
}

handler! {
    /// Slots d, a, b.
    binary [O: Binary] [O] = run_binary
}

handler! {
    /// As [`binary`], for what vector instructions cannot do.
    scalar_binary [O: Binary] [O] = run_binary, no vectors
}

#[inline(always)]
unsafe fn run_binary<O: Binary>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, ..] = op.slots;
    let mut out = zero!(O::D);
    // SAFETY: `Handler`'s contract: the slots have these widths.
    unsafe {
        let (a, b) = (cx.get::<O::A>(a), cx.get::<O::B>(b));
        for lane in 0..LANES {
            out[lane] = O::apply(O::A::from_bits(a[lane]), O::B::from_bits(b[lane])).to_bits();
        }
        cx.set(d, &out, mask);
    }
    true
}

handler! {
    /// Slots d, a, b, c.
    ternary [O: Ternary] [O] = run_ternary
}

handler! {
    /// As [`ternary`], for what vector instructions cannot do.
    scalar_ternary [O: Ternary] [O] = run_ternary, no vectors
}

#[inline(always)]
unsafe fn run_ternary<O: Ternary>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, c, ..] = op.slots;
    let mut out = zero!(O::D);
    // SAFETY: `Handler`'s contract: the slots have these widths.
    unsafe {
        let (a, b, c) = (cx.get::<O::A>(a), cx.get::<O::B>(b), cx.get::<O::C>(c));
        for lane in 0..LANES {
            let (a, b, c) =
                (O::A::from_bits(a[lane]), O::B::from_bits(b[lane]), O::C::from_bits(c[lane]));
            out[lane] = O::apply(a, b, c).to_bits();
        }
        cx.set(d, &out, mask);
    }
    true
}

/// How `setp` combines its comparison with a third predicate; an operation's `aux`, with
/// [`COMBINE_NEGATED`] added where the text has `!c`.
pub(crate) const COMBINE_NONE: u16 = 0;
pub(crate) const COMBINE_AND: u16 = 1;
pub(crate) const COMBINE_OR: u16 = 2;
pub(crate) const COMBINE_XOR: u16 = 3;
pub(crate) const COMBINE_NEGATED: u16 = 4;

/// The lanes that have 255; the others have 0.
#[inline(always)]
pub(super) fn mask_of(lanes: &[u8; LANES]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
        // SAFETY: every x86-64 has SSE2, and there are 32 bytes.
        let [low, high] = [0, 16].map(|at| unsafe {
            let half = _mm_loadu_si128(lanes.as_ptr().add(at).cast::<__m128i>());
            _mm_movemask_epi8(half) as u32
        });
        low | high << 16
    }
    #[cfg(not(target_arch = "x86_64"))]
    (0..LANES).fold(0, |mask, lane| mask | u32::from(lanes[lane] & 1) << lane)
}

#[inline(always)]
unsafe fn relation<O: Relation>(cx: &Context, a: u16, b: u16) -> u32 {
    // SAFETY: the caller's: the slots have this width.
    let (a, b) = unsafe { (cx.get::<O::A>(a), cx.get::<O::A>(b)) };
    let mut holds = [0u8; LANES];
    for lane in 0..LANES {
        let holds_here = O::holds(O::A::from_bits(a[lane]), O::A::from_bits(b[lane]));
        holds[lane] = u8::from(holds_here).wrapping_neg();
    }
    mask_of(&holds)
}

/// # Safety
/// `c` is a predicate, or `aux` is [`COMBINE_NONE`].
#[inline(always)]
unsafe fn combine(cx: &Context, aux: u16, value: u32, c: u16) -> u32 {
    if aux == COMBINE_NONE {
        return value;
    }
    // SAFETY: the caller's.
    let c = unsafe { cx.predicate(c) };
    let c = if aux & COMBINE_NEGATED != 0 { !c } else { c };
    match aux & 3 {
        COMBINE_AND => value & c,
        COMBINE_OR => value | c,
        _ => value ^ c,
    }
}

handler! {
    /// `setp`: slots p, q or `NONE`, a, b, c.
    set_predicate [O: Relation] [O] = run_set_predicate
}

#[inline(always)]
unsafe fn run_set_predicate<O: Relation>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [p, q, a, b, c, _] = op.slots;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let holds = relation::<O>(cx, a, b);
        let first = combine(cx, op.aux, holds, c);
        if q != NONE {
            let second = combine(cx, op.aux, !holds, c);
            cx.set_predicate(q, second, mask);
        }
        cx.set_predicate(p, first, mask);
    }
    true
}

handler! {
    /// `selp`: slots d, a, b, p.
    select [B: Bits] [B] = run_select
}

#[inline(always)]
unsafe fn run_select<B: Bits>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, p, ..] = op.slots;
    let mut out = [B::ZERO; LANES];
    // SAFETY: `Handler`'s contract.
    unsafe {
        let p = cx.predicate(p);
        let (a, b) = (cx.lanes::<B>(a), cx.lanes::<B>(b));
        for lane in 0..LANES {
            out[lane] = a[lane].choose(b[lane], p, lane);
        }
        cx.set(d, &out, mask);
    }
    true
}

handler! {
    /// Copies a register: slots d, a.
    copy [B: Bits] [B] = run_copy
}

#[inline(always)]
unsafe fn run_copy<B: Bits>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, ..] = op.slots;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let out = *cx.lanes::<B>(a);
        cx.set(d, &out, mask);
    }
    true
}
