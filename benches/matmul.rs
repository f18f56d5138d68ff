//! Matrix product through 16 × 16 shared tiles, 4096³ in f32: ours, bounds checks on, and nvcc's
//! without.

mod support;

use std::ffi::c_void;

use gridlaunch_kernels::matmul;
use support::{Outcome, RawKernel, device_time, gpu, peers};

const N: usize = 4096;
const ROUNDS: usize = 11;

fn main() -> Outcome {
    let Some(device) = gpu() else { return Ok(()) };
    let stream = device.new_stream()?;
    let element =
        |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 23) as f32 - 1.0;
    let a: Vec<f32> = (0..N * N).map(element).collect();
    let b: Vec<f32> = (0..N * N).map(|i| element(i + N * N)).collect();
    let (left, right) = (stream.upload(&a)?, stream.upload(&b)?);
    let mut product = stream.zeros::<f32>(N * N)?;
    let blocks = (N / 16) as u32;

    let kernel = matmul.configure((blocks, blocks), (16, 16)).on(&stream);
    kernel.launch((N, &left, &right, &mut product))?;
    let rows = stream.download(&product)?;
    for row in [0, 1234, N - 1] {
        for column in (0..N).step_by(97) {
            let terms = (0..N).map(|k| f64::from(a[row * N + k]) * f64::from(b[k * N + column]));
            let exact: f64 = terms.sum();
            let got = rows[row * N + column];
            if (f64::from(got) - exact).abs() > 1e-3 {
                return Err(format!("({row}, {column}) is {got}, not {exact}").into());
            }
        }
    }

    let teraflops = |seconds: f64| 2.0 * (N as f64).powi(3) / seconds / 1e12;
    let ours =
        device_time(&stream, ROUNDS, || Ok(kernel.launch((N, &left, &right, &mut product))?))?;
    println!("ours      {:6.2} TFLOP/s", teraflops(ours));
    let Some(folder) = peers() else { return Ok(()) };
    let peer = RawKernel::load(&std::fs::read(folder.join("matmul.cubin"))?, "matmul")?;
    let mut n = N as u64;
    let mut at = [left.address(), right.address(), product.address()];
    let nvcc = device_time(&stream, ROUNDS, || {
        let [a, b, c] = &mut at;
        let mut params: [*mut c_void; 4] =
            [(&raw mut n).cast(), (&raw mut *a).cast(), (&raw mut *b).cast(), (&raw mut *c).cast()];
        // SAFETY: the parameters are those of peers/matmul.cu; all buffers have N × N elements.
        unsafe { peer.launch(&stream, [blocks, blocks, 1], [16, 16, 1], &mut params) }
    })?;
    println!("nvcc -O3  {:6.2} TFLOP/s   ours is {:.3} ×", teraflops(nvcc), nvcc / ours);
    Ok(())
}
