//! Running other programs, cargo above all.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;

/// The workspace root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// `cargo <args>` at the workspace root.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(root());
    command
}

/// Runs a command to its end, its output shown.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", describe(command));
    let status =
        command.status().map_err(|e| format!("`{}` did not start: {e}", describe(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", describe(command))) }
}

/// Runs a command and returns what it printed; its errors are shown.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("`{}` did not start: {e}", describe(command)))?;
    if !output.status.success() {
        return Err(format!("`{}` failed: {}", describe(command), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A program that cargo built.
pub(crate) struct Artifact {
    /// The package it belongs to.
    pub(crate) package: String,
    /// The target's name: of the test file, the example, the bench.
    pub(crate) name: String,
    /// `test`, `example`, `bench`, `lib`, `bin`.
    pub(crate) kind: String,
    /// The program.
    pub(crate) path: PathBuf,
}

/// Builds with cargo and says which programs came out.
pub(crate) fn build(args: &[&str]) -> Result<Vec<Artifact>> {
    let mut command = cargo(args);
    command.arg("--message-format=json-render-diagnostics");
    println!("$ {}", describe(&command));
    let mut artifacts = Vec::new();
    for line in capture(&mut command)?.lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let Some(path) = message["executable"].as_str() else { continue };
        let manifest = message["manifest_path"].as_str().unwrap_or_default();
        let folder = Path::new(manifest).parent().and_then(Path::file_name);
        artifacts.push(Artifact {
            package: folder.unwrap_or_default().to_string_lossy().into_owned(),
            name: message["target"]["name"].as_str().unwrap_or_default().to_owned(),
            kind: message["target"]["kind"][0].as_str().unwrap_or_default().to_owned(),
            path: path.into(),
        });
    }
    Ok(artifacts)
}

fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
