//! What a launch is, and which are refused.

use crate::fault::{Fault, FaultKind};
use crate::program::Kernel;

/// A launch's geometry and parameters.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of shared memory besides what the kernel's own variables take.
    pub dynamic_shared: u32,
    /// The packed parameter block, [`Kernel::param_bytes`] long.
    pub params: &'a [u8],
    /// Host threads; `None` for one per processor.
    pub workers: Option<usize>,
}

/// What else a launch can be told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// End the launch with [`FaultKind::BudgetExceeded`] once its warps have executed about so many
    /// instructions; for kernels that may not end.
    pub instruction_budget: Option<u64>,
}

/// What a launch may ask for: the limits of NVIDIA GPUs of compute capability 9.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of a block's static shared memory.
    pub static_shared: u32,
    /// Bytes of a block's shared memory, static and dynamic.
    pub shared: u32,
    /// Threads of a warp.
    pub warp: u32,
}

/// The emulator's limits.
pub const LIMITS: Limits = Limits {
    grid: [i32::MAX as u32, 65_535, 65_535],
    block: [1024, 1024, 64],
    threads: 1024,
    static_shared: 48 << 10,
    shared: 227 << 10,
    warp: 32,
};

/// Refuses what a GPU would refuse.
pub(crate) fn validate(kernel: &Kernel, launch: &Launch<'_>) -> Result<(), Fault> {
    let refuse =
        |kind| Err(Fault { kernel: kernel.name().to_owned(), kind, location: None, thread: None });
    let dimensions = [
        ("grid.x", launch.grid[0], LIMITS.grid[0]),
        ("grid.y", launch.grid[1], LIMITS.grid[1]),
        ("grid.z", launch.grid[2], LIMITS.grid[2]),
        ("block.x", launch.block[0], LIMITS.block[0]),
        ("block.y", launch.block[1], LIMITS.block[1]),
        ("block.z", launch.block[2], LIMITS.block[2]),
    ];
    for (dimension, value, limit) in dimensions {
        if value == 0 || value > limit {
            let (value, limit) = (value.into(), limit.into());
            return refuse(FaultKind::Dimension { dimension, value, limit });
        }
    }
    let threads: u64 = launch.block.iter().map(|d| u64::from(*d)).product();
    if threads > LIMITS.threads.into() {
        let (value, limit) = (threads, LIMITS.threads.into());
        return refuse(FaultKind::Dimension { dimension: "threads in a block", value, limit });
    }
    let (statically, dynamically) = (kernel.static_shared, launch.dynamic_shared);
    if u64::from(kernel.dynamic_shared_at) + u64::from(dynamically) > LIMITS.shared.into() {
        let limit = LIMITS.shared;
        return refuse(FaultKind::SharedMemory { statically, dynamically, limit });
    }
    if launch.params.len() != kernel.param_bytes as usize {
        let (expected, given) = (kernel.param_bytes, launch.params.len());
        return refuse(FaultKind::ParamBytes { expected, given });
    }
    Ok(())
}
