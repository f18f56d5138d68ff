//! Host time of a launch with four arguments, beside the driver's own call.
//!
//! Both launch the same PTX with the same geometry on the same stream, in alternating batches
//! that are small enough for the driver's queue, so that neither waits for the device.

mod support;

use std::ffi::c_void;
use std::time::Instant;

use gridlaunch::prelude::*;
use support::{Outcome, RawKernel, gpu, median};

/// Four arguments, next to no work.
#[kernel]
fn four(a: f32, b: u32, x: &[f32], y: &mut [f32]) {
    let i = thread::x();
    if i < y.len() && i < x.len() {
        y[i] = a * x[i] + b as f32;
    }
}

const BATCH: usize = 200;
const BATCHES: usize = 51; // a little over 10,000 launches each

fn main() -> Outcome {
    let Some(device) = gpu() else { return Ok(()) };
    let stream = device.new_stream()?;
    let x = stream.upload(&[1.0f32; 32])?;
    let mut y = stream.zeros::<f32>(32)?;

    let bound = four.configure(1, 32).on(&stream);
    bound.launch((2.0, 1, &x, &mut y))?;
    let raw = RawKernel::load(four.ptx().as_bytes(), "four")?;
    let (mut a, mut b) = (2.0f32, 1u32);
    let (mut x_at, mut y_at, mut length) = (x.address(), y.address(), 32u64);
    let mut record = 0u64; // nothing here panics

    let mut per_launch = [Vec::new(), Vec::new(), Vec::new()];
    for batch in 0..BATCHES + 5 {
        let start = Instant::now();
        for _ in 0..BATCH {
            let mut params: [*mut c_void; 7] = [
                (&raw mut a).cast(),
                (&raw mut b).cast(),
                (&raw mut x_at).cast(),
                (&raw mut length).cast(),
                (&raw mut y_at).cast(),
                (&raw mut length).cast(),
                (&raw mut record).cast(),
            ];
            // SAFETY: the parameters are those of `four`'s PTX, in its order; both buffers live.
            unsafe { raw.launch(&stream, [1, 1, 1], [32, 1, 1], &mut params)? };
        }
        let driver = start.elapsed();
        stream.synchronize()?;

        let start = Instant::now();
        for _ in 0..BATCH {
            bound.launch((2.0, 1, &x, &mut y))?;
        }
        let ours = start.elapsed();
        stream.synchronize()?;

        let start = Instant::now();
        for _ in 0..BATCH {
            four.configure(1, 32).on(&stream).launch((2.0, 1, &x, &mut y))?;
        }
        let whole = start.elapsed();
        stream.synchronize()?;

        if batch >= 5 {
            for (times, time) in per_launch.iter_mut().zip([driver, ours, whole]) {
                times.push(time.as_secs_f64() * 1e6 / BATCH as f64);
            }
        }
    }
    let [driver, ours, whole] = per_launch.map(median);
    println!("cuLaunchKernel               {driver:6.3} µs");
    println!("launch                       {ours:6.3} µs   {:.3} ×", ours / driver);
    println!("configure, on, launch        {whole:6.3} µs   {:.3} ×", whole / driver);
    if ours > 1.15 * driver {
        return Err("a launch costs more than 1.15 × the driver's call".into());
    }
    Ok(())
}
