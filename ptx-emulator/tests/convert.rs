//! `cvt` between all types, against Rust's `as`, and for the roundings that Rust does not have
//! against exact arithmetic.

mod common;

use common::Result64::{Long, Short, Word};
use common::{Result64, evaluate, f32_edges, f64_edges, integer_edges, triples};

fn inputs(edges: &[u64]) -> Vec<[u64; 3]> {
    let mut inputs: Vec<[u64; 3]> = edges.iter().map(|a| [*a, 0, 0]).collect();
    inputs.extend(triples(&edges[..2]).into_iter().skip(4));
    inputs
}

fn check(text: &str, result: Result64, edges: &[u64], expected: impl Fn(u64) -> u64) {
    let inputs = inputs(edges);
    let got = evaluate(text, result, &inputs);
    for ([a, ..], got) in inputs.iter().zip(got) {
        let expected = expected(*a);
        assert_eq!(got, expected, "{text}: a = {a:#x}: got {got:#x}, not {expected:#x}");
    }
}

fn f32s() -> Vec<u64> {
    f32_edges().iter().map(|bits| u64::from(*bits)).collect()
}

/// The register that holds a type: 8-bit types live in 16-bit registers.
fn register(bits: u32) -> &'static str {
    match bits {
        8 | 16 => "rs",
        32 => "r",
        _ => "rd",
    }
}

fn result(bits: u32) -> Result64 {
    match bits {
        8 | 16 => Short,
        32 => Word,
        _ => Long,
    }
}

macro_rules! each_integer {
    ($then:ident) => {
        $then!(u8, "u8", 8);
        $then!(i8, "s8", 8);
        $then!(u16, "u16", 16);
        $then!(i16, "s16", 16);
        $then!(u32, "u32", 32);
        $then!(i32, "s32", 32);
        $then!(u64, "u64", 64);
        $then!(i64, "s64", 64);
    };
}

/// As the register holds it: narrow values are extended by their sign.
macro_rules! held {
    ($value:expr, $bits:expr) => {
        match $bits {
            8 | 16 => u64::from($value as u16),
            32 => u64::from($value as u32),
            _ => $value as u64,
        }
    };
}

#[test]
fn integers_to_integers() {
    macro_rules! to {
        ($d:ident, $to:literal, $to_bits:literal) => {
            macro_rules! from {
                ($s:ident, $from:literal, $from_bits:literal) => {
                    let (d, s) = (register($to_bits), register($from_bits));
                    let text = format!("cvt.{}.{} %{d}9, %{s}0;", $to, $from);
                    check(&text, result($to_bits), &integer_edges(), |a| {
                        held!(a as $s as $d, $to_bits)
                    });
                    let text = format!("cvt.sat.{}.{} %{d}9, %{s}0;", $to, $from);
                    check(&text, result($to_bits), &integer_edges(), |a| {
                        let clamped = (a as $s as i128).clamp($d::MIN as i128, $d::MAX as i128);
                        held!(clamped as $d, $to_bits)
                    });
                };
            }
            each_integer!(from);
        };
    }
    each_integer!(to);
}

#[test]
fn integers_to_floats_round_to_nearest_even() {
    macro_rules! from {
        ($s:ident, $from:literal, $from_bits:literal) => {
            let s = register($from_bits);
            check(&format!("cvt.rn.f32.{} %r9, %{s}0;", $from), Word, &integer_edges(), |a| {
                (a as $s as f32).to_bits().into()
            });
            check(&format!("cvt.rn.f64.{} %rd9, %{s}0;", $from), Long, &integer_edges(), |a| {
                (a as $s as f64).to_bits()
            });
        };
    }
    each_integer!(from);
}

/// The f32 nearest to an integer in a direction, by search from the nearest one.
fn directed32(exact: i128, mode: &str) -> f32 {
    let mut value = exact as f32;
    loop {
        let side = (value as i128).cmp(&exact);
        let wrong = match mode {
            "rz" => {
                if exact < 0 {
                    side.is_lt()
                } else {
                    side.is_gt()
                }
            }
            "rm" => side.is_gt(),
            _ => side.is_lt(),
        };
        if !wrong {
            return value;
        }
        value = if side.is_gt() { value.next_down() } else { value.next_up() };
    }
}

#[test]
fn integers_to_floats_in_a_direction() {
    let mut edges = integer_edges();
    edges.extend([16777217, 33554435, 0xffff_ffff_0000_0001, 9007199254740993, 1 << 62 | 1]);
    for mode in ["rz", "rm", "rp"] {
        check(&format!("cvt.{mode}.f32.s32 %r9, %r0;"), Word, &edges, |a| {
            directed32((a as i32).into(), mode).to_bits().into()
        });
        check(&format!("cvt.{mode}.f32.u64 %r9, %rd0;"), Word, &edges, |a| {
            directed32(a.into(), mode).to_bits().into()
        });
        check(&format!("cvt.{mode}.f64.s64 %rd9, %rd0;"), Long, &edges, |a| {
            let exact = i128::from(a as i64);
            let near = exact as f64;
            let side = (near as i128).cmp(&exact);
            let value = match (mode, side) {
                (_, std::cmp::Ordering::Equal) => near,
                ("rm", std::cmp::Ordering::Greater) => near.next_down(),
                ("rp", std::cmp::Ordering::Less) => near.next_up(),
                ("rz", std::cmp::Ordering::Greater) if exact > 0 => near.next_down(),
                ("rz", std::cmp::Ordering::Less) if exact < 0 => near.next_up(),
                _ => near,
            };
            value.to_bits()
        });
    }
}

fn rounded(value: f64, mode: &str) -> f64 {
    match mode {
        "rni" => value.round_ties_even(),
        "rzi" => value.trunc(),
        "rmi" => value.floor(),
        _ => value.ceil(),
    }
}

/// NaN gives 0, or the top bit alone: from f64, and to 64 bits.
#[test]
fn floats_to_integers_saturate() {
    macro_rules! to {
        ($d:ident, $to:literal, $bits:literal) => {
            let top = 1u64 << ($bits - 1);
            let d = register($bits);
            for mode in ["rni", "rzi", "rmi", "rpi"] {
                let text = format!("cvt.{mode}.{}.f32 %{d}9, %r0;", $to);
                check(&text, result($bits), &f32s(), |a| {
                    let value = f64::from(f32::from_bits(a as u32));
                    match value.is_nan() {
                        true if $bits == 64 => top,
                        true => 0,
                        false => held!(rounded(value, mode) as $d, $bits),
                    }
                });
                let text = format!("cvt.{mode}.{}.f64 %{d}9, %rd0;", $to);
                check(&text, result($bits), &f64_edges(), |a| {
                    let value = f64::from_bits(a);
                    match value.is_nan() {
                        true => held!(top as $d, $bits),
                        false => held!(rounded(value, mode) as $d, $bits),
                    }
                });
            }
        };
    }
    each_integer!(to);
}

#[test]
fn floats_to_integers_can_flush_first() {
    check("cvt.rpi.ftz.s32.f32 %r9, %r0;", Word, &f32s(), |a| {
        let value = f32::from_bits(a as u32);
        let value = if value.is_subnormal() { 0.0 } else { value };
        if value.is_nan() { 0 } else { (value.ceil() as i32 as u32).into() }
    });
}

fn canonical(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits().into() }
}

/// The bits of `exact as f32` moved to the right side; a NaN keeps its sign and the top of its
/// payload.
fn narrowed(exact: f64, value: f32) -> u64 {
    let bits = exact.to_bits();
    match exact.is_nan() {
        true => (bits >> 63) << 31 | bits >> 29 & 0x7f_ffff | 0x7fc0_0000,
        false => value.to_bits().into(),
    }
}

#[test]
fn floats_to_floats() {
    check("cvt.rn.f32.f64 %r9, %rd0;", Word, &f64_edges(), |a| {
        narrowed(f64::from_bits(a), f64::from_bits(a) as f32)
    });
    check("cvt.f64.f32 %rd9, %r0;", Long, &f32s(), |a| {
        let value = f32::from_bits(a as u32);
        match value.is_nan() {
            true => (a >> 31) << 63 | (a & 0x7f_ffff) << 29 | 0x7ff8_0000_0000_0000,
            false => f64::from(value).to_bits(),
        }
    });
    for (mode, wrong) in [
        (
            "rz",
            (|near, exact| if exact < 0.0 { near < exact } else { near > exact })
                as fn(f64, f64) -> bool,
        ),
        ("rm", |near, exact| near > exact),
        ("rp", |near, exact| near < exact),
    ] {
        check(&format!("cvt.{mode}.f32.f64 %r9, %rd0;"), Word, &f64_edges(), |a| {
            let exact = f64::from_bits(a);
            let near = exact as f32;
            let value = match wrong(near.into(), exact) {
                false => near,
                true if f64::from(near) > exact => near.next_down(),
                true => near.next_up(),
            };
            narrowed(exact, value)
        });
    }
    for mode in ["rni", "rzi", "rmi", "rpi"] {
        check(&format!("cvt.{mode}.f32.f32 %r9, %r0;"), Word, &f32s(), |a| {
            canonical(rounded(f32::from_bits(a as u32).into(), mode) as f32)
        });
        check(&format!("cvt.{mode}.f64.f64 %rd9, %rd0;"), Long, &f64_edges(), |a| {
            let value = rounded(f64::from_bits(a), mode);
            if value.is_nan() { a | 1 << 51 } else { value.to_bits() }
        });
    }
    check("cvt.sat.f32.f32 %r9, %r0;", Word, &f32s(), |a| {
        let value = f32::from_bits(a as u32);
        if value > 0.0 { value.min(1.0).to_bits().into() } else { 0 }
    });
}

#[test]
fn a_register_may_be_wider_than_the_type() {
    let edges = integer_edges();
    check("cvt.u32.u8 %r9, %r0;", Word, &edges, |a| a & 0xff);
    check("cvt.s32.s8 %r9, %r0;", Word, &edges, |a| u64::from(a as i8 as i32 as u32));
    check("cvt.u8.u32 %r9, %r0;", Word, &edges, |a| a & 0xff);
    check("cvt.s8.s32 %r9, %r0;", Word, &edges, |a| u64::from(a as i8 as u32));
    check("cvt.u16.u32 %rd9, %r0;", Long, &edges, |a| a & 0xffff);
    check("cvt.s16.s64 %rd9, %rd0;", Long, &edges, |a| a as i16 as u64);
    check("cvt.u32.u16 %r9, %rd0;", Word, &edges, |a| a & 0xffff);
    check("cvt.rn.f32.u8 %r9, %r0;", Word, &edges, |a| f32::from(a as u8).to_bits().into());
}
