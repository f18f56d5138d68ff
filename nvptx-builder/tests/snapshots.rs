//! Kernels and what they compile to: `snapshots/<name>.rs` with the IR and the PTX beside it, to be
//! read in diffs. `BLESS=1` rewrites the outputs.
#![cfg(feature = "compiler")]

use nvptx_builder::{Options, compile};
use std::fs;
use std::path::{Path, PathBuf};

fn inputs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let entries = fs::read_dir(&folder).expect("the folder of snapshots");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut inputs: Vec<PathBuf> =
        paths.filter(|p| p.extension().is_some_and(|e| e == "rs")).collect();
    inputs.sort();
    inputs
}

#[test]
fn kernels_compile_to_what_was_reviewed() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = Vec::new();
    for input in inputs() {
        let name = input.file_name().and_then(|name| name.to_str()).expect("a UTF-8 name");
        let source = fs::read_to_string(&input).expect("a readable input");
        let item = match syn::parse_str(&source) {
            Ok(item) => item,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        let options = Options { file: name.to_owned(), ..Options::default() };
        let compiled = match compile(&item, &options) {
            Ok(compiled) => compiled,
            Err(diagnostics) => {
                failures.push(format!("{name}: {diagnostics:#?}"));
                continue;
            }
        };
        for (extension, output) in [("ir", &compiled.ir.to_string()), ("ptx", &compiled.ptx)] {
            let path = input.with_extension(extension);
            if bless {
                fs::write(&path, output).expect("a writable output");
            } else if fs::read_to_string(&path).ok().as_ref() != Some(output) {
                failures.push(format!("{} differs; see it with BLESS=1", path.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_printed_ptx_parses_back_to_the_same_text() {
    for input in inputs() {
        let text = fs::read_to_string(input.with_extension("ptx")).expect("a snapshot");
        let module = nvptx_builder::ptx::parse(&text).expect("PTX that parses");
        assert_eq!(module.to_string(), text, "{}", input.display());
    }
}
