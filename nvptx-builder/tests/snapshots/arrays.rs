fn arrays(x: &[f32], out: &mut [f32]) {
    let i = thread::x();
    let mut a = [0.0f32; 4];
    for k in 0..4 {
        a[k] = x[i * 4 + k];
    }
    let b = a;
    a = [a[3], a[2], a[1], a[0]];
    let mut grid = [[1.0f32; 4]; 3];
    grid[1] = b;
    grid[2][i % 4] = a[i % 4];
    let big = [0.5f32; 100];
    let mut copy = big;
    copy[i] = 2.0;
    let chosen = if i > 3 { a } else { b };
    for row in 0..3 {
        out[i] += grid[row][i % 4] * chosen[row] + copy[row + 40];
    }
    out[0] = a.len() as f32;
}
