//! Blurs a photograph and finds its edges.
//!
//! ```text
//! cargo run --release --example sobel                        # the picture that ships
//! cargo run --release --example sobel -- in.jpg out.png
//! ```

mod kernels;
mod reference;

use std::error::Error;

use gridlaunch::prelude::*;
use image::{GrayImage, ImageReader};

/// The picture that ships: a cup of coffee, CC0 (`examples/assets/README.md`).
const COFFEE: &[u8] = include_bytes!("../assets/coffee.png");

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let photo = match arguments.next() {
        Some(path) => ImageReader::open(path)?.with_guessed_format()?.decode()?,
        None => image::load_from_memory(COFFEE)?,
    };
    let output = arguments.next().unwrap_or_else(|| "edges.png".to_owned());
    let photo = photo.to_luma8();
    let (width, height) = photo.dimensions();
    let size = (width as usize, height as usize);

    let device = Device::any()?;
    println!("device: {}", device.name());
    println!("picture: {width} × {height}");
    let stream = device.new_stream()?;

    let pixels = stream.upload(photo.as_raw())?;
    let mut blurred = stream.zeros::<u8>(pixels.len())?;
    let mut edges = stream.zeros::<u8>(pixels.len())?;

    let tile = kernels::TILE as u32;
    let grid = (width.div_ceil(tile), height.div_ceil(tile));
    let blur = kernels::gaussian_blur.configure(grid, (tile, tile)).on(&stream);
    let sobel = kernels::sobel.configure(grid, (tile, tile)).on(&stream);
    // Once to warm up: the first launch loads the kernel into the driver.
    blur.launch((size.0, size.1, &pixels, &mut blurred))?;
    sobel.launch((size.0, size.1, &blurred, &mut edges))?;

    let start = stream.record()?;
    blur.launch((size.0, size.1, &pixels, &mut blurred))?;
    sobel.launch((size.0, size.1, &blurred, &mut edges))?;
    let stop = stream.record()?;

    let edges = stream.download(&edges)?;
    println!("kernel time: {:.1} µs", stop.elapsed_since(&start)?.as_secs_f64() * 1e6);

    let expected = reference::edges(size, photo.as_raw());
    if let Some(at) = (0..expected.len()).find(|&at| edges[at] != expected[at]) {
        let (x, y) = (at % size.0, at / size.0);
        let (found, wanted) = (edges[at], expected[at]);
        return Err(format!("pixel ({x}, {y}) is {found}; the CPU says {wanted}").into());
    }
    println!("result: equal to the CPU reference in all {} pixels", expected.len());

    GrayImage::from_raw(width, height, edges).ok_or("as many pixels as before")?.save(&output)?;
    println!("wrote {output}");
    Ok(())
}
