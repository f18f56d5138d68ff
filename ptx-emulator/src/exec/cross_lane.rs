//! Operations between the lanes of a warp. The lanes of the member mask are together when they
//! run: the block before ends in [`End::Converge`](crate::program::End).

use super::context::Context;
use super::isa::handler;
use super::lanes::{FULL, LANES, lanes_of};
use crate::program::{NONE, Op};

/// Modes of `shfl`: an operation's `aux`.
pub(crate) const SHUFFLE_MODES: [&str; 4] = ["up", "down", "bfly", "idx"];

/// `shfl.sync`: slots d, p or `NONE`, a, b, c. *PTX ISA*, `shfl.sync`.
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn shuffle(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, p, a, b, c, _] = op.slots;
    let mut out = [0u32; LANES];
    let mut in_range = 0u32;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let (a, b, c) = (cx.get::<u32>(a), cx.get::<u32>(b), cx.get::<u32>(c));
        for lane in 0..LANES as u32 {
            let at = lane as usize;
            let (by, clamp, segment) = (b[at] & 31, c[at] & 31, c[at] >> 8 & 31);
            let low = lane & segment;
            let high = low | clamp & !segment;
            let from = match op.aux {
                0 => lane.wrapping_sub(by),
                1 => lane + by,
                2 => lane ^ by,
                _ => low | by & !segment,
            };
            let good = match op.aux {
                0 => from as i32 >= high as i32,
                _ => from <= high,
            };
            out[at] = if good { a[from as usize & 31] } else { a[at] };
            in_range |= (good as u32) << lane;
        }
        cx.set(d, &out, mask);
        if p != NONE {
            cx.set_predicate(p, in_range, mask);
        }
    }
    true
}

/// Modes of `vote`: an operation's `aux`, with 8 added for `!a`.
pub(crate) const VOTE_MODES: [&str; 4] = ["all", "any", "uni", "ballot"];
/// Added to `aux` for `!a`.
pub(crate) const VOTE_NEGATED: u16 = 8;

/// The lanes of `mask` that the member mask in a register names.
///
/// # Safety
/// `slot` is a 32-bit register.
unsafe fn members(cx: &Context, slot: u16, mask: u32) -> u32 {
    // SAFETY: the caller's.
    let register = unsafe { cx.get::<u32>(slot) };
    mask & register[mask.trailing_zeros() as usize & 31]
}

/// `vote.sync`: slots d (a predicate but for `ballot`), a, member mask.
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn vote(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, member_mask, ..] = op.slots;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let members = members(cx, member_mask, mask);
        let a = cx.predicate(a);
        let votes = if op.aux & VOTE_NEGATED != 0 { !a } else { a } & members;
        let holds = match op.aux & !VOTE_NEGATED {
            0 => votes == members,
            1 => votes != 0,
            2 => votes == members || votes == 0,
            _ => {
                cx.set(d, &[votes; LANES], mask);
                return true;
            }
        };
        cx.set_predicate(d, if holds { FULL } else { 0 }, mask);
    }
    true
}

/// `activemask`: slot d.
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn active_mask(cx: &mut Context, op: &Op, mask: u32) -> bool {
    // SAFETY: `Handler`'s contract.
    unsafe { cx.set(op.slots[0], &[mask; LANES], mask) };
    true
}

handler! {
    /// `match.any` and, with `aux` 1, `match.all`: slots d, p or `NONE`, a, member mask.
    matching [B: super::lanes::Bits] [B] = run_match, no vectors
}

#[inline(always)]
unsafe fn run_match<B: super::lanes::Bits>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, p, a, member_mask, ..] = op.slots;
    let mut out = [0u32; LANES];
    // SAFETY: `Handler`'s contract.
    unsafe {
        let members = members(cx, member_mask, mask);
        let a = cx.lanes::<B>(a);
        for lane in lanes_of(members) {
            out[lane] = lanes_of(members)
                .fold(0, |same, other| same | ((a[other] == a[lane]) as u32) << other);
        }
        if op.aux == 1 {
            let all = lanes_of(members).all(|lane| out[lane] == members);
            out = [if all { members } else { 0 }; LANES];
            if p != NONE {
                cx.set_predicate(p, if all { FULL } else { 0 }, mask);
            }
        }
        cx.set(d, &out, mask);
    }
    true
}

/// Operations of `redux.sync`: an operation's `aux`; signed `min` and `max` come last.
pub(crate) const REDUCE_ADD: u16 = 0;
pub(crate) const REDUCE_AND: u16 = 1;
pub(crate) const REDUCE_OR: u16 = 2;
pub(crate) const REDUCE_XOR: u16 = 3;
pub(crate) const REDUCE_MIN: u16 = 4;
pub(crate) const REDUCE_MAX: u16 = 5;
pub(crate) const REDUCE_MIN_SIGNED: u16 = 6;
pub(crate) const REDUCE_MAX_SIGNED: u16 = 7;

/// `redux.sync`: slots d, a, member mask.
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn reduce(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, member_mask, ..] = op.slots;
    // SAFETY: `Handler`'s contract.
    unsafe {
        let members = members(cx, member_mask, mask);
        let a = cx.get::<u32>(a);
        let values = lanes_of(members).map(|lane| a[lane]);
        let result = values.reduce(|x, y| match op.aux {
            REDUCE_ADD => x.wrapping_add(y),
            REDUCE_AND => x & y,
            REDUCE_OR => x | y,
            REDUCE_XOR => x ^ y,
            REDUCE_MIN => x.min(y),
            REDUCE_MAX => x.max(y),
            REDUCE_MIN_SIGNED => (x as i32).min(y as i32) as u32,
            _ => (x as i32).max(y as i32) as u32,
        });
        cx.set(d, &[result.unwrap_or(0); LANES], mask);
    }
    true
}
