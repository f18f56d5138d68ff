//! Shift counts are masked to the width, right shifts keep the sign, and the count may have any
//! integer type.

use gridlaunch::prelude::*;

use crate::support::{Edges, assert_same, blocks, stream};

const COUNTS: [u32; 14] = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127];

macro_rules! shift {
    ($module:ident, $t:ty) => {
        mod $module {
            use super::*;

            #[kernel]
            fn shifts(a: &[$t], counts: &[u32], out: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    for k in 0..counts.len() {
                        let at = (i * counts.len() + k) * 4;
                        out[at] = a[i] << counts[k];
                        out[at + 1] = a[i] >> counts[k];
                        let mut x = a[i];
                        x <<= counts[k] as u8;
                        out[at + 2] = x;
                        let mut x = a[i];
                        x >>= counts[k] as i64;
                        out[at + 3] = x;
                    }
                }
            }

            #[test]
            fn counts_are_masked() -> gridlaunch::Result<()> {
                let a = <$t>::edges();
                let stream = stream();
                let (x, counts) = (stream.upload(&a)?, stream.upload(&COUNTS)?);
                let mut out = stream.zeros::<$t>(a.len() * COUNTS.len() * 4)?;
                shifts
                    .configure(blocks(a.len()), 64)
                    .on(&stream)
                    .launch((&x, &counts, &mut out))?;
                let of = |x: $t| {
                    COUNTS.into_iter().flat_map(move |count| {
                        let (left, right) = (x.wrapping_shl(count), x.wrapping_shr(count));
                        [left, right, left, right]
                    })
                };
                let expected: Vec<$t> = a.iter().flat_map(|x| of(*x)).collect();
                assert_same(&stream.download(&out)?, &expected, |at| {
                    let (x, k) = (a[at / 4 / COUNTS.len()], at / 4 % COUNTS.len());
                    let operator = ["<<", ">>", "<<=", ">>="][at % 4];
                    format!("{x} {operator} {}", COUNTS[k])
                });
                Ok(())
            }
        }
    };
}

shift!(of_i8, i8);
shift!(of_i16, i16);
shift!(of_i32, i32);
shift!(of_i64, i64);
shift!(of_isize, isize);
shift!(of_u8, u8);
shift!(of_u16, u16);
shift!(of_u32, u32);
shift!(of_u64, u64);
shift!(of_usize, usize);

#[kernel]
fn narrow_results(a: &[u8], out: &mut [u32]) {
    let i = thread::global_x();
    if i < a.len() {
        // The type is the left side's: the sum wraps before it is widened.
        out[i * 3] = (a[i] << 1) as u32;
        out[i * 3 + 1] = (a[i] + a[i]) as u32;
        out[i * 3 + 2] = (!a[i] >> 1) as u32;
    }
}

#[test]
fn a_narrow_type_stays_narrow_until_the_cast() -> gridlaunch::Result<()> {
    let a: Vec<u8> = (0..=255).collect();
    let stream = stream();
    let x = stream.upload(&a)?;
    let mut out = stream.zeros::<u32>(a.len() * 3)?;
    narrow_results.configure(blocks(a.len()), 64).on(&stream).launch((&x, &mut out))?;
    let of = |x: &u8| [x << 1, x.wrapping_add(*x), !x >> 1].map(u32::from);
    let expected: Vec<u32> = a.iter().flat_map(of).collect();
    assert_same(&stream.download(&out)?, &expected, |at| format!("{} of {}", at % 3, a[at / 3]));
    Ok(())
}
