fn division_by_constant(c: &mut [i32], d: &mut [u32], x: &mut [f32]) {
    let i = thread::x();
    c[i] = c[i] / 7 + c[i] % 7;
    c[i] /= -1;
    d[i] = d[i] / 16 + d[i] % 10;
    d[i] /= 3;
    x[i] = x[i] / 2.0;
}
