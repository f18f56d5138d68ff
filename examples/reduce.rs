//! Sums an array: every block folds its part in shared memory, a second launch folds the blocks'.
//!
//! ```text
//! cargo run --release --example reduce
//! ```

use std::error::Error;

use gridlaunch::prelude::*;

/// Threads in a block; the kernel's tree starts with half of them.
const THREADS: usize = 256;

/// Each block sums a stretch of `2 * 256` elements at a time, striding over the whole array, and
/// writes one partial sum.
#[kernel]
fn partial_sums(x: &[f32], sums: &mut [f32]) {
    const THREADS: usize = 256;
    let partial = block::shared::<[f32; THREADS]>();
    let me = thread::x();

    let mut sum = 0.0f32;
    let mut i = block::x() * THREADS + me;
    while i < x.len() {
        sum += x[i];
        i += grid::dim_x() * THREADS;
    }
    partial[me] = sum;
    block::sync();

    let mut half = THREADS / 2;
    while half > 0 {
        if me < half {
            partial[me] += partial[me + half];
        }
        block::sync();
        half /= 2;
    }
    if me == 0 {
        sums[block::x()] = partial[0];
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let n = 1 << 22;
    // Some values with all their bits in use; the same ones every time.
    let values: Vec<f32> =
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 1e7).collect();

    let device = Device::any()?;
    println!("device: {}", device.name());
    let stream = device.new_stream()?;
    let x = stream.upload(&values)?;
    let blocks = 512;
    let mut sums = stream.zeros::<f32>(blocks as usize)?;
    let mut total = stream.zeros::<f32>(1)?;

    let start = stream.record()?;
    partial_sums.configure(blocks, THREADS as u32).on(&stream).launch((&x, &mut sums))?;
    partial_sums.configure(1, THREADS as u32).on(&stream).launch((&sums, &mut total))?;
    let stop = stream.record()?;
    let total = stream.download(&total)?[0];
    println!("kernel time: {:.1} µs", stop.elapsed_since(&start)?.as_secs_f64() * 1e6);

    let exact: f64 = values.iter().map(|&value| f64::from(value)).sum();
    let error = (f64::from(total) - exact).abs() / exact;
    println!(
        "sum of {n} values: {total} (bits {:08x}), relative error {error:.1e}",
        total.to_bits()
    );
    // A value goes through 32 + 8 additions in the first launch, 2 + 8 in the second; each rounds
    // by at most 2^-24 of a sum that is no larger than the total, for nothing here is negative.
    if error > 50.0 * 0.5f64.powi(24) {
        return Err(format!("the sum should be {exact}").into());
    }
    Ok(())
}
