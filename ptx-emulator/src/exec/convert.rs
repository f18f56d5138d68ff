//! `cvt` between all pairs of scalar types: vectorised for those that kernels use, and
//! [`general`] for the rest.
//!
//! Float to integer saturates to the destination's range. NaN gives 0 where the source is f32 and
//! the destination has at most 32 bits, else only the destination's top bit: so says the *PTX ISA*,
//! and the compiler adds a select where Rust wants 0.

use std::cmp::Ordering;
use std::marker::PhantomData;

use super::context::Context;
use super::float::{Float, narrow, widen};
use super::lanes::LANES;
use super::shapes::Unary;
use crate::program::Op;

/// Integer to integer, and integer to float rounded to nearest even; Rust's `as`.
pub(crate) struct Cast<D, S>(PhantomData<(D, S)>);
/// Float to integer, rounded towards zero.
pub(crate) struct Truncate<D, S>(PhantomData<(D, S)>);
/// Float to float, exact or rounded to nearest even.
pub(crate) struct Resize<D, S>(PhantomData<(D, S)>);
/// Float to float of the same type, rounded to an integer as `R` says.
pub(crate) struct Integral<T, R>(PhantomData<(T, R)>);

/// To nearest even.
pub(crate) struct Nearest;
/// Towards zero.
pub(crate) struct Zero;
/// Towards −∞.
pub(crate) struct Down;
/// Towards +∞.
pub(crate) struct Up;

macro_rules! casts {
    ($($d:ty: [$($s:ty)*];)*) => {$($(
        impl Unary for Cast<$d, $s> {
            type A = $s;
            type D = $d;
            #[inline(always)]
            fn apply(a: $s) -> $d {
                a as $d
            }
        }
    )*)*};
}

casts! {
    u8: [u32 u64];
    i8: [u32 u64];
    u16: [u32 u64];
    i16: [u32 u64];
    u32: [u8 i8 u16 i16 u32 u64];
    u64: [u8 i8 u16 i16 u32 i32 u64];
    f32: [u8 i8 u16 i16 u32 i32 u64 i64];
    f64: [u8 i8 u16 i16 u32 i32 u64 i64];
}

macro_rules! truncations {
    ($($d:ty)*) => {$(
        impl Unary for Truncate<$d, f32> {
            type A = f32;
            type D = $d;
            #[inline(always)]
            fn apply(a: f32) -> $d {
                const NAN: $d = if <$d>::BITS > 32 { 1 << (<$d>::BITS - 1) } else { 0 };
                if a.is_nan() { NAN } else { a as $d }
            }
        }
        impl Unary for Truncate<$d, f64> {
            type A = f64;
            type D = $d;
            #[inline(always)]
            fn apply(a: f64) -> $d {
                if a.is_nan() { 1 << (<$d>::BITS - 1) } else { a as $d }
            }
        }
    )*};
}

truncations!(u8 i8 u16 i16 u32 i32 u64 i64);

impl Unary for Resize<f32, f64> {
    type A = f64;
    type D = f32;
    #[inline(always)]
    fn apply(a: f64) -> f32 {
        narrow(a)
    }
}

impl Unary for Resize<f64, f32> {
    type A = f32;
    type D = f64;
    #[inline(always)]
    fn apply(a: f32) -> f64 {
        widen(a)
    }
}

macro_rules! integrals {
    ($($mode:ident: $method:ident),*) => {$(
        impl Unary for Integral<f32, $mode> {
            type A = f32;
            type D = f32;
            #[inline(always)]
            fn apply(a: f32) -> f32 {
                a.$method().with_nan_of([a])
            }
        }
        impl Unary for Integral<f64, $mode> {
            type A = f64;
            type D = f64;
            #[inline(always)]
            fn apply(a: f64) -> f64 {
                a.$method().with_nan_of([a])
            }
        }
    )*};
}

integrals!(Nearest: round_ties_even, Zero: trunc, Down: floor, Up: ceil);

/// A type of `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Integer { bits: u32, signed: bool },
    Float { bits: u32 },
}

impl Number {
    fn bits(self) -> u32 {
        match self {
            Number::Integer { bits, .. } | Number::Float { bits } => bits,
        }
    }
}

/// A rounding mode: an index into the handlers' tables of names, `rn`, `rz`, `rm`, `rp`.
pub(crate) type Rounding = u8;

/// Any `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(crate) to: Number,
    pub(crate) from: Number,
    /// `.rn`, `.rz`, `.rm`, `.rp`
    pub(crate) rounding: Option<Rounding>,
    /// `.rni`, `.rzi`, `.rmi`, `.rpi`
    pub(crate) integral: Option<Rounding>,
    pub(crate) ftz: bool,
    pub(crate) sat: bool,
}

impl Conversion {
    /// As an operation's immediate.
    pub(crate) fn encode(self) -> u64 {
        let number = |number: Number| match number {
            Number::Integer { bits, signed } => u64::from(bits) | u64::from(signed) << 7,
            Number::Float { bits } => u64::from(bits) | 1 << 8,
        };
        let mode = |mode: Option<Rounding>| mode.map_or(0, |mode| u64::from(mode) + 1);
        number(self.to)
            | number(self.from) << 10
            | mode(self.rounding) << 20
            | mode(self.integral) << 24
            | u64::from(self.ftz) << 28
            | u64::from(self.sat) << 29
    }

    fn decode(word: u64) -> Conversion {
        let number = |word: u64| match word >> 8 & 1 {
            0 => Number::Integer { bits: (word & 127) as u32, signed: word >> 7 & 1 != 0 },
            _ => Number::Float { bits: (word & 127) as u32 },
        };
        let mode = |word: u64| (word & 15).checked_sub(1).map(|mode| mode as Rounding);
        Conversion {
            to: number(word),
            from: number(word >> 10),
            rounding: mode(word >> 20),
            integral: mode(word >> 24),
            ftz: word >> 28 & 1 != 0,
            sat: word >> 29 & 1 != 0,
        }
    }

    /// Of a register's bits; the result's, extended like [`Lane::to_bits`].
    pub(crate) fn apply(self, bits: u64) -> u64 {
        match (self.from, self.to) {
            (Number::Integer { .. }, Number::Integer { bits: width, signed }) => {
                let value = self.integer(bits);
                let value = if self.sat { clamp(value, width, signed) } else { value };
                extend(value as u64, width, signed) as u64
            }
            (Number::Integer { .. }, Number::Float { bits: width }) => {
                let exact = self.integer(bits);
                let mode = self.rounding.unwrap_or(0);
                // At most 64 bits, so the rounded value is an integer that i128 holds.
                self.finish(match width {
                    32 => {
                        let near = exact as f32;
                        directed32(near, (near as i128).cmp(&exact), exact < 0, mode).into()
                    }
                    _ => {
                        let near = exact as f64;
                        directed64(near, (near as i128).cmp(&exact), exact < 0, mode)
                    }
                })
            }
            (Number::Float { bits: own }, Number::Integer { bits: width, signed }) => {
                let value = self.float(bits);
                if value.is_nan() {
                    let zero = own == 32 && width <= 32;
                    return if zero { 0 } else { extend(1 << (width - 1), width, signed) as u64 };
                }
                let value = integral(value, self.integral.unwrap_or(1)) as i128;
                extend(clamp(value, width, signed) as u64, width, signed) as u64
            }
            (Number::Float { bits: own }, Number::Float { bits: width }) => {
                let value = self.float(bits);
                let value = match self.integral {
                    Some(mode) => integral(value, mode),
                    None => value,
                };
                if own == 64 && width == 32 && !value.is_nan() {
                    let near = value as f32;
                    let side = f64::from(near).partial_cmp(&value).unwrap_or(Ordering::Equal);
                    let mode = self.rounding.unwrap_or(0);
                    let negative = value.is_sign_negative();
                    return self.finish(directed32(near, side, negative, mode).into());
                }
                self.finish(value)
            }
        }
    }

    fn integer(self, bits: u64) -> i128 {
        match self.from {
            Number::Integer { bits: width, signed } => extend(bits, width, signed),
            Number::Float { .. } => 0,
        }
    }

    /// Any f32 is an f64.
    fn float(self, bits: u64) -> f64 {
        match self.from.bits() {
            32 => {
                let value = f32::from_bits(bits as u32);
                widen(if self.ftz { value.flush() } else { value })
            }
            _ => f64::from_bits(bits),
        }
    }

    /// The bits of a result that is a float of the right precision.
    fn finish(self, value: f64) -> u64 {
        let value = if self.sat { value.saturate() } else { value };
        match self.to.bits() {
            32 => {
                let value = match self.from {
                    // Between f32 and f32, it is the result of an operation.
                    Number::Float { bits: 32 } => narrow(value).with_nan_of([]),
                    _ => narrow(value),
                };
                let value = if self.ftz { value.flush() } else { value };
                value.to_bits().into()
            }
            _ => value.with_nan_of([value]).to_bits(),
        }
    }
}

/// The low bits of a word, extended by their sign if they have one.
fn extend(word: u64, width: u32, signed: bool) -> i128 {
    let unused = 64 - width;
    if signed {
        i128::from((word << unused) as i64 >> unused)
    } else {
        (word << unused >> unused).into()
    }
}

fn clamp(value: i128, width: u32, signed: bool) -> i128 {
    let (low, high) =
        if signed { (-1 << (width - 1), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
    value.clamp(low, high)
}

fn integral(value: f64, mode: Rounding) -> f64 {
    match mode {
        0 => value.round_ties_even(),
        1 => value.trunc(),
        2 => value.floor(),
        _ => value.ceil(),
    }
}

/// Whether a value that was rounded to nearest is on the wrong side of the exact one.
fn wrong_side(side: Ordering, negative: bool, mode: Rounding) -> bool {
    match mode {
        0 => false,
        1 => side == if negative { Ordering::Less } else { Ordering::Greater },
        2 => side.is_gt(),
        _ => side.is_lt(),
    }
}

fn directed32(near: f32, side: Ordering, negative: bool, mode: Rounding) -> f32 {
    match wrong_side(side, negative, mode) {
        false => near,
        true if side.is_gt() => near.next_down(),
        true => near.next_up(),
    }
}

fn directed64(near: f64, side: Ordering, negative: bool, mode: Rounding) -> f64 {
    match wrong_side(side, negative, mode) {
        false => near,
        true if side.is_gt() => near.next_down(),
        true => near.next_up(),
    }
}

/// Any `cvt`: slots d, a; `imm` is a [`Conversion`].
///
/// # Safety
/// [`crate::program::Handler`]'s.
pub(crate) unsafe fn general(cx: &mut Context, op: &Op, mask: u32) -> bool {
    let [d, a, ..] = op.slots;
    let conversion = Conversion::decode(op.imm);
    let mut out = [0u64; LANES];
    // SAFETY: `Handler`'s contract: the slots have the types' widths.
    unsafe {
        if conversion.from.bits() == 64 {
            let a = cx.get::<u64>(a);
            out = std::array::from_fn(|lane| conversion.apply(a[lane]));
        } else {
            let a = cx.get::<u32>(a);
            for lane in 0..LANES {
                out[lane] = conversion.apply(a[lane].into());
            }
        }
        if conversion.to.bits() == 64 {
            cx.set(d, &out, mask);
        } else {
            cx.set(d, &out.map(|bits| bits as u32), mask);
        }
    }
    true
}
