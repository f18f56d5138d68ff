//! Why a launch was refused, or ended early.

use crate::program::SourceLocation;

/// A launch that was refused, or that ended because a thread did what it must not.
///
/// If several threads fault, it is the one of the lowest block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel `{kernel}`: {kind}{}{}", At(location), By(thread))]
pub struct Fault {
    /// The entry's name.
    pub kernel: String,
    /// What happened.
    pub kind: FaultKind,
    /// Where in the source, if the PTX says.
    pub location: Option<Box<SourceLocation>>,
    /// Which thread; `None` if the launch was refused.
    pub thread: Option<ThreadId>,
}

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadId {
    /// `%ctaid`
    pub block: [u32; 3],
    /// `%tid`
    pub thread: [u32; 3],
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Access {
    Read,
    Write,
    Atomic,
}

/// A state space that a kernel accesses by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Space {
    Global,
    Shared,
    Local,
}

/// The allocation nearest to a bad address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its start.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// A global access outside every allocation.
    #[error("{access} of {bytes} bytes at {address:#x}{}", Beside(*address, nearest))]
    OutOfBounds {
        /// What it does.
        access: Access,
        /// How many bytes.
        bytes: u32,
        /// Where.
        address: u64,
        /// The allocation that it may have been meant for.
        nearest: Option<Nearest>,
    },
    /// A global access to memory that was freed.
    #[error(
        "{access} of {bytes} bytes at {address:#x}, {} bytes into the {}-byte allocation at {:#x}, \
         which was freed (use after free)",
        address - freed.address, freed.bytes, freed.address
    )]
    UseAfterFree {
        /// What it does.
        access: Access,
        /// How many bytes.
        bytes: u32,
        /// Where.
        address: u64,
        /// The allocation that was there.
        freed: Nearest,
    },
    /// An access outside the block's shared or the thread's local memory.
    #[error("{access} of {bytes} bytes at {space} address {address:#x}, but {} {size} bytes", Has(*space))]
    OutOfSpace {
        /// Shared or local.
        space: Space,
        /// What it does.
        access: Access,
        /// How many bytes.
        bytes: u32,
        /// Where, from the start of the space.
        address: u64,
        /// What there is.
        size: u64,
    },
    /// An address that is not a multiple of the access's size.
    #[error(
        "{access} of {bytes} bytes at {space} address {address:#x}, which is not a multiple of {bytes}"
    )]
    Misaligned {
        /// The state space.
        space: Space,
        /// What it does.
        access: Access,
        /// How many bytes.
        bytes: u32,
        /// Where.
        address: u64,
    },
    /// A barrier that not all threads of the block reach.
    #[error(
        "divergent barrier: {waiting} of the block's {running} running threads wait here{}",
        Elsewhere(elsewhere)
    )]
    DivergentBarrier {
        /// Threads at this barrier.
        waiting: u32,
        /// Threads that have not exited.
        running: u32,
        /// Where one of the others waits, if the PTX says.
        elsewhere: Option<Box<SourceLocation>>,
    },
    /// A warp operation whose member mask names threads that do not come.
    #[error(
        "divergent warp operation: its member mask {members:#010x} names threads that do not reach it"
    )]
    DivergentWarp {
        /// The mask, without exited threads.
        members: u32,
    },
    /// The kernel executed `trap`.
    #[error("trap")]
    Trap,
    /// The launch executed more instructions than its budget allows.
    #[error("ran longer than {budget} instructions")]
    BudgetExceeded {
        /// [`Options::instruction_budget`](crate::Options::instruction_budget)
        budget: u64,
    },
    /// A grid or block dimension is zero or above the limit.
    #[error("{dimension} is {value}, but must be 1 to {limit}")]
    Dimension {
        /// `grid.x`, …, or `threads in a block`.
        dimension: &'static str,
        /// What was asked for.
        value: u64,
        /// The largest that works.
        limit: u64,
    },
    /// Static and dynamic shared memory together are above the limit.
    #[error(
        "a block takes {statically} bytes of static and {dynamically} of dynamic shared memory, \
         above the limit of {limit}"
    )]
    SharedMemory {
        /// What the kernel's variables take.
        statically: u32,
        /// What the launch asks for.
        dynamically: u32,
        /// The largest sum that works.
        limit: u32,
    },
    /// The parameter block has the wrong length.
    #[error("takes {expected} bytes of parameters, got {given}")]
    ParamBytes {
        /// What the kernel declares.
        expected: u32,
        /// What the launch gave.
        given: usize,
    },
}

impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic => "atomic access",
        })
    }
}

impl std::fmt::Display for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
        })
    }
}

/// `at src/main.rs:7:9`
struct At<'a>(&'a Option<Box<SourceLocation>>);

impl std::fmt::Display for At<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(location) => write!(f, "\n  at {location}"),
            None => Ok(()),
        }
    }
}

struct By<'a>(&'a Option<ThreadId>);

impl std::fmt::Display for By<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(ThreadId { block: [bx, by, bz], thread: [x, y, z] }) = self.0 else {
            return Ok(());
        };
        write!(f, "\n  in block ({bx}, {by}, {bz}), thread ({x}, {y}, {z})")
    }
}

struct Beside<'a>(u64, &'a Option<Nearest>);

impl std::fmt::Display for Beside<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(Nearest { address: start, bytes: size }) = *self.1 else {
            return f.write_str(", where nothing is allocated");
        };
        let end = start.wrapping_add(size);
        if self.0 >= end {
            let past = self.0 - end;
            write!(f, ", {past} bytes past the end of the {size}-byte allocation at {start:#x}")
        } else if self.0 < start {
            let before = start - self.0;
            write!(f, ", {before} bytes before the {size}-byte allocation at {start:#x}")
        } else {
            write!(f, ", across the end of the {size}-byte allocation at {start:#x}")
        }
    }
}

struct Has(Space);

impl std::fmt::Display for Has {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Space::Shared => "the block has",
            Space::Local => "the thread has",
            Space::Global => "there are",
        })
    }
}

struct Elsewhere<'a>(&'a Option<Box<SourceLocation>>);

impl std::fmt::Display for Elsewhere<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(location) => write!(f, ", others at {location}"),
            None => Ok(()),
        }
    }
}
