//! Floating-point operations round as IEEE 754 and Rust say.

use gridlaunch::prelude::*;

use crate::support::{Edges, assert_same, blocks, pairs, stream};

macro_rules! float {
    ($module:ident, $t:ty) => {
        mod $module {
            use super::*;

            #[kernel]
            fn operators(a: &[$t], b: &[$t], out: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    let x = a[i];
                    let y = b[i];
                    out[i * 9] = x + y;
                    out[i * 9 + 1] = x - y;
                    out[i * 9 + 2] = x * y;
                    out[i * 9 + 3] = x / y;
                    out[i * 9 + 4] = -x;
                    out[i * 9 + 5] = x.abs();
                    out[i * 9 + 6] = x.sqrt();
                    out[i * 9 + 7] = x.mul_add(y, x);
                    let mut z = x;
                    z += y;
                    z *= 0.5;
                    z /= 3.0;
                    z -= x;
                    out[i * 9 + 8] = z;
                }
            }

            #[test]
            fn operators_round_correctly() -> gridlaunch::Result<()> {
                let (a, b) = pairs(&<$t>::edges());
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut out = stream.zeros::<$t>(a.len() * 9)?;
                operators.configure(blocks(a.len()), 64).on(&stream).launch((&x, &y, &mut out))?;
                let of = |(&x, &y): (&$t, &$t)| {
                    let last = (x + y) * 0.5 / 3.0 - x;
                    [x + y, x - y, x * y, x / y, -x, x.abs(), x.sqrt(), x.mul_add(y, x), last]
                };
                let expected: Vec<$t> = a.iter().zip(&b).flat_map(of).collect();
                assert_same(&stream.download(&out)?, &expected, |at| {
                    format!("operation {} of {:?} and {:?}", at % 9, a[at / 9], b[at / 9])
                });
                Ok(())
            }

            #[kernel]
            fn comparisons(a: &[$t], b: &[$t], out: &mut [bool]) {
                let i = thread::global_x();
                if i < a.len() {
                    let x = a[i];
                    let y = b[i];
                    out[i * 8] = x < y;
                    out[i * 8 + 1] = x <= y;
                    out[i * 8 + 2] = x > y;
                    out[i * 8 + 3] = x >= y;
                    out[i * 8 + 4] = x == y;
                    out[i * 8 + 5] = x != y;
                    out[i * 8 + 6] = !(x < y);
                    out[i * 8 + 7] = if x >= y { false } else { true };
                }
            }

            #[test]
            fn no_comparison_with_nan_is_true_but_unequal() -> gridlaunch::Result<()> {
                let (a, b) = pairs(&<$t>::edges());
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut out = stream.zeros::<bool>(a.len() * 8)?;
                comparisons
                    .configure(blocks(a.len()), 64)
                    .on(&stream)
                    .launch((&x, &y, &mut out))?;
                let of = |(x, y): (&$t, &$t)| {
                    [x < y, x <= y, x > y, x >= y, x == y, x != y, !(x < y), !(x >= y)]
                };
                let expected: Vec<bool> = a.iter().zip(&b).flat_map(of).collect();
                assert_same(&stream.download(&out)?, &expected, |at| {
                    format!("comparison {} of {:?} and {:?}", at % 8, a[at / 8], b[at / 8])
                });
                Ok(())
            }

            #[kernel]
            fn extrema(a: &[$t], b: &[$t], least: &mut [$t], greatest: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    least[i] = a[i].min(b[i]);
                    greatest[i] = a[i].max(b[i]);
                }
            }

            #[test]
            fn min_and_max_drop_nan() -> gridlaunch::Result<()> {
                let (a, b) = pairs(&<$t>::edges());
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut least = stream.zeros::<$t>(a.len())?;
                let mut greatest = stream.zeros::<$t>(a.len())?;
                extrema.configure(blocks(a.len()), 64).on(&stream).launch((
                    &x,
                    &y,
                    &mut least,
                    &mut greatest,
                ))?;
                // Rust leaves open which zero is the smaller one: adding zero makes both positive.
                let plain =
                    |values: Vec<$t>| -> Vec<$t> { values.iter().map(|v| v + 0.0).collect() };
                let both = || a.iter().zip(&b);
                let expected = plain(both().map(|(a, b)| a.min(*b)).collect());
                let describe = |at: usize| format!("min of {:?} and {:?}", a[at], b[at]);
                assert_same(&plain(stream.download(&least)?), &expected, describe);
                let expected = plain(both().map(|(a, b)| a.max(*b)).collect());
                let describe = |at: usize| format!("max of {:?} and {:?}", a[at], b[at]);
                assert_same(&plain(stream.download(&greatest)?), &expected, describe);
                Ok(())
            }

            #[kernel(contract = false)]
            fn two_roundings(a: &[$t], b: &[$t], out: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    out[i * 2] = a[i] * b[i] + a[i];
                    out[i * 2 + 1] = b[i] - a[i] * b[i];
                }
            }

            #[test]
            fn without_contraction_a_product_rounds_before_the_sum() -> gridlaunch::Result<()> {
                // Products of numbers with full mantissas are inexact, so that an fma would show.
                let a: Vec<$t> = (1..200).map(|k| 1.0 / k as $t).collect();
                let b: Vec<$t> = (1..200).map(|k| (k as $t).sqrt()).collect();
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut out = stream.zeros::<$t>(a.len() * 2)?;
                let dispatcher = two_roundings.configure(blocks(a.len()), 64);
                dispatcher.on(&stream).launch((&x, &y, &mut out))?;
                let of = |(x, y): (&$t, &$t)| [x * y + x, y - x * y];
                let expected: Vec<$t> = a.iter().zip(&b).flat_map(of).collect();
                let describe = |at: usize| format!("{:?} and {:?}", a[at / 2], b[at / 2]);
                assert_same(&stream.download(&out)?, &expected, describe);
                Ok(())
            }

            #[kernel]
            fn one_or_two_roundings(a: &[$t], b: &[$t], out: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    out[i] = a[i] * b[i] + a[i];
                }
            }

            #[test]
            fn contraction_changes_nothing_but_the_rounding() -> gridlaunch::Result<()> {
                let (a, b) = pairs(&<$t>::edges());
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut out = stream.zeros::<$t>(a.len())?;
                let dispatcher = one_or_two_roundings.configure(blocks(a.len()), 64);
                dispatcher.on(&stream).launch((&x, &y, &mut out))?;
                for (i, found) in stream.download(&out)?.into_iter().enumerate() {
                    let (x, y) = (a[i], b[i]);
                    let fused = x.mul_add(y, x);
                    let plain = x * y + x;
                    let is = |value: $t| value.to_bits() == found.to_bits();
                    let nan = found.is_nan() && (fused.is_nan() || plain.is_nan());
                    assert!(is(fused) || is(plain) || nan, "{x:?} * {y:?} + {x:?} is {found:?}");
                }
                Ok(())
            }
        }
    };
}

float!(of_f32, f32);
float!(of_f64, f64);

#[kernel]
fn literals(single: &mut [f32], double: &mut [f64]) {
    single[0] = 0.1;
    single[1] = 1e-45;
    single[2] = 3.4028235e38;
    single[3] = 16777217.0;
    single[4] = -0.0;
    single[5] = 1.0e10;
    double[0] = 0.1;
    double[1] = 5e-324;
    double[2] = 1.7976931348623157e308;
    double[3] = 9007199254740993.0;
    double[4] = -0.0;
    double[5] = 0.1f32 as f64;
}

#[test]
#[allow(clippy::excessive_precision)]
fn literals_round_once() -> gridlaunch::Result<()> {
    let stream = stream();
    let (mut single, mut double) = (stream.zeros::<f32>(6)?, stream.zeros::<f64>(6)?);
    literals.configure(1, 1).on(&stream).launch((&mut single, &mut double))?;
    let (mut expected_single, mut expected_double) = ([0.0; 6], [0.0; 6]);
    literals::on_host(1, 1, &mut expected_single, &mut expected_double);
    let describe = |at| format!("literal {at}");
    assert_same(&stream.download(&single)?, &expected_single, describe);
    assert_same(&stream.download(&double)?, &expected_double, describe);
    Ok(())
}
