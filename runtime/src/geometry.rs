//! The shape of a launch: how many blocks, and how many threads each has.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The blocks of a launch along x, y and z.
///
/// Made from a number, a tuple or an array; dimensions that are not given are 1. Whether a device
/// allows the dimensions is checked at the launch.
///
/// ```
/// # use gridlaunch_runtime::Grid;
/// assert_eq!(Grid::from(4), Grid { x: 4, y: 1, z: 1 });
/// assert_eq!(Grid::from((4, 2)), Grid { x: 4, y: 2, z: 1 });
/// assert_eq!(Grid::from([4, 2, 3]), Grid { x: 4, y: 2, z: 3 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Blocks along x, at most 2³¹ − 1.
    pub x: u32,
    /// Blocks along y, at most 65,535.
    pub y: u32,
    /// Blocks along z, at most 65,535.
    pub z: u32,
}

/// The threads of a block along x, y and z, and the shared memory that the launch gives it beyond
/// what the kernel declares.
///
/// Made from a number, a tuple or an array; dimensions that are not given are 1.
///
/// ```
/// # use gridlaunch_runtime::Block;
/// let block = Block::from((16, 16)).dynamic_shared(4096);
/// assert_eq!(block.threads(), 256);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Threads along x, at most 1,024.
    pub x: u32,
    /// Threads along y, at most 1,024.
    pub y: u32,
    /// Threads along z, at most 64.
    pub z: u32,
    /// Dynamic shared memory, in bytes.
    pub dynamic_shared: u32,
}

/// The most blocks that a grid can have along x, y and z on any GPU (*CUDA Programming Guide*,
/// "Compute Capabilities", technical specifications).
const GRID_LIMIT: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// The most threads that a block can have along x, y and z on any GPU (same table).
const BLOCK_LIMIT: [u32; 3] = [1024, 1024, 64];
/// The most threads that a block can have on any GPU (same table).
const THREADS_LIMIT: u32 = 1024;

/// What a geometry is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Blocks along x, y and z.
    pub(crate) grid: [u32; 3],
    /// Threads along x, y and z.
    pub(crate) block: [u32; 3],
    /// Threads of a block in all.
    pub(crate) threads: u32,
}

impl Bounds {
    /// What no CUDA device exceeds.
    pub(crate) const ANY_DEVICE: Bounds =
        Bounds { grid: GRID_LIMIT, block: BLOCK_LIMIT, threads: THREADS_LIMIT };

    /// Checks every dimension, and the threads of a block.
    ///
    /// # Errors
    /// [`Error::Dimension`] for the first one that is 0 or too large.
    pub(crate) fn check(&self, kernel: &str, grid: Grid, block: Block) -> Result<()> {
        self.check_grid(kernel, grid)?;
        self.check_block(kernel, block)
    }

    pub(crate) fn check_grid(&self, kernel: &str, grid: Grid) -> Result<()> {
        for (name, value, limit) in
            zip3(["grid.x", "grid.y", "grid.z"], grid.dimensions(), self.grid)
        {
            check(kernel, name, u64::from(value), limit)?;
        }
        Ok(())
    }

    pub(crate) fn check_block(&self, kernel: &str, block: Block) -> Result<()> {
        for (name, value, limit) in
            zip3(["block.x", "block.y", "block.z"], block.dimensions(), self.block)
        {
            check(kernel, name, u64::from(value), limit)?;
        }
        check(kernel, "threads per block", block.threads(), self.threads)
    }
}

fn zip3(
    names: [&'static str; 3],
    values: [u32; 3],
    limits: [u32; 3],
) -> impl Iterator<Item = (&'static str, u32, u32)> {
    names.into_iter().zip(values).zip(limits).map(|((name, value), limit)| (name, value, limit))
}

fn check(kernel: &str, dimension: &'static str, value: u64, limit: u32) -> Result<()> {
    if (1..=u64::from(limit)).contains(&value) {
        return Ok(());
    }
    let limit = u64::from(limit);
    Err(Error::Dimension { kernel: kernel.to_owned(), dimension, value, limit })
}

impl Grid {
    /// The blocks along x that give every one of `elements` a thread of its own: the quotient of
    /// `elements` and the block's threads along x, rounded up, and 1 for no elements at all.
    ///
    /// # Errors
    /// [`Error::GridTooLarge`] if that is more than 2³¹ − 1 blocks, or if the block has no threads.
    ///
    /// ```
    /// # use gridlaunch_runtime::Grid;
    /// assert_eq!(Grid::for_elements(1000, 256)?, Grid::from(4));
    /// assert!(Grid::for_elements(usize::MAX, 256).is_err());
    /// # Ok::<(), gridlaunch_runtime::Error>(())
    /// ```
    pub fn for_elements(elements: usize, block: impl Into<Block>) -> Result<Grid> {
        let threads = block.into().x;
        let too_large = || Error::GridTooLarge { elements, threads, limit: GRID_LIMIT[0] };
        if threads == 0 {
            return Err(too_large());
        }
        // A u32 fits a usize: every supported target has 64-bit (or at least 32-bit) pointers.
        let blocks = elements.div_ceil(threads as usize).max(1);
        match u32::try_from(blocks) {
            Ok(blocks) if blocks <= GRID_LIMIT[0] => Ok(Grid::from(blocks)),
            _ => Err(too_large()),
        }
    }

    /// Blocks along x, y and z.
    pub const fn dimensions(&self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }

    /// All blocks; saturating, for dimensions that no device allows.
    pub const fn blocks(&self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }
}

impl Block {
    /// The same threads with `bytes` of dynamic shared memory.
    #[must_use]
    pub const fn dynamic_shared(mut self, bytes: u32) -> Block {
        self.dynamic_shared = bytes;
        self
    }

    /// Threads along x, y and z.
    pub const fn dimensions(&self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }

    /// All threads of a block; saturating, for dimensions that no device allows.
    pub const fn threads(&self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }
}

macro_rules! conversions {
    ($($from:ty: |$it:ident| [$x:expr, $y:expr, $z:expr];)*) => {$(
        impl From<$from> for Grid {
            fn from($it: $from) -> Grid {
                Grid { x: $x, y: $y, z: $z }
            }
        }

        impl From<$from> for Block {
            fn from($it: $from) -> Block {
                Block { x: $x, y: $y, z: $z, dynamic_shared: 0 }
            }
        }
    )*};
}

conversions! {
    u32: |x| [x, 1, 1];
    (u32, u32): |d| [d.0, d.1, 1];
    (u32, u32, u32): |d| [d.0, d.1, d.2];
    [u32; 1]: |d| [d[0], 1, 1];
    [u32; 2]: |d| [d[0], d[1], 1];
    [u32; 3]: |d| [d[0], d[1], d[2]];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(grid: impl Into<Grid>, block: impl Into<Block>) -> (&'static str, u64, u64) {
        match Bounds::ANY_DEVICE.check("k", grid.into(), block.into()) {
            Err(Error::Dimension { dimension, value, limit, .. }) => (dimension, value, limit),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_bad_dimension_is_named_with_its_value_and_limit() {
        assert_eq!(dimension((1, 65_536), 1), ("grid.y", 65_536, 65_535));
        assert_eq!(dimension((1, 1, 70_000), 1), ("grid.z", 70_000, 65_535));
        assert_eq!(dimension(0x8000_0000, 1), ("grid.x", 0x8000_0000, 0x7fff_ffff));
        assert_eq!(dimension(0, 1), ("grid.x", 0, 0x7fff_ffff));
        assert_eq!(dimension(1, (1, 0)), ("block.y", 0, 1024));
        assert_eq!(dimension(1, (1, 1, 65)), ("block.z", 65, 64));
        assert_eq!(dimension(1, (1024, 2)), ("threads per block", 2048, 1024));
        assert_eq!(dimension(1, (u32::MAX, 1)), ("block.x", 4_294_967_295, 1024));
        assert_eq!(
            Bounds::ANY_DEVICE.check(
                "k",
                Grid { x: 0x7fff_ffff, y: 65_535, z: 65_535 },
                Block::from((16, 1, 64)),
            ),
            Ok(())
        );
    }

    #[test]
    fn a_grid_for_elements_rounds_up_and_never_wraps() {
        let blocks = |n, block: u32| Grid::for_elements(n, block).map(|grid| grid.x).ok();
        assert_eq!(blocks(0, 256), Some(1));
        assert_eq!(blocks(1, 256), Some(1));
        assert_eq!(blocks(256, 256), Some(1));
        assert_eq!(blocks(257, 256), Some(2));
        assert_eq!(blocks(0x7fff_ffff, 1), Some(0x7fff_ffff));
        assert_eq!(blocks(0x8000_0000, 1), None);
        assert_eq!(blocks((1 << 40) + 1, 1), None, "its low half alone would be 1");
        assert_eq!(blocks(usize::MAX, 1024), None);
        assert_eq!(blocks(1, 0), None);
    }

    #[test]
    fn sizes_do_not_overflow() {
        let all = u32::MAX;
        assert_eq!(Grid::from([all, all, all]).blocks(), u64::MAX);
        assert_eq!(Block::from([all, all, all]).threads(), u64::MAX);
    }
}
