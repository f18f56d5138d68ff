//! Integers of every width and sign.
use crate::harness::twin;

/// Every pair of interesting values.
macro_rules! integer_tests {
    ($($test:ident $ty:ident $ops:ident $wrap:ident $div:ident $shift:ident $cmp:ident $sh2:ident;)*) => { $(
        twin! {
            fn $ops(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                let i = thread::global_x();
                let x = a[i];
                let y = b[i];
                let o = i * 16;
                out[o] = x.wrapping_add(y);
                out[o + 1] = x.wrapping_sub(y);
                out[o + 2] = x.wrapping_mul(y);
                out[o + 3] = x & y;
                out[o + 4] = x | y;
                out[o + 5] = x ^ y;
                out[o + 6] = !x;
                out[o + 7] = x.min(y);
                out[o + 8] = x.max(y);
                out[o + 9] = x.wrapping_mul(y).wrapping_add(x).min(y.wrapping_sub(x));
                out[o + 10] = (x.wrapping_add(y)) >> 2;
                out[o + 11] = (x.wrapping_sub(y)) << 3;
                out[o + 12] = (x ^ y) / 3;
                out[o + 13] = x.wrapping_mul(y) % 5;
                out[o + 14] = x.wrapping_add(y) / 8;
                out[o + 15] = x.wrapping_mul(8).wrapping_add(y) % 16;
            }
            fn $wrap(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                let i = thread::global_x();
                let x = a[i];
                let y = b[i];
                out[i] = x * y + x - y;
                out[i] += x;
                out[i] *= y;
                out[i] -= 1;
            } host {
                let i = thread::global_x();
                let x = a[i];
                let y = b[i];
                let first = x.wrapping_mul(y).wrapping_add(x).wrapping_sub(y);
                out[i] = first.wrapping_add(x).wrapping_mul(y).wrapping_sub(1);
            }
            fn $div(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                let i = thread::global_x();
                let x = a[i];
                let y = b[i];
                out[i * 2] = x / y;
                out[i * 2 + 1] = x % y;
            }
            fn $shift(a: &[$ty], n: &[u8], out: &mut [$ty]) {
                let i = thread::global_x();
                let x = a[i];
                let k = n[i];
                out[i * 4] = x << k;
                out[i * 4 + 1] = x >> k;
                out[i * 4 + 2] = x.wrapping_add(1) >> k as i64;
                out[i * 4 + 3] = x.wrapping_mul(3) << k as i32;
            } host {
                let i = thread::global_x();
                let x = a[i];
                let k = n[i] as u32;
                out[i * 4] = x.wrapping_shl(k);
                out[i * 4 + 1] = x.wrapping_shr(k);
                out[i * 4 + 2] = x.wrapping_add(1).wrapping_shr(k);
                out[i * 4 + 3] = x.wrapping_mul(3).wrapping_shl(k);
            }
            fn $sh2(a: &mut [$ty], n: &[$ty]) {
                let i = thread::global_x();
                a[i] <<= n[i];
                a[i] >>= n[i] >> 1;
            } host {
                let i = thread::global_x();
                a[i] = a[i].wrapping_shl(n[i] as u32);
                a[i] = a[i].wrapping_shr((n[i] >> 1) as u32);
            }
            fn $cmp(a: &[$ty], b: &[$ty], out: &mut [bool]) {
                let i = thread::global_x();
                let x = a[i];
                let y = b[i];
                let s = x.wrapping_add(y);
                let d = x.wrapping_mul(y);
                let o = i * 12;
                out[o] = x == y;
                out[o + 1] = x != y;
                out[o + 2] = x < y;
                out[o + 3] = x <= y;
                out[o + 4] = x > y;
                out[o + 5] = x >= y;
                out[o + 6] = s == d;
                out[o + 7] = s != x;
                out[o + 8] = s < d;
                out[o + 9] = d <= s && s > x;
                out[o + 10] = !(s >= d) || x == 3;
                if d != s {
                    out[o + 11] = s > 5;
                }
            }
        }

        #[test]
        fn $test() {
            let values: Vec<$ty> = [0, 1, 2, 3, 7, 100, 127, <$ty>::MAX, <$ty>::MIN, <$ty>::MAX - 1, <$ty>::MIN + 1, <$ty>::MAX / 2, (<$ty>::MIN / 2), 85].into();
            let mut a = Vec::new();
            let mut b = Vec::new();
            for &x in &values { for &y in &values { a.push(x); b.push(y); } }
            let n = a.len();
            $ops::check(1, n as u32, &a, &b, &mut vec![0; 16 * n]);
            $wrap::check(1, n as u32, &a, &b, &mut vec![0; n]);
            $cmp::check(1, n as u32, &a, &b, &mut vec![false; 12 * n]);
            let k: Vec<u8> = (0..n).map(|i| (i * 7 % 256) as u8).collect();
            $shift::check(1, n as u32, &a, &k, &mut vec![0; 4 * n]);
            $sh2::check(1, n as u32, &mut a.clone(), &b);
            #[allow(unused_comparisons)]
            let fine: Vec<($ty, $ty)> = a.iter().copied().zip(b.iter().copied()).filter(|&(x, y)| x.checked_div(y).is_some()).collect();
            let (p, q): (Vec<_>, Vec<_>) = fine.into_iter().unzip();
            $div::check(1, p.len() as u32, &p, &q, &mut vec![0; 2 * p.len()]);
            $div::check(1, 1, &[5], &[0], &mut [0; 2]);
            $div::check(1, 1, &[<$ty>::MIN], &[0 as $ty].map(|z| z.wrapping_sub(1)), &mut [0; 2]);
        }
    )* };
}

integer_tests! {
    i8_computes_as_on_the_host i8 ops_i8 wrap_i8 div_i8 shift_i8 cmp_i8 sh2_i8;
    i16_computes_as_on_the_host i16 ops_i16 wrap_i16 div_i16 shift_i16 cmp_i16 sh2_i16;
    i32_computes_as_on_the_host i32 ops_i32 wrap_i32 div_i32 shift_i32 cmp_i32 sh2_i32;
    i64_computes_as_on_the_host i64 ops_i64 wrap_i64 div_i64 shift_i64 cmp_i64 sh2_i64;
    isize_computes_as_on_the_host isize ops_isize wrap_isize div_isize shift_isize cmp_isize sh2_isize;
    u8_computes_as_on_the_host u8 ops_u8 wrap_u8 div_u8 shift_u8 cmp_u8 sh2_u8;
    u16_computes_as_on_the_host u16 ops_u16 wrap_u16 div_u16 shift_u16 cmp_u16 sh2_u16;
    u32_computes_as_on_the_host u32 ops_u32 wrap_u32 div_u32 shift_u32 cmp_u32 sh2_u32;
    u64_computes_as_on_the_host u64 ops_u64 wrap_u64 div_u64 shift_u64 cmp_u64 sh2_u64;
    usize_computes_as_on_the_host usize ops_usize wrap_usize div_usize shift_usize cmp_usize sh2_usize;
}

macro_rules! signed_tests {
    ($($test:ident $ty:ident $k:ident;)*) => { $(
        twin! {
            fn $k(a: &[$ty], out: &mut [$ty]) {
                let i = thread::x();
                let x = a[i];
                out[i * 4] = x.wrapping_add(1).abs();
                out[i * 4 + 1] = 0 - x;
                out[i * 4 + 2] = -(x.wrapping_mul(3));
                out[i * 4 + 3] = if x == $ty::MIN { 7 } else { x.abs() };
            } host {
                let i = thread::x();
                let x = a[i];
                out[i * 4] = x.wrapping_add(1).wrapping_abs();
                out[i * 4 + 1] = x.wrapping_neg();
                out[i * 4 + 2] = x.wrapping_mul(3).wrapping_neg();
                out[i * 4 + 3] = if x == $ty::MIN { 7 } else { x.abs() };
            }
        }
        #[test]
        fn $test() {
            let a: Vec<$ty> = [0, 1, -1, 5, -5, $ty::MAX, $ty::MIN, $ty::MIN + 1].into();
            $k::check(1, 8, &a, &mut [0; 32]);
        }
    )* };
}
signed_tests! { i8_signs_wrap i8 abs_i8; i16_signs_wrap i16 abs_i16; i32_signs_wrap i32 abs_i32; i64_signs_wrap i64 abs_i64; }

macro_rules! cast_tests {
    ($($test:ident $ty:ident $k:ident;)*) => { $(
        twin! {
            fn $k(a: &[$ty], o8: &mut [i8], p8: &mut [u8], o16: &mut [i16], p16: &mut [u16], o32: &mut [i32], p32: &mut [u32], o64: &mut [i64], p64: &mut [u64], f: &mut [f32], d: &mut [f64]) {
                let i = thread::x();
                let x = a[i];
                let y = x.wrapping_add(x).wrapping_sub(3);
                o8[i * 2] = x as i8; o8[i * 2 + 1] = y as i8;
                p8[i * 2] = x as u8; p8[i * 2 + 1] = y as u8;
                o16[i * 2] = x as i16; o16[i * 2 + 1] = y as i16;
                p16[i * 2] = x as u16; p16[i * 2 + 1] = y as u16;
                o32[i * 2] = x as i32; o32[i * 2 + 1] = y as i32;
                p32[i * 2] = x as u32; p32[i * 2 + 1] = y as u32;
                o64[i * 2] = x as i64; o64[i * 2 + 1] = y as i64;
                p64[i * 2] = x as u64; p64[i * 2 + 1] = y as u64;
                f[i * 4] = x as f32; f[i * 4 + 1] = y as f32;
                f[i * 4 + 2] = x as i8 as f32; f[i * 4 + 3] = y as u16 as f32;
                d[i * 4] = x as f64; d[i * 4 + 1] = y as f64;
                d[i * 4 + 2] = x as i16 as f64; d[i * 4 + 3] = y as u8 as f64;
            }
        }
        #[test]
        fn $test() {
            let a: Vec<$ty> = [0, 1, 2, 3, 99, 127, $ty::MAX, $ty::MIN, $ty::MAX / 2, $ty::MAX / 3 * 2, $ty::MIN / 3].into();
            let n = a.len();
            $k::check(1, n as u32, &a, &mut vec![0; 2 * n], &mut vec![0; 2 * n], &mut vec![0; 2 * n], &mut vec![0; 2 * n], &mut vec![0; 2 * n], &mut vec![0; 2 * n], &mut vec![0; 2 * n], &mut vec![0; 2 * n], &mut vec![0.0; 4 * n], &mut vec![0.0; 4 * n]);
        }
    )* };
}
cast_tests! { i8_casts_as_on_the_host i8 k_i8; u8_casts_as_on_the_host u8 k_u8; i16_casts_as_on_the_host i16 k_i16; u16_casts_as_on_the_host u16 k_u16; i32_casts_as_on_the_host i32 k_i32; u32_casts_as_on_the_host u32 k_u32; i64_casts_as_on_the_host i64 k_i64; u64_casts_as_on_the_host u64 k_u64; usize_casts_as_on_the_host usize k_usize; }

twin! {
    fn bools(p: &[bool], q: &[bool], out: &mut [bool], n: &mut [u8]) {
        let i = thread::x();
        let a = p[i];
        let b = q[i];
        let o = i * 13;
        out[o] = a & b; out[o + 1] = a | b; out[o + 2] = a ^ b; out[o + 3] = !a;
        out[o + 4] = a == b; out[o + 5] = a != b; out[o + 6] = a < b; out[o + 7] = a <= b;
        out[o + 8] = a > b; out[o + 9] = a >= b; out[o + 10] = a && !b; out[o + 11] = if a { b } else { !b };
        let mut c = a; c ^= b; c |= a; c &= !b;
        out[o + 12] = c;
        n[i] = a as u8 + b as u8 * 2 + (c as i32) as u8 + (a & true) as u8;
    }
}
#[test]
fn bools_compute_as_on_the_host() {
    bools::check(
        1,
        4,
        &[false, false, true, true],
        &[false, true, false, true],
        &mut [false; 52],
        &mut [0; 4],
    );
}
