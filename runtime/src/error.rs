//! Everything that can go wrong, in one enum.

use crate::panic::KernelPanic;

/// What the runtime's functions return.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the runtime. It names the kernel, the argument, the value and the limit, where there
/// is one, and for a driver's error the call that failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// NVIDIA's driver library is not on this machine.
    #[error(
        "NVIDIA's driver was not found ({reason}); install it, or run on the CPU with \
         GRIDLAUNCH_DEVICE=emulator or Device::emulator()"
    )]
    NoDriver {
        /// What was looked for.
        reason: String,
    },

    /// The driver is there but lacks a function that Gridlaunch calls.
    #[error("NVIDIA's driver lacks {symbol} (it supports CUDA {version}); install a newer driver")]
    OldDriver {
        /// The function.
        symbol: &'static str,
        /// The CUDA version that the driver says it supports.
        version: String,
    },

    /// There is no GPU with that number.
    #[error(
        "there is no cuda:{ordinal}: this machine has {available} CUDA device(s); \
         GRIDLAUNCH_DEVICE=emulator or Device::emulator() runs on the CPU"
    )]
    NoDevice {
        /// The number that was asked for.
        ordinal: u32,
        /// How many there are.
        available: u32,
    },

    /// `GRIDLAUNCH_DEVICE` is set to something else than a device.
    #[error("GRIDLAUNCH_DEVICE={value:?} is no device: use cuda, cuda:N (N = 0, 1, …) or emulator")]
    DeviceChoice {
        /// What it is set to.
        value: String,
    },

    /// The process forked after it had started to use the GPU. A child cannot use its parent's
    /// CUDA state: start workers with `spawn` or `exec`, or first touch the GPU in the child.
    #[error(
        "this process was forked from one that already used the GPU, and CUDA does not survive a \
         fork: start the worker with spawn or exec, or use the GPU only after the fork"
    )]
    Forked,

    /// A call to the driver failed.
    #[error("{call} failed: {name} ({code}): {description}")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The driver's number for the error.
        code: u32,
        /// The driver's name for it, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// The driver's words for it.
        description: String,
    },

    /// The device has no memory left for an allocation.
    #[error("{device} has no room for {bytes} bytes")]
    OutOfMemory {
        /// The device, or `pinned host memory`.
        device: String,
        /// The size of the allocation.
        bytes: u64,
    },

    /// A buffer of that many elements is larger than 64 bits can say.
    #[error("{len} elements of {element} bytes are more than an address space holds")]
    TooLarge {
        /// Elements.
        len: usize,
        /// Bytes of one.
        element: usize,
    },

    /// A range that does not lie in the buffer or view that it was taken from.
    #[error("range {start}..{end} is out of bounds for length {len}")]
    Range {
        /// First element.
        start: usize,
        /// One past the last.
        end: usize,
        /// Elements of the buffer or view.
        len: usize,
    },

    /// Source and destination of a transfer have different lengths.
    #[error("{operation}: the source has {source_len} elements, the destination {destination_len}")]
    Length {
        /// The transfer.
        operation: &'static str,
        /// Elements of the source.
        source_len: usize,
        /// Elements of the destination.
        destination_len: usize,
    },

    /// Something of one device was used with a stream of another.
    #[error("{what} belongs to {found}, and the stream to {expected}")]
    WrongDevice {
        /// What was used: a buffer, an event, a kernel.
        what: String,
        /// The stream's device.
        expected: String,
        /// The other device.
        found: String,
    },

    /// A raw stream handle that cannot be borrowed.
    #[error("stream handle {handle:#x} cannot be borrowed: {reason}")]
    StreamHandle {
        /// The handle.
        handle: u64,
        /// Why.
        reason: &'static str,
    },

    /// An operation that would wait for the stream, or keep a pointer to host memory, while the
    /// stream is being captured into a graph. The capture goes on.
    #[error("{operation} is not possible while the stream is being captured")]
    Capturing {
        /// The operation.
        operation: &'static str,
    },

    /// The driver or the emulator refused a kernel's PTX.
    #[error("kernel `{kernel}` could not be loaded on {device}: {log}")]
    Load {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// What the driver's compiler, or the emulator, says.
        log: String,
    },

    /// The PTX has no entry of that name.
    #[error("the PTX has no kernel `{kernel}`")]
    KernelNotFound {
        /// The name that was looked for.
        kernel: String,
    },

    /// The PTX is for another GPU than the device, most often a newer one.
    #[error("kernel `{kernel}` needs {needs}, and {device} is {has}")]
    Target {
        /// The kernel.
        kernel: String,
        /// The PTX's `.target`, such as `sm_90`.
        needs: String,
        /// The device.
        device: String,
        /// What the device is, such as `sm_75`.
        has: String,
    },

    /// The metadata at the head of a PTX text is malformed.
    #[error("kernel `{kernel}`: its metadata cannot be read: {reason}")]
    Metadata {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        reason: String,
    },

    /// A kernel was launched without a stream: [`on`](crate::Dispatcher::on) binds one.
    #[error("kernel `{kernel}` is not bound to a stream: launch it with `.on(&stream).launch(…)`")]
    StreamNotBound {
        /// The kernel.
        kernel: String,
    },

    /// A kernel was launched without a geometry: [`configure`](crate::Dispatcher::configure) gives
    /// it one.
    #[error(
        "kernel `{kernel}` has no geometry: launch it with \
         `.configure(grid, block).on(&stream).launch(…)`"
    )]
    NotConfigured {
        /// The kernel.
        kernel: String,
    },

    /// So many elements take more blocks than a grid has.
    #[error(
        "{elements} elements with {threads} threads a block take more than the {limit} blocks that \
         a grid has along x"
    )]
    GridTooLarge {
        /// Elements, each with a thread of its own.
        elements: usize,
        /// Threads of a block along x.
        threads: u32,
        /// Blocks of a grid along x.
        limit: u32,
    },

    /// A DLPack export that is not possible.
    #[error(transparent)]
    Dlpack(#[from] crate::dlpack::DlpackError),

    /// A dimension of a grid or a block is zero or above the limit.
    #[error("kernel `{kernel}`: {dimension} is {value}, and must be between 1 and {limit}")]
    Dimension {
        /// The kernel.
        kernel: String,
        /// Which one, such as `grid.y` or `threads per block`.
        dimension: &'static str,
        /// Its value.
        value: u64,
        /// The largest value that the device, or the kernel, allows.
        limit: u64,
    },

    /// A launch asks for more shared memory than a block can have.
    #[error(
        "kernel `{kernel}` asks for {dynamic_bytes} bytes of dynamic shared memory beside its \
         {static_bytes} static ones, and {device} allows {limit} bytes a block in all"
    )]
    SharedMemory {
        /// The kernel.
        kernel: String,
        /// Bytes that the kernel declares.
        static_bytes: u32,
        /// Bytes that the launch asks for.
        dynamic_bytes: u32,
        /// The device.
        device: String,
        /// Bytes that a block can have.
        limit: u32,
    },

    /// A thread of a kernel panicked. The device goes on working.
    #[error(transparent)]
    KernelPanic(Box<KernelPanic>),

    /// A thread of a kernel panicked, and no loaded kernel has the panic table that its record
    /// names.
    #[error(
        "a kernel panicked, and its panic table {id:016x} is unknown (site {site}, block \
         {block:?}, thread {thread:?})"
    )]
    UnknownPanic {
        /// The table's id.
        id: u64,
        /// The site in it.
        site: u32,
        /// The block.
        block: [u32; 3],
        /// The thread in the block.
        thread: [u32; 3],
    },

    /// The emulator stopped a kernel, or another operation, because of what it did.
    #[error("emulator: {message}")]
    Emulator {
        /// The kernel, or the operation.
        operation: String,
        /// What it did, where, and which thread.
        message: String,
    },
}
