//! Packing, unpacking, narrowing, fences and clocks.

use std::sync::atomic::{Ordering, fence as host_fence};

use super::context::Context;
use super::isa::handler;
use super::lanes::LANES;
use crate::program::Op;

handler! {
    /// `mov.b64 d, {a, b}`: slots d, a, b.
    pack_64 [] [] = run_pack_64
}

#[inline(always)]
unsafe fn run_pack_64(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, ..] = op.slots;
    let mut out = [0u64; LANES];
    // SAFETY: `Handler`'s contract.
    unsafe {
        let (a, b) = (cx.get::<u32>(a), cx.get::<u32>(b));
        for lane in 0..LANES {
            out[lane] = a[lane] as u64 | (b[lane] as u64) << 32;
        }
        cx.set(d, &out, mask);
    }
    true
}

handler! {
    /// `mov.b64 {d, e}, a`: slots d, e, a.
    unpack_64 [] [] = run_unpack_64
}

#[inline(always)]
unsafe fn run_unpack_64(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, e, a, ..] = op.slots;
    let (mut low, mut high) = ([0u32; LANES], [0u32; LANES]);
    // SAFETY: `Handler`'s contract.
    unsafe {
        let a = cx.get::<u64>(a);
        for lane in 0..LANES {
            low[lane] = a[lane] as u32;
            high[lane] = (a[lane] >> 32) as u32;
        }
        cx.set(d, &low, mask);
        cx.set(e, &high, mask);
    }
    true
}

handler! {
    /// `mov.b32 d, {a, b}` with 16-bit halves: slots d, a, b.
    pack_32 [] [] = run_pack_32
}

#[inline(always)]
unsafe fn run_pack_32(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, b, ..] = op.slots;
    let mut out = [0u32; LANES];
    // SAFETY: `Handler`'s contract.
    unsafe {
        let (a, b) = (cx.get::<u32>(a), cx.get::<u32>(b));
        for lane in 0..LANES {
            out[lane] = a[lane] & 0xffff | b[lane] << 16;
        }
        cx.set(d, &out, mask);
    }
    true
}

handler! {
    /// `mov.b32 {d, e}, a` with 16-bit halves: slots d, e, a.
    unpack_32 [] [] = run_unpack_32
}

#[inline(always)]
unsafe fn run_unpack_32(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, e, a, ..] = op.slots;
    let (mut low, mut high) = ([0u32; LANES], [0u32; LANES]);
    // SAFETY: `Handler`'s contract.
    unsafe {
        let a = cx.get::<u32>(a);
        for lane in 0..LANES {
            low[lane] = a[lane] & 0xffff;
            high[lane] = a[lane] >> 16;
        }
        cx.set(d, &low, mask);
        cx.set(e, &high, mask);
    }
    true
}

handler! {
    /// A 64-bit address in shared or local memory, to 32 bits: slots d, a; `imm` is an offset that
    /// is added first. What does not fit becomes an address that is out of bounds everywhere.
    narrow_address [] [] = run_narrow_address
}

#[inline(always)]
unsafe fn run_narrow_address(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, ..] = op.slots;
    let mut out = [0u32; LANES];
    // SAFETY: `Handler`'s contract.
    unsafe {
        let a = cx.get::<u64>(a);
        for lane in 0..LANES {
            let address = a[lane].wrapping_add(op.imm);
            // A multiple of every size, so that the fault is the right one.
            out[lane] = if address > 0xffff_fff0 { 0xffff_fff0 } else { address as u32 };
        }
        cx.set(d, &out, mask);
    }
    true
}

/// `membar`, `fence`.
///
/// # Safety
/// None beyond [`crate::program::Handler`]'s.
pub(crate) unsafe fn fence(_cx: &mut Context, _op: &Op, _mask: u32) -> bool {
    host_fence(Ordering::SeqCst);
    true
}

/// Hints without an effect.
///
/// # Safety
/// None beyond [`crate::program::Handler`]'s.
pub(crate) unsafe fn nothing(_cx: &mut Context, _op: &Op, _mask: u32) -> bool {
    true
}

/// `%clock`: slot d. Counts warp instructions of this worker, not cycles.
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn clock_32(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let now = cx.clock as u32;
    // SAFETY: `Handler`'s contract.
    unsafe { cx.set(op.slots[0], &[now; LANES], mask) };
    true
}

/// `%clock64`: slot d.
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn clock_64(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let now = cx.clock;
    // SAFETY: `Handler`'s contract.
    unsafe { cx.set(op.slots[0], &[now; LANES], mask) };
    true
}

/// `%globaltimer`: slot d. Nanoseconds of the host's clock.
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn global_timer(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = since.map_or(0, |since| since.as_nanos() as u64);
    // SAFETY: `Handler`'s contract.
    unsafe { cx.set(op.slots[0], &[now; LANES], mask) };
    true
}
