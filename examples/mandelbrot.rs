//! Paints the Mandelbrot set.
//!
//! ```text
//! cargo run --release --example mandelbrot
//! cargo run --release --example mandelbrot -- out.png
//! ```

use std::error::Error;

use gridlaunch::prelude::*;
use image::{Rgb, RgbImage};

/// Counts the steps until `z = z² + c` leaves the circle of radius 2, for each pixel's `c`.
///
/// Without contraction, so that every device and the host round alike.
#[kernel(contract = false)]
fn escape_times(width: usize, height: usize, limit: u32, steps: &mut [u32]) {
    let x = thread::global_x();
    let y = thread::global_y();
    if x >= width || y >= height {
        return;
    }
    let scale = 3.0 / width as f64;
    let re = (x as f64).mul_add(scale, -2.25);
    let im = (y as f64 - 0.5 * height as f64) * scale;
    let mut zr = 0.0f64;
    let mut zi = 0.0f64;
    let mut count = 0;
    while count < limit {
        let rr = zr * zr;
        let ii = zi * zi;
        if rr + ii > 4.0 {
            break;
        }
        let twice = 2.0 * zr;
        zr = zr.mul_add(zr, re - ii);
        zi = twice.mul_add(zi, im);
        count += 1;
    }
    steps[y * width + x] = count;
}

const WIDTH: usize = 900;
const HEIGHT: usize = 600;
const LIMIT: u32 = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let output = std::env::args().nth(1).unwrap_or_else(|| "mandelbrot.png".to_owned());
    let device = Device::any()?;
    println!("device: {}", device.name());
    let stream = device.new_stream()?;
    let mut steps = stream.zeros::<u32>(WIDTH * HEIGHT)?;
    let grid = (WIDTH.div_ceil(16) as u32, HEIGHT.div_ceil(16) as u32);
    let kernel = escape_times.configure(grid, (16, 16)).on(&stream);

    let start = stream.record()?;
    kernel.launch((WIDTH, HEIGHT, LIMIT, &mut steps))?;
    let stop = stream.record()?;
    let steps = stream.download(&steps)?;
    println!("kernel time: {:.1} µs", stop.elapsed_since(&start)?.as_secs_f64() * 1e6);

    // The kernel is a Rust function: the CPU runs it too, one thread after another.
    let mut expected = vec![0; WIDTH * HEIGHT];
    escape_times::on_host(grid, (16, 16), WIDTH, HEIGHT, LIMIT, &mut expected);
    if steps != expected {
        return Err("the picture differs from the one that the CPU computes".into());
    }
    println!("result: equal to the host's run of the same function, {} pixels", steps.len());

    let picture = RgbImage::from_fn(WIDTH as u32, HEIGHT as u32, |x, y| {
        color(steps[y as usize * WIDTH + x as usize])
    });
    picture.save(&output)?;
    println!("wrote {output}");
    Ok(())
}

fn color(steps: u32) -> Rgb<u8> {
    if steps == LIMIT {
        return Rgb([0, 0, 0]);
    }
    let t = (f64::from(steps) / f64::from(LIMIT)).sqrt();
    let wave = |phase: f64| (127.5 * (1.0 - (std::f64::consts::TAU * (t + phase)).cos())) as u8;
    Rgb([wave(0.0), wave(0.1), wave(0.25)])
}
