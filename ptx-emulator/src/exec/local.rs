//! Loads and stores in local memory: the arrays that each thread has for itself.
//!
//! A warp's local memory is rows of 32 words, one word a lane, as on the GPU: lanes that use the
//! same index touch one row.

use super::context::Context;
use super::element::Element;
use super::isa::handler;
use super::lanes::{Bits, LANES, lanes_of};
use super::shared::{addresses, all_inside, fault};
use crate::fault::{Access, Space};
use crate::program::Op;

/// Bytes of a word, and of the widest element.
const WORD: usize = 4;
const WIDEST: usize = 8;

handler! {
    /// Slots d0, d1, d2, d3, address (32 bits); `imm` is the offset.
    load [M: Element, const N: usize] [M, N] = run_load
}

#[inline(always)]
unsafe fn run_load<M: Element, const N: usize>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let bytes = M::SIZE * N;
    let size = cx.local_bytes();
    // SAFETY: `Handler`'s contract.
    let at = unsafe { addresses(cx, op, op.slots[4], mask) };
    if !all_inside(&at, bytes, size) {
        fault(cx, &at, mask, bytes, (Space::Local, Access::Read, size));
        return false;
    }
    let rows = cx.local();
    let mut out = [[<M::Bits as Bits>::ZERO; LANES]; N];
    for (part, out) in out.iter_mut().enumerate() {
        for (lane, out) in out.iter_mut().enumerate() {
            let at = at[lane] as usize + part * M::SIZE;
            let low = rows[at / WORD][lane] >> (8 * (at % WORD));
            let high = if M::SIZE > WORD { rows[at / WORD + 1][lane] } else { 0 };
            *out = from_words::<M>(low, high).to_bits();
        }
    }
    for (part, out) in out.iter().enumerate() {
        // SAFETY: `Handler`'s contract.
        unsafe { cx.set(op.slots[part], out, mask) };
    }
    true
}

handler! {
    /// Slots v0, v1, v2, v3, address (32 bits); `imm` is the offset.
    store [M: Element, const N: usize] [M, N] = run_store
}

#[inline(always)]
unsafe fn run_store<M: Element, const N: usize>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let bytes = M::SIZE * N;
    let size = cx.local_bytes();
    // SAFETY: `Handler`'s contract.
    let at = unsafe { addresses(cx, op, op.slots[4], mask) };
    if !all_inside(&at, bytes, size) {
        fault(cx, &at, mask, bytes, (Space::Local, Access::Write, size));
        return false;
    }
    for part in 0..N {
        // SAFETY: `Handler`'s contract.
        let values = unsafe { *cx.get::<M>(op.slots[part]) };
        let rows = cx.local();
        for lane in lanes_of(mask) {
            let at = at[lane] as usize + part * M::SIZE;
            let (low, high) = to_words(M::from_bits(values[lane]));
            let shift = 8 * (at % WORD);
            let field = if M::SIZE < WORD { (1 << (8 * M::SIZE)) - 1 } else { u32::MAX } << shift;
            let word = &mut rows[at / WORD][lane];
            *word = *word & !field | low << shift & field;
            if M::SIZE > WORD {
                rows[at / WORD + 1][lane] = high;
            }
        }
    }
    true
}

/// An element from its bytes, in two words of which the second counts for 8-byte elements.
#[inline(always)]
fn from_words<M: Element>(low: u32, high: u32) -> M {
    let words = (low as u64 | (high as u64) << 32).to_le_bytes();
    // SAFETY: elements are integers of at most `WIDEST` bytes, for which any bytes are valid.
    unsafe { words.as_ptr().cast::<M>().read_unaligned() }
}

#[inline(always)]
fn to_words<M: Element>(value: M) -> (u32, u32) {
    let mut bytes = [0u8; WIDEST];
    // SAFETY: elements are integers of at most `WIDEST` bytes.
    unsafe { bytes.as_mut_ptr().cast::<M>().write_unaligned(value) };
    let word = u64::from_le_bytes(bytes);
    (word as u32, (word >> 32) as u32)
}
