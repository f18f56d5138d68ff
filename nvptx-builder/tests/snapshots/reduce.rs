fn reduce(x: &[f32], out: &mut [f32]) {
    let partial = block::shared::<[f32; 256]>();
    let t = thread::x();
    let mut sum = 0.0;
    let mut i = thread::global_x();
    while i < x.len() {
        sum += x[i];
        i += block::dim_x() * grid::dim_x();
    }
    partial[t] = sum;
    block::sync();
    let mut half = block::dim_x() / 2;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        out[block::x()] = partial[0];
    }
}
