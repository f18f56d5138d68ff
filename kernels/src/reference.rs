//! What the kernels compute, in plain Rust on the CPU.

/// [`saxpy`](static@crate::saxpy).
///
/// # Panics
/// If `x` is shorter than `y`.
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    for (i, y) in y.iter_mut().enumerate() {
        *y = a.mul_add(x[i], *y);
    }
}

/// [`block_sum`](static@crate::block_sum) by `blocks` blocks of `threads` threads.
///
/// # Panics
/// If `threads` is above 256, as the kernel's are not.
pub fn block_sum(input: &[f32], blocks: usize, threads: usize) -> Vec<f32> {
    assert!(threads <= 256);
    let sum_of_block = |block: usize| {
        let first = |thread: usize| block * threads + thread;
        let sum_of_thread = |thread: usize| {
            let elements = input.iter().skip(first(thread)).step_by(blocks * threads);
            elements.fold(0.0, |sum, element| sum + element)
        };
        let mut sums: Vec<f32> = (0..threads).map(sum_of_thread).collect();
        let mut half = 128;
        while half > 0 {
            for thread in 0..half.min(threads.saturating_sub(half)) {
                sums[thread] += sums[thread + half];
            }
            half /= 2;
        }
        sums.first().copied().unwrap_or(0.0)
    };
    (0..blocks).map(sum_of_block).collect()
}

/// [`matmul`](static@crate::matmul).
///
/// # Panics
/// If a matrix has less than `n * n` elements.
pub fn matmul(n: usize, a: &[f32], b: &[f32]) -> Vec<f32> {
    let element = |row: usize, column: usize| {
        (0..n).fold(0.0f32, |sum, k| a[row * n + k].mul_add(b[k * n + column], sum))
    };
    (0..n * n).map(|at| element(at / n, at % n)).collect()
}

/// [`transpose`](static@crate::transpose).
///
/// # Panics
/// If `input` has less than `rows * columns` elements.
pub fn transpose(rows: usize, columns: usize, input: &[f32]) -> Vec<f32> {
    (0..rows * columns).map(|at| input[at % rows * columns + at / rows]).collect()
}

/// [`gaussian_blur`](static@crate::gaussian_blur).
///
/// # Panics
/// If `input` has less than `width * height` pixels.
pub fn gaussian_blur(width: usize, height: usize, input: &[f32]) -> Vec<f32> {
    const WEIGHTS: [f32; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
    let pixel = |x: usize, y: usize| {
        let inside = |at: usize, side: usize| at.saturating_sub(2).min(side - 1);
        (0..25).fold(0.0f32, |sum, k| {
            let (i, j) = (k % 5, k / 5);
            let value = input[inside(y + j, height) * width + inside(x + i, width)];
            value.mul_add(WEIGHTS[i] * WEIGHTS[j], sum)
        }) / 256.0
    };
    (0..width * height).map(|at| pixel(at % width, at / width)).collect()
}

/// [`sobel`](static@crate::sobel).
///
/// # Panics
/// If `input` has less than `width * height` pixels.
pub fn sobel(width: usize, height: usize, input: &[f32]) -> Vec<f32> {
    let pixel = |x: usize, y: usize| {
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
            return 0.0;
        }
        let at = |x: usize, y: usize| input[y * width + x];
        let (mut across, mut down) = (0.0f32, 0.0f32);
        for (k, weight) in [1.0, 2.0, 1.0].into_iter().enumerate() {
            across += weight * (at(x + 1, y + k - 1) - at(x - 1, y + k - 1));
            down += weight * (at(x + k - 1, y + 1) - at(x + k - 1, y - 1));
        }
        (across * across + down * down).sqrt()
    };
    (0..width * height).map(|at| pixel(at % width, at / width)).collect()
}

macro_rules! mandelbrot {
    ($(#[$doc:meta])* $name:ident, $float:ty) => {
        $(#[$doc])*
        pub fn $name(
            (left, top): ($float, $float),
            step: $float,
            limit: u32,
            (width, height): (usize, usize),
        ) -> Vec<u32> {
            let pixel = |x: usize, y: usize| {
                let (re, im) = (left + step * x as $float, top - step * y as $float);
                let (mut z_re, mut z_im, mut count): ($float, $float, u32) = (0.0, 0.0, 0);
                while count < limit && z_re * z_re + z_im * z_im <= 4.0 {
                    (z_re, z_im) = (z_re * z_re - z_im * z_im + re, 2.0 * z_re * z_im + im);
                    count += 1;
                }
                count
            };
            (0..width * height).map(|at| pixel(at % width, at / width)).collect()
        }
    };
}

mandelbrot! {
    /// [`mandelbrot_f32`](static@crate::mandelbrot_f32), for a picture of `width` × `height`.
    mandelbrot_f32, f32
}
mandelbrot! {
    /// [`mandelbrot_f64`](static@crate::mandelbrot_f64), for a picture of `width` × `height`.
    mandelbrot_f64, f64
}
