//! What a panicking kernel leaves behind, in words.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use nvptx_builder::metadata::{Metadata, PanicRecord};

use crate::error::Error;

/// A thread of a kernel panicked: where, with what message, and which thread. If several did, it
/// is the first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelPanic {
    /// The kernel.
    pub kernel: String,
    /// As Rust words it, with the values: `index 1000 is out of bounds for length 1000`.
    pub message: String,
    /// The Rust source file, as the compiler was given it.
    pub file: String,
    /// One-based.
    pub line: u32,
    /// One-based.
    pub column: u32,
    /// The block in the grid: x, y, z.
    pub block: [u32; 3],
    /// The thread in the block: x, y, z.
    pub thread: [u32; 3],
    /// The values that the message mentions, in order, each in its low bits.
    pub values: Vec<u64>,
}

impl fmt::Display for KernelPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KernelPanic { kernel, message, file, line, column, block, thread, .. } = self;
        let ([bx, by, bz], [tx, ty, tz]) = (block, thread);
        write!(
            f,
            "kernel `{kernel}` panicked at {file}:{line}:{column}: {message} (block ({bx}, {by}, \
             {bz}), thread ({tx}, {ty}, {tz}))"
        )
    }
}

impl std::error::Error for KernelPanic {}

/// The panic tables of all kernels that this process has loaded, by their ids. An id is a digest of
/// its table, so it does not matter how often, or on which device, a kernel is loaded.
static TABLES: RwLock<Option<HashMap<u64, Arc<Metadata>>>> = RwLock::new(None);

/// Keeps a kernel's panic table.
pub(crate) fn register(metadata: Metadata) {
    if let Some(panics) = &metadata.panics {
        let id = panics.id;
        let mut tables = TABLES.write().unwrap_or_else(PoisonError::into_inner);
        tables.get_or_insert_default().entry(id).or_insert_with(|| Arc::new(metadata));
    }
}

/// A complete record as an error.
#[cold]
pub(crate) fn decode(record: &PanicRecord) -> Error {
    let table = {
        let tables = TABLES.read().unwrap_or_else(PoisonError::into_inner);
        tables.as_ref().and_then(|tables| tables.get(&record.kernel).cloned())
    };
    let unknown = Error::UnknownPanic {
        id: record.kernel,
        site: record.site,
        block: record.block,
        thread: record.thread,
    };
    let Some(metadata) = table else { return unknown };
    let site = usize::try_from(record.site)
        .ok()
        .and_then(|index| metadata.panics.as_ref().and_then(|panics| panics.sites.get(index)));
    let Some(site) = site else { return unknown };
    let file = metadata.files.iter().find(|(index, _)| *index == site.file);
    let count = site.value_types().map_or(0, |types| types.len());
    Error::KernelPanic(Box::new(KernelPanic {
        kernel: metadata.kernel.clone(),
        message: site.format(&record.values),
        file: file.map_or_else(|| "<unknown file>".to_owned(), |(_, name)| name.clone()),
        line: site.line,
        column: site.column,
        block: record.block,
        thread: record.thread,
        values: record.values.iter().copied().take(count).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nvptx_builder::metadata::{PanicSite, Panics};

    fn record(kernel: u64, site: u32) -> PanicRecord {
        PanicRecord {
            state: 2,
            site,
            kernel,
            block: [3, 0, 0],
            thread: [231, 0, 0],
            values: [1000, 999, 0, 0, 0, 0, 0, 0],
            reserved: [0; 3],
        }
    }

    fn table(id: u64) -> Metadata {
        let site = PanicSite {
            file: 1,
            line: 7,
            column: 9,
            message: "index {usize} is out of bounds for length {usize}".to_owned(),
        };
        Metadata {
            kernel: "saxpy".to_owned(),
            params: Vec::new(),
            files: vec![(1, "src/main.rs".to_owned())],
            panics: Some(Panics { id, sites: vec![site] }),
        }
    }

    #[test]
    fn a_record_of_a_known_kernel_becomes_its_message_with_place_and_thread() {
        register(table(0x1001));
        let error = decode(&record(0x1001, 0));
        assert_eq!(
            error.to_string(),
            "kernel `saxpy` panicked at src/main.rs:7:9: index 1000 is out of bounds for length \
             999 (block (3, 0, 0), thread (231, 0, 0))"
        );
        let Error::KernelPanic(panic) = error else { panic!("{error:?}") };
        assert_eq!(panic.values, [1000, 999]);
    }

    #[test]
    fn a_record_that_no_table_explains_is_still_an_error() {
        register(table(0x1002));
        assert!(matches!(decode(&record(0x1003, 0)), Error::UnknownPanic { id: 0x1003, .. }));
        assert!(matches!(decode(&record(0x1002, 1)), Error::UnknownPanic { site: 1, .. }));
        assert!(decode(&record(0x1003, 5)).to_string().contains("site 5"));
    }
}
