//! The Gridlaunch runtime: devices, streams, buffers, dispatchers, DLPack, and the host side of
//! the device intrinsics. Programs use it through the `gridlaunch` crate, which re-exports it.
//!
//! - [`Device`]: a GPU, or the emulator. [`Stream`]: a queue of work on it; [`Event`]: a point in
//!   one. [`Buffer`], [`Slice`] and [`SliceMut`]: memory on it; [`PinnedBuffer`]: memory on the host
//!   that it reaches.
//! - [`Dispatcher`]: a kernel with the [`Grid`] and the [`Block`] of its launches. `#[kernel]` makes
//!   one of a function; it goes to another process as plain data, through serde.
//! - [`param`] and [`args`]: how a launch's arguments are checked when the program is compiled.
//! - [`dlpack`]: results for PyTorch, JAX, CuPy, NumPy.
//! - [`intrinsics`] and [`host`]: what a kernel can ask about its place, and how its Rust code runs
//!   on the host.
//!
//! ```text
//! let device = Device::any()?;
//! let stream = device.new_stream()?;
//! let x = stream.upload(&[1.0f32; 1000])?;
//! let mut y = stream.upload(&[2.0f32; 1000])?;
//! saxpy.configure(4, 256).on(&stream).launch((3.0, &x, &mut y))?;
//! assert_eq!(stream.download(&y)?, vec![5.0; 1000]);
//! ```

#![deny(missing_docs)]

pub mod args;
mod backend;
mod buffer;
mod device;
mod dispatcher;
pub mod dlpack;
mod element;
mod error;
mod event;
mod geometry;
pub mod host;
pub mod intrinsics;
mod panic;
mod pinned;
mod program;
mod stream;

pub use args::param;
pub use buffer::{Buffer, Slice, SliceMut};
pub use device::{Device, DeviceId, Limits};
pub use dispatcher::{Dispatcher, Kernel};
pub use element::Element;
pub use error::{Error, Result};
pub use event::Event;
pub use geometry::{Block, Grid};
pub use panic::KernelPanic;
pub use pinned::PinnedBuffer;
pub use stream::Stream;

/// What a program with kernels needs: `use gridlaunch::prelude::*;`.
pub mod prelude {
    pub use crate::intrinsics::{block, grid, thread};
    pub use crate::{Block, Buffer, Device, Dispatcher, Event, Grid, PinnedBuffer, Stream};
}

/// For what `#[kernel]` expands to, and for nothing else.
#[doc(hidden)]
pub mod __private {
    pub use crate::host;
    pub use crate::program::Program;
}
