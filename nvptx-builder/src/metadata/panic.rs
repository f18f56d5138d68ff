//! The record that a panicking kernel leaves behind, and the table that gives it words.

use super::{Panics, Scalar};
use std::fmt::Write;

/// 128 bytes, 16-byte aligned, in memory that device and host share; all little-endian.
///
/// A thread that panics swaps `state` from 0 to 1 with a compare-and-swap. If it was the first, it
/// fills the rest, makes that visible with a system-scope fence, sets `state` to 2 and exits; any
/// other thread just exits. The host resets `state` to 0 once it has read it.
///
/// A record belongs to one device, so the swap has that device's scope: across PCIe no atomic of a
/// wider scope reaches host memory (compute-sanitizer reports one as an invalid access).
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanicRecord {
    /// 0 empty, 1 being written, 2 complete. Byte offset 0.
    pub state: u32,
    /// Index of the panic site. Offset 4.
    pub site: u32,
    /// [`Panics::id`](super::Panics::id) of the kernel. Offset 8.
    pub kernel: u64,
    /// `%ctaid`. Offset 16.
    pub block: [u32; 3],
    /// `%tid`. Offset 28.
    pub thread: [u32; 3],
    /// The values that the site's message mentions, each in its low bits. Offset 40.
    pub values: [u64; 8],
    /// Room to grow. Offset 104.
    pub reserved: [u64; 3],
}

const _: () = assert!(size_of::<PanicRecord>() == PanicRecord::SIZE);

impl PanicRecord {
    /// Its size in bytes.
    pub const SIZE: usize = 128;
    /// [`state`](Self::state) of a record that nobody has written.
    pub const EMPTY: u32 = 0;
    /// [`state`](Self::state) while a thread writes the rest.
    pub const WRITING: u32 = 1;
    /// [`state`](Self::state) of a record that can be read.
    pub const COMPLETE: u32 = 2;

    /// Reads a record as it lies in memory; a host that is not little-endian gets the right
    /// numbers too.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            std::array::from_fn(|i| bytes[at + i])
        }
        let u32_at = |at| u32::from_le_bytes(array(bytes, at));
        let u64_at = |at| u64::from_le_bytes(array(bytes, at));
        PanicRecord {
            state: u32_at(0),
            site: u32_at(4),
            kernel: u64_at(8),
            block: std::array::from_fn(|i| u32_at(16 + 4 * i)),
            thread: std::array::from_fn(|i| u32_at(28 + 4 * i)),
            values: std::array::from_fn(|i| u64_at(40 + 8 * i)),
            reserved: std::array::from_fn(|i| u64_at(104 + 8 * i)),
        }
    }

    /// The record as it lies in memory.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &self.state.to_le_bytes());
        put(4, &self.site.to_le_bytes());
        put(8, &self.kernel.to_le_bytes());
        for i in 0..3 {
            put(16 + 4 * i, &self.block[i].to_le_bytes());
            put(28 + 4 * i, &self.thread[i].to_le_bytes());
            put(104 + 8 * i, &self.reserved[i].to_le_bytes());
        }
        for (i, value) in self.values.iter().enumerate() {
            put(40 + 8 * i, &value.to_le_bytes());
        }
        bytes
    }
}

impl Panics {
    /// The table of `kernel` with these sites, in order, and the id that belongs to them. `files` are
    /// those of the kernel's metadata.
    pub fn new(kernel: &str, files: &[(u32, String)], sites: Vec<PanicSite>) -> Self {
        Panics { id: Self::id_for(kernel, files, &sites), sites }
    }

    /// FNV-1a (64 bits) over the kernel's name, every file's number and path, and, for every site,
    /// what its metadata line says after `//@ site `; each of these is followed by a line feed.
    ///
    /// Constants: <http://www.isthe.com/chongo/tech/comp/fnv/>.
    pub fn id_for(kernel: &str, files: &[(u32, String)], sites: &[PanicSite]) -> u64 {
        const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let mut text = format!("{kernel}\n");
        for (number, path) in files {
            text.push_str(&format!("{number} {path}\n"));
        }
        for (index, site) in sites.iter().enumerate() {
            text.push_str(&super::text::site_line(index, site));
            text.push('\n');
        }
        text.bytes().fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    }
}

/// One place where a kernel can panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanicSite {
    /// Index into [`Metadata::files`](super::Metadata::files).
    pub file: u32,
    /// One-based.
    pub line: u32,
    /// One-based, as rustc counts.
    pub column: u32,
    /// The message; `{usize}` stands for the next value, printed as that type. A literal brace is
    /// doubled.
    pub message: String,
}

/// A piece of a panic message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// Text as it is.
    Text(String),
    /// The next value of the record, read as this type.
    Value(Scalar),
}

/// Why a panic message cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// A brace that is neither doubled nor part of a placeholder.
    #[error("a brace that stands alone")]
    LoneBrace,
    /// Something between braces that is not a scalar type.
    #[error("`{{{0}}}` does not name a scalar type")]
    UnknownType(String),
    /// More placeholders than a record has values.
    #[error("more than {} values", PanicSite::MAX_VALUES)]
    TooManyValues,
}

impl PanicSite {
    /// How many values a message can mention.
    pub const MAX_VALUES: usize = 8;

    /// The message, cut into text and values.
    ///
    /// # Errors
    /// If a brace is neither doubled nor part of a placeholder such as `{usize}`, or if there are
    /// more than [`MAX_VALUES`](Self::MAX_VALUES) placeholders. The sites of parsed metadata have
    /// been checked.
    pub fn placeholders(&self) -> Result<Vec<Placeholder>, MessageError> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut values = 0;
        let mut rest = self.message.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            text.push_str(&rest[..at]);
            let brace = &rest[at..at + 1];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                text.push_str(brace);
                rest = after;
                continue;
            }
            let Some((name, after)) = rest.split_once('}').filter(|_| brace == "{") else {
                return Err(MessageError::LoneBrace);
            };
            let scalar = name.parse().map_err(|_| MessageError::UnknownType(name.to_owned()))?;
            values += 1;
            if values > Self::MAX_VALUES {
                return Err(MessageError::TooManyValues);
            }
            if !text.is_empty() {
                pieces.push(Placeholder::Text(std::mem::take(&mut text)));
            }
            pieces.push(Placeholder::Value(scalar));
            rest = after;
        }
        text.push_str(rest);
        if !text.is_empty() {
            pieces.push(Placeholder::Text(text));
        }
        Ok(pieces)
    }

    /// The types of the values that the message mentions, in order.
    ///
    /// # Errors
    /// As [`placeholders`](Self::placeholders).
    pub fn value_types(&self) -> Result<Vec<Scalar>, MessageError> {
        let value = |piece| match piece {
            Placeholder::Value(scalar) => Some(scalar),
            Placeholder::Text(_) => None,
        };
        Ok(self.placeholders()?.into_iter().filter_map(value).collect())
    }

    /// The message with the record's values in it, each printed as Rust's `{}` prints its type.
    /// A message that [`placeholders`](Self::placeholders) refuses is returned as it is.
    pub fn format(&self, values: &[u64; Self::MAX_VALUES]) -> String {
        let Ok(pieces) = self.placeholders() else {
            return self.message.clone();
        };
        let mut out = String::new();
        let mut values = values.iter().copied();
        for piece in pieces {
            // Writing to a string does not fail.
            let _ = match piece {
                Placeholder::Text(text) => out.write_str(&text),
                Placeholder::Value(scalar) => {
                    scalar.write_value(&mut out, values.next().unwrap_or_default())
                }
            };
        }
        out
    }
}
