//! What the tests of the front end share.

#![allow(dead_code, unreachable_pub)]

pub mod invariants;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nvptx_builder::diagnostics::Diagnostic;
use nvptx_builder::hir::{self, Kernel};

/// Intrinsics for rustc.
pub const PRELUDE: &str = include_str!("../hir_corpus/prelude.rs");

/// The front end on one function.
pub fn build(source: &str) -> Result<Kernel, Vec<Diagnostic>> {
    let item = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    hir::build(&item)
}

/// The front end on one function that it must accept.
pub fn accept(source: &str) -> Kernel {
    build(source).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(describe).collect();
        panic!("rejected:\n{source}\n{}", errors.join("\n"))
    })
}

/// An error with its place, for a failing test.
pub fn describe(error: &Diagnostic) -> String {
    let start = error.span.start();
    format!("{}:{} {:?}: {}", start.line, start.column + 1, error.kind, error.message)
}

/// The functions of a file.
pub fn functions(source: &str) -> Vec<syn::ItemFn> {
    let file: syn::File = syn::parse_str(source).expect("the corpus parses");
    let functions = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Fn(item) => Some(item),
        _ => None,
    });
    functions.collect()
}

/// Runs rustc on `source` as a library; the output goes to `emit` beside it.
pub fn rustc(name: &str, source: &str, emit: &str) -> (Output, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hir");
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    let input = folder.join(format!("{name}.rs"));
    let output = folder.join(format!("{name}.{emit}"));
    std::fs::write(&input, source).expect("the target folder is writable");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let result = Command::new(rustc)
        .args(["--edition=2024", "--crate-type=lib", "--crate-name=corpus", "-Awarnings"])
        .args(["-Cdebug-assertions=off", "--emit", &format!("{emit}={}", output.display())])
        .arg(&input)
        .output()
        .expect("rustc runs: it has built this test");
    (result, output)
}

/// The sources, each of one line, in which rustc finds no error. All are in one file, and it runs
/// again without those that have one, since an error hides those of later phases.
pub fn accepted_by_rustc<'s>(attributes: &str, sources: &[&'s str]) -> Vec<&'s str> {
    let mut left = sources.to_vec();
    let name = format!("rejected_{}", sources.len());
    while !left.is_empty() {
        let lines = left.iter().enumerate();
        let lines = lines.map(|(at, case)| format!("mod case_{at} {{ use super::*; {case} }}"));
        let lines: Vec<String> = lines.collect();
        let source = format!("{}{}\n{PRELUDE}", attributes.replace('\n', " "), lines.join("\n"));
        let (output, _) = rustc(&name, &source, "metadata");
        let errors = String::from_utf8_lossy(&output.stderr);
        // ` --> file:line:column`
        let places = errors.lines().filter_map(|line| line.trim().strip_prefix("--> "));
        let lines: HashSet<usize> =
            places.filter_map(|place| place.rsplit(':').nth(1)?.parse().ok()).collect();
        let before = left.len();
        let mut line = 0;
        left.retain(|_| {
            line += 1;
            !lines.contains(&line)
        });
        if left.len() == before {
            break;
        }
    }
    left
}
