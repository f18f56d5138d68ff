fn references(x: &mut [f32], y: &[f32]) {
    let i = thread::x();
    let mut a = [1.0f32; 8];
    let r = &mut a;
    r[2] = 5.0;
    let s = &mut x[i];
    *s += r[2];
    *s *= y[0];
    let z = y;
    x[i + 1] = z[i] + a[2];
}
