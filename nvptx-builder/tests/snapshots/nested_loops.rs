fn nested_loops(x: &[f32], out: &mut [f32], width: usize, height: usize) {
    let mut sum = 0.0;
    for row in 0..height {
        for column in 0..width {
            if (row + column) % 2 == 0 {
                continue;
            }
            sum += x[row * width + column];
        }
    }
    out[thread::x()] = sum;
}
