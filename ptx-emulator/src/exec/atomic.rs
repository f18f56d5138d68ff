//! `atom` and `red`, lane by lane in ascending order.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::context::Context;
use super::float::Float;
use super::isa::handler;
use super::lanes::{Bits, LANES, Lane, lanes_of};
use super::shared::{addresses, all_inside, fault};
use crate::fault::{Access, Space};
use crate::memory::pointer;
use crate::program::{NONE, Op};

/// What happens to the value in memory; an operation's `aux`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub(crate) enum Update {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

const UPDATES: [Update; 10] = [
    Update::Add,
    Update::Min,
    Update::Max,
    Update::And,
    Update::Or,
    Update::Xor,
    Update::Exchange,
    Update::CompareAndSwap,
    Update::Increment,
    Update::Decrement,
];

/// A type that `atom` works on.
pub(crate) trait Atomic: Lane<Bits: AtomicBits> {
    /// The new value. Operations that the type does not have (the decoder refuses them) keep the
    /// old one.
    fn update(update: Update, old: Self, b: Self, c: Self) -> Self;
    /// The value of an addition in global memory, if it is not the same as in shared memory.
    #[inline(always)]
    fn in_global(self) -> Self {
        self
    }
}

/// A width that the host has atomics for.
pub(crate) trait AtomicBits: Bits {
    /// In bytes.
    const SIZE: usize;
    /// Replaces a value in global memory and returns the old one.
    ///
    /// # Safety
    /// The address is a multiple of `SIZE`, in an allocation that the launch keeps alive.
    unsafe fn replace(address: u64, new: impl FnMut(Self) -> Self) -> Self;
}

macro_rules! atomic_bits {
    ($($ty:ty: $atomic:ty),*) => {$(
        impl AtomicBits for $ty {
            const SIZE: usize = size_of::<$ty>();
            #[inline(always)]
            unsafe fn replace(address: u64, mut new: impl FnMut($ty) -> $ty) -> $ty {
                // SAFETY: the caller's; all accesses to global memory are atomic.
                let cell = unsafe { &*pointer::<$atomic>(address) };
                let mut old = cell.load(Ordering::Relaxed);
                loop {
                    match cell.compare_exchange_weak(
                        old, new(old), Ordering::AcqRel, Ordering::Acquire,
                    ) {
                        Ok(old) => return old,
                        Err(now) => old = now,
                    }
                }
            }
        }
    )*};
}

atomic_bits!(u32: AtomicU32, u64: AtomicU64);

macro_rules! atomic_integers {
    ($($ty:ty)*) => {$(
        impl Atomic for $ty {
            #[inline(always)]
            fn update(update: Update, old: $ty, b: $ty, c: $ty) -> $ty {
                match update {
                    Update::Add => old.wrapping_add(b),
                    Update::Min => old.min(b),
                    Update::Max => old.max(b),
                    Update::And => old & b,
                    Update::Or => old | b,
                    Update::Xor => old ^ b,
                    Update::Exchange => b,
                    Update::CompareAndSwap => if old == b { c } else { old },
                    Update::Increment => if old >= b { 0 } else { old + 1 },
                    Update::Decrement => if old == 0 || old > b { b } else { old - 1 },
                }
            }
        }
    )*};
}

atomic_integers!(u32 i32 u64 i64);

impl Atomic for f32 {
    #[inline(always)]
    fn update(update: Update, old: f32, b: f32, _c: f32) -> f32 {
        if update == Update::Add { (old + b).with_nan_of([b, old]) } else { old }
    }
    /// The GPU flushes subnormals here, says the *PTX ISA*.
    #[inline(always)]
    fn in_global(self) -> f32 {
        self.flush()
    }
}

impl Atomic for f64 {
    #[inline(always)]
    fn update(update: Update, old: f64, b: f64, _c: f64) -> f64 {
        if update == Update::Add { (old + b).with_nan_of([b, old]) } else { old }
    }
}

handler! {
    /// Slots d or `NONE`, address (64 bits), b, c; `imm` is the offset.
    global [T: Atomic] [T] = run_global, no vectors
}

#[inline(always)]
unsafe fn run_global<T: Atomic>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, address, b, c, ..] = op.slots;
    let update = UPDATES[op.aux as usize % UPDATES.len()];
    let mut out = [<T::Bits as Bits>::ZERO; LANES];
    // SAFETY: `Handler`'s contract.
    let (addresses, b, c) = unsafe { (*cx.get::<u64>(address), *cx.get::<T>(b), *cx.get::<T>(c)) };
    for lane in lanes_of(mask) {
        let address = addresses[lane].wrapping_add(op.imm);
        if !cx.check_global(op.aux, lane, address, T::Bits::SIZE, Access::Atomic) {
            return false;
        }
        let (b, c) = (T::from_bits(b[lane]).in_global(), T::from_bits(c[lane]));
        // SAFETY: just checked.
        out[lane] = unsafe {
            T::Bits::replace(address, |old| {
                T::update(update, T::from_bits(old).in_global(), b, c).in_global().to_bits()
            })
        };
    }
    if d != NONE {
        // SAFETY: `Handler`'s contract.
        unsafe { cx.set(d, &out, mask) };
    }
    true
}

handler! {
    /// Slots d or `NONE`, address (32 bits), b, c; `imm` is the offset.
    shared [T: Atomic] [T] = run_shared, no vectors
}

#[inline(always)]
unsafe fn run_shared<T: Atomic>(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, address, b, c, ..] = op.slots;
    let update = UPDATES[op.aux as usize % UPDATES.len()];
    let bytes = T::Bits::SIZE;
    // SAFETY: `Handler`'s contract.
    let at = unsafe { addresses(cx, op, address, mask) };
    if !all_inside(&at, bytes, cx.shared.len()) {
        fault(cx, &at, mask, bytes, (Space::Shared, Access::Atomic, cx.shared.len()));
        return false;
    }
    let mut out = [<T::Bits as Bits>::ZERO; LANES];
    // SAFETY: `Handler`'s contract.
    let (b, c) = unsafe { (*cx.get::<T>(b), *cx.get::<T>(c)) };
    let memory = cx.shared.as_mut_ptr();
    for lane in lanes_of(mask) {
        // SAFETY: all lanes are inside.
        let cell = unsafe { memory.add(at[lane] as usize) }.cast::<T::Bits>();
        // SAFETY: as above.
        let old = unsafe { cell.read_unaligned() };
        let new =
            T::update(update, T::from_bits(old), T::from_bits(b[lane]), T::from_bits(c[lane]));
        // SAFETY: as above.
        unsafe { cell.write_unaligned(new.to_bits()) };
        out[lane] = old;
    }
    if d != NONE {
        // SAFETY: `Handler`'s contract.
        unsafe { cx.set(d, &out, mask) };
    }
    true
}
