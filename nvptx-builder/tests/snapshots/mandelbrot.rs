fn mandelbrot(width: usize, height: usize, limit: u32, out: &mut [u32]) {
    let x = thread::global_x();
    let y = thread::global_y();
    if x < width && y < height {
        let cr = x as f32 / width as f32 * 3.0 - 2.0;
        let ci = y as f32 / height as f32 * 2.0 - 1.0;
        let mut zr = 0.0f32;
        let mut zi = 0.0f32;
        let mut n = 0;
        while n < limit && zr * zr + zi * zi <= 4.0 {
            let t = zr * zr - zi * zi + cr;
            zi = 2.0 * zr * zi + ci;
            zr = t;
            n += 1;
        }
        out[y * width + x] = n;
    }
}
