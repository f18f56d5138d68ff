//! Finds the PTX that a compiled program carries, so that what is checked is what ships.

use std::collections::BTreeSet;
use std::path::Path;

use crate::Result;

/// The first and the last line of every PTX that the compiler writes.
const HEAD: &[u8] = b"//@ gridlaunch 1\n//@ kernel ";
const TAIL: &[u8] = b"\n//@ end\n";

/// Adds each PTX text inside the file to `texts`.
pub(crate) fn collect(file: &Path, texts: &mut BTreeSet<String>) -> Result<()> {
    let bytes = std::fs::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let mut rest = bytes.as_slice();
    while let Some(start) = find(rest, HEAD) {
        rest = &rest[start..];
        let Some(end) = find(rest, TAIL) else { break };
        let end = end + TAIL.len();
        // A head without text behind it is a constant that some program compares with.
        if let Ok(text) = std::str::from_utf8(&rest[..end]) {
            texts.insert(text.to_owned());
        }
        rest = &rest[end..];
    }
    Ok(())
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
