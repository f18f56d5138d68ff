//! What a device can do.

/// How large things can be on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// (9, 0) for `sm_90`.
    pub compute_capability: (u32, u32),
    /// Blocks of a grid: x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub block: [u32; 3],
    /// Threads of a block in all.
    pub threads_per_block: u32,
    /// Bytes of shared memory that a block has without being asked for more.
    pub shared_per_block: u32,
    /// Bytes of shared memory that a block can have, static and dynamic together. Dynamic shared
    /// memory is opted in to by itself, up to here.
    pub shared_per_block_opt_in: u32,
    /// Threads of a warp.
    pub warp_size: u32,
    /// Multiprocessors; for the emulator, processor cores.
    pub multiprocessors: u32,
    /// Bytes of memory in all; for the emulator, `u64::MAX`.
    pub memory: u64,
}
