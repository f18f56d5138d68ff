fn matmul_tiled(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let tile_a = block::shared::<[[f32; 16]; 16]>();
    let tile_b = block::shared::<[[f32; 16]; 16]>();
    let tx = thread::x();
    let ty = thread::y();
    let row = block::y() * 16 + ty;
    let column = block::x() * 16 + tx;
    let mut sum = 0.0;
    for t in 0..n / 16 {
        tile_a[ty][tx] = a[row * n + t * 16 + tx];
        tile_b[ty][tx] = b[(t * 16 + ty) * n + column];
        block::sync();
        for k in 0..16 {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        block::sync();
    }
    c[row * n + column] = sum;
}
