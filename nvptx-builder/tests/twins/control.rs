//! Control flow: loops, labels, short circuits, panics.
use crate::harness::twin;

twin! {
    fn collatz(out: &mut [u32]) {
        let i = thread::global_x();
        let mut n = i as u32 + 1;
        let mut steps = 0;
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 };
            steps += 1;
        }
        out[i] = steps;
    }
    fn labels(x: &[i32], out: &mut [i32]) {
        let mut sum = 0;
        let t = thread::x() as i32;
        'rows: for r in 0..x.len() {
            let mut c = 0;
            loop {
                c += 1;
                if c > 10 {
                    continue 'rows;
                }
                if x[r] == c + t {
                    break 'rows;
                }
                if x[r] < 0 {
                    break;
                }
                sum += c;
            }
            sum -= 1;
        }
        let found = loop {
            sum += 1;
            if sum % 13 == 0 {
                break sum;
            }
        };
        let picked = 'pick: {
            if found > 30 {
                break 'pick 1;
            }
            if found < -3 {
                break 'pick 2;
            }
            3
        };
        out[thread::x()] = picked + found;
    }
    fn ranges(out: &mut [u64], a: &[i8], b: &[i8]) {
        let t = thread::x();
        let x = a[t];
        let y = b[t];
        let mut total = 0u64;
        for k in x..y { total = total.wrapping_mul(31).wrapping_add(k as u64); }
        for k in x..=y { total = total.wrapping_mul(31).wrapping_add(k as u64); }
        for k in x as u8..=y as u8 { total = total.wrapping_mul(31).wrapping_add(k as u64); }
        for k in (x as u8)..(y as u8) { total = total.wrapping_mul(31).wrapping_add(k as u64); }
        for k in 250..=255u8 { total = total.wrapping_mul(31).wrapping_add(k as u64); }
        for k in -3..=3i16 { total = total.wrapping_mul(31).wrapping_add(k as u64); if k == 2 { continue; } total ^= 1; }
        for _ in 5..5usize { total = 0; }
        for _ in 6..=5usize { total = 0; }
        for k in 120..=i8::MAX { total = total.wrapping_mul(31).wrapping_add(k as u64); }
        for i in 0..4u32 { for j in i..4 { if j == 2 { break; } total = total.wrapping_mul(31).wrapping_add((i * j) as u64); } }
        out[t] = total;
    }
    fn swaps(out: &mut [u32], n: u32) {
        let mut a = thread::x() as u32;
        let mut b = 1u32;
        let mut c = 77u32;
        let mut k = 0;
        while k < n {
            let t = a;
            a = b;
            b = c;
            c = t;
            if k % 3 == 1 { let s = a; a = b; b = s; }
            k += 1;
        }
        out[thread::x() * 3] = a;
        out[thread::x() * 3 + 1] = b;
        out[thread::x() * 3 + 2] = c;
    }
    fn lost_copy(out: &mut [u32], n: u32) {
        let mut i = 0u32;
        let mut last;
        loop {
            last = i;
            i += 1;
            if i > n { break; }
        }
        out[0] = last;
        out[1] = i;
    }
    fn short(x: &[i32], out: &mut [i32], n: &[usize]) {
        let t = thread::x();
        let i = n[t];
        let o = t * 5;
        if i < x.len() && x[i] > 0 { out[o] = 1; }
        if i >= x.len() || x[i] == 7 || x[i] == 9 { out[o + 1] = 1; }
        let both = i < x.len() && x[i] < 0;
        let cheap = i > 3 && i < 9;
        if both || !cheap { out[o + 2] = 1; }
        if !(i < x.len() && !(x[i] > 5)) { out[o + 3] = 1; }
        let mut hits = 0;
        let _ = i > 1 && { hits += 1; i > 2 } && { hits += 1; true };
        let either = i > 2 || { hits += 10; i == 1 };
        out[o + 4] = hits + either as i32;
    }
    fn early(x: &mut [i32]) {
        let i = thread::x();
        if i >= x.len() { return; }
        let v = x[i];
        if v < 0 { x[i] = -v; return; }
        loop {
            x[i] += 7;
            if x[i] > 100 { return; }
        }
    }
    fn nested_if(x: &[f32], out: &mut [f32]) {
        let i = thread::x();
        let v = if x[i] > 0.0 { if x[i] > 1.0 { 2.0 } else { let k = x[i]; k * k } } else { -1.0 };
        let mut w = v;
        if v > 1.5 { w = w + 1.0; } else if v > 0.0 { w = w * 0.5; }
        out[i] = v + w;
    }
    fn late_init(x: &[i32], out: &mut [i32]) {
        let i = thread::x();
        let y;
        if x[i] > 0 { y = 1; } else { y = x[i]; }
        let z: i32;
        loop { if x[i] < 5 { z = y; break; } z = 9; break; }
        out[i] = y * 10 + z;
    }
    fn oob(x: &mut [u8], n: usize) { x[0] = 1; x[n] = 2; x[1] = 3; }
    fn oob_array(x: &mut [u8], n: usize) { let a = [1u8, 2, 3]; x[0] = a[n]; }
    fn while_not(x: &[f32], out: &mut [u32]) {
        let i = thread::x();
        let mut v = x[i];
        let mut k = 0;
        while !(v > 100.0) && k < 50 { v = v * 1.5 + 1.0; k += 1; }
        out[i] = k;
    }
}

#[test]
fn control_flow_goes_where_it_goes_on_the_host() {
    collatz::check(4, 32, &mut [0; 128]);
    labels::check(1, 8, &[3, 12, 14, -1, 5, 99], &mut [0; 8]);
    labels::check(1, 8, &[-3, -12, 60, -1, 5, 2], &mut [0; 8]);
    ranges::check(1, 7, &mut [0; 7], &[0, -128, 5, 127, 100, -3, 0], &[10, 127, 5, 127, 90, 3, -1]);
    for n in 0..9 {
        swaps::check(1, 3, &mut [0; 9], n);
        lost_copy::check(1, 1, &mut [0; 2], n);
    }
    short::check(
        1,
        12,
        &[1, -2, 7, 9, 3, 100, -5, 0],
        &mut [0; 60],
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000],
    );
    early::check(1, 8, &mut [1, -2, 3, -4, 5]);
    nested_if::check(1, 5, &[0.5, 2.0, -1.0, 0.0, f32::NAN], &mut [0.0; 5]);
    late_init::check(1, 4, &[1, -1, 7, 4], &mut [0; 4]);
    while_not::check(1, 4, &[1.0, -1.0, f32::NAN, 1000.0], &mut [0; 4]);
}

#[test]
fn panics_come_with_the_same_values_and_earlier_stores_stay() {
    oob::check(1, 1, &mut [0; 5], 2);
    oob::check(1, 1, &mut [0; 5], 5);
    oob::check(1, 1, &mut [0; 5], usize::MAX);
    oob_array::check(1, 1, &mut [0; 5], 2);
    oob_array::check(1, 1, &mut [0; 5], 3);
}
