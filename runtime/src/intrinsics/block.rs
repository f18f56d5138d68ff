//! The block that the thread belongs to: its place, its barrier, its shared memory.

use super::here;
use crate::element::Element;

super::component! {
    /// The block's index in the grid along x.
    "block" x: block_index[0] = "%ctaid.x";
    /// The block's index in the grid along y.
    "block" y: block_index[1] = "%ctaid.y";
    /// The block's index in the grid along z.
    "block" z: block_index[2] = "%ctaid.z";
    /// Threads of the block along x.
    "block" dim_x: block[0] = "%ntid.x";
    /// Threads of the block along y.
    "block" dim_y: block[1] = "%ntid.y";
    /// Threads of the block along z.
    "block" dim_z: block[2] = "%ntid.z";
}

/// Waits until every thread of the block has come here. What a thread wrote to shared or global
/// memory before, the others of its block see after.
///
/// All threads of the block that still run must reach the same call: one in a branch that some of
/// them do not take is an error of the program.
///
/// PTX: `bar.sync 0`, sm_20 and later.
///
/// # Panics
/// On the host, outside of [`host::run`](crate::host::run), and where a block has more than one
/// thread: threads run there one after another, so that the first would wait for ever.
#[track_caller]
pub fn sync() {
    one_thread("block::sync");
}

/// Memory that all threads of the block share. Every call in the source is one object, whichever
/// thread runs it and how often; `T` is a scalar or an array of them, in any depth.
///
/// The memory is not initialised: a kernel writes it before it reads it, with a
/// [`sync`] in between where another thread reads. (On the host it is zero.)
///
/// ```
/// # use gridlaunch_runtime::{host, intrinsics::{block, thread}};
/// # host::run(1.into(), 1.into(), || {
/// let tile = block::shared::<[[f32; 33]; 32]>();
/// tile[thread::y()][thread::x()] = 1.0;
/// # });
/// ```
///
/// PTX: a `.shared` variable, sm_20 and later. A block has 48 KiB for all of them.
///
/// # Panics
/// On the host, outside of [`host::run`](crate::host::run), and where a block has more than one
/// thread: threads run there one after another, so that they cannot share anything. There every
/// call gives fresh memory and never takes it back, as the reference may be kept for ever.
#[track_caller]
pub fn shared<T: Shared>() -> &'static mut T {
    one_thread("block::shared");
    let mut memory = Box::<T>::new_uninit();
    // SAFETY: the box has room for one `T`. Zero is a value of every `Element`, and `Shared`
    // promises that `T` is made of these.
    unsafe {
        memory.as_mut_ptr().write_bytes(0, 1);
        Box::leak(memory.assume_init())
    }
}

/// What shared memory can hold: a scalar, or an array.
///
/// # Safety
/// The type consists of [`Element`]s alone.
#[diagnostic::on_unimplemented(
    message = "shared memory cannot hold `{Self}`",
    label = "neither a scalar nor an array of scalars",
    note = "write, for instance, `block::shared::<[f32; 256]>()`"
)]
pub unsafe trait Shared: 'static {}

// SAFETY: it is one element.
unsafe impl<T: Element> Shared for T {}

// SAFETY: an array adds no bytes to its items.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

/// Panics unless the block has one thread, in which case there is nobody to wait for.
#[track_caller]
fn one_thread(name: &str) {
    let threads: u64 = here(name).block.iter().map(|dim| u64::from(*dim)).product();
    assert!(
        threads == 1,
        "{name}() on the host needs blocks of one thread, and these have {threads}: the host runs \
         threads one after another, so they cannot wait for each other; launch the kernel on \
         Device::emulator() instead"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host;

    #[test]
    fn a_block_of_one_thread_has_shared_memory_and_a_barrier_on_the_host() {
        let mut sums = Vec::new();
        host::run(3.into(), 1.into(), || {
            let tile = shared::<[[u32; 2]; 3]>();
            assert_eq!(*tile, [[0; 2]; 3], "memory of another block");
            tile[2][1] = 7;
            sync();
            sums.push(tile.iter().flatten().sum::<u32>());
        });
        assert_eq!(sums, [7, 7, 7]);
    }

    #[test]
    #[should_panic(expected = "block::sync() on the host needs blocks of one thread, and these \
                               have 64")]
    fn a_barrier_between_host_threads_panics_with_advice() {
        host::run(1.into(), (32, 2).into(), sync);
    }

    #[test]
    #[should_panic(expected = "launch the kernel on Device::emulator()")]
    fn shared_memory_between_host_threads_panics_with_advice() {
        host::run(1.into(), 2.into(), || *shared::<u32>() = 1);
    }

    #[test]
    #[should_panic(expected = "block::x() has a value inside a kernel only")]
    fn an_intrinsic_outside_of_a_kernel_panics_with_advice() {
        let _ = x();
    }
}
