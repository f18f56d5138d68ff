//! Where a thread is.

use gridlaunch::prelude::*;

use crate::support::stream;

#[kernel]
fn places(out: &mut [usize]) {
    let width = grid::dim_x() * block::dim_x();
    let height = grid::dim_y() * block::dim_y();
    let at = (thread::global_z() * height + thread::global_y()) * width + thread::global_x();
    let at = at * 10;
    out[at] = thread::x();
    out[at + 1] = thread::y();
    out[at + 2] = thread::z();
    out[at + 3] = block::x();
    out[at + 4] = block::y();
    out[at + 5] = block::z();
    out[at + 6] = block::dim_x() + block::dim_y() * 100 + block::dim_z() * 10_000;
    out[at + 7] = grid::dim_x() + grid::dim_y() * 100 + grid::dim_z() * 10_000;
    out[at + 8] = thread::lane();
    out[at + 9] = thread::global_x() + thread::global_y() * 100 + thread::global_z() * 10_000;
}

#[test]
fn every_thread_of_three_dimensions_knows_its_place() -> gridlaunch::Result<()> {
    let (grid, block) = ((3u32, 2u32, 4u32), (5u32, 4u32, 3u32));
    let threads = 3 * 2 * 4 * 5 * 4 * 3;
    let stream = stream();
    let mut out = stream.zeros::<usize>(threads * 10)?;
    places.configure(grid, block).on(&stream).launch((&mut out,))?;
    let mut expected = vec![0; threads * 10];
    places::on_host(grid, block, &mut expected);
    assert_eq!(stream.download(&out)?, expected);
    Ok(())
}

#[kernel]
fn count_blocks(out: &mut [u32]) {
    let at = (block::z() * grid::dim_y() + block::y()) * grid::dim_x() + block::x();
    if thread::x() == 0 && at < out.len() {
        out[at] += 1;
    }
}

#[test]
fn a_big_grid_runs_every_block_once() -> gridlaunch::Result<()> {
    let stream = stream();
    for grid in [(100_000, 1, 1), (1, 65_535, 1), (1, 1, 65_535), (30, 40, 50)] {
        let blocks = grid.0 as usize * grid.1 as usize * grid.2 as usize;
        let mut out = stream.zeros::<u32>(blocks)?;
        count_blocks.configure(grid, 1).on(&stream).launch((&mut out,))?;
        assert!(stream.download(&out)?.iter().all(|count| *count == 1), "{grid:?}");
    }
    Ok(())
}

#[kernel]
fn far_indices(offset: usize, out: &mut [usize]) {
    // What an index beyond 2³¹ and 2³² elements does, without that many elements.
    let i = thread::global_x() + offset;
    out[i - offset] = i;
    let there = i * 8 - offset * 8;
    out[there / 8] += there % 8;
    if i >= out.len() && thread::global_x() == 0 {
        out[out.len() - 1] = i * 3 / 2;
    }
}

#[test]
fn indices_do_not_wrap_at_32_bits() -> gridlaunch::Result<()> {
    let stream = stream();
    for offset in [(1usize << 31) - 3, 1 << 31, (1 << 32) - 2, 1 << 32, 1 << 40] {
        let mut out = stream.zeros::<usize>(129)?;
        far_indices.configure(2, 64).on(&stream).launch((offset, &mut out))?;
        let out = stream.download(&out)?;
        assert!((0..128).all(|i| out[i] == offset + i), "{offset}");
        assert_eq!(out[128], offset * 3 / 2);
    }
    Ok(())
}

#[kernel]
fn largest_blocks(out: &mut [u32]) {
    let threads = block::dim_x() * block::dim_y() * block::dim_z();
    let here = (thread::z() * block::dim_y() + thread::y()) * block::dim_x() + thread::x();
    out[block::x() * threads + here] = here as u32;
}

#[test]
fn blocks_have_up_to_1024_threads_of_any_shape() -> gridlaunch::Result<()> {
    let stream = stream();
    for block in [(1024, 1, 1), (1, 1024, 1), (16, 1, 64), (32, 32, 1), (7, 3, 5), (33, 31, 1)] {
        let threads = block.0 * block.1 * block.2;
        let mut out = stream.zeros::<u32>(threads as usize * 2)?;
        largest_blocks.configure(2, block).on(&stream).launch((&mut out,))?;
        let expected: Vec<u32> = (0..threads).chain(0..threads).collect();
        assert_eq!(stream.download(&out)?, expected, "{block:?}");
    }
    Ok(())
}
