//! The two kernels. One thread a pixel, blocks of `TILE` × `TILE`.

use gridlaunch::prelude::*;

/// Side of a block, and of the tile of the picture that it works on.
pub(crate) const TILE: usize = 16;

/// A 5 × 5 Gaussian blur with binomial weights, exact in integers. Beyond the border the picture
/// continues with its outermost pixels.
///
/// The block first copies its tile, with a halo of two pixels all around, into shared memory: 400
/// pixels by 256 threads. Then each pixel is read from global memory once, not 25 times.
#[kernel]
pub(crate) fn gaussian_blur(width: usize, height: usize, input: &[u8], output: &mut [u8]) {
    const TILE: usize = 16;
    const HALO: usize = 2;
    const SIDE: usize = TILE + 2 * HALO;
    let tile = block::shared::<[[u8; SIDE]; SIDE]>();

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
        let weights = [1u32, 4, 6, 4, 1];
        let mut sum = 128u32;
        for j in 0..5 {
            for i in 0..5 {
                let value = tile[thread::y() + j][thread::x() + i] as u32;
                sum += weights[j] * weights[i] * value;
            }
        }
        output[y * width + x] = (sum / 256) as u8;
    }
}

/// The length of the brightness gradient by Sobel's operator, at most 255; zero on the border.
#[kernel]
pub(crate) fn sobel(width: usize, height: usize, input: &[u8], output: &mut [u8]) {
    let x = thread::global_x();
    let y = thread::global_y();
    if x >= width || y >= height {
        return;
    }
    let at = y * width + x;
    if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
        output[at] = 0;
        return;
    }
    let mut across = 0i32;
    let mut down = 0i32;
    for k in 0..3 {
        let weight = if k == 1 { 2 } else { 1 };
        let left = input[(y + k - 1) * width + x - 1] as i32;
        let right = input[(y + k - 1) * width + x + 1] as i32;
        let above = input[(y - 1) * width + x + k - 1] as i32;
        let below = input[(y + 1) * width + x + k - 1] as i32;
        across += weight * (right - left);
        down += weight * (below - above);
    }
    let length = ((across * across + down * down) as f32).sqrt();
    output[at] = length as u8;
}
