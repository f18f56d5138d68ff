//! GPU kernels in Rust: `cargo build` compiles them to PTX, on stable Rust, with no CUDA toolkit, no
//! LLVM and no nightly; a typed dispatcher launches them on an NVIDIA GPU, or, where there is none,
//! on an emulator that runs the same PTX.
//!
//! ```
//! use gridlaunch::prelude::*;
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = thread::global_x();
//!     if i < y.len() {
//!         y[i] += a * x[i];
//!     }
//! }
//!
//! fn main() -> gridlaunch::Result<()> {
//!     let device = Device::any()?; // a GPU if there is one, else the emulator
//!     let stream = device.new_stream()?;
//!     let x = stream.upload(&[1.0f32; 1000])?;
//!     let mut y = stream.upload(&[2.0f32; 1000])?;
//!
//!     saxpy.configure(4, 256).on(&stream).launch((3.0, &x, &mut y))?;
//!
//!     assert_eq!(stream.download(&y)?, vec![5.0; 1000]);
//!     Ok(())
//! }
//! ```
//!
//! # Kernels
//! [`#[kernel]`](macro@kernel) goes on a free function without a result. Its parameters are scalars
//! (`bool`, integers of up to 64 bits, `f32`, `f64`), `&[T]` and `&mut [T]` of them. It runs once for
//! every thread of the launch; [`device`] has what tells a thread where it is.
//!
//! A body can use
//! - arithmetic, comparisons, logic, `as`; `min`, `max`, `abs`, `sqrt`, `mul_add` and the
//!   `wrapping_…` methods;
//! - `let`, assignment, blocks, `if`, `while`, `loop`, `for` over ranges, `break`, `continue` and
//!   `return`, with labels and values;
//! - local arrays and constants, indexing, `len`;
//! - [`block::shared`](device::block::shared) memory and [`block::sync`](device::block::sync).
//!
//! It is ordinary Rust to rustc and rust-analyzer. What the compiler of kernels cannot do yet is an
//! error at its place in the source.
//!
//! # Semantics
//! Those of a release build, on every device: integers wrap, shift counts are masked, `as` saturates
//! from floats, `&&` and `||` evaluate their right side only if needed. One thing differs on
//! purpose: `a * b + c` may become one fused multiply-add, as every GPU compiler does;
//! `#[kernel(contract = false)]` prevents that.
//!
//! An index out of bounds, or a division by zero, is a panic. It ends its thread alone, and the next
//! [`synchronize`](Stream::synchronize) or download returns [`Error::KernelPanic`] with file, line,
//! column, block, thread and values. The next launch works.
//!
//! # Devices
//! [`Device::any`] takes the first GPU, or the emulator; the environment variable `GRIDLAUNCH_DEVICE`
//! (`cuda`, `cuda:1`, `emulator`) decides for it. The programs are the same for both.
//!
//! # Shipping a kernel
//! A configured [`Dispatcher`] serializes as grid, block and PTX, and nothing else: it can be sent to
//! another process, bound to a stream there, and launched.
//!
//! ```
//! # use gridlaunch::prelude::*;
//! # #[kernel]
//! # fn fill(value: u32, out: &mut [u32]) {
//! #     let i = thread::global_x();
//! #     if i < out.len() {
//! #         out[i] = value;
//! #     }
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let parcel = serde_json::to_string(&fill.configure(1, 64))?;
//!
//! let received: Dispatcher<fill> = serde_json::from_str(&parcel)?;
//! let stream = Device::any()?.new_stream()?;
//! let mut out = stream.zeros::<u32>(3)?;
//! received.on(&stream).launch((7, &mut out))?;
//! assert_eq!(stream.download(&out)?, [7, 7, 7]);
//! # Ok(())
//! # }
//! ```
//!
//! Loading a dispatcher that someone sent is running their code on your GPU.
//!
//! # Build profile
//! Kernels are compiled by code that runs inside your build, and cargo builds that code without
//! optimisation unless it is told otherwise:
//!
//! ```toml
//! [profile.dev.build-override]
//! opt-level = 3
//! ```

#![deny(missing_docs)]

pub use gridlaunch_macros::kernel;
pub use gridlaunch_runtime::{
    Block, Buffer, Device, DeviceId, Dispatcher, Element, Error, Event, Grid, Kernel, KernelPanic,
    Limits, PinnedBuffer, Result, Slice, SliceMut, Stream, args, dlpack, param,
};

/// What the code of a kernel can call: its place in the grid, shared memory, barriers.
#[doc(inline)]
pub use gridlaunch_runtime::intrinsics as device;

/// What a program with kernels needs: `use gridlaunch::prelude::*;`.
pub mod prelude {
    pub use crate::device::{block, grid, thread};
    pub use crate::{
        Block, Buffer, Device, Dispatcher, Event, Grid, PinnedBuffer, Slice, SliceMut, Stream,
        kernel,
    };
}

/// For what [`kernel`](macro@kernel) expands to, and for nothing else.
#[doc(hidden)]
pub mod __private {
    pub use gridlaunch_runtime::__private::{Program, host};
}
