//! Typed dispatchers: what `#[kernel]` makes of a function.

pub(crate) mod cache;
mod launch;
mod parcel;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::args::Parameters;
use crate::geometry::{Block, Grid};
use crate::program::{Program, ProgramRef};
use crate::stream::Stream;
use cache::Prepared;

/// A kernel's type, which tells its dispatchers from those of other kernels. `#[kernel]` implements
/// it for the type that it names after the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel",
    label = "`#[kernel]` makes a type of a function's name; `Dispatcher<…>` takes such a type"
)]
pub trait Kernel: 'static {
    /// The entry's name in the PTX.
    const NAME: &'static str;

    /// The parameters, as a tuple of the markers in [`param`](crate::param).
    type Params: Parameters;

    /// The kernel's own PTX.
    fn program() -> &'static Program;
}

/// A kernel with the geometry of its launches, and perhaps the stream that they go to.
///
/// ```text
/// saxpy.configure(4, 256).on(&stream).launch((3.0, &x, &mut y))?;
/// ```
/// A dispatcher is a value: [`configure`](Self::configure) and [`on`](Self::on) make new ones and
/// change none, so one may be used by any number of threads.
///
/// # Serialization
/// It consists of **grid, block and PTX**, whatever it was bound to or used for: equal dispatchers
/// have equal bytes, before and after a launch, and there is no trace of a stream in them. What was
/// deserialized is therefore bound to none, and launching it is
/// [`Error::StreamNotBound`](crate::Error::StreamNotBound) until [`on`](Self::on) gives it one. A
/// kernel that has no geometry yet refuses to be serialized.
///
/// Deserializing checks, without a driver, that the dimensions are possible, that the PTX can be
/// parsed and is at most 16 MiB, that it has the kernel's entry, and that its parameters are `K`'s.
/// It does not make the PTX trustworthy: launching a dispatcher from someone is running their code
/// on your GPU.
///
/// ```text
/// let parcel = serde_json::to_string(&saxpy.configure(4, 256))?;
/// let received: Dispatcher<saxpy> = serde_json::from_str(&parcel)?;
/// ```
#[derive(Serialize, Deserialize)]
#[serde(bound = "", try_from = "parcel::Parcel")]
pub struct Dispatcher<K: Kernel> {
    #[serde(serialize_with = "parcel::grid")]
    grid: Grid,
    #[serde(serialize_with = "parcel::block")]
    block: Block,
    #[serde(serialize_with = "parcel::ptx")]
    ptx: ProgramRef,
    /// Never serialized: a stream is a pointer into this process.
    #[serde(skip)]
    stream: Option<Stream>,
    /// The cached launch; `None` before [`configure`](Self::configure).
    #[serde(skip)]
    prepared: Option<Arc<Prepared>>,
    #[serde(skip)]
    kernel: PhantomData<fn() -> K>,
}

/// What a kernel's own value has before `configure`. No launch accepts it.
const NO_GRID: Grid = Grid { x: 0, y: 0, z: 0 };
const NO_BLOCK: Block = Block { x: 0, y: 0, z: 0, dynamic_shared: 0 };

impl<K: Kernel> Dispatcher<K> {
    /// The dispatcher of a kernel in this binary, without a geometry. For the macro.
    #[doc(hidden)]
    pub const fn embedded(program: &'static Program) -> Dispatcher<K> {
        Dispatcher {
            grid: NO_GRID,
            block: NO_BLOCK,
            ptx: ProgramRef::Static(program),
            stream: None,
            prepared: None,
            kernel: PhantomData,
        }
    }

    fn with_geometry(ptx: ProgramRef, grid: Grid, block: Block) -> Dispatcher<K> {
        let prepared = Some(ptx.launches.get(grid, block));
        Dispatcher { grid, block, ptx, stream: None, prepared, kernel: PhantomData }
    }

    /// The kernel with that geometry and the same stream. What a geometry needs before its first
    /// launch on a device is kept in a cache, which all threads share, for the 128 latest
    /// geometries of the kernel.
    ///
    /// Whether the device allows the dimensions is checked at the launch, which is when there is a
    /// device.
    #[must_use = "this makes a new dispatcher and does not change the old one"]
    pub fn configure(&self, grid: impl Into<Grid>, block: impl Into<Block>) -> Dispatcher<K> {
        let configured = Self::with_geometry(self.ptx.clone(), grid.into(), block.into());
        Dispatcher { stream: self.stream.clone(), ..configured }
    }

    /// The same launch on `stream`.
    #[must_use = "this makes a new dispatcher and does not change the old one"]
    pub fn on(&self, stream: &Stream) -> Dispatcher<K> {
        Dispatcher {
            grid: self.grid,
            block: self.block,
            ptx: self.ptx.clone(),
            stream: Some(stream.clone()),
            prepared: self.prepared.clone(),
            kernel: PhantomData,
        }
    }

    /// The kernel's name.
    pub fn name(&self) -> &'static str {
        K::NAME
    }

    /// The blocks of a launch; all dimensions are 0 before [`configure`](Self::configure).
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The threads of a block, and its dynamic shared memory; all 0 before
    /// [`configure`](Self::configure).
    pub fn block(&self) -> Block {
        self.block
    }

    /// The PTX text.
    pub fn ptx(&self) -> &str {
        self.ptx.ptx()
    }

    /// The stream that [`on`](Self::on) bound.
    pub fn stream(&self) -> Option<&Stream> {
        self.stream.as_ref()
    }
}

impl<K: Kernel> Clone for Dispatcher<K> {
    fn clone(&self) -> Dispatcher<K> {
        Dispatcher {
            grid: self.grid,
            block: self.block,
            ptx: self.ptx.clone(),
            stream: self.stream.clone(),
            prepared: self.prepared.clone(),
            kernel: PhantomData,
        }
    }
}

impl<K: Kernel> fmt::Debug for Dispatcher<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("kernel", &K::NAME)
            .field("grid", &self.grid)
            .field("block", &self.block)
            .field("ptx_bytes", &self.ptx().len())
            .field("stream", &self.stream)
            .finish()
    }
}
