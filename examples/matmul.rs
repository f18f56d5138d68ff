//! Multiplies two matrices through 16 × 16 tiles in shared memory.
//!
//! ```text
//! cargo run --release --example matmul
//! cargo run --release --example matmul -- 1024
//! ```

use std::error::Error;

use gridlaunch::prelude::*;
use gridlaunch_kernels::matmul;

fn main() -> Result<(), Box<dyn Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(512), |n| n.parse())?;
    let element = |k: usize| ((k * 7919) % 1000) as f32 / 500.0 - 1.0;
    let a: Vec<f32> = (0..n * n).map(element).collect();
    let b: Vec<f32> = (0..n * n).map(|k| element(k + 12_345)).collect();

    let device = Device::any()?;
    println!("device: {}", device.name());
    let stream = device.new_stream()?;
    let (left, right) = (stream.upload(&a)?, stream.upload(&b)?);
    let mut product = stream.zeros::<f32>(n * n)?;

    let blocks = u32::try_from(n.div_ceil(16))?;
    let kernel = matmul.configure((blocks, blocks), (16, 16)).on(&stream);
    kernel.launch((n, &left, &right, &mut product))?;
    let start = stream.record()?;
    kernel.launch((n, &left, &right, &mut product))?;
    let stop = stream.record()?;
    let product = stream.download(&product)?;

    let seconds = stop.elapsed_since(&start)?.as_secs_f64();
    println!(
        "kernel time: {:.1} µs, {:.1} GFLOP/s",
        seconds * 1e6,
        2.0 * (n as f64).powi(3) / seconds / 1e9
    );

    // A row and a column of the product in f64 say enough and take no time.
    let exact = |row: usize, column: usize| -> f64 {
        (0..n).map(|k| f64::from(a[row * n + k]) * f64::from(b[k * n + column])).sum()
    };
    let places = (0..n).map(|k| (k, n / 3)).chain((0..n).map(|k| (n / 2, k)));
    let (mut difference, mut norm) = (0.0, 0.0);
    for (row, column) in places {
        let value = exact(row, column);
        difference += (f64::from(product[row * n + column]) - value).powi(2);
        norm += value * value;
    }
    let error = (difference / norm).sqrt();
    let checksum = product.iter().fold(0u32, |sum, x| sum.rotate_left(1) ^ x.to_bits());
    println!("product of {n} × {n} matrices (checksum {checksum:08x}), relative error {error:.1e}");
    if error.is_nan() || error > 1e-5 {
        return Err("the product is wrong".into());
    }
    Ok(())
}
