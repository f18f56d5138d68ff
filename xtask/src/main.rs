//! `cargo xtask …`: what cargo alone cannot do.

mod bundle;
mod commands;
mod embedded;
mod ptxas;
mod test;

use std::process::ExitCode;

/// Anything that stops a chore, already worded for the person who runs it.
type Result<T> = std::result::Result<T, String>;

const USAGE: &str = "\
usage: cargo xtask <chore>

  test     everything that has to pass: format, lints, tests, doc tests, docs, examples, and a
           real ptxas (installed under target/ from PyPI) over every PTX that the build emitted
  bundle   target/bundle/: test programs, examples and benches for a GPU machine without Rust,
           with a `run` script that ends with a table";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let outcome = match (args.next().as_deref(), args.next()) {
        (Some("test"), None) => test::run_all(),
        (Some("bundle"), None) => bundle::run_all(),
        (Some("help" | "--help" | "-h"), None) => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
