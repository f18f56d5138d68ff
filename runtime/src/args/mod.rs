//! A launch's arguments: checked against the kernel's parameters when the program is compiled, and
//! packed into the bytes that the device reads.

mod argument;
mod block;
pub mod param;
mod tuple;

pub use argument::{Argument, ScalarArgument, SliceArgument, SliceMutArgument};
pub use param::{Parameter, Parameters};
pub use tuple::Arguments;

use block::ParamBlock;

use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::program::Program;
use crate::stream::Stream;

/// What an argument needs to become bytes: the kernel, the stream, and the block of parameters so
/// far. Only a launch makes one.
#[doc(hidden)]
pub struct Packer<'a> {
    program: &'a Program,
    stream: &'a Stream,
    block: ParamBlock,
    /// The argument's position, from 0.
    index: usize,
}

impl<'a> Packer<'a> {
    pub(crate) fn new(program: &'a Program, stream: &'a Stream) -> Packer<'a> {
        Packer { program, stream, block: ParamBlock::new(), index: 0 }
    }

    /// Appends a parameter that no argument stands for.
    #[inline]
    pub(crate) fn push<T: Element>(&mut self, value: T) {
        self.block.push(value);
    }

    /// The parameters so far, packed.
    #[inline]
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        self.block.bytes()
    }

    /// Appends an argument.
    #[inline]
    fn argument<P>(&mut self, argument: impl Argument<P>) -> Result<()> {
        argument.pack(self)?;
        self.index += 1;
        Ok(())
    }

    /// An error that names the argument, unless the memory at hand is on the stream's device.
    #[inline]
    fn expect_device(&self, device: &Device) -> Result<()> {
        if device == self.stream.device() { Ok(()) } else { Err(self.wrong_device(device)) }
    }

    #[cold]
    fn wrong_device(&self, found: &Device) -> Error {
        let (index, kernel) = (self.index, self.program.name());
        let what = match self.program.parameter(index) {
            Some(name) => format!("argument {index} (`{name}`) of kernel `{kernel}`"),
            None => format!("argument {index} of kernel `{kernel}`"),
        };
        let expected = self.stream.device().id().to_string();
        Error::WrongDevice { what, expected, found: found.id().to_string() }
    }
}
