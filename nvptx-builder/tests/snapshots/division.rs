fn division(a: &mut [i8], b: &mut [u8], c: &mut [i32], d: &mut [u32], e: &mut [i64], f: &mut [u64]) {
    let i = thread::x();
    a[i] = a[i] / a[i + 1] + a[i] % a[i + 1];
    b[i] = b[i] / b[i + 1] + b[i] % b[i + 1];
    c[i] = c[i] / c[i + 1] + c[i] % c[i + 1];
    d[i] = d[i] / d[i + 1] + d[i] % d[i + 1];
    e[i] = e[i] / e[i + 1] + e[i] % e[i + 1];
    f[i] = f[i] / f[i + 1] + f[i] % f[i + 1];
}
