//! What a launch allocates on the host.

mod kernels;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use gridlaunch_runtime::Device;
use kernels::{nothing, saxpy};

/// Counts what this thread allocates.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does the work; the count is a plain thread-local without a
// destructor, so that it is there at all times and allocates nothing itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of the cheapest of several rounds: a queue that grows does so now and then.
fn allocations(mut work: impl FnMut()) -> usize {
    let mut round = || {
        let before = COUNT.get();
        work();
        COUNT.get() - before
    };
    (0..20).map(|_| round()).min().unwrap_or_default()
}

#[test]
fn configuring_and_binding_allocate_nothing() {
    let stream = Device::any().unwrap().new_stream().unwrap();
    drop(saxpy.configure(4, 256));
    assert_eq!(allocations(|| drop(saxpy.configure(4, 256).on(&stream))), 0);
}

#[test]
fn a_launch_allocates_nothing_on_a_gpu_and_what_the_queue_keeps_on_the_emulator() {
    let device = Device::any().unwrap();
    let stream = device.new_stream().unwrap();
    let (x, mut y) = (stream.upload(&[1.0f32; 32]).unwrap(), stream.zeros::<f32>(32).unwrap());
    let bound = saxpy.configure(1, 32).on(&stream);
    let empty = nothing.configure(1, 32).on(&stream);
    bound.launch((1.0, &x, &mut y)).unwrap();
    empty.launch(()).unwrap();
    stream.synchronize().unwrap();

    let of_empty = allocations(|| empty.launch(()).unwrap());
    let of_launch = allocations(|| bound.launch((1.0, &x, &mut y)).unwrap());
    if device.is_emulator() {
        // The queue keeps the parameters' bytes until the launch runs; apart from these, arguments
        // cost nothing.
        assert!(of_launch <= of_empty + 1, "{of_launch} and {of_empty}");
        assert!(of_empty <= 3, "{of_empty}");
    } else {
        assert_eq!((of_launch, of_empty), (0, 0));
    }
    stream.synchronize().unwrap();
}

#[test]
fn a_refused_launch_allocates_only_its_error() {
    let (x, mut y) = {
        let stream = Device::any().unwrap().new_stream().unwrap();
        (stream.upload(&[1.0f32; 32]).unwrap(), stream.zeros::<f32>(32).unwrap())
    };
    let unbound = saxpy.configure(1, 32);
    let count = allocations(|| assert!(unbound.launch((1.0, &x, &mut y)).is_err()));
    assert_eq!(count, 1, "the kernel's name");
}
