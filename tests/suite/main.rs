//! What kernels do on a device: on the emulator, or, with `GRIDLAUNCH_DEVICE=cuda`, on a GPU.
//!
//! The oracle is Rust itself: plain code on the host, or the kernel's own host twin.

// The kernels here are written for what they test, and not as one would write them.
#![allow(
    clippy::manual_is_multiple_of,
    clippy::modulo_one,
    clippy::mut_range_bound,
    clippy::needless_late_init,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::never_loop,
    clippy::nonminimal_bool
)]

mod arrays;
mod casts;
mod control_flow;
mod division;
mod elements;
mod floats;
mod geometry;
mod integers;
mod launches;
mod macro_made;
mod names;
mod panics;
mod serialization;
mod shared_memory;
mod shifts;
mod short_circuit;
mod support;
