//! A kernel's PTX, with what is made of it once: its metadata, the loaded kernel of each device,
//! the prepared launches.

mod intern;
mod per_device;

pub(crate) use intern::intern;
pub(crate) use per_device::PerDevice;

use std::sync::{Arc, OnceLock};

use nvptx_builder::metadata::{Metadata, ptx_name};

use crate::device::Device;
use crate::dispatcher::cache::LaunchCache;
use crate::error::{Error, Result};

/// The PTX of one kernel. It is loaded on a device when it is first launched there, and stays
/// loaded as long as the program lives.
pub struct Program {
    name: Text,
    ptx: Text,
    metadata: OnceLock<Result<Metadata>>,
    loaded: PerDevice<Loaded>,
    pub(crate) launches: LaunchCache,
}

/// A program's text: in the binary, or received.
enum Text {
    Static(&'static str),
    Owned(Box<str>),
}

impl Text {
    fn get(&self) -> &str {
        match self {
            Text::Static(text) => text,
            Text::Owned(text) => text,
        }
    }
}

/// A kernel on a device, with what each launch must know of it.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) kernel: crate::device::LoadedKernel,
    /// Whether the last parameter is the address of the stream's panic record.
    pub(crate) takes_record: bool,
}

impl Program {
    /// The program of a kernel that is part of the binary.
    #[doc(hidden)]
    pub const fn embedded(name: &'static str, ptx: &'static str) -> Program {
        Program::new(Text::Static(name), Text::Static(ptx))
    }

    /// A program that came from elsewhere.
    pub(crate) fn received(name: &str, ptx: String) -> Program {
        Program::new(Text::Owned(name.into()), Text::Owned(ptx.into()))
    }

    const fn new(name: Text, ptx: Text) -> Program {
        Program {
            name,
            ptx,
            metadata: OnceLock::new(),
            loaded: PerDevice::new(),
            launches: LaunchCache::new(),
        }
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        self.name.get()
    }

    /// The PTX text.
    pub fn ptx(&self) -> &str {
        self.ptx.get()
    }

    /// What the PTX says of itself; read from the text once.
    ///
    /// # Errors
    /// [`Error::Metadata`] if the text is not PTX, or has no metadata.
    pub fn metadata(&self) -> Result<&Metadata> {
        let read = || {
            let error = |reason: String| Error::Metadata { kernel: self.name().to_owned(), reason };
            let metadata = Metadata::from_ptx(self.ptx()).map_err(|it| error(it.to_string()))?;
            metadata.ok_or_else(|| error("the text has none".to_owned()))
        };
        self.metadata.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// The name of a parameter as the kernel's source has it, for messages.
    pub(crate) fn parameter(&self, index: usize) -> Option<&str> {
        let metadata = self.metadata().ok()?;
        metadata.params.get(index).map(|param| param.name.as_str())
    }

    /// The kernel on `device`: loaded at the first call for it, by one thread, while others wait.
    ///
    /// # Errors
    /// As [`Device::load`]; a failed load is tried anew at the next call.
    pub(crate) fn load(&self, device: &Device) -> Result<&Loaded> {
        self.loaded.get_or_try_init(device.id(), || {
            let takes_record = self.metadata()?.panics.is_some();
            let kernel = device.load(&ptx_name(self.name()), self.ptx())?;
            Ok(Loaded { kernel, takes_record })
        })
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name())
            .field("ptx_bytes", &self.ptx().len())
            .finish_non_exhaustive()
    }
}

/// A program, wherever it lives.
#[derive(Clone, Debug)]
pub(crate) enum ProgramRef {
    /// In the binary.
    Static(&'static Program),
    /// Received, and shared by all dispatchers that came with the same text.
    Shared(Arc<Program>),
}

impl std::ops::Deref for ProgramRef {
    type Target = Program;

    fn deref(&self) -> &Program {
        match self {
            ProgramRef::Static(program) => program,
            ProgramRef::Shared(program) => program,
        }
    }
}
