//! Floating-point instructions, against Rust's own arithmetic. The bits of an f64 NaN, which Rust leaves
//! open, are in `hardware.rs`.

mod common;

use common::Result64::{Long, Predicate, Word};
use common::{Result64, evaluate, f32_edges, f64_edges, triples};

const NAN32: u32 = 0x7fff_ffff;

fn check(
    instructions: &str,
    result: Result64,
    inputs: &[[u64; 3]],
    expected: impl Fn(u64, u64, u64) -> u64,
) {
    let got = evaluate(instructions, result, inputs);
    for ([a, b, c], got) in inputs.iter().zip(got) {
        let expected = expected(*a, *b, *c);
        assert_eq!(
            got, expected,
            "{instructions}: a = {a:#x}, b = {b:#x}, c = {c:#x}, got {got:#x}, not {expected:#x}"
        );
    }
}

fn check32(instructions: &str, expected: impl Fn(f32, f32, f32) -> f32) {
    let edges: Vec<u64> = f32_edges().iter().map(|bits| u64::from(*bits)).collect();
    check(instructions, Word, &triples(&edges), |a, b, c| {
        let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
        canonical32(expected(a, b, c)).into()
    });
}

fn check64(instructions: &str, expected: impl Fn(f64, f64, f64) -> f64) {
    let inputs = triples(&f64_edges());
    let got = evaluate(instructions, Long, &inputs);
    for ([a, b, c], got) in inputs.iter().zip(got) {
        let [a, b, c] = [a, b, c].map(|bits| f64::from_bits(*bits));
        let expected = expected(a, b, c);
        let right = got == expected.to_bits() || f64::from_bits(got).is_nan() && expected.is_nan();
        assert!(
            right,
            "{instructions}: a = {a:e}, b = {b:e}, c = {c:e}: {got:#x}, not {expected:e}"
        );
    }
}

fn canonical32(value: f32) -> u32 {
    if value.is_nan() { NAN32 } else { value.to_bits() }
}

fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0.0f32.copysign(value) } else { value }
}

fn saturate(value: f32) -> f32 {
    if value.is_nan() || value <= 0.0 { 0.0 } else { value.min(1.0) }
}

#[test]
fn arithmetic_rounds_to_nearest_even() {
    check32("add.rn.f32 %r9, %r0, %r1;", |a, b, _| a + b);
    check32("add.f32 %r9, %r0, %r1;", |a, b, _| a + b);
    check32("sub.rn.f32 %r9, %r0, %r1;", |a, b, _| a - b);
    check32("mul.rn.f32 %r9, %r0, %r1;", |a, b, _| a * b);
    check32("div.rn.f32 %r9, %r0, %r1;", |a, b, _| a / b);
    check32("sqrt.rn.f32 %r9, %r0;", |a, _, _| a.sqrt());
    check32("rcp.rn.f32 %r9, %r0;", |a, _, _| 1.0 / a);
    check64("add.rn.f64 %rd9, %rd0, %rd1;", |a, b, _| a + b);
    check64("sub.rn.f64 %rd9, %rd0, %rd1;", |a, b, _| a - b);
    check64("mul.rn.f64 %rd9, %rd0, %rd1;", |a, b, _| a * b);
    check64("div.rn.f64 %rd9, %rd0, %rd1;", |a, b, _| a / b);
    check64("sqrt.rn.f64 %rd9, %rd0;", |a, _, _| a.sqrt());
    check64("rcp.rn.f64 %rd9, %rd0;", |a, _, _| 1.0 / a);
}

#[test]
fn fma_rounds_once() {
    check32("fma.rn.f32 %r9, %r0, %r1, %r2;", f32::mul_add);
    check64("fma.rn.f64 %rd9, %rd0, %rd1, %rd2;", f64::mul_add);
    // With two roundings this is 0.
    let inputs = [[0x3f80_0001, 0x3f80_0001, 0xbf80_0002]];
    let got = evaluate("fma.rn.f32 %r9, %r0, %r1, %r2;", Word, &inputs);
    assert_eq!(got, [u64::from((f32::EPSILON * f32::EPSILON).to_bits())]);
}

#[test]
fn minimum_and_maximum_drop_nan_and_order_zeros() {
    let min32 = |a: f32, b: f32| {
        if a == b { if a.is_sign_negative() { a } else { b } } else { a.min(b) }
    };
    let max32 = |a: f32, b: f32| {
        if a == b { if a.is_sign_negative() { b } else { a } } else { a.max(b) }
    };
    check32("min.f32 %r9, %r0, %r1;", |a, b, _| min32(a, b));
    check32("max.f32 %r9, %r0, %r1;", |a, b, _| max32(a, b));
    check32("min.NaN.f32 %r9, %r0, %r1;", |a, b, _| {
        if a.is_nan() || b.is_nan() { f32::NAN } else { min32(a, b) }
    });
    check32("max.NaN.f32 %r9, %r0, %r1;", |a, b, _| {
        if a.is_nan() || b.is_nan() { f32::NAN } else { max32(a, b) }
    });
    let min64 = |a: f64, b: f64| {
        if a == b { if a.is_sign_negative() { a } else { b } } else { a.min(b) }
    };
    let max64 = |a: f64, b: f64| {
        if a == b { if a.is_sign_negative() { b } else { a } } else { a.max(b) }
    };
    check64("min.f64 %rd9, %rd0, %rd1;", |a, b, _| min64(a, b));
    check64("max.f64 %rd9, %rd0, %rd1;", |a, b, _| max64(a, b));
}

#[test]
fn signs_change_and_nothing_else() {
    let edges: Vec<u64> = f32_edges().iter().map(|bits| u64::from(*bits)).collect();
    let inputs = triples(&edges);
    let low = |a: u64| a & 0xffff_ffff;
    let of = |a: u64| f32::from_bits(a as u32);
    check("neg.f32 %r9, %r0;", Word, &inputs, |a, _, _| canonical32(-of(a)).into());
    check("abs.f32 %r9, %r0;", Word, &inputs, |a, _, _| canonical32(of(a).abs()).into());
    check("copysign.f32 %r9, %r0, %r1;", Word, &inputs, |a, b, _| {
        low(b) & !(1 << 31) | a & 1 << 31
    });
    check64("neg.f64 %rd9, %rd0;", |a, _, _| -a);
    check64("abs.f64 %rd9, %rd0;", |a, _, _| a.abs());
}

#[test]
fn flushing_and_saturating_forms() {
    check32("add.ftz.f32 %r9, %r0, %r1;", |a, b, _| flush(flush(a) + flush(b)));
    check32("mul.rn.ftz.f32 %r9, %r0, %r1;", |a, b, _| flush(flush(a) * flush(b)));
    check32("fma.rn.ftz.f32 %r9, %r0, %r1, %r2;", |a, b, c| {
        flush(flush(a).mul_add(flush(b), flush(c)))
    });
    check32("add.sat.f32 %r9, %r0, %r1;", |a, b, _| saturate(a + b));
    check32("fma.rn.ftz.sat.f32 %r9, %r0, %r1, %r2;", |a, b, c| {
        saturate(flush(flush(a).mul_add(flush(b), flush(c))))
    });
}

/// Relative error, in units of the last place of an f32.
fn error(got: u64, exact: f64) -> f64 {
    let got = f64::from(f32::from_bits(got as u32));
    (got - exact).abs() / (exact.abs() * f64::from(f32::EPSILON)).max(f64::from(f32::MIN_POSITIVE))
}

#[test]
fn approximations_are_close() {
    let inputs: Vec<[u64; 3]> = (1..2000)
        .map(|i| [u64::from((i as f32 * 0.0037).to_bits()), u64::from((i as f32).to_bits()), 0])
        .collect();
    let a = |input: &[u64; 3]| f64::from(f32::from_bits(input[0] as u32));
    type Exact = fn(f64) -> f64;
    let cases: [(&str, Exact); 8] = [
        ("sin.approx.f32", f64::sin),
        ("cos.approx.f32", f64::cos),
        ("lg2.approx.f32", f64::log2),
        ("ex2.approx.f32", f64::exp2),
        ("tanh.approx.f32", f64::tanh),
        ("sqrt.approx.f32", f64::sqrt),
        ("rsqrt.approx.f32", |x| 1.0 / x.sqrt()),
        ("rcp.approx.ftz.f32", |x| 1.0 / x),
    ];
    for (instruction, exact) in cases {
        let got = evaluate(&format!("{instruction} %r9, %r0;"), Word, &inputs);
        for (input, got) in inputs.iter().zip(got) {
            assert!(error(got, exact(a(input))) < 2.0, "{instruction} of {}", a(input));
        }
    }
    for form in ["approx", "full", "full.ftz"] {
        let got = evaluate(&format!("div.{form}.f32 %r9, %r0, %r1;"), Word, &inputs);
        for (input, got) in inputs.iter().zip(got) {
            let divisor = f64::from(f32::from_bits(input[1] as u32));
            assert!(error(got, a(input) / divisor) < 2.0, "div.{form} of {}", a(input));
        }
    }
}

macro_rules! comparisons {
    ($($name:literal: $ordered:expr, $unordered:expr;)*) => {
        [$(($name, (|a, b| a.partial_cmp(&b).map_or($unordered, $ordered)) as fn(f64, f64) -> bool)),*]
    };
}

#[test]
fn ordered_and_unordered_comparisons() {
    use std::cmp::Ordering;
    let cases = comparisons! {
        "eq": Ordering::is_eq, false;
        "ne": Ordering::is_ne, false;
        "lt": Ordering::is_lt, false;
        "le": Ordering::is_le, false;
        "gt": Ordering::is_gt, false;
        "ge": Ordering::is_ge, false;
        "equ": Ordering::is_eq, true;
        "neu": Ordering::is_ne, true;
        "ltu": Ordering::is_lt, true;
        "leu": Ordering::is_le, true;
        "gtu": Ordering::is_gt, true;
        "geu": Ordering::is_ge, true;
        "num": |_| true, false;
        "nan": |_| false, true;
    };
    let edges: Vec<u64> = f32_edges().iter().map(|bits| u64::from(*bits)).collect();
    for (name, holds) in cases {
        let text = format!("setp.{name}.f32 %p9, %r0, %r1;");
        check(&text, Predicate, &triples(&edges), |a, b, _| {
            let [a, b] = [a, b].map(|bits| f64::from(f32::from_bits(bits as u32)));
            holds(a, b).into()
        });
        let text = format!("setp.{name}.ftz.f32 %p9, %r0, %r1;");
        check(&text, Predicate, &triples(&edges), |a, b, _| {
            let [a, b] = [a, b].map(|bits| f64::from(flush(f32::from_bits(bits as u32))));
            holds(a, b).into()
        });
        let text = format!("setp.{name}.f64 %p9, %rd0, %rd1;");
        check(&text, Predicate, &triples(&f64_edges()), |a, b, _| {
            holds(f64::from_bits(a), f64::from_bits(b)).into()
        });
        let text = format!("set.{name}.u32.f64 %r9, %rd0, %rd1;");
        check(&text, Word, &triples(&f64_edges()), |a, b, _| {
            if holds(f64::from_bits(a), f64::from_bits(b)) { 0xffff_ffff } else { 0 }
        });
    }
}

#[test]
fn tests_of_one_number() {
    let edges: Vec<u64> = f32_edges().iter().map(|bits| u64::from(*bits)).collect();
    type Holds = fn(f32) -> bool;
    let cases: [(&str, Holds); 6] = [
        ("finite", f32::is_finite),
        ("infinite", f32::is_infinite),
        ("number", |x| !x.is_nan()),
        ("notanumber", f32::is_nan),
        ("normal", f32::is_normal),
        ("subnormal", f32::is_subnormal),
    ];
    for (name, holds) in cases {
        check(&format!("testp.{name}.f32 %p9, %r0;"), Predicate, &triples(&edges), |a, _, _| {
            holds(f32::from_bits(a as u32)).into()
        });
    }
}
