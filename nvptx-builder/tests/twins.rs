//! Kernels give on the emulator what the same functions give as ordinary Rust: every type, edge
//! values, plain and optimised.
#![cfg(feature = "compiler")]

#[path = "twins/control.rs"]
mod control;
#[path = "twins/floats.rs"]
mod floats;
#[path = "twins/harness.rs"]
mod harness;
#[path = "twins/integers.rs"]
mod integers;
#[path = "twins/memory.rs"]
mod memory;
