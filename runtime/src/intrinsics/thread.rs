//! The thread that runs.

use super::{here, wide};

super::component! {
    /// The thread's index in its block along x.
    "thread" x: thread_index[0] = "%tid.x";
    /// The thread's index in its block along y.
    "thread" y: thread_index[1] = "%tid.y";
    /// The thread's index in its block along z.
    "thread" z: thread_index[2] = "%tid.z";
}

/// Threads of a warp, on every GPU so far.
const WARP: usize = 32;

macro_rules! global {
    ($($(#[$doc:meta])* $name:ident: $axis:literal = $registers:literal;)*) => {$(
        $(#[$doc])*
        #[doc = concat!(
            "\n\nPTX: `", $registers, "` in 64 bits, so that it does not wrap; sm_20 and later.",
            "\n\n# Panics\nOn the host, outside of [`host::run`](crate::host::run)."
        )]
        #[track_caller]
        pub fn $name() -> usize {
            let at = here(concat!("thread::", stringify!($name)));
            wide(at.block_index[$axis]) * wide(at.block[$axis]) + wide(at.thread_index[$axis])
        }
    )*};
}

global! {
    /// The thread's index in the whole grid along x: `block::x() * block::dim_x() + thread::x()`.
    global_x: 0 = "%ctaid.x * %ntid.x + %tid.x";
    /// The thread's index in the whole grid along y: `block::y() * block::dim_y() + thread::y()`.
    global_y: 1 = "%ctaid.y * %ntid.y + %tid.y";
    /// The thread's index in the whole grid along z: `block::z() * block::dim_z() + thread::z()`.
    global_z: 2 = "%ctaid.z * %ntid.z + %tid.z";
}

/// The thread's index in its warp, 0 to 31.
///
/// PTX: `%laneid`, sm_20 and later.
///
/// # Panics
/// On the host, outside of [`host::run`](crate::host::run).
#[track_caller]
pub fn lane() -> usize {
    let at = here("thread::lane");
    let ([x, y, z], [dim_x, dim_y, _]) = (at.thread_index.map(wide), at.block.map(wide));
    (x + dim_x * (y + dim_y * z)) % WARP
}
