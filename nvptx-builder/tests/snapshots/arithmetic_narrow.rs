fn arithmetic_narrow(a: &[i8], b: &[u8], c: &[i16], d: &[u16], out: &mut [i32]) {
    let i = thread::x();
    let w = a[i].wrapping_mul(a[i]).wrapping_add(a[i]);
    let x = b[i] * b[i] + b[i] - 1;
    let y = c[i] * c[i] - (c[i] >> 3);
    let z = (d[i] * d[i]) >> 3;
    let mut total = 0i32;
    if w < 5 {
        total += 1;
    }
    if x < 5 {
        total += 2;
    }
    if y == -1 {
        total += 4;
    }
    if z > a[i].abs() as u16 {
        total += 8;
    }
    total += (w as i32) + (x as i32) + (y as i32) + (z as i32);
    total += (-w) as i32 + (!x) as i32;
    out[i] = total;
}
