//! What a kernel's code can ask about its place in the grid, and what it can do with its block.
//!
//! In a kernel these calls are compiled to the PTX that each one names; all of it exists since
//! sm_20, so that nothing here raises the `sm_70` that every kernel needs. On the host they are
//! real functions: in a kernel's `on_host` function (or any [`host::run`]) they
//! give the place of the thread that the host stands for.
//!
//! # Panics
//! On the host, each function panics when it is called outside of
//! [`host::run`].

pub mod block;
pub mod grid;
pub mod thread;

use crate::host::{self, Position};

/// The place of the thread that runs, for the intrinsic called `name`.
#[track_caller]
fn here(name: &str) -> Position {
    match host::position() {
        Some(position) => position,
        None => panic!(
            "{name}() has a value inside a kernel only; to run a kernel's code on the host, call \
             its on_host(grid, block, …)"
        ),
    }
}

/// A dimension or an index as kernels have it.
fn wide(value: u32) -> usize {
    // Lossless: there is no 16-bit target.
    value as usize
}

/// `pub fn`s that read one component of the position.
macro_rules! component {
    ($($(#[$doc:meta])* $scope:literal $name:ident: $field:ident[$axis:literal] = $register:literal;)*) => {$(
        $(#[$doc])*
        #[doc = concat!(
            "\n\nPTX: `", $register, "`, sm_20 and later.",
            "\n\n# Panics\nOn the host, outside of [`host::run`](crate::host::run)."
        )]
        #[track_caller]
        pub fn $name() -> usize {
            $crate::intrinsics::wide(
                $crate::intrinsics::here(concat!($scope, "::", stringify!($name))).$field[$axis],
            )
        }
    )*};
}
use component;
