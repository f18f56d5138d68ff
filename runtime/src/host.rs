//! Runs a kernel's Rust code on the host, one thread after another.

use std::cell::Cell;

use crate::geometry::{Block, Grid};

/// The thread of the grid that a host twin currently stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) block_index: [u32; 3],
    pub(crate) thread_index: [u32; 3],
}

thread_local! {
    static CURRENT: Cell<Option<Position>> = const { Cell::new(None) };
}

/// Where the host twin that is running stands, or `None` outside of one.
pub(crate) fn position() -> Option<Position> {
    CURRENT.get()
}

/// Calls `thread` once for every thread of every block: blocks in order, threads in order within a
/// block, x fastest. While it runs, the intrinsics of [`intrinsics`](crate::intrinsics) give that
/// thread's place. The macro's `on_host` functions are calls of this one.
///
/// Threads run one after another, so a kernel whose threads wait for each other at a barrier needs
/// the emulator, unless its blocks have one thread.
///
/// # Panics
/// If a dimension is 0 or larger than CUDA allows, and where `thread` panics.
pub fn run(grid: Grid, block: Block, mut thread: impl FnMut()) {
    if let Err(error) = crate::geometry::Bounds::ANY_DEVICE.check("host twin", grid, block) {
        panic!("{error}");
    }
    let (grid, block) = (grid.dimensions(), block.dimensions());
    // A twin that panics, or one that runs another kernel's, leaves the outer place as it was.
    let _restore = Restore(CURRENT.get());
    for block_index in places(grid) {
        for thread_index in places(block) {
            CURRENT.set(Some(Position { grid, block, block_index, thread_index }));
            thread();
        }
    }
}

struct Restore(Option<Position>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// All index triples below `dims`, x fastest.
fn places(dims: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = dims;
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intrinsics::{block, grid, thread};

    #[test]
    fn every_thread_runs_once_x_fastest() {
        let mut seen = Vec::new();
        run((2, 1, 2).into(), (2, 2).into(), || {
            assert_eq!((grid::dim_x(), grid::dim_y(), grid::dim_z()), (2, 1, 2));
            assert_eq!((block::dim_x(), block::dim_y(), block::dim_z()), (2, 2, 1));
            assert_eq!(thread::global_x(), block::x() * 2 + thread::x());
            seen.push([block::x(), block::z(), thread::x(), thread::y(), thread::lane()]);
        });
        assert_eq!(seen.len(), 16);
        assert_eq!(seen[..3], [[0, 0, 0, 0, 0], [0, 0, 1, 0, 1], [0, 0, 0, 1, 2]]);
        assert_eq!(seen[4], [1, 0, 0, 0, 0]);
        assert_eq!(seen[15], [1, 1, 1, 1, 3]);
    }

    #[test]
    fn a_twin_may_run_another_twin() {
        run(1.into(), 3.into(), || {
            let outer = thread::x();
            run(1.into(), 1.into(), || assert_eq!(thread::x(), 0));
            assert_eq!(thread::x(), outer);
        });
        assert!(position().is_none());
    }

    #[test]
    fn a_panic_in_a_twin_ends_its_place() {
        let panic = std::panic::catch_unwind(|| run(1.into(), 1.into(), || panic!("on purpose")));
        assert!(panic.is_err());
        assert!(position().is_none());
    }

    #[test]
    #[should_panic(expected = "block.x is 2000, and must be between 1 and 1024")]
    fn a_block_that_no_gpu_has_is_refused() {
        run(1.into(), 2000.into(), || {});
    }
}
