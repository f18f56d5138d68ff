//! Ready-made Gridlaunch kernels, each with a CPU reference of the same name in [`mod@reference`].
//!
//! ```
//! use gridlaunch::prelude::*;
//! use gridlaunch_kernels::{reference, saxpy};
//!
//! # fn main() -> gridlaunch::Result<()> {
//! let stream = Device::any()?.new_stream()?;
//! let (x, mut expected) = (vec![1.5f32; 1000], vec![2.0f32; 1000]);
//! let (x_there, mut y_there) = (stream.upload(&x)?, stream.upload(&expected)?);
//!
//! saxpy.configure(4, 256).on(&stream).launch((3.0, &x_there, &mut y_there))?;
//! reference::saxpy(3.0, &x, &mut expected);
//! assert_eq!(stream.download(&y_there)?, expected);
//! # Ok(())
//! # }
//! ```
//!
//! A kernel and its reference give the same bits: where a kernel multiplies and adds, both round
//! once, and where it sums, both sum in the same order.

#![deny(missing_docs)]

mod fractal;
mod images;
mod matrix;
pub mod reference;
mod vector;

pub use fractal::{mandelbrot_f32, mandelbrot_f64};
pub use images::{gaussian_blur, sobel};
pub use matrix::{matmul, transpose};
pub use vector::{block_sum, saxpy};
