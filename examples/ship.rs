//! Configures a kernel, ships it to another process as JSON, and has it launched there.
//!
//! ```text
//! cargo run --release --example ship
//! ```
//! The parcel holds grid, block and PTX, and nothing of a stream: the other process binds one of
//! its own, and until it does, a launch is an error.

use std::error::Error;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use gridlaunch::prelude::*;

/// `y += a * x`
#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::global_x();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

const N: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        None => send(),
        Some("receive") => receive(),
        Some(other) => Err(format!("unknown argument `{other}`").into()),
    }
}

/// The process that knows the kernel's source and has no need of a GPU.
fn send() -> Result<(), Box<dyn Error>> {
    let parcel = serde_json::to_string(&saxpy.configure(4, 256))?;
    println!("sender: {} bytes, {}…", parcel.len(), &parcel[..60]);

    let mut worker = Command::new(std::env::current_exe()?)
        .arg("receive")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    worker.stdin.take().ok_or("the pipe was asked for")?.write_all(parcel.as_bytes())?;
    let output = worker.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("the worker failed: {}", output.status).into());
    }

    let y: Vec<f32> = serde_json::from_slice(&output.stdout)?;
    let expected: Vec<f32> = (0..N).map(|i| 3.0 * i as f32 + 1.0).collect();
    if y != expected {
        return Err("the worker's result is wrong".into());
    }
    println!("sender: all {N} values are right");
    Ok(())
}

/// The worker. What it prints on standard output is its result; it talks on standard error.
fn receive() -> Result<(), Box<dyn Error>> {
    let mut parcel = String::new();
    std::io::stdin().read_to_string(&mut parcel)?;
    let kernel: Dispatcher<saxpy> = serde_json::from_str(&parcel)?;

    let device = Device::any()?;
    let stream = device.new_stream()?;
    let x: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let x = stream.upload(&x)?;
    let mut y = stream.upload(&[1.0f32; N])?;

    match kernel.launch((3.0, &x, &mut y)) {
        Err(error @ gridlaunch::Error::StreamNotBound { .. }) => eprintln!("worker: {error}"),
        other => return Err(format!("a launch without a stream gave {other:?}").into()),
    }

    kernel.on(&stream).launch((3.0, &x, &mut y))?;
    let y = stream.download(&y)?;
    eprintln!("worker: launched on {}", device.name());
    println!("{}", serde_json::to_string(&y)?);
    Ok(())
}
