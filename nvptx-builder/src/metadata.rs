//! What a kernel's PTX says of itself, in structured comments at its head.
//!
//! ```text
//! //@ gridlaunch 1
//! //@ kernel saxpy
//! //@ param a f32
//! //@ param x &[f32]
//! //@ param y &mut [f32]
//! //@ file 1 src/main.rs
//! //@ panics 9f3c2a71d0e5b846
//! //@ site 0 1:7:9 "index {usize} is out of bounds for length {usize}"
//! .version 6.0
//! …
//! //@ end
//! ```
//!
//! One fact a line; `//@ end` is the text's last line, so that a text which was cut short shows.
//! A reader skips a key that it does not know and refuses a format number that it does not know.
//! Messages, and paths where they need it, are quoted with Rust's escapes; everything beyond ASCII
//! is escaped, in names too. `panics` is the table's [id](Panics::id), a `site` is its number,
//! `file:line:column` and the message.
//!
//! # How a kernel is called
//! The entry's `.param` list follows from the metadata: a scalar is one `.param` of its own type
//! (`bool` as `.u8`, `usize` as `.u64`), a slice is two, `.u64` address and `.u64` length in
//! elements. A kernel with a `panics` line has one more `.param .u64` at the end: the address of a
//! [`PanicRecord`] in memory that both the device and the host see.

mod layout;
mod panic;
mod text;
mod types;

pub use layout::{EntryMismatch, Layout, Slot, SlotKind, ptx_name};
pub use panic::{MessageError, PanicRecord, PanicSite, Placeholder};
pub use text::MetadataError;
pub use types::{ParamType, Scalar, UnknownType};

/// The structured comments of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The entry's name.
    pub kernel: String,
    /// Its parameters as Rust has them, in order.
    pub params: Vec<Param>,
    /// Source files; `.loc`, `.file` and the panic sites use the same indices.
    pub files: Vec<(u32, String)>,
    /// Where it can panic; `None` if it cannot, and then it has no panic-record parameter.
    pub panics: Option<Panics>,
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// As in the Rust signature.
    pub name: String,
    /// Its type.
    pub ty: ParamType,
}

/// The panic table of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panics {
    /// Written into the record by the thread that panics, so that the host finds this table:
    /// [`Panics::id_for`] the kernel's name, its files and its sites. A reader takes it as it is.
    pub id: u64,
    /// Indexed by the site number in the record.
    pub sites: Vec<PanicSite>,
}

impl Metadata {
    /// The path of the source file with that index.
    pub fn file(&self, index: u32) -> Option<&str> {
        self.files.iter().find(|(i, _)| *i == index).map(|(_, path)| path.as_str())
    }
}
