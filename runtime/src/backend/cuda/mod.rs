//! The GPU, through NVIDIA's driver API.

pub(crate) mod api;
mod capture;
mod context;
mod event;
mod fork;
mod module;
mod pinned;
mod record;
mod stream;

pub(crate) use context::Context;
pub(crate) use event::{CudaEvent, Timing};
pub(crate) use module::Function;
pub(crate) use pinned::PinnedBlock;
pub(crate) use record::CudaRecord;
pub(crate) use stream::CudaStream;
