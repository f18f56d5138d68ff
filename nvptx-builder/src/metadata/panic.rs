//! The record that a panicking kernel leaves behind, and the table that gives it words.

/// 128 bytes, 16-byte aligned, in memory that device and host share; all little-endian.
///
/// A thread that panics swaps `state` from 0 to 1 with a system-scope compare-and-swap. If it was
/// the first, it fills the rest, makes that visible with a system-scope fence, sets `state` to 2
/// and exits; any other thread just exits. The host resets `state` to 0 once it has read it.
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
    Value(super::Scalar),
}
