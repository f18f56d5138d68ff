//! Shared memory and barriers.

use gridlaunch::prelude::*;

use crate::support::stream;

#[kernel]
fn reduce(input: &[u64], sums: &mut [u64]) {
    let partial = block::shared::<[u64; 128]>();
    let here = thread::x();
    let i = thread::global_x();
    partial[here] = if i < input.len() { input[i] } else { 0 };
    block::sync();
    let mut half = block::dim_x() / 2;
    while half > 0 {
        if here < half {
            partial[here] += partial[here + half];
        }
        block::sync();
        half /= 2;
    }
    if here == 0 {
        sums[block::x()] = partial[0];
    }
}

#[test]
fn a_block_reduces_through_shared_memory() -> gridlaunch::Result<()> {
    let input: Vec<u64> = (0..1000).map(|k| k * k + (k << 40)).collect();
    let stream = stream();
    let there = stream.upload(&input)?;
    let mut sums = stream.zeros::<u64>(8)?;
    reduce.configure(8, 128).on(&stream).launch((&there, &mut sums))?;
    let expected: Vec<u64> = input.chunks(128).map(|chunk| chunk.iter().sum()).collect();
    assert_eq!(stream.download(&sums)?, expected);
    Ok(())
}

#[kernel]
fn transpose(rows: usize, columns: usize, input: &[u32], output: &mut [u32]) {
    let tile = block::shared::<[[u32; 17]; 16]>();
    let x = block::x() * 16 + thread::x();
    let y = block::y() * 16 + thread::y();
    if x < columns && y < rows {
        tile[thread::y()][thread::x()] = input[y * columns + x];
    }
    block::sync();
    let x = block::y() * 16 + thread::x();
    let y = block::x() * 16 + thread::y();
    if x < rows && y < columns {
        output[y * rows + x] = tile[thread::x()][thread::y()];
    }
}

#[test]
fn a_matrix_is_transposed_through_a_tile() -> gridlaunch::Result<()> {
    let (rows, columns) = (50usize, 83usize);
    let input: Vec<u32> = (0..(rows * columns) as u32).collect();
    let stream = stream();
    let there = stream.upload(&input)?;
    let mut output = stream.zeros::<u32>(input.len())?;
    let grid = (columns.div_ceil(16) as u32, rows.div_ceil(16) as u32);
    let dispatcher = transpose.configure(grid, (16, 16)).on(&stream);
    dispatcher.launch((rows, columns, &there, &mut output))?;
    let expected: Vec<u32> =
        (0..input.len()).map(|at| input[at % rows * columns + at / rows]).collect();
    assert_eq!(stream.download(&output)?, expected);
    Ok(())
}

#[kernel]
fn two_objects(out: &mut [u32]) {
    let bytes = block::shared::<[u8; 3]>();
    let words = block::shared::<[u32; 64]>();
    let flag = block::shared::<[bool; 64]>();
    let halves = block::shared::<[i16; 64]>();
    let here = thread::x();
    if here < 3 {
        bytes[here] = here as u8 + 1;
    }
    words[here] = here as u32 * 1000;
    flag[63 - here] = here % 3 == 0;
    halves[here] = -(here as i16);
    block::sync();
    let other = 63 - here;
    let mut value = words[other] + bytes[here % 3] as u32;
    if flag[here] {
        value += 100_000;
    }
    out[here] = value + (-halves[other]) as u32 * 1_000_000;
}

#[test]
fn shared_objects_do_not_overlap() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut out = stream.zeros::<u32>(64)?;
    two_objects.configure(1, 64).on(&stream).launch((&mut out,))?;
    let expected: Vec<u32> = (0..64u32)
        .map(|here| {
            let flag = if (63 - here) % 3 == 0 { 100_000 } else { 0 };
            (63 - here) * 1000 + here % 3 + 1 + flag + (63 - here) * 1_000_000
        })
        .collect();
    assert_eq!(stream.download(&out)?, expected);
    Ok(())
}

#[kernel]
fn scan(input: &[i32], output: &mut [i32]) {
    let front = block::shared::<[i32; 256]>();
    let back = block::shared::<[i32; 256]>();
    let here = thread::x();
    front[here] = input[here];
    block::sync();
    let mut step = 1;
    while step < 256 {
        back[here] = if here >= step { front[here] + front[here - step] } else { front[here] };
        block::sync();
        front[here] = back[here];
        block::sync();
        step *= 2;
    }
    output[here] = front[here];
}

#[test]
fn a_scan_needs_every_barrier() -> gridlaunch::Result<()> {
    let input: Vec<i32> = (0..256).map(|k| k * 37 % 101 - 50).collect();
    let stream = stream();
    let there = stream.upload(&input)?;
    let mut output = stream.zeros::<i32>(256)?;
    scan.configure(1, 256).on(&stream).launch((&there, &mut output))?;
    let mut sum = 0;
    let expected: Vec<i32> = input
        .iter()
        .map(|value| {
            sum += value;
            sum
        })
        .collect();
    assert_eq!(stream.download(&output)?, expected);
    Ok(())
}

#[kernel]
fn histogram_by_one_thread(input: &[u8], out: &mut [u32]) {
    let counts = block::shared::<[u32; 16]>();
    if thread::x() < 16 {
        counts[thread::x()] = 0;
    }
    block::sync();
    if thread::x() == 0 {
        for k in 0..input.len() {
            counts[(input[k] / 16) as usize] += 1;
        }
    }
    block::sync();
    if thread::x() < 16 {
        out[thread::x()] = counts[thread::x()];
    }
}

#[test]
fn what_one_thread_writes_all_read_after_the_barrier() -> gridlaunch::Result<()> {
    let input: Vec<u8> = (0..500u32).map(|k| (k * k % 256) as u8).collect();
    let stream = stream();
    let there = stream.upload(&input)?;
    let mut out = stream.zeros::<u32>(16)?;
    histogram_by_one_thread.configure(1, 64).on(&stream).launch((&there, &mut out))?;
    let mut expected = [0u32; 16];
    input.iter().for_each(|value| expected[usize::from(value / 16)] += 1);
    assert_eq!(stream.download(&out)?, expected);
    Ok(())
}
