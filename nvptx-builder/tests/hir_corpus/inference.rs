// Programs whose types are easy to get wrong. A test compares every binding with rustc's MIR.

fn literals_default(out: &mut [f64]) {
    let a = 1;
    let b = 1.0;
    let c = 0xff_u8;
    let d = 1_000;
    let e = b'a';
    let f = 1f32;
    let g = 1e3;
    let h = 0b1010_1010;
    let i = 0o17i64;
    let j = -5;
    let k = -2.5;
    let l = true;
    let m = 2.;
    let n = ();
}

fn literals_take_the_other_side(x: f32, n: u64, k: i8) {
    let a = 1.0 + x;
    let b = x * 2.0;
    let c = 1 + n;
    let d = n % 3;
    let e = 1;
    let f = e + k;
    let g = 2 * e;
    let h = -e;
    let i = !e;
    let j = 3 < n;
    let l = 10 - n * 2 - 1;
    let m = -1.5 - x;
}

fn constraint_comes_later(x: &[f32], out: &mut [i64]) {
    let mut i = 0;
    let mut s = 0.0;
    let mut t = 0;
    let step = 2;
    while i < x.len() {
        s += x[i];
        i += step;
        t += 1;
    }
    let mut total = 0;
    out[0] = total;
    let base = 7;
    let index = base + 1;
    s = s * x[index];
}

fn shifts_are_independent(n: u64, k: u8) {
    let a = 1 << n;
    let b = n << 3;
    let c = n >> k;
    let d = 1u8 << n;
    let e = 1;
    let f: u16 = e << k;
    let g = 4;
    let h = k >> g;
    let mut i = 1u32;
    i <<= n;
    i >>= 2;
    let j = -1i16 >> 3u64;
}

fn casts(n: i32, x: f32, b: bool) {
    let a = 5 as f32;
    let c = 300 as u16;
    let d = (200 + 100) as u8;
    let e = n as usize;
    let f = 3.9 as i32;
    let g = x as u8 as f64;
    let h = b as i32;
    let i = b'a' as u32;
    let j = 1 as usize + 2;
    let k = { 7 } as u64;
    let l = (if b { 1 } else { 2 }) as u8;
    let m = -1 as i64;
    let o = -1i32 as u32;
    let p: f32 = n as _;
    let q = 1.5 as f32 * 2.0;
    let r = !0 as u8;
    let s = n as i32;
    let t = 4;
    let u = t as u8;
}

fn blocks_are_values(c: bool, x: f32) {
    let a = {
        let y = x;
        y * 2.0
    };
    let b = if c { 1 } else { 2u8 };
    let d = if c { 1.0 } else { x };
    let e: i64 = if c { 1 } else { 2 };
    let f = if c { 1 } else if x > 0.0 { 2 } else { 3i16 };
    let g = loop {
        if c {
            break 5;
        }
        break 6u64;
    };
    let h = 'out: {
        if c {
            break 'out 1;
        }
        2i8
    };
    let i = { { 3 } };
    let j = unsafe { 4u32 };
    let k = loop {
        break;
    };
    let l = if c { } else { };
    let m = { x; };
}

fn divergence(c: bool, n: i32) {
    let a = if c { 1u8 } else { return };
    let b = if n > 3 {
        return;
    } else {
        2.5
    };
    let d: i64 = loop {
        if c {
            break 3;
        }
        if n == 0 {
            return;
        }
    };
    let mut k = 0;
    let e = loop {
        k += 1;
        if k > n {
            break k as f32;
        }
        let f = if k == 2 { continue } else { k };
    };
    let g = 'a: loop {
        loop {
            if c {
                break 'a 1u16;
            }
            if n == 4 {
                continue 'a;
            }
        }
    };
    if n > 9 {
        let h: u32 = return;
    }
}

fn ranges(x: &[f32], n: u32, out: &mut [f32]) {
    for i in 0..10 {
        let a = i;
    }
    for i in 0..x.len() {
        out[i] = x[i];
    }
    for i in 0..n {
        let b = i * 2;
    }
    for i in 0..4 {
        out[i] = 0.0;
    }
    for i in 1..=n as i64 {
        let c = i;
    }
    for i in (2..n) {
        let d = i + 1;
    }
    let end = 5;
    for i in 3..end {
        let e: u8 = i;
    }
    for mut i in 0..3u16 {
        i += 1;
    }
    for _ in 0..2 {}
    'outer: for i in -3..3 {
        for j in i..3 {
            if j == 2 {
                continue 'outer;
            }
        }
    }
}

fn deferred(c: bool, x: f32) {
    let a;
    let b;
    if c {
        a = 1;
        b = x;
    } else {
        a = 2u8;
        b = 0.0;
    }
    let d: f64;
    d = 1.0;
    let mut e;
    e = 5;
    e += 1i64;
    let f;
    loop {
        f = 3u16;
        break;
    }
    let g;
    'found: {
        if c {
            g = 1;
            break 'found;
        }
        g = 2;
    }
    let h: usize = g;
}

fn shadowing(x: f32) {
    let x = x * 2.0;
    let x = x as i32;
    let x = x > 3;
    let y = 1u8;
    {
        let y = y as u64;
        let z = y;
    }
    let z = y;
    for y in 0..y {
        let z = y;
    }
}

fn arrays(c: bool, n: usize, k: u8) {
    const N: usize = 4;
    let mut a = [0.0f32; 16];
    let b = [1, 2, 3u8];
    let d = [[0; 3]; 2];
    let e: [i64; N] = [1, 2, 3, 4];
    let f = [k; N * 2 + 1];
    let g = a[n] + 1.0;
    let h = d[0][n];
    let i: [[u16; N]; 2] = [[0; N]; 2];
    let j = [i[0][1], 2];
    let mut l = [0; 8];
    l[n] = 3u64;
    let m = l;
    let o = a.len();
    let p = if c { [1.0, 2.0] } else { [0.0; 2] };
    let q = [1.5f32, 2.5][n];
    let r = [[1, 2], [3, 4i8]][n][0];
    let s: [f32; 2] = { [1.0; 2] };
    let t = [-1, 2];
    let u = [true; 3];
    let v = a.is_empty();
}

fn constants(out: &mut [f32]) {
    const N: usize = 2 * M + 1;
    const M: usize = 8 >> 1;
    const S: f32 = 1.5 * 2.0;
    const B: bool = N > 3 && M != 2;
    const I: i32 = -(N as i32);
    const MASK: u32 = !0;
    const W: [f32; 3] = [0.25, 0.5, 0.25];
    const T: [[i8; 2]; 2] = [[1, 2], [3, -4]];
    const PICK: u64 = if B { 1 } else { 2 };
    let a = N;
    let b = S;
    let c = B;
    let d = I;
    let e = MASK;
    let f = W[1];
    let g = T[0];
    let h = T;
    let i = [0u8; N];
    let j = PICK;
    let k = f32::MAX;
    let l = u32::BITS;
    let m = core::f32::consts::PI;
    let n = std::f64::consts::TAU;
    let o = f64::EPSILON;
    let p = i8::MIN;
    let q = <u16>::MAX;
    let r = usize::MAX;
    let s = f32::NEG_INFINITY;
    let t = f32::NAN;
    let u = f32::MANTISSA_DIGITS;
    let w = W.len();
    for k in 0..W.len() {
        out[k] = W[k];
    }
}

fn constant_shadowing(out: &mut [f32]) {
    const N: usize = 4;
    let a = [0u16; N];
    {
        let b = [0u16; N as usize];
        const N: u8 = 3;
    }
    let c = [N; 2];
}

fn methods(x: f32, d: f64, n: i32, u: u8, b: bool) {
    let a = x.sqrt();
    let c = 2.0f64.sqrt();
    let e = x.max(0.0);
    let f = x.mul_add(2.0, 1.0);
    let g = n.abs();
    let h = n.min(3);
    let i = u.wrapping_add(250);
    let j = 5.max(u);
    let k = 1.max(2);
    let l = 3;
    let m = l.min(7i64);
    let o = f32::sqrt(4.0);
    let p = f64::max(1.0, d);
    let q = u32::min(3, 4);
    let r = i32::abs(-3);
    let s = x.clamp(0.0, 1.0);
    let t = n.clamp(-1, 1);
    let v = x.is_nan();
    let w = x.to_bits();
    let y = f64::from_bits(7);
    let z = d.is_finite();
    let aa = core::cmp::max(1, u);
    let ab = std::cmp::min(n, 3);
    let ac = b.max(true);
    let ad = <f32>::abs(-1.0);
    let ae = (x * 2.0).abs();
    let af = -x.abs();
    let ag = usize::max(1, 2).min(3);
    let ah = i16::wrapping_mul(3, 4);
    let ai = u.max(1) as f32;
    let aj = x.is_infinite();
    let ak = f32::mul_add(1.0, 2.0, x);
}

fn references(x: &[f32], y: &mut [i32], n: usize) {
    let mut a = [1.0f32; 8];
    let mut grid = [[0u8; 4]; 4];
    {
        let r = &mut a;
        r[n] = 2.0;
        (*r)[0] = 3.0;
        let s = &mut r[1];
        *s += 1.0;
        *s = *s * 2.0;
    }
    let b = &a;
    let c = b[n];
    let d = &x[n];
    let e = *d + 1.0;
    let f = d + d;
    let g = 2.0 * d;
    let h = -d;
    let i = d.sqrt();
    let j = &mut y[n];
    *j = 5;
    *j += 1;
    let k: &mut [u8; 4] = &mut grid[1];
    k[0] = 9;
    let l = &k[0];
    let m = *l as u32;
    let ac = !l;
    let o: &[f32; 8] = &a;
    let p = o.len();
    let q = d < &x[0] || false;
    let r = x;
    let s = r[0];
    let t = &*r;
    let u = (*x).len();
    let v = &grid;
    let w = &v[2];
    let z = w[3];
    let aa = &*w;
    let ab: &[u8; 4] = aa;

    let mut ad = 0.0;
    ad += d;
}

fn coerced_reborrow(n: usize) {
    let mut a = [0; 4];
    let r: &[i32; 4] = &mut a;
    let s = r[n];
    let t: &f32 = block::shared();
    let u: &[f32; 2] = block::shared::<[f32; 2]>();
    let c = if n > 1 { &a } else { &a };
}

fn shared_memory(n: usize) {
    let tile = block::shared::<[[f32; 33]; 32]>();
    let sum: &mut [u32; 64] = block::shared();
    let one = block::shared::<i64>();
    tile[n][0] = 1.0;
    let a = tile[1][n];
    sum[n] += 1;
    *one = 3;
    let b = *one;
    let row = &mut tile[3];
    row[0] = a;
    block::sync();
    let c = gridlaunch::device::thread::x() + gridlaunch::prelude::grid::dim_x();
    let d = block::dim_z() * block::y() + thread::lane();
    let e = tile.len();
    let f = tile[0].len();
}

fn unchecked(x: &[f32], y: &mut [f32], i: usize) {
    let mut a = [0u16; 4];
    let b = unsafe { *x.get_unchecked(i) };
    let c = unsafe { *x.get_unchecked(0) + 1.0 };
    unsafe {
        *y.get_unchecked_mut(i) = b;
        *y.get_unchecked_mut(i + 1) += 2.0;
        *a.get_unchecked_mut(2) = 7;
        let d = a.get_unchecked(1);
        let e = *d;
        let k = 1;
        let f = *x.get_unchecked(k);
    }
}

fn logic(a: bool, n: i32, x: f32) {
    let b = a && n > 3 || !a;
    let c = a & b | a ^ true;
    let d = (n > 1) == a;
    let e = a as u8 + 1;
    let f = x >= 1.0 && x != 2.0;
    let mut g = false;
    g |= a;
    g &= n == 0;
    let h = !(n & 1 == 0);
    let i = a < b;
    if a && { let z = n; z > 2 } {}
}

fn statements(n: i32, out: &mut [f32]) {
    let _ = n + 1;
    _ = n * 2;
    let (a) = n;
    let b = (n);
    ;
    n;
    { out[0] = 1.0 }
    if n > 0 { out[1] = 2.0 } else { out[2] = 3.0 }
    let c = { out[0] = 4.0 };
    while n > 100 {}
    'l: while n > 3 {
        break 'l;
    }
    let mut d = n;
    while { d -= 1; d > 0 } {
        if d == 3 { continue; }
        out[d as usize] = 0.0;
    }
    loop { break }
    return
}

fn early_use_in_index(x: &[u32], out: &mut [u32]) {
    let i = thread::x();
    let w = 3;
    let j = i * w + 1;
    out[j] = x[x[i] as usize];
    let k = 2;
    out[k] = 0;
    let l = x[0] as usize % out.len();
    out[l] ^= x[l] << 1 | x[l] >> 31;
    let mut m = 0;
    out[{ m += 1; m }] = 1;
}

fn wide_types(a: isize, b: i16, c: usize, d: u16) {
    let e = a + 1;
    let f = b / 2;
    let g = c as isize - a;
    let h = d % 10;
    let i = i64::MAX - 1;
    let j = 18_446_744_073_709_551_615u64;
    let k = -9_223_372_036_854_775_808i64;
    let l = -128i8;
    let m: i8 = -128;
    let n = 340282350000000000000000000000000000000.0f32;
    let o: f32 = 16777217.0;
    let p = 0.1f32 as f64;
}

fn nested_control(n: usize, x: &[f32], out: &mut [f32]) {
    let mut best = f32::NEG_INFINITY;
    let mut at = 0;
    for i in 0..x.len() {
        if x[i] > best {
            best = x[i];
            at = i;
        }
    }
    let mut lo = 0;
    let mut hi = x.len();
    while lo < hi {
        let mid = (lo + hi) / 2;
        if x[mid] < best { lo = mid + 1 } else { hi = mid }
    }
    let mut s = n / 2;
    while s > 0 {
        s >>= 1;
    }
    out[lo] = at as f32;
    let z = { let a = 3; let b = a + 1; b * 2 };
    let w: u8 = z;
}

fn no_parameters() {}

fn unit_return(a: f32) -> () {}

fn mut_parameter(mut a: f32, mut n: u32) {
    a += 1.0;
    n -= 1;
    let b = a;
}
