//! Kernels over vectors.

use gridlaunch::prelude::*;

/// `y += a * x`, element by element, with one thread for every element of `y`.
///
/// Threads beyond the end of `y` do nothing, so the grid may be larger than needed.
///
/// # Panics
/// If `x` is shorter than `y`.
#[kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::global_x();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// One sum for each block: of the elements that its threads meet when all threads of the grid go
/// through `input` together. Blocks have at most 256 threads, along x only.
///
/// The threads of a block add up their sums as a tree in shared memory: 128 pairs, 64 pairs, …
///
/// # Panics
/// If a block has more than 256 threads, or the grid more blocks than `sums` has elements.
#[kernel]
pub fn block_sum(input: &[f32], sums: &mut [f32]) {
    let partial = block::shared::<[f32; 256]>();
    let here = thread::x();

    let mut sum = 0.0;
    let mut i = thread::global_x();
    while i < input.len() {
        sum += input[i];
        i += block::dim_x() * grid::dim_x();
    }
    partial[here] = sum;
    block::sync();

    let mut half = 128;
    while half > 0 {
        if here < half && here + half < block::dim_x() {
            partial[here] += partial[here + half];
        }
        block::sync();
        half /= 2;
    }
    if here == 0 {
        sums[block::x()] = partial[0];
    }
}
