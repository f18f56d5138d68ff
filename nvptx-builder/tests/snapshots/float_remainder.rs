fn float_remainder(x: &mut [f32], y: &mut [f64]) {
    let i = thread::global_x();
    x[i] = x[i] % 0.75;
    y[i] %= y[i + 1];
}
