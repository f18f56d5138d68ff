//! Each pass on textual IR: `filetests/<pass>/<name>.ir` becomes `<name>.expected.ir` beside it.
//! The folder `run` is for all passes in their order.
//!
//! `PASSES_BLESS=1 cargo test --test passes` writes what is found as what is expected.

#![cfg(feature = "compiler")]

use std::fs;
use std::path::{Path, PathBuf};

use nvptx_builder::Options;
use nvptx_builder::ir::{Function, parse, verify};
use nvptx_builder::passes::{PASSES, run};

fn folders() -> Vec<PathBuf> {
    sorted(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests"))
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap()
}

fn apply(pass: &str, function: &mut Function) {
    if pass == "run" {
        run(function, &Options::default()).unwrap();
    } else {
        let known = PASSES.iter().find(|known| known.name == pass);
        (known.unwrap_or_else(|| panic!("there is no pass {pass}")).run)(function);
    }
}

#[test]
fn each_file_becomes_what_is_expected() {
    let bless = std::env::var_os("PASSES_BLESS").is_some();
    let mut failures = Vec::new();
    for folder in folders() {
        for file in sorted(&folder) {
            if !name(&file).ends_with(".ir") || name(&file).ends_with(".expected.ir") {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let mut function = parse(&text).unwrap_or_else(|error| panic!("{file:?}:{error}"));
            verify(&function).unwrap_or_else(|error| panic!("{file:?}: {error}"));
            apply(name(&folder), &mut function);
            verify(&function).unwrap_or_else(|error| panic!("{file:?}: {error}\n{function}"));
            let found = function.to_string();
            let beside = file.with_extension("expected.ir");
            if bless {
                fs::write(&beside, &found).unwrap();
            } else if fs::read_to_string(&beside).ok().as_ref() != Some(&found) {
                failures.push(format!("{}:\n{found}", beside.display()));
            }
        }
    }
    assert!(failures.is_empty(), "other than expected:\n{}", failures.join("\n"));
}

#[test]
fn every_pass_has_files() {
    let folders = folders();
    for pass in PASSES {
        assert!(folders.iter().any(|folder| name(folder) == pass.name), "{}", pass.name);
    }
}
