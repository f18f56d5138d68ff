//! `as` between every two scalar types, at every edge.

use gridlaunch::prelude::*;

use crate::support::{Edges, assert_same, blocks, stream};

macro_rules! cast {
    ($module:ident, $t:ty, $values:expr) => {
        mod $module {
            use super::*;

            #[kernel]
            fn to_signed(
                x: &[$t],
                i_8: &mut [i8],
                i_16: &mut [i16],
                i_32: &mut [i32],
                i_64: &mut [i64],
                i_size: &mut [isize],
            ) {
                let i = thread::global_x();
                if i < x.len() {
                    i_8[i] = x[i] as i8;
                    i_16[i] = x[i] as i16;
                    i_32[i] = x[i] as i32;
                    i_64[i] = x[i] as i64;
                    i_size[i] = x[i] as isize;
                }
            }

            #[kernel]
            fn to_unsigned(
                x: &[$t],
                u_8: &mut [u8],
                u_16: &mut [u16],
                u_32: &mut [u32],
                u_64: &mut [u64],
                u_size: &mut [usize],
            ) {
                let i = thread::global_x();
                if i < x.len() {
                    u_8[i] = x[i] as u8;
                    u_16[i] = x[i] as u16;
                    u_32[i] = x[i] as u32;
                    u_64[i] = x[i] as u64;
                    u_size[i] = x[i] as usize;
                }
            }

            cast!(@test signed, to_signed, $t, $values, i8, i16, i32, i64, isize);
            cast!(@test unsigned, to_unsigned, $t, $values, u8, u16, u32, u64, usize);
        }
    };
    (@test $module:ident, $kernel:ident, $t:ty, $values:expr, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident) => {
        mod $module {
            use super::*;

            #[test]
            fn is_rusts_as() -> gridlaunch::Result<()> {
                let values: Vec<$t> = $values;
                let stream = stream();
                let x = stream.upload(&values)?;
                let mut a = stream.zeros::<$a>(values.len())?;
                let mut b = stream.zeros::<$b>(values.len())?;
                let mut c = stream.zeros::<$c>(values.len())?;
                let mut d = stream.zeros::<$d>(values.len())?;
                let mut e = stream.zeros::<$e>(values.len())?;
                super::$kernel
                    .configure(blocks(values.len()), 64)
                    .on(&stream)
                    .launch((&x, &mut a, &mut b, &mut c, &mut d, &mut e))?;
                cast!(@compare values, stream, a as $a, b as $b, c as $c, d as $d, e as $e);
                Ok(())
            }
        }
    };
    (@compare $values:ident, $stream:ident, $($buffer:ident as $t:ident),*) => {$(
        let expected: Vec<$t> = $values.iter().map(|value| *value as $t).collect();
        assert_same(&$stream.download(&$buffer)?, &expected, |at| {
            format!("{:?} as {}", $values[at], stringify!($t))
        });
    )*};
}

cast!(of_bool, bool, vec![false, true]);
cast!(of_i8, i8, (i8::MIN..=i8::MAX).collect());
cast!(of_i16, i16, i16::edges());
cast!(of_i32, i32, i32::edges());
cast!(of_i64, i64, i64::edges());
cast!(of_isize, isize, isize::edges());
cast!(of_u8, u8, (u8::MIN..=u8::MAX).collect());
cast!(of_u16, u16, u16::edges());
cast!(of_u32, u32, u32::edges());
cast!(of_u64, u64, u64::edges());
cast!(of_usize, usize, usize::edges());
cast!(of_f32, f32, f32::edges());
cast!(of_f64, f64, f64::edges());

macro_rules! cast_to_float {
    ($module:ident, $t:ty) => {
        mod $module {
            use super::*;

            #[kernel]
            fn to_float(x: &[$t], single: &mut [f32], double: &mut [f64]) {
                let i = thread::global_x();
                if i < x.len() {
                    single[i] = x[i] as f32;
                    double[i] = x[i] as f64;
                }
            }

            #[test]
            fn rounds_to_nearest() -> gridlaunch::Result<()> {
                let values = <$t>::edges();
                let stream = stream();
                let x = stream.upload(&values)?;
                let mut single = stream.zeros::<f32>(values.len())?;
                let mut double = stream.zeros::<f64>(values.len())?;
                to_float
                    .configure(blocks(values.len()), 64)
                    .on(&stream)
                    .launch((&x, &mut single, &mut double))?;
                cast!(@compare values, stream, single as f32, double as f64);
                Ok(())
            }
        }
    };
}

cast_to_float!(float_of_i8, i8);
cast_to_float!(float_of_i16, i16);
cast_to_float!(float_of_i32, i32);
cast_to_float!(float_of_i64, i64);
cast_to_float!(float_of_isize, isize);
cast_to_float!(float_of_u8, u8);
cast_to_float!(float_of_u16, u16);
cast_to_float!(float_of_u32, u32);
cast_to_float!(float_of_u64, u64);
cast_to_float!(float_of_usize, usize);
cast_to_float!(float_of_f32, f32);
cast_to_float!(float_of_f64, f64);
