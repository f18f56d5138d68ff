//! Division truncates and the remainder has the dividend's sign, for all widths, by variables and
//! by constants.

use gridlaunch::prelude::*;

use crate::support::{Edges, assert_same, blocks, pairs, stream};

macro_rules! divide {
    ($module:ident, $t:ty, $($constant:literal),*) => {
        mod $module {
            use super::*;

            #[kernel]
            fn by_variables(a: &[$t], b: &[$t], quotients: &mut [$t], remainders: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    quotients[i] = a[i] / b[i];
                    let mut rest = a[i];
                    rest %= b[i];
                    remainders[i] = rest;
                }
            }

            #[test]
            fn by_variables_it_truncates() -> gridlaunch::Result<()> {
                let (a, b) = pairs(&<$t>::edges());
                let (a, b): (Vec<$t>, Vec<$t>) = a
                    .into_iter()
                    .zip(b)
                    .filter(|(a, b)| a.checked_div(*b).is_some())
                    .unzip();
                let stream = stream();
                let (x, y) = (stream.upload(&a)?, stream.upload(&b)?);
                let mut quotients = stream.zeros::<$t>(a.len())?;
                let mut remainders = stream.zeros::<$t>(a.len())?;
                by_variables
                    .configure(blocks(a.len()), 64)
                    .on(&stream)
                    .launch((&x, &y, &mut quotients, &mut remainders))?;
                let both = || a.iter().zip(&b);
                let expected: Vec<$t> = both().map(|(a, b)| a / b).collect();
                let describe = |at: usize| format!("{} / {}", a[at], b[at]);
                assert_same(&stream.download(&quotients)?, &expected, describe);
                let expected: Vec<$t> = both().map(|(a, b)| a % b).collect();
                let describe = |at: usize| format!("{} % {}", a[at], b[at]);
                assert_same(&stream.download(&remainders)?, &expected, describe);
                Ok(())
            }

            #[kernel]
            fn by_constants(a: &[$t], out: &mut [$t]) {
                let i = thread::global_x();
                if i < a.len() {
                    let x = a[i];
                    let mut at = i * 32;
                    $(
                        out[at] = x / $constant;
                        out[at + 1] = x % $constant;
                        at += 2;
                    )*
                    out[at] = 1;
                }
            }

            #[test]
            fn by_constants_it_truncates() -> gridlaunch::Result<()> {
                let a = <$t>::edges();
                let stream = stream();
                let x = stream.upload(&a)?;
                let mut out = stream.zeros::<$t>(a.len() * 32)?;
                by_constants.configure(blocks(a.len()), 64).on(&stream).launch((&x, &mut out))?;
                let constants: &[$t] = &[$($constant),*];
                let mut expected = vec![0; a.len() * 32];
                for (i, x) in a.iter().enumerate() {
                    for (k, constant) in constants.iter().enumerate() {
                        expected[i * 32 + k * 2] = x / constant;
                        expected[i * 32 + k * 2 + 1] = x % constant;
                    }
                    expected[i * 32 + constants.len() * 2] = 1;
                }
                assert_same(&stream.download(&out)?, &expected, |at| {
                    let operator = if at % 2 == 0 { '/' } else { '%' };
                    format!("{} {operator} {}", a[at / 32], constants.get(at % 32 / 2).unwrap_or(&0))
                });
                Ok(())
            }
        }
    };
}

divide!(of_i8, i8, 2, 3, 5, 6, 7, 8, 10, 11, 64, 100, -2, -7);
divide!(of_i16, i16, 2, 3, 5, 6, 7, 8, 10, 11, 64, 100, 641, 32767, -3);
divide!(of_i32, i32, 2, 3, 5, 6, 7, 8, 10, 11, 64, 100, 641, 1_000_003, 2147483647, -10);
divide!(
    of_i64,
    i64,
    2,
    3,
    5,
    6,
    7,
    8,
    10,
    11,
    64,
    100,
    1_000_003,
    6_700_417_000_001,
    -12,
    9223372036854775807
);
divide!(of_isize, isize, 2, 3, 5, 6, 7, 8, 10, 11, 64, 100, 1_000_003, -1000);
divide!(of_u8, u8, 2, 3, 5, 6, 7, 8, 10, 11, 64, 100, 128, 200, 255);
divide!(of_u16, u16, 2, 3, 5, 6, 7, 8, 10, 11, 64, 100, 641, 32768, 65535);
divide!(of_u32, u32, 2, 3, 5, 6, 7, 8, 10, 11, 64, 100, 641, 2147483648, 4294967295, 3_000_000_019);
divide!(
    of_u64,
    u64,
    2,
    3,
    5,
    6,
    7,
    8,
    10,
    11,
    64,
    100,
    274177,
    9223372036854775808,
    18446744073709551615,
    12_000_000_000_000_003
);
divide!(of_usize, usize, 2, 3, 5, 6, 7, 8, 10, 11, 64, 100, 4294967296, 4294967297);
