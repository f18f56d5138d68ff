//! What each operation computes, on bits: shared by the constant folder and the interpreter.

use super::{Binary, Compare, Convert, Type, Unary};

/// The bits of an integer, sign-extended to 64.
pub(crate) fn sign_extend(ty: Type, bits: u64) -> i64 {
    let unused = 64 - ty.bits();
    ((bits << unused) as i64) >> unused
}

fn f32(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64(bits: u64) -> f64 {
    f64::from_bits(bits)
}

pub(crate) fn unary(op: Unary, ty: Type, a: u64) -> u64 {
    let bits = match (op, ty) {
        (Unary::Ineg, _) => a.wrapping_neg(),
        (Unary::Inot, _) => !a,
        (Unary::Iabs, _) => sign_extend(ty, a).wrapping_abs() as u64,
        (Unary::Fneg, _) => a ^ sign_bit(ty),
        (Unary::Fabs, _) => a & !sign_bit(ty),
        (Unary::Fsqrt, Type::F32) => f32(a).sqrt().to_bits().into(),
        (Unary::Fsqrt, _) => f64(a).sqrt().to_bits(),
    };
    bits & ty.mask()
}

/// The top bit of a type.
pub(crate) fn sign_bit(ty: Type) -> u64 {
    1 << (ty.bits() - 1)
}

/// `None` where the operation is undefined: a division by zero, `MIN / -1`, a shift that is too far.
pub(crate) fn binary(op: Binary, ty: Type, a: u64, b: u64) -> Option<u64> {
    use Binary::*;
    let (sa, sb) = (sign_extend(ty, a), sign_extend(ty, b));
    let overflow = b == ty.mask() && a == sign_bit(ty);
    let bits = match op {
        Iadd => a.wrapping_add(b),
        Isub => a.wrapping_sub(b),
        Imul => a.wrapping_mul(b),
        Udiv => a.checked_div(b)?,
        Urem => a.checked_rem(b)?,
        Sdiv | Srem if overflow => return None,
        Sdiv => sa.checked_div(sb)? as u64,
        Srem => sa.checked_rem(sb)? as u64,
        Smin => sa.min(sb) as u64,
        Smax => sa.max(sb) as u64,
        Umin => a.min(b),
        Umax => a.max(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl | Lshr | Ashr if b >= u64::from(ty.bits()) => return None,
        Shl => a << b,
        Lshr => a >> b,
        Ashr => (sa >> b) as u64,
        Fadd | Fsub | Fmul | Fdiv | Frem | Fmin | Fmax if ty == Type::F32 => {
            float32(op, f32(a), f32(b)).to_bits().into()
        }
        Fadd | Fsub | Fmul | Fdiv | Frem | Fmin | Fmax => float64(op, f64(a), f64(b)).to_bits(),
    };
    Some(bits & ty.mask())
}

macro_rules! float_binary {
    ($name:ident, $ty:ty) => {
        fn $name(op: Binary, a: $ty, b: $ty) -> $ty {
            match op {
                Binary::Fsub => a - b,
                Binary::Fmul => a * b,
                Binary::Fdiv => a / b,
                Binary::Frem => a % b,
                Binary::Fmin | Binary::Fmax if a.is_nan() => b,
                Binary::Fmin | Binary::Fmax if b.is_nan() => a,
                // The device orders -0 before +0.
                Binary::Fmin => {
                    if a.total_cmp(&b).is_le() {
                        a
                    } else {
                        b
                    }
                }
                Binary::Fmax => {
                    if a.total_cmp(&b).is_ge() {
                        a
                    } else {
                        b
                    }
                }
                _ => a + b,
            }
        }
    };
}

float_binary!(float32, f32);
float_binary!(float64, f64);

pub(crate) fn fma(ty: Type, a: u64, b: u64, c: u64) -> u64 {
    if ty == Type::F32 {
        f32(a).mul_add(f32(b), f32(c)).to_bits().into()
    } else {
        f64(a).mul_add(f64(b), f64(c)).to_bits()
    }
}

pub(crate) fn wide_mul(signed: bool, a: u64, b: u64) -> u64 {
    if signed {
        sign_extend(Type::I32, a).wrapping_mul(sign_extend(Type::I32, b)) as u64
    } else {
        (a & 0xffff_ffff) * (b & 0xffff_ffff)
    }
}

/// Compares values of type `ty`.
pub(crate) fn compare(op: Compare, ty: Type, a: u64, b: u64) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    if op.is_float() {
        let order =
            if ty == Type::F32 { f32(a).partial_cmp(&f32(b)) } else { f64(a).partial_cmp(&f64(b)) };
        return match op {
            Compare::Feq => order == Some(Equal),
            Compare::Fne => order != Some(Equal),
            Compare::Flt => order == Some(Less),
            Compare::Fle => matches!(order, Some(Less | Equal)),
            Compare::Fgt => order == Some(Greater),
            Compare::Fge => matches!(order, Some(Greater | Equal)),
            Compare::Fult => !matches!(order, Some(Greater | Equal)),
            Compare::Fule => order != Some(Greater),
            Compare::Fugt => !matches!(order, Some(Less | Equal)),
            _ => order != Some(Less),
        };
    }
    let (sa, sb) = (sign_extend(ty, a), sign_extend(ty, b));
    match op {
        Compare::Ne => a != b,
        Compare::Slt => sa < sb,
        Compare::Sle => sa <= sb,
        Compare::Sgt => sa > sb,
        Compare::Sge => sa >= sb,
        Compare::Ult => a < b,
        Compare::Ule => a <= b,
        Compare::Ugt => a > b,
        Compare::Uge => a >= b,
        _ => a == b,
    }
}

pub(crate) fn convert(op: Convert, from: Type, to: Type, a: u64) -> u64 {
    let signed = sign_extend(from, a);
    let float = if from == Type::F32 { f64::from(f32(a)) } else { f64(a) };
    let bits = match op {
        Convert::Zext | Convert::Trunc | Convert::Bitcast => a,
        Convert::Sext => signed as u64,
        Convert::SintToFloat if to == Type::F32 => (signed as f32).to_bits().into(),
        Convert::SintToFloat => (signed as f64).to_bits(),
        Convert::UintToFloat if to == Type::F32 => (a as f32).to_bits().into(),
        Convert::UintToFloat => (a as f64).to_bits(),
        // f32 to f64 is exact, and so is the detour over it.
        Convert::FloatToSint => match to {
            Type::I8 => float as i8 as u64,
            Type::I16 => float as i16 as u64,
            Type::I32 => float as i32 as u64,
            _ => float as i64 as u64,
        },
        Convert::FloatToUint => match to {
            Type::I8 => (float as u8).into(),
            Type::I16 => (float as u16).into(),
            Type::I32 => (float as u32).into(),
            _ => float as u64,
        },
        Convert::Fext => float.to_bits(),
        Convert::Ftrunc => (float as f32).to_bits().into(),
    };
    bits & to.mask()
}

/// A NaN of this float type.
pub(crate) fn is_nan(ty: Type, bits: u64) -> bool {
    match ty {
        Type::F32 => f32(bits).is_nan(),
        Type::F64 => f64(bits).is_nan(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_compute_as_rust_does_at_their_width() {
        let i8s = (-128i32..128).map(|a| a as i8);
        for a in i8s.clone() {
            for b in i8s.clone() {
                let (x, y) = (u64::from(a as u8), u64::from(b as u8));
                let run = |op| binary(op, Type::I8, x, y).map(|bits| bits as u8 as i8);
                let urun = |op| binary(op, Type::I8, x, y).map(|bits| bits as u8);
                assert_eq!(run(Binary::Iadd), Some(a.wrapping_add(b)));
                assert_eq!(run(Binary::Imul), Some(a.wrapping_mul(b)));
                assert_eq!(run(Binary::Sdiv), a.checked_div(b));
                assert_eq!(run(Binary::Srem), a.checked_rem(b));
                assert_eq!(urun(Binary::Udiv), (a as u8).checked_div(b as u8));
                assert_eq!(urun(Binary::Urem), (a as u8).checked_rem(b as u8));
                assert_eq!(run(Binary::Smin), Some(a.min(b)));
                assert_eq!(urun(Binary::Umax), Some((a as u8).max(b as u8)));
                assert_eq!(run(Binary::Ashr), a.checked_shr(b as u8 as u32));
                assert_eq!(urun(Binary::Lshr), (a as u8).checked_shr(b as u8 as u32));
                assert_eq!(compare(Compare::Slt, Type::I8, x, y), a < b);
                assert_eq!(compare(Compare::Ult, Type::I8, x, y), (a as u8) < (b as u8));
            }
            let x = u64::from(a as u8);
            assert_eq!(unary(Unary::Iabs, Type::I8, x) as u8 as i8, a.wrapping_abs());
            assert_eq!(convert(Convert::Sext, Type::I8, Type::I32, x) as u32 as i32, i32::from(a));
            assert_eq!(convert(Convert::Zext, Type::I8, Type::I32, x) as u32, u32::from(a as u8));
        }
    }

    #[test]
    fn float_to_integer_saturates_and_nan_is_zero() {
        let to = |value: f32, op, ty| convert(op, Type::F32, ty, value.to_bits().into());
        assert_eq!(to(-1.0, Convert::FloatToUint, Type::I32), 0);
        assert_eq!(to(300.0, Convert::FloatToUint, Type::I8), 255);
        assert_eq!(to(-129.7, Convert::FloatToSint, Type::I8), 0x80);
        assert_eq!(to(1e30, Convert::FloatToSint, Type::I64), i64::MAX as u64);
        assert_eq!(to(f32::NAN, Convert::FloatToSint, Type::I32), 0);
    }

    #[test]
    fn comparisons_and_their_inverses_disagree_on_nan_too() {
        use Compare::*;
        let values = [f32::NAN, -0.0, 0.0, 1.0, f32::INFINITY].map(|v| u64::from(v.to_bits()));
        for op in [Feq, Fne, Flt, Fle, Fgt, Fge, Fult, Fule, Fugt, Fuge] {
            for a in values {
                for b in values {
                    let holds = compare(op, Type::F32, a, b);
                    assert_ne!(holds, compare(op.inverse(), Type::F32, a, b));
                    assert_eq!(holds, compare(op.swapped(), Type::F32, b, a));
                }
            }
        }
        assert!(!compare(Feq, Type::F32, values[0], values[0]));
        assert!(compare(Fult, Type::F32, values[0], values[1]));
    }

    #[test]
    fn minimum_ignores_nan_and_orders_zeros() {
        let bits = |value: f32| u64::from(value.to_bits());
        let min = |a, b| binary(Binary::Fmin, Type::F32, bits(a), bits(b));
        assert_eq!(min(f32::NAN, 1.0), Some(bits(1.0)));
        assert_eq!(min(1.0, f32::NAN), Some(bits(1.0)));
        assert_eq!(min(0.0, -0.0), Some(bits(-0.0)));
    }
}
