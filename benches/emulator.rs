//! Lane-operations a second of the emulator on one core: the tiled matmul, 512³.

use std::time::Instant;

use gridlaunch_kernels::matmul;
use ptx_emulator::{Launch, Memory, Program, run};

const N: usize = 512;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = Program::load(matmul.ptx())?;
    let kernel = program.kernel("matmul").ok_or("the PTX holds its kernel")?;
    let memory = Memory::new();
    let bytes = (N * N * 4) as u64;
    let mut addresses = [0; 3];
    for address in &mut addresses {
        *address = memory.allocate(bytes)?;
        let values: Vec<u8> =
            (0..N * N).flat_map(|i| ((i % 1009) as f32 / 1009.0).to_le_bytes()).collect();
        memory.write(*address, &values)?;
    }
    let record = memory.allocate(128)?;
    memory.write(record, &[0; 128])?;
    let [a, b, c] = addresses;
    let length = (N * N) as u64;
    let words = [N as u64, a, length, b, length, c, length, record];
    let params: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let params = &params[..kernel.param_bytes() as usize];

    let mut best = f64::INFINITY;
    let mut operations = 0;
    for _ in 0..5 {
        let blocks = (N / 16) as u32;
        let start = Instant::now();
        let launch = Launch {
            grid: [blocks, blocks, 1],
            block: [16, 16, 1],
            dynamic_shared: 0,
            params,
            workers: Some(1),
        };
        operations = run(kernel, &launch, &memory)?.lane_operations;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let rate = operations as f64 / best / 1e9;
    let flops = 2.0 * (N as f64).powi(3) / best / 1e9;
    println!(
        "tiled matmul {N}³: {:.1} ms, {rate:.2} G lane-operations/s, {flops:.2} GFLOP/s",
        best * 1e3
    );
    Ok(())
}
