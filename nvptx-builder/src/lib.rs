//! The Gridlaunch compiler: a Rust function goes in, NVIDIA PTX comes out.
//!
//! It is an ordinary library: [`compile`] takes a `syn` item, and so works in a build script, a
//! command-line tool or a test as well as inside the `#[kernel]` macro, which is a shell around it.
//!
//! ```text
//! syn::ItemFn ─ hir::build ─▶ HIR ─ lower ─▶ IR ─ passes ─▶ IR ─ codegen ─▶ ptx::Module ─▶ text
//!               types, spans       SSA with            verified after        a tree, printed
//!                                  block parameters    each one              and parsed here
//! ```
//!
//! - [`hir`]: the kernel as the user wrote it, every expression typed, every node with its span.
//! - [`ir`]: SSA with block parameters; its semantics are stated in that module's documentation.
//! - [`passes`]: what ptxas does not do for us, one pass a file.
//! - [`codegen`]: from IR to the PTX tree.
//! - [`ptx`]: the PTX syntax tree, its printer and its parser. Together with [`metadata`] it is all
//!   that remains without the `compiler` feature: what a runtime or an emulator needs.
//! - [`metadata`]: what a kernel's PTX says of itself in structured comments (parameters with their
//!   Rust types, panic sites), so that PTX alone is enough to check a launch elsewhere.

#![deny(missing_docs)]

pub mod metadata;
pub mod ptx;

#[cfg(feature = "compiler")]
pub mod codegen;
#[cfg(feature = "compiler")]
mod compile;
#[cfg(feature = "compiler")]
pub mod diagnostics;
#[cfg(feature = "compiler")]
pub mod hir;
#[cfg(feature = "compiler")]
pub mod ir;
#[cfg(feature = "compiler")]
pub mod lower;
#[cfg(feature = "compiler")]
pub mod passes;

#[cfg(feature = "compiler")]
pub use compile::{Compiled, Options, compile};
