//! Every kernel gives its reference's bits.

use gridlaunch::prelude::*;
use gridlaunch_kernels as kernels;
use gridlaunch_kernels::reference;

fn stream() -> Stream {
    Device::any().and_then(|device| device.new_stream()).expect("a device")
}

/// Numbers in -1 .. 1 with full mantissas, the same in every run.
fn noise(len: usize) -> Vec<f32> {
    let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 23) as f32 - 1.0;
    (0..len as u32).map(number).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn saxpy_is_its_reference() -> gridlaunch::Result<()> {
    let stream = stream();
    for len in [0, 1, 255, 256, 1000] {
        let (x, mut y) = (noise(len), noise(len));
        y.reverse();
        let (x_there, mut y_there) = (stream.upload(&x)?, stream.upload(&y)?);
        kernels::saxpy.configure(4, 256).on(&stream).launch((3.1, &x_there, &mut y_there))?;
        reference::saxpy(3.1, &x, &mut y);
        assert_eq!(bits(&stream.download(&y_there)?), bits(&y), "{len} elements");
    }
    Ok(())
}

#[test]
fn block_sum_is_its_reference() -> gridlaunch::Result<()> {
    let stream = stream();
    for (len, blocks, threads) in [(10_000, 7, 256), (1, 2, 64), (999, 3, 200), (0, 1, 1)] {
        let input = noise(len);
        let input_there = stream.upload(&input)?;
        let mut sums = stream.zeros::<f32>(blocks)?;
        let dispatcher = kernels::block_sum.configure(blocks as u32, threads as u32);
        dispatcher.on(&stream).launch((&input_there, &mut sums))?;
        let expected = reference::block_sum(&input, blocks, threads);
        assert_eq!(bits(&stream.download(&sums)?), bits(&expected), "{blocks} × {threads}");
    }
    Ok(())
}

#[test]
fn matmul_is_its_reference() -> gridlaunch::Result<()> {
    let stream = stream();
    for n in [1usize, 16, 37, 64] {
        let (a, b) = (noise(n * n), noise(2 * n * n).split_off(n * n));
        let (a_there, b_there) = (stream.upload(&a)?, stream.upload(&b)?);
        let mut c = stream.zeros::<f32>(n * n)?;
        let blocks = n.div_ceil(16) as u32;
        let dispatcher = kernels::matmul.configure((blocks, blocks), (16, 16));
        dispatcher.on(&stream).launch((n, &a_there, &b_there, &mut c))?;
        assert_eq!(bits(&stream.download(&c)?), bits(&reference::matmul(n, &a, &b)), "n = {n}");
    }
    Ok(())
}

#[test]
fn transpose_is_its_reference() -> gridlaunch::Result<()> {
    let stream = stream();
    for (rows, columns) in [(1, 1), (32, 64), (33, 31), (100, 70)] {
        let input = noise(rows * columns);
        let there = stream.upload(&input)?;
        let mut output = stream.zeros::<f32>(input.len())?;
        let grid = (columns.div_ceil(32) as u32, rows.div_ceil(32) as u32);
        let dispatcher = kernels::transpose.configure(grid, (32, 8)).on(&stream);
        dispatcher.launch((rows, columns, &there, &mut output))?;
        let expected = reference::transpose(rows, columns, &input);
        assert_eq!(bits(&stream.download(&output)?), bits(&expected), "{rows} × {columns}");
    }
    Ok(())
}

#[test]
fn picture_filters_are_their_references() -> gridlaunch::Result<()> {
    let stream = stream();
    for (width, height) in [(1, 1), (16, 16), (53, 20)] {
        let input = noise(width * height);
        let there = stream.upload(&input)?;
        let mut output = stream.zeros::<f32>(input.len())?;
        let grid = (width.div_ceil(16) as u32, height.div_ceil(16) as u32);

        let dispatcher = kernels::gaussian_blur.configure(grid, (16, 16)).on(&stream);
        dispatcher.launch((width, height, &there, &mut output))?;
        let expected = reference::gaussian_blur(width, height, &input);
        assert_eq!(bits(&stream.download(&output)?), bits(&expected), "blur {width} × {height}");

        let dispatcher = kernels::sobel.configure(grid, (16, 16)).on(&stream);
        dispatcher.launch((width, height, &there, &mut output))?;
        let expected = reference::sobel(width, height, &input);
        assert_eq!(bits(&stream.download(&output)?), bits(&expected), "sobel {width} × {height}");
    }
    Ok(())
}

#[test]
fn mandelbrot_is_its_reference() -> gridlaunch::Result<()> {
    let stream = stream();
    let (width, height) = (90usize, 60usize);
    let grid = (width.div_ceil(32) as u32, height.div_ceil(8) as u32);
    let mut counts = stream.zeros::<u32>(width * height)?;

    let dispatcher = kernels::mandelbrot_f32.configure(grid, (32, 8)).on(&stream);
    dispatcher.launch((-2.2, 1.0, 0.034, 200, width, &mut counts))?;
    let expected = reference::mandelbrot_f32((-2.2, 1.0), 0.034, 200, (width, height));
    assert_eq!(stream.download(&counts)?, expected);

    let dispatcher = kernels::mandelbrot_f64.configure(grid, (32, 8)).on(&stream);
    dispatcher.launch((-2.2, 1.0, 0.034, 200, width, &mut counts))?;
    let expected = reference::mandelbrot_f64((-2.2, 1.0), 0.034, 200, (width, height));
    assert_eq!(stream.download(&counts)?, expected);
    Ok(())
}
