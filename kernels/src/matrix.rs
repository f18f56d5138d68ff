//! Kernels over row-major matrices.

use gridlaunch::prelude::*;

/// `c = a * b` for square matrices of side `n`, with one thread for every element of `c`, in blocks
/// of 16 × 16.
///
/// A block walks along its rows of `a` and its columns of `b` in tiles that it shares, so that each
/// element is read from global memory once a block, not 16 times. `n` need not be a multiple of 16.
///
/// # Panics
/// If a matrix has less than `n * n` elements, or a block more than 16 × 16 threads.
#[kernel]
pub fn matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    const TILE: usize = 16;
    let a_tile = block::shared::<[[f32; TILE]; TILE]>();
    let b_tile = block::shared::<[[f32; TILE]; TILE]>();
    let x = thread::x();
    let y = thread::y();
    let column = block::x() * TILE + x;
    let row = block::y() * TILE + y;

    let mut sum = 0.0f32;
    for tile in 0..(n + TILE - 1) / TILE {
        let a_column = tile * TILE + x;
        let b_row = tile * TILE + y;
        a_tile[y][x] = if row < n && a_column < n { a[row * n + a_column] } else { 0.0 };
        b_tile[y][x] = if b_row < n && column < n { b[b_row * n + column] } else { 0.0 };
        block::sync();
        for k in 0..TILE {
            sum = a_tile[y][k].mul_add(b_tile[k][x], sum);
        }
        block::sync();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

/// `output = inputᵀ` for a matrix of `rows` × `columns`, in blocks of 32 × 8 threads, each of which
/// moves a tile of 32 × 32.
///
/// The tile's rows are one element longer than they need to be, which spreads a column over all
/// banks of the shared memory.
///
/// # Panics
/// If a matrix has less than `rows * columns` elements, or a block more than 32 × 8 threads.
#[kernel]
pub fn transpose(rows: usize, columns: usize, input: &[f32], output: &mut [f32]) {
    const TILE: usize = 32;
    let tile = block::shared::<[[f32; TILE + 1]; TILE]>();
    let x = thread::x();

    let column = block::x() * TILE + x;
    let mut y = thread::y();
    while y < TILE {
        let row = block::y() * TILE + y;
        if row < rows && column < columns {
            tile[y][x] = input[row * columns + column];
        }
        y += block::dim_y();
    }
    block::sync();

    let row = block::y() * TILE + x;
    let mut y = thread::y();
    while y < TILE {
        let column = block::x() * TILE + y;
        if row < rows && column < columns {
            output[column * rows + row] = tile[x][y];
        }
        y += block::dim_y();
    }
}
