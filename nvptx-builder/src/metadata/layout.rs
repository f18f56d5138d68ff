//! Where a launch finds each parameter: the packed block of bytes, and the entry's `.param` list.

use super::{Metadata, ParamType};
use crate::ptx::{Function, Variable};

/// What one `.param` of an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotKind {
    /// A scalar parameter.
    Value,
    /// The device address of a slice's first element.
    Address,
    /// A slice's length in elements.
    Length,
    /// The device address of the [`PanicRecord`](super::PanicRecord).
    PanicRecord,
}

/// One `.param` of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// What it holds.
    pub kind: SlotKind,
    /// Index into [`Metadata::params`]; `None` for the panic record.
    pub param: Option<usize>,
    /// Where it begins in the packed block, in bytes.
    pub offset: u32,
    /// Its size in bytes, which is its alignment too.
    pub size: u32,
    /// Its PTX type, without the dot.
    pub ptx: &'static str,
}

/// The packed parameters of a kernel: every slot at its natural alignment, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// One a `.param`.
    pub slots: Vec<Slot>,
    /// The size of the block in bytes, up to the end of the last slot.
    pub size: u32,
}

/// How an entry's `.param` list differs from what its metadata says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryMismatch {
    /// It is another kernel, or not an `.entry`.
    #[error("the metadata is of kernel `{expected}`, not of `{found}`")]
    Name {
        /// The kernel of the metadata.
        expected: String,
        /// The function's name.
        found: String,
    },
    /// It has more or fewer parameters.
    #[error("`{kernel}` has {found} `.param`s where its metadata asks for {expected}")]
    Count {
        /// The kernel.
        kernel: String,
        /// How many the metadata implies.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A parameter has another type.
    #[error("`.param` {index} of `{kernel}` is `{found}` where its metadata asks for `{expected}`")]
    Type {
        /// The kernel.
        kernel: String,
        /// Which `.param`, from 0.
        index: usize,
        /// The declaration that the metadata implies.
        expected: String,
        /// The declaration as it is.
        found: String,
    },
}

/// A Rust name as PTX can have it: every character beyond ASCII letters, digits, `_` and `$`
/// becomes `$u<hex>$`, and so does the first one of `WARP_SZ`, PTX's only reserved word that Rust
/// can spell; `r#` is dropped. A name that PTX can have already stays as it is.
pub fn ptx_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let name = name.strip_prefix("r#").unwrap_or(name);
    for (at, c) in name.char_indices() {
        let reserved = name == "WARP_SZ" && at == 0;
        if !reserved && (c.is_ascii_alphanumeric() || matches!(c, '_' | '$')) {
            out.push(c);
        } else {
            out.push_str(&format!("$u{:x}$", u32::from(c)));
        }
    }
    out
}

impl Metadata {
    /// The packed parameter block of this kernel.
    pub fn layout(&self) -> Layout {
        let mut layout = Layout { slots: Vec::new(), size: 0 };
        for (index, param) in self.params.iter().enumerate() {
            match &param.ty {
                ParamType::Scalar(scalar) => {
                    layout.push(SlotKind::Value, Some(index), scalar.size(), scalar.ptx());
                }
                ParamType::Slice { .. } => {
                    layout.push(SlotKind::Address, Some(index), 8, "u64");
                    layout.push(SlotKind::Length, Some(index), 8, "u64");
                }
            }
        }
        if self.panics.is_some() {
            layout.push(SlotKind::PanicRecord, None, 8, "u64");
        }
        layout
    }

    /// Checks that `entry` is this kernel and that its `.param` list is the one that the metadata
    /// implies. `.s32`, `.u32` and `.b32` count as the same, as they are to a launch; a float
    /// may be declared as bits, but not as an integer.
    ///
    /// # Errors
    /// [`EntryMismatch`] says where they differ first.
    pub fn check_entry(&self, entry: &Function) -> Result<(), EntryMismatch> {
        if !entry.entry || entry.name != ptx_name(&self.kernel) {
            let found =
                if entry.entry { entry.name.clone() } else { format!(".func {}", entry.name) };
            return Err(EntryMismatch::Name { expected: self.kernel.clone(), found });
        }
        let slots = self.layout().slots;
        if slots.len() != entry.params.len() {
            return Err(EntryMismatch::Count {
                kernel: self.kernel.clone(),
                expected: slots.len(),
                found: entry.params.len(),
            });
        }
        for (index, (slot, param)) in slots.iter().zip(&entry.params).enumerate() {
            if !slot.fits(param) {
                return Err(EntryMismatch::Type {
                    kernel: self.kernel.clone(),
                    index,
                    expected: format!(".param .{}", slot.ptx),
                    found: param.to_string(),
                });
            }
        }
        Ok(())
    }
}

impl Layout {
    fn push(&mut self, kind: SlotKind, param: Option<usize>, size: u32, ptx: &'static str) {
        let offset = self.size.next_multiple_of(size);
        self.slots.push(Slot { kind, param, offset, size, ptx });
        self.size = offset + size;
    }
}

impl Slot {
    fn fits(&self, param: &Variable) -> bool {
        let (mine, theirs) = (self.ptx.split_at(1), param.ty.split_at_checked(1));
        let float = mine.0 == "f";
        let same_kind = match theirs {
            Some(("b", _)) => true,
            Some(("f", _)) => float,
            Some(("s" | "u", _)) => !float,
            _ => false,
        };
        same_kind
            && theirs.is_some_and(|(_, bits)| bits == mine.1)
            && param.space == "param"
            && param.dims.is_empty()
            && param.align.is_none_or(|align| align == self.size)
    }
}
