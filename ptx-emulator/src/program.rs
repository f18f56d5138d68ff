//! Decoded PTX: dense operations in basic blocks, over register slots.

use std::collections::HashMap;

use crate::decode::{self, LoadError};
use crate::exec::Context;

/// A PTX module, decoded. It is immutable: launches share it between threads.
#[derive(Debug)]
pub struct Program {
    kernels: Vec<Kernel>,
    by_name: HashMap<String, usize>,
}

impl Program {
    /// Parses and decodes PTX text.
    ///
    /// # Errors
    /// [`LoadError`] if the text is not PTX, or uses an instruction that the emulator does not have.
    pub fn load(ptx: &str) -> Result<Program, LoadError> {
        let kernels = decode::program(ptx)?;
        let by_name = kernels.iter().enumerate().map(|(at, k)| (k.name.clone(), at)).collect();
        Ok(Program { kernels, by_name })
    }

    /// The entry of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.by_name.get(name).map(|at| &self.kernels[*at])
    }

    /// All entries, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels.iter()
    }
}

/// An entry that can be launched.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) name: String,
    pub(crate) param_bytes: u32,
    pub(crate) static_shared: u32,
    /// Where dynamic shared memory starts: `static_shared`, aligned.
    pub(crate) dynamic_shared_at: u32,
    /// Local memory of one thread, a multiple of 4.
    pub(crate) local_bytes: u32,
    /// Storage units of a warp's registers.
    pub(crate) units: usize,
    /// Predicate registers of a warp.
    pub(crate) predicates: usize,
    pub(crate) ops: Vec<Op>,
    /// One for each of `ops`: an index into `locations`.
    pub(crate) op_locations: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
    /// Source positions; the first is "unknown".
    pub(crate) locations: Vec<Option<SourceLocation>>,
    /// Slots that hold the same value during a whole launch, or block, or for a warp's life.
    pub(crate) presets: Vec<Preset>,
    /// Registers that may be read before they are written: cleared when a block starts.
    pub(crate) cleared: Vec<u16>,
    pub(crate) cleared_wide: Vec<u16>,
    pub(crate) cleared_predicates: Vec<u16>,
}

impl Kernel {
    /// The entry's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of the packed parameter block.
    pub fn param_bytes(&self) -> u32 {
        self.param_bytes
    }

    /// Bytes of shared memory that its variables take in each block.
    pub fn static_shared_bytes(&self) -> u32 {
        self.static_shared
    }

    /// Bytes of local memory that its variables take in each thread.
    pub fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    pub(crate) fn location(&self, op: usize) -> Option<Box<SourceLocation>> {
        self.locations[self.op_locations[op] as usize].clone().map(Box::new)
    }

    pub(crate) fn end_location(&self, block: usize) -> Option<Box<SourceLocation>> {
        self.locations[self.blocks[block].end_location as usize].clone().map(Box::new)
    }
}

/// A position in the source that the PTX was made from, from `.loc` and `.file`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// As `.file` names it.
    pub file: String,
    /// One-based.
    pub line: u32,
    /// One-based; 0 when unknown.
    pub column: u32,
}

impl std::fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

/// Executes one operation for the lanes of a mask; `false` if one faulted, which
/// [`Context`] then describes.
///
/// # Safety
/// - The processor has the features that the handler was compiled for: [`crate::exec::isa`] picks.
/// - The operation's slots are those that the handler expects and inside the context's frame:
///   `decode` makes both together.
pub(crate) type Handler = unsafe fn(&mut Context, &Op, u32) -> bool;

/// No slot, no guard.
pub(crate) const NONE: u16 = u16::MAX;

/// How many slots an operation names.
pub(crate) const OPERANDS: usize = 6;

/// An operation.
#[derive(Clone, Copy)]
pub(crate) struct Op {
    pub(crate) handler: Handler,
    /// Destinations first. What each means is the handler's business.
    pub(crate) slots: [u16; OPERANDS],
    /// A predicate, or `NONE`.
    pub(crate) guard: u16,
    /// A word for the handler.
    pub(crate) aux: u16,
    /// A byte offset, or another immediate.
    pub(crate) imm: u64,
    /// `@!` rather than `@`.
    pub(crate) guard_negated: bool,
    /// Not an instruction of the text, and so not counted.
    pub(crate) helper: bool,
    /// An access that finds its address register's pattern rather than use a known one.
    pub(crate) finds: bool,
}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Op {:?} {:#x} {:#x}", self.slots, self.aux, self.imm)
    }
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Index of its first operation.
    pub(crate) start: u32,
    /// Index after its last.
    pub(crate) stop: u32,
    /// Instructions, `end` included.
    pub(crate) instructions: u32,
    pub(crate) end: End,
    /// Index into [`Kernel::locations`].
    pub(crate) end_location: u32,
}

/// How a basic block ends. Blocks are in the order of the text, so the next one is index + 1.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// Into the next block.
    Fall,
    /// `bra`
    Jump(u32),
    /// `@p bra`, else the next block.
    Branch { predicate: u16, negated: bool, target: u32 },
    /// `exit`, or `ret` from an entry.
    Exit { guard: Option<(u16, bool)> },
    /// `trap`
    Trap,
    /// `bar.sync`, then the next block.
    Barrier { id: BarrierOperand, count: Option<BarrierOperand>, aligned: bool, wait: bool },
    /// Wait for the lanes of a member mask, then the next block, which begins with the
    /// instruction that needs them together.
    Converge { mask: u16 },
}

/// A barrier's number or thread count.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BarrierOperand {
    Value(u32),
    Slot(u16),
}

/// A slot that is filled before a block runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preset {
    pub(crate) slot: u16,
    /// Two units rather than one.
    pub(crate) wide: bool,
    pub(crate) source: PresetSource,
}

/// Where a preset comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PresetSource {
    Constant(u64),
    /// Bytes of the parameter block, extended to the slot's width.
    Param {
        offset: u32,
        bytes: u8,
        signed: bool,
    },
    Special(Special),
}

/// A special register that is constant for the life of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    WarpCount,
    /// `%smid`, `%gridid`: there is one of each.
    Zero,
    /// `%nsmid`
    One,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    DynamicShared,
    TotalShared,
}
