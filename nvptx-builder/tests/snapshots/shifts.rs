fn shifts(a: &mut [i8], b: &mut [u16], c: &mut [i32], d: &mut [u64], n: u8, m: i64) {
    let i = thread::x();
    a[i] = (a[i] << n) >> 3;
    a[i + 1] = a[i] >> n;
    b[i] = (b[i] >> m) << 20u32;
    c[i] = (c[i] << m) >> n;
    d[i] = (d[i] >> n) << m;
    d[i] <<= 3;
    c[i] >>= n;
}
