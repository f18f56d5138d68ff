//! What does the work: NVIDIA's driver, or the emulator.
//!
//! Both offer the same operations on a queue that runs in order; [`Stream`](crate::Stream) chooses.

pub(crate) mod cuda;
pub(crate) mod emulator;
