//! Kernels over gray pictures: row-major `f32`, one thread a pixel.

use gridlaunch::prelude::*;

/// A 5 × 5 Gaussian blur with binomial weights, in blocks of 16 × 16. Beyond the border the picture
/// goes on with its outermost pixels.
///
/// A block first copies its pixels, and two more on every side, into shared memory: 400 by 256
/// threads. Then each pixel is read from global memory about once, not 25 times.
///
/// # Panics
/// If a picture has less than `width * height` pixels, or a block not 16 × 16 threads.
#[kernel]
pub fn gaussian_blur(width: usize, height: usize, input: &[f32], output: &mut [f32]) {
    const TILE: usize = 16;
    const HALO: usize = 2;
    const SIDE: usize = TILE + 2 * HALO;
    let tile = block::shared::<[[f32; SIDE]; SIDE]>();

    let mut pixel = thread::y() * TILE + thread::x();
    while pixel < SIDE * SIDE {
        let row = pixel / SIDE;
        let column = pixel % SIDE;
        // Shifted by the halo, so that nothing here is below zero.
        let x = (block::x() * TILE + column).max(HALO).min(width - 1 + HALO) - HALO;
        let y = (block::y() * TILE + row).max(HALO).min(height - 1 + HALO) - HALO;
        tile[row][column] = input[y * width + x];
        pixel += TILE * TILE;
    }
    block::sync();

    let x = thread::global_x();
    let y = thread::global_y();
    if x < width && y < height {
        let weights = [1.0f32, 4.0, 6.0, 4.0, 1.0];
        let mut sum = 0.0f32;
        for j in 0..5 {
            for i in 0..5 {
                let weight = weights[j] * weights[i];
                sum = tile[thread::y() + j][thread::x() + i].mul_add(weight, sum);
            }
        }
        output[y * width + x] = sum / 256.0;
    }
}

/// The length of the brightness gradient by Sobel's operator; zero on the border.
///
/// # Panics
/// If a picture has less than `width * height` pixels.
#[kernel(contract = false)]
pub fn sobel(width: usize, height: usize, input: &[f32], output: &mut [f32]) {
    let x = thread::global_x();
    let y = thread::global_y();
    if x >= width || y >= height {
        return;
    }
    let at = y * width + x;
    if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
        output[at] = 0.0;
        return;
    }
    let mut across = 0.0f32;
    let mut down = 0.0f32;
    for k in 0..3 {
        let weight = if k == 1 { 2.0 } else { 1.0 };
        let left = input[(y + k - 1) * width + x - 1];
        let right = input[(y + k - 1) * width + x + 1];
        let above = input[(y - 1) * width + x + k - 1];
        let below = input[(y + 1) * width + x + k - 1];
        across += weight * (right - left);
        down += weight * (below - above);
    }
    output[at] = (across * across + down * down).sqrt();
}
