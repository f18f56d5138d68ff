//! A launch: from typed arguments to the stream's queue.

use super::cache::Prepared;
use super::{Dispatcher, Kernel};
use crate::args::{Arguments, Packer};
use crate::error::{Error, Result};
use crate::stream::Stream;

impl<K: Kernel> Dispatcher<K> {
    /// Puts one launch of the kernel into the bound stream's queue and returns; the kernel runs
    /// when the stream gets there. The arguments are a tuple, one for each of the kernel's
    /// parameters; that they fit is checked when the program is compiled.
    ///
    /// Where another stream last wrote to an argument's memory, or still reads what the kernel
    /// writes to, the launch waits for it on the device.
    ///
    /// The first launch on a device loads the kernel there and checks the geometry. From the second
    /// on, a launch on a GPU allocates nothing.
    ///
    /// # Errors
    /// [`Error::StreamNotBound`] without [`on`](Self::on), [`Error::NotConfigured`] without
    /// [`configure`](Self::configure); [`Error::Dimension`] and [`Error::SharedMemory`] for a
    /// geometry that the device does not allow; [`Error::WrongDevice`] for memory that is not on
    /// the stream's device; [`Error::Target`], [`Error::Load`] and others when the kernel cannot be
    /// loaded; what the driver says. What the kernel does wrong shows at the stream's next
    /// synchronisation.
    pub fn launch<A: Arguments<K::Params>>(&self, arguments: A) -> Result<()> {
        let (stream, prepared) = self.ready()?;
        let loaded = prepared.on(&self.ptx, stream.device())?;
        let mut packer = Packer::new(&self.ptx, stream);
        arguments.pack(&mut packer)?;
        if loaded.takes_record {
            packer.push(stream.panic_record());
        }
        stream.enqueue(
            &loaded.kernel,
            prepared.grid.dimensions(),
            prepared.block.dimensions(),
            prepared.block.dynamic_shared,
            packer.bytes(),
        )
    }

    /// What a launch needs beside its arguments.
    #[inline]
    fn ready(&self) -> Result<(&Stream, &Prepared)> {
        match (&self.stream, &self.prepared) {
            (Some(stream), Some(prepared)) => Ok((stream, prepared)),
            (None, _) => Err(Error::StreamNotBound { kernel: K::NAME.to_owned() }),
            (Some(_), None) => Err(Error::NotConfigured { kernel: K::NAME.to_owned() }),
        }
    }
}
