//! The interval of a result from those of the operands.

use super::{Interval, Ranges, facts};
use crate::ir::{Binary, Block, Convert, Op, Special, Type, Unary, Value};

/// No launch is larger (CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability"; the same for all capabilities from 3.0 on).
const MAX_BLOCK: [u64; 3] = [1024, 1024, 64];
const MAX_GRID: [u64; 3] = [(1 << 31) - 1, 65535, 65535];

/// Shared and local memory end far below this.
const MAX_SLOT_ADDRESS: u128 = 0x0fff_ffff;

impl Ranges<'_> {
    /// `None` while an operand is not known yet. For integers only.
    pub(super) fn transfer(&self, op: Op, ty: Type, block: Block, depth: u32) -> Option<Interval> {
        let query = |value: Value| self.query(value, block, depth);
        Some(match op {
            Op::Const(bits) => Interval::constant(ty, bits),
            Op::Param(number) => {
                let name = self.function.params.get(number as usize).map(|param| &param.name[..]);
                if name.is_some_and(|name| name.ends_with("$len")) {
                    // Rust: a slice has at most `isize::MAX` bytes.
                    Interval::unsigned(ty, 0, i64::MAX as u128)
                } else {
                    Interval::full(ty)
                }
            }
            Op::Special(special) => {
                let (low, high) = special_range(special);
                Interval::unsigned(ty, low.into(), high.into())
            }
            Op::SlotAddr(_) => Interval::unsigned(ty, 0, MAX_SLOT_ADDRESS),
            Op::Unary(op, a) => unary(op, ty, query(a)?),
            Op::Binary(op, a, b) => binary(op, ty, query(a)?, query(b)?),
            Op::WideMul { signed, a, b } => {
                let (a, b) = (query(a)?, query(b)?);
                if signed { multiply_signed(ty, a, b) } else { multiply_unsigned(ty, a, b) }
            }
            Op::Compare(compare, a, b) => {
                if compare.is_float() {
                    return Some(Interval::full(ty));
                }
                match query(a)?.decide(compare, query(b)?) {
                    Some(holds) => Interval::constant(ty, holds.into()),
                    None => Interval::full(ty),
                }
            }
            Op::Select(condition, a, b) => self.select(condition, a, b, block, depth)?,
            Op::Convert(op, a) => match op {
                Convert::Zext => {
                    let a = query(a)?;
                    Interval::unsigned(ty, a.low.into(), a.high.into())
                }
                Convert::Sext => {
                    let a = query(a)?;
                    Interval::signed(ty, a.least.into(), a.most.into())
                }
                Convert::Trunc => {
                    let a = query(a)?;
                    let unsigned = Interval::unsigned(ty, a.low.into(), a.high.into());
                    let signed = Interval::signed(ty, a.least.into(), a.most.into());
                    unsigned.meet(signed).unwrap_or(unsigned)
                }
                _ => Interval::full(ty),
            },
            Op::Fma(..) | Op::Load { .. } | Op::Store { .. } | Op::Barrier => Interval::full(ty),
        })
    }

    /// Each side is sharpened by what the condition says of it.
    fn select(
        &self,
        condition: Value,
        a: Value,
        b: Value,
        block: Block,
        depth: u32,
    ) -> Option<Interval> {
        let side = |value: Value, truth: bool| {
            let mut interval = self.query(value, block, depth)?;
            let mut found = Vec::new();
            facts::collect(&self.ops, condition, truth, &mut found);
            for (compare, x, y) in found {
                for (compare, x, y) in [(compare, x, y), (compare.swapped(), y, x)] {
                    let Some(y) = self.query(y, block, depth.saturating_sub(1)) else { continue };
                    if x == value {
                        interval = interval.assume(compare, y)?;
                    } else if let Some(Op::Binary(Binary::Iadd, base, c)) = self.op(value)
                        && let Some(c) = self.constant(c)
                        && base == x
                        && let Some(x) = self.query(x, block, depth.saturating_sub(1))
                    {
                        let x = x.assume(compare, y)?;
                        let sum = binary(Binary::Iadd, x.ty(), x, Interval::constant(x.ty(), c));
                        interval = interval.meet(sum)?;
                    }
                }
            }
            Some(interval)
        };
        match (side(a, true), side(b, false)) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        }
    }
}

fn special_range(special: Special) -> (u64, u64) {
    use Special::*;
    match special {
        TidX => (0, MAX_BLOCK[0] - 1),
        TidY => (0, MAX_BLOCK[1] - 1),
        TidZ => (0, MAX_BLOCK[2] - 1),
        NtidX => (1, MAX_BLOCK[0]),
        NtidY => (1, MAX_BLOCK[1]),
        NtidZ => (1, MAX_BLOCK[2]),
        CtaidX => (0, MAX_GRID[0] - 1),
        CtaidY => (0, MAX_GRID[1] - 1),
        CtaidZ => (0, MAX_GRID[2] - 1),
        NctaidX => (1, MAX_GRID[0]),
        NctaidY => (1, MAX_GRID[1]),
        NctaidZ => (1, MAX_GRID[2]),
        LaneId => (0, 31),
    }
}

fn unary(op: Unary, ty: Type, a: Interval) -> Interval {
    match op {
        Unary::Ineg => Interval::signed(ty, -i128::from(a.most), -i128::from(a.least)),
        Unary::Inot => {
            let mask = ty.mask();
            let unsigned = Interval::unsigned(ty, (mask - a.high).into(), (mask - a.low).into());
            let signed = Interval::signed(ty, (!a.most).into(), (!a.least).into());
            unsigned.meet(signed).unwrap_or(unsigned)
        }
        Unary::Iabs => {
            let (least, most) = (i128::from(a.least), i128::from(a.most));
            let low = if least > 0 {
                least
            } else if most < 0 {
                -most
            } else {
                0
            };
            Interval::unsigned(ty, low as u128, least.abs().max(most.abs()) as u128)
        }
        Unary::Fneg | Unary::Fabs | Unary::Fsqrt => Interval::full(ty),
    }
}

fn multiply_unsigned(ty: Type, a: Interval, b: Interval) -> Interval {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    Interval::unsigned(ty, product(a.low, b.low), product(a.high, b.high))
}

fn multiply_signed(ty: Type, a: Interval, b: Interval) -> Interval {
    let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
    let corners = [
        product(a.least, b.least),
        product(a.least, b.most),
        product(a.most, b.least),
        product(a.most, b.most),
    ];
    let least = corners.into_iter().fold(i128::MAX, i128::min);
    let most = corners.into_iter().fold(i128::MIN, i128::max);
    Interval::signed(ty, least, most)
}

/// From exact unsigned bounds of a sum or difference: all wrap, none wraps, or nothing is known.
fn wrapped(ty: Type, low: i128, high: i128) -> Interval {
    let modulus = i128::from(ty.mask()) + 1;
    let (wraps_low, wraps_high) = (low.div_euclid(modulus), high.div_euclid(modulus));
    if wraps_low == wraps_high {
        let (low, high) = (low.rem_euclid(modulus), high.rem_euclid(modulus));
        Interval::unsigned(ty, low as u128, high as u128)
    } else {
        Interval::full(ty)
    }
}

pub(super) fn binary(op: Binary, ty: Type, a: Interval, b: Interval) -> Interval {
    use Binary::*;
    let both = |x: Interval, y: Interval| x.meet(y).unwrap_or(x);
    let unsigned = |low: u64, high: u64| Interval::unsigned(ty, low.into(), high.into());
    let (low_a, high_a) = (i128::from(a.low), i128::from(a.high));
    let (low_b, high_b) = (i128::from(b.low), i128::from(b.high));
    let (least_a, most_a) = (i128::from(a.least), i128::from(a.most));
    let (least_b, most_b) = (i128::from(b.least), i128::from(b.most));
    let width = u64::from(ty.bits());
    match op {
        Iadd => both(
            wrapped(ty, low_a + low_b, high_a + high_b),
            Interval::signed(ty, least_a + least_b, most_a + most_b),
        ),
        Isub => both(
            wrapped(ty, low_a - high_b, high_a - low_b),
            Interval::signed(ty, least_a - most_b, most_a - least_b),
        ),
        Imul => both(multiply_unsigned(ty, a, b), multiply_signed(ty, a, b)),
        // A zero divisor is undefined, so the divisor is at least one.
        Udiv => unsigned(a.low / b.high.max(1), a.high / b.low.max(1)),
        Urem => {
            if a.high < b.low {
                a
            } else {
                unsigned(0, a.high.min(b.high.saturating_sub(1)))
            }
        }
        Sdiv if a.is_non_negative() && b.is_non_negative() => binary(Udiv, ty, a, b),
        Sdiv => match b.as_constant().map(|_| least_b) {
            Some(divisor) if divisor > 0 => {
                Interval::signed(ty, least_a / divisor, most_a / divisor)
            }
            _ => Interval::full(ty),
        },
        Srem => {
            // The sign of the left side, and smaller than the right one.
            let limit = (least_b.abs().max(most_b.abs()) - 1).max(0);
            let least = if least_a >= 0 { 0 } else { (-limit).max(least_a) };
            let most = if most_a <= 0 { 0 } else { limit.min(most_a) };
            Interval::signed(ty, least, most)
        }
        Smin => Interval::signed(ty, least_a.min(least_b), most_a.min(most_b)),
        Smax => Interval::signed(ty, least_a.max(least_b), most_a.max(most_b)),
        Umin => unsigned(a.low.min(b.low), a.high.min(b.high)),
        Umax => unsigned(a.low.max(b.low), a.high.max(b.high)),
        And => unsigned(0, a.high.min(b.high)),
        Or => unsigned(a.low.max(b.low), ones_below(a.high | b.high)),
        Xor => unsigned(0, ones_below(a.high | b.high)),
        Shl => {
            let (few, many) = (b.low.min(width - 1), b.high.min(width - 1));
            Interval::unsigned(ty, u128::from(a.low) << few, u128::from(a.high) << many)
        }
        Lshr => {
            let (few, many) = (b.low.min(width - 1), b.high.min(width - 1));
            unsigned(a.low >> many, a.high >> few)
        }
        Ashr => {
            let (few, many) = (b.low.min(width - 1), b.high.min(width - 1));
            let least = (a.least >> few).min(a.least >> many);
            let most = (a.most >> few).max(a.most >> many);
            Interval::signed(ty, least.into(), most.into())
        }
        Fadd | Fsub | Fmul | Fdiv | Frem | Fmin | Fmax => Interval::full(ty),
    }
}

/// All bits up to the highest set one.
fn ones_below(bits: u64) -> u64 {
    u64::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0)
}
