//! Floats of both widths: arithmetic, remainders, comparisons, conversions.
use crate::harness::twin;

macro_rules! float_tests {
    ($($test:ident $ty:ident $ops:ident $rem:ident $cmp:ident $cast:ident;)*) => { $(
        twin! {
            fn $ops(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                let i = thread::global_x();
                let x = a[i];
                let y = b[i];
                let o = i * 12;
                out[o] = x + y;
                out[o + 1] = x - y;
                out[o + 2] = x * y;
                out[o + 3] = x / y;
                out[o + 4] = -x;
                out[o + 5] = x.abs();
                out[o + 6] = x.sqrt();
                out[o + 7] = if x != 0.0 || y != 0.0 { x.min(y) } else { 0.0 };
                out[o + 8] = if x != 0.0 || y != 0.0 { x.max(y) } else { 0.0 };
                out[o + 9] = x.mul_add(y, 1.5);
                out[o + 10] = x * y + 1.5;
                out[o + 11] = x / 4.0 + y / 3.0;
            }
            fn $rem(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                let i = thread::global_x();
                out[i] = a[i] % b[i];
            }
            fn $cmp(a: &[$ty], b: &[$ty], out: &mut [bool]) {
                let i = thread::global_x();
                let x = a[i];
                let y = b[i];
                let o = i * 14;
                out[o] = x == y;
                out[o + 1] = x != y;
                out[o + 2] = x < y;
                out[o + 3] = x <= y;
                out[o + 4] = x > y;
                out[o + 5] = x >= y;
                out[o + 6] = !(x < y);
                if x < y { out[o + 7] = true; }
                if !(x < y) { out[o + 8] = true; }
                if x != y { out[o + 9] = true; }
                if x >= y && y <= 2.0 { out[o + 10] = true; }
                if !(x >= y || y == 2.0) { out[o + 11] = true; }
                out[o + 12] = !(x == y) && x > -1.0;
                let mut k = 0;
                while x >= y && k < 3 { k += 1; }
                out[o + 13] = k == 3;
            }
            fn $cast(a: &[$ty], o8: &mut [i8], p8: &mut [u8], o16: &mut [i16], p16: &mut [u16], o32: &mut [i32], p32: &mut [u32], o64: &mut [i64], p64: &mut [u64], f: &mut [f32], d: &mut [f64], w: &mut [i32]) {
                let i = thread::global_x();
                let x = a[i];
                o8[i] = x as i8;
                p8[i] = x as u8;
                o16[i] = x as i16;
                p16[i] = x as u16;
                o32[i] = x as i32;
                p32[i] = x as u32;
                o64[i] = x as i64;
                p64[i] = x as u64;
                f[i] = x as f32;
                d[i] = x as f64;
                w[i] = x as i8 as i32 + x as u8 as i32 + x as i16 as i32 + x as u16 as i32;
            }
        }

        #[test]
        fn $test() {
            let mut values: Vec<$ty> = vec![0.0, -0.0, 1.0, -1.0, 1.5, 2.5, -2.75, 3.0, 127.9, 255.5, -128.5, 32768.5, 65535.9, 2147483647.5, 4294967296.5, -2147483649.0, 9.3e18, -9.3e18, 1.9e19, 1e30, -1e30, $ty::MAX, $ty::MIN, $ty::MIN_POSITIVE, $ty::MIN_POSITIVE / 3.0, -$ty::MIN_POSITIVE / 1024.0, $ty::INFINITY, $ty::NEG_INFINITY, $ty::NAN, $ty::EPSILON, 0.1, 360.0, 1e-30, 12345.678];
            values.push($ty::from_bits(1));
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for &x in &values { for &y in &values { a.push(x); b.push(y); } }
            while a.len() % 64 != 0 { a.push(1.0); b.push(2.0); }
            let n = a.len();
            let g = (n / 64) as u32;
            $ops::check(g, 64, &a, &b, &mut vec![0.0; 12 * n]);
            $rem::check(g, 64, &a, &b, &mut vec![0.0; n]);
            $cmp::check(g, 64, &a, &b, &mut vec![false; 14 * n]);
            $cast::check(g, 64, &a, &mut vec![0; n], &mut vec![0; n], &mut vec![0; n], &mut vec![0; n], &mut vec![0; n], &mut vec![0; n], &mut vec![0; n], &mut vec![0; n], &mut vec![0.0; n], &mut vec![0.0; n], &mut vec![0; n]);
            let mut seed = 12345u64;
            let mut next = || { seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); $ty::from_bits((seed >> 7) as _) };
            let a: Vec<$ty> = (0..4096).map(|_| next()).collect();
            let b: Vec<$ty> = (0..4096).map(|_| next()).collect();
            $rem::check(64, 64, &a, &b, &mut vec![0.0; 4096]);
        }
    )* };
}
float_tests! { f32_computes_as_on_the_host f32 ops_f32 rem_f32 cmp_f32 cast_f32; f64_computes_as_on_the_host f64 ops_f64 rem_f64 cmp_f64 cast_f64; }
