//! saxpy over 2^28 elements: ours, nvcc's, and the device's copy as the ceiling.

mod support;

use std::ffi::c_void;

use gridlaunch_kernels::saxpy;
use support::{Outcome, RawKernel, device_time, gpu, peers};

const N: usize = 1 << 28;
const ROUNDS: usize = 51;

fn main() -> Outcome {
    let Some(device) = gpu() else { return Ok(()) };
    let stream = device.new_stream()?;
    let values: Vec<f32> =
        (0..N as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32).collect();
    let x = stream.upload(&values)?;
    let mut y = stream.upload(&values)?;

    // Right first: every element, after one launch, against f64.
    saxpy.configure((N / 256) as u32, 256).on(&stream).launch((3.0, &x, &mut y))?;
    for (got, value) in stream.download(&y)?.iter().zip(&values) {
        let exact = 3.0 * f64::from(*value) + f64::from(*value);
        if (f64::from(*got) - exact).abs() > exact * 1e-7 {
            return Err(format!("3 × {value} + {value} came out as {got}").into());
        }
    }

    let bytes = 3.0 * 4.0 * N as f64;
    let bandwidth = |seconds: f64, bytes: f64| bytes / seconds / 1e9;
    let copy = device_time(&stream, ROUNDS, || Ok(stream.copy(&x, &mut y)?))?;
    println!("device-to-device copy   {:7.1} GB/s", bandwidth(copy, bytes * 2.0 / 3.0));

    let nvcc = match peers() {
        None => None,
        Some(folder) => {
            let peer = RawKernel::load(&std::fs::read(folder.join("saxpy.cubin"))?, "saxpy")?;
            let (mut a, mut n) = (1e-9f32, N as u64);
            let (mut x_at, mut y_at) = (x.address(), y.address());
            Some(device_time(&stream, ROUNDS, || {
                let mut params: [*mut c_void; 4] = [
                    (&raw mut a).cast(),
                    (&raw mut x_at).cast(),
                    (&raw mut y_at).cast(),
                    (&raw mut n).cast(),
                ];
                // SAFETY: the parameters are those of peers/saxpy.cu; both buffers have N elements.
                unsafe { peer.launch(&stream, [(N / 256) as u32, 1, 1], [256, 1, 1], &mut params) }
            })?)
        }
    };
    if let Some(nvcc) = nvcc {
        println!("nvcc -O3                {:7.1} GB/s", bandwidth(nvcc, bytes));
    }
    for threads in [256, 512, 1024] {
        let kernel = saxpy.configure((N / threads) as u32, threads as u32).on(&stream);
        let ours = device_time(&stream, ROUNDS, || Ok(kernel.launch((1e-9, &x, &mut y))?))?;
        let ratio = nvcc.map_or(String::new(), |nvcc| format!("   {:.3} × nvcc", nvcc / ours));
        println!("ours, blocks of {threads:4}    {:7.1} GB/s{ratio}", bandwidth(ours, bytes));
    }
    Ok(())
}
