//! Arrays, references, slices, parameters, the order of evaluation.
use crate::harness::twin;

twin! {
    fn arrays(x: &[f32], out: &mut [f32]) {
        let i = thread::x();
        let mut a = [0.0f32; 4];
        for k in 0..4 { a[k] = x[i * 4 + k]; }
        let b = a;
        a = [a[3], a[2], a[1], a[0]];
        let mut grid = [[1.0f32; 4]; 3];
        grid[1] = b;
        grid[2][i % 4] = a[i % 4];
        let big = [0.5f32; 100];
        let mut copy = big;
        copy[i] = 2.0;
        let chosen = if i > 3 { a } else { b };
        for row in 0..3 {
            out[i] += grid[row][i % 4] * chosen[row] + copy[row + 2];
        }
        out[i] += a.len() as f32 + grid.len() as f32 + grid[0].len() as f32;
    }
    fn nested(out: &mut [i16], n: usize) {
        let i = thread::x();
        let mut a = [[[0i16; 3]; 2]; 5];
        for p in 0..5 { for q in 0..2 { for r in 0..3 { a[p][q][r] = (p * 100 + q * 10 + r) as i16; } } }
        let b = a[n];
        a[0] = a[1];
        a[1] = [[7, 8, 9], [1, 2, 3]];
        let mut c = [a[0][1], b[0], [5; 3]];
        c[2] = c[1];
        c[1][i % 3] += 1;
        let d = { let mut t = c; t[0] = [0; 3]; t };
        let e = loop { if n > 2 { break d; } break c; };
        for k in 0..3 { out[i * 12 + k] = e[0][k]; out[i * 12 + 3 + k] = e[1][k]; out[i * 12 + 6 + k] = e[2][k]; out[i * 12 + 9 + k] = a[1][1][k]; }
    }
    fn bool_array(out: &mut [bool]) {
        let mut a = [false; 40];
        let i = thread::x();
        a[i] = true;
        let b = [a[0], a[1], true];
        for k in 0..40 { out[i * 43 + k] = a[k]; }
        for k in 0..3 { out[i * 43 + 40 + k] = b[k]; }
    }
    fn refs(x: &mut [f32], y: &[f32]) {
        let i = thread::x();
        let mut a = [1.0f32; 8];
        let r = &mut a;
        r[2] = 5.0;
        let s = &mut x[i * 2];
        *s += r[2];
        *s *= y[0];
        let z = y;
        x[i * 2 + 1] = z[i] + a[2];
    }
    fn order(x: &mut [i32]) {
        let mut i = 0;
        x[{ i += 1; i }] += { i += 2; i as i32 };
        let k = { i += 1; x[i] } * 10 + { i += 1; x[i] };
        x[0] = k;
        x[i] = { i = 0; 5 };
    }
    fn param_types(a: i8, b: u8, c: bool, d: i16, e: u16, f: f32, g: u8, h: f64, i: bool, j: usize, out: &mut [f64]) {
        out[0] = a as f64; out[1] = b as f64; out[2] = c as u8 as f64; out[3] = d as f64; out[4] = e as f64;
        out[5] = f as f64; out[6] = g as f64; out[7] = h; out[8] = i as u8 as f64; out[9] = j as f64;
    }
    fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
        let i = thread::global_x();
        if i < y.len() { y[i] += a * x[i]; }
    }
    fn unchecked(x: &[f64], y: &mut [f64]) {
        let i = thread::global_x();
        // SAFETY: `y` is at least as long as `x`.
        if i < x.len() { unsafe { *y.get_unchecked_mut(i) = *x.get_unchecked(i) * 2.0; } }
    }
    fn bits(x: &[f32], y: &[u64], out: &mut [u32], out2: &mut [f64]) {
        let i = thread::x();
        out[i] = x[i].to_bits() ^ 1;
        out2[i] = f64::from_bits(y[i]);
    }
}

#[test]
fn memory_holds_what_it_holds_on_the_host() {
    let x: Vec<f32> = (0..64).map(|i| i as f32 * 0.25).collect();
    arrays::check(1, 8, &x, &mut [0.0; 8]);
    for n in 0..5 {
        nested::check(1, 3, &mut [0; 36], n);
    }
    bool_array::check(1, 40, &mut [false; 43 * 40]);
    refs::check(1, 4, &mut [3.0; 8], &[2.0, 3.0, 4.0, 5.0]);
    order::check(1, 1, &mut [1, 2, 3, 4, 5, 6, 7]);
    param_types::check(
        1,
        1,
        -5,
        200,
        true,
        -300,
        60000,
        1.5,
        7,
        2.5,
        false,
        1 << 40,
        &mut [0.0; 10],
    );
    saxpy::check(3, 32, 2.5, &x, &mut [1.0; 64]);
    saxpy::check(3, 32, 2.5, &x, &mut []);
    unchecked::check(3, 32, &[1.5; 50], &mut [0.0; 64]);
    bits::check(
        1,
        3,
        &[1.0, -2.5, 1e-40],
        &[1, u64::MAX, 0x4000000000000000],
        &mut [0; 3],
        &mut [0.0; 3],
    );
}
