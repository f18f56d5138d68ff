fn float_ops(x: &[f32], y: &[f64], out: &mut [f32], out2: &mut [f64]) {
    let i = thread::global_x();
    let a = x[i];
    let b = y[i];
    out[i] = -a + a * 2.5 - a / 3.0 + a.sqrt() + a.abs();
    out2[i] = -b + b * 2.5 - b / 3.0 + b.sqrt() + b.abs();
    out[i] += a.min(1.0).max(-1.0);
    out2[i] += b.min(1.0).max(-1.0);
    out[i] = a.mul_add(out[i], 1.5);
    out2[i] = b.mul_add(out2[i], 1.5);
}
