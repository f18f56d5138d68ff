fn float_compare(x: &[f32], y: &[f64], out: &mut [bool]) {
    let i = thread::x() * 12;
    let a = x[0];
    let b = x[1];
    out[i] = a == b;
    out[i + 1] = a != b;
    out[i + 2] = a < b;
    out[i + 3] = a <= b;
    out[i + 4] = a > b;
    out[i + 5] = a >= b;
    out[i + 6] = !(y[0] < y[1]);
    if y[0] >= y[1] {
        out[i + 7] = true;
    }
    while !(a < b) {
        out[i + 8] = false;
    }
}
