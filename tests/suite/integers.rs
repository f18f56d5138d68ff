//! Operators of all integer types wrap as in a release build, whatever their width.

use gridlaunch::prelude::*;

use crate::support::{Edges, assert_same, blocks, pairs, stream};

macro_rules! integer {
    ($module:ident, $t:ty, $($signed:ident)?) => {
        mod $module {
            use super::*;

            #[kernel]
            fn operators(a: &[$t], b: &[$t], out: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    let x = a[i];
                    let y = b[i];
                    out[i * 8] = x + y;
                    out[i * 8 + 1] = x - y;
                    out[i * 8 + 2] = x * y;
                    out[i * 8 + 3] = x & y;
                    out[i * 8 + 4] = x | y;
                    out[i * 8 + 5] = x ^ y;
                    out[i * 8 + 6] = !x;
                    let mut z = x;
                    z += y;
                    z *= 3;
                    z -= x;
                    z ^= y;
                    z |= 1;
                    z &= y;
                    out[i * 8 + 7] = z;
                }
            }

            fn expected(x: $t, y: $t) -> [$t; 8] {
                let z = x.wrapping_add(y).wrapping_mul(3).wrapping_sub(x);
                [
                    x.wrapping_add(y),
                    x.wrapping_sub(y),
                    x.wrapping_mul(y),
                    x & y,
                    x | y,
                    x ^ y,
                    !x,
                    ((z ^ y) | 1) & y,
                ]
            }

            #[test]
            fn operators_wrap() -> gridlaunch::Result<()> {
                let (a, b) = pairs(&<$t>::edges());
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut out = stream.zeros::<$t>(a.len() * 8)?;
                operators.configure(blocks(a.len()), 64).on(&stream).launch((&x, &y, &mut out))?;
                let expected: Vec<$t> =
                    a.iter().zip(&b).flat_map(|(x, y)| expected(*x, *y)).collect();
                assert_same(&stream.download(&out)?, &expected, |at| {
                    format!("operation {} of {} and {}", at % 8, a[at / 8], b[at / 8])
                });
                Ok(())
            }

            #[kernel]
            fn methods(a: &[$t], b: &[$t], out: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    let x = a[i];
                    let y = b[i];
                    out[i * 6] = x.wrapping_add(y);
                    out[i * 6 + 1] = x.wrapping_sub(y);
                    out[i * 6 + 2] = x.wrapping_mul(y);
                    out[i * 6 + 3] = x.min(y);
                    out[i * 6 + 4] = x.max(y);
                    out[i * 6 + 5] = if x < y { y - x } else { x };
                }
            }

            #[test]
            fn methods_are_rusts() -> gridlaunch::Result<()> {
                let (a, b) = pairs(&<$t>::edges());
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut out = stream.zeros::<$t>(a.len() * 6)?;
                methods.configure(blocks(a.len()), 64).on(&stream).launch((&x, &y, &mut out))?;
                let of = |(x, y): (&$t, &$t)| {
                    [
                        x.wrapping_add(*y),
                        x.wrapping_sub(*y),
                        x.wrapping_mul(*y),
                        *x.min(y),
                        *x.max(y),
                        if x < y { y.wrapping_sub(*x) } else { *x },
                    ]
                };
                let expected: Vec<$t> = a.iter().zip(&b).flat_map(of).collect();
                assert_same(&stream.download(&out)?, &expected, |at| {
                    format!("method {} of {} and {}", at % 6, a[at / 6], b[at / 6])
                });
                Ok(())
            }

            #[kernel]
            fn comparisons(a: &[$t], b: &[$t], out: &mut [bool]) {
                let i = thread::global_x();
                if i < a.len() {
                    let x = a[i];
                    let y = b[i];
                    out[i * 6] = x < y;
                    out[i * 6 + 1] = x <= y;
                    out[i * 6 + 2] = x > y;
                    out[i * 6 + 3] = x >= y;
                    out[i * 6 + 4] = x == y;
                    out[i * 6 + 5] = x != y;
                }
            }

            #[test]
            fn comparisons_know_the_sign() -> gridlaunch::Result<()> {
                let (a, b) = pairs(&<$t>::edges());
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut out = stream.zeros::<bool>(a.len() * 6)?;
                comparisons.configure(blocks(a.len()), 64).on(&stream).launch((&x, &y, &mut out))?;
                let of = |(x, y): (&$t, &$t)| [x < y, x <= y, x > y, x >= y, x == y, x != y];
                let expected: Vec<bool> = a.iter().zip(&b).flat_map(of).collect();
                assert_same(&stream.download(&out)?, &expected, |at| {
                    format!("comparison {} of {} and {}", at % 6, a[at / 6], b[at / 6])
                });
                Ok(())
            }

            $(integer!(@$signed $t);)?
        }
    };
    (@signed $t:ty) => {
        #[kernel]
        fn signs(a: &[$t], out: &mut [$t]) {
            let i = thread::global_x();
            if i < a.len() {
                out[i * 2] = -a[i];
                out[i * 2 + 1] = a[i].abs();
            }
        }

        #[test]
        fn negation_and_abs_of_the_smallest_wrap() -> gridlaunch::Result<()> {
            let a = <$t>::edges();
            let stream = stream();
            let x = stream.upload(&a)?;
            let mut out = stream.zeros::<$t>(a.len() * 2)?;
            signs.configure(blocks(a.len()), 64).on(&stream).launch((&x, &mut out))?;
            let of = |x: &$t| [x.wrapping_neg(), x.wrapping_abs()];
            let expected: Vec<$t> = a.iter().flat_map(of).collect();
            assert_same(&stream.download(&out)?, &expected, |at| {
                format!("operation {} of {}", at % 2, a[at / 2])
            });
            Ok(())
        }
    };
}

integer!(of_i8, i8, signed);
integer!(of_i16, i16, signed);
integer!(of_i32, i32, signed);
integer!(of_i64, i64, signed);
integer!(of_isize, isize, signed);
integer!(of_u8, u8,);
integer!(of_u16, u16,);
integer!(of_u32, u32,);
integer!(of_u64, u64,);
integer!(of_usize, usize,);

#[kernel]
fn booleans(a: &[bool], b: &[bool], out: &mut [bool]) {
    let i = thread::global_x();
    if i < a.len() {
        out[i * 8] = a[i] & b[i];
        out[i * 8 + 1] = a[i] | b[i];
        out[i * 8 + 2] = a[i] ^ b[i];
        out[i * 8 + 3] = !a[i];
        out[i * 8 + 4] = a[i] == b[i];
        out[i * 8 + 5] = a[i] != b[i];
        out[i * 8 + 6] = a[i] && !b[i];
        out[i * 8 + 7] = !(a[i] || b[i]);
    }
}

#[test]
fn bool_operators_are_logical() -> gridlaunch::Result<()> {
    let (a, b) = pairs(&[false, true]);
    let stream = stream();
    let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
    let mut out = stream.zeros::<bool>(a.len() * 8)?;
    booleans.configure(1, 64).on(&stream).launch((&x, &y, &mut out))?;
    let of =
        |(&a, &b): (&bool, &bool)| [a & b, a | b, a ^ b, !a, a == b, a != b, a && !b, !(a || b)];
    let expected: Vec<bool> = a.iter().zip(&b).flat_map(of).collect();
    assert_same(&stream.download(&out)?, &expected, |at| {
        format!("operation {} of {} and {}", at % 8, a[at / 8], b[at / 8])
    });
    Ok(())
}
