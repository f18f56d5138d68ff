fn int_min_max(a: &mut [i8], b: &mut [u16], c: &mut [i32], d: &mut [u64]) {
    let i = thread::x();
    a[i] = a[i].min(a[i + 1]).max(-3).abs();
    b[i] = b[i].min(b[i + 1]).max(3);
    c[i] = c[i].min(c[i + 1]).max(-3).abs();
    d[i] = d[i].min(d[i + 1]).max(3);
}
