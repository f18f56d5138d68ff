//! One folder with everything that a GPU machine without Rust needs.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::commands::{Artifact, build, root, run, target_dir};

/// Tests that need cargo or the source tree, and those that never meet a device.
const LEFT_HERE: [&str; 2] = ["compile_fail", "snapshots"];

/// Packages whose tests run on a device.
const PACKAGES: [&str; 3] = ["gridlaunch", "gridlaunch-runtime", "gridlaunch-kernels"];

/// In MiB.
const SIZE_LIMIT: u64 = 60;

/// Builds `target/bundle/`.
pub(crate) fn run_all() -> Result<()> {
    let bundle = target_dir().join("bundle");
    if bundle.exists() {
        fs::remove_dir_all(&bundle).map_err(|e| format!("{}: {e}", bundle.display()))?;
    }

    let mut arguments = vec!["test", "--release", "--no-run", "--tests"];
    arguments.extend(PACKAGES.iter().flat_map(|package| ["--package", package]));
    for test in build(&arguments)? {
        let of_a_file = test.kind == "test" && !LEFT_HERE.contains(&test.name.as_str());
        if of_a_file || test.kind == "lib" {
            let name = format!("{}-{}", test.package, test.name);
            pack(&test, &bundle.join("tests"), &name)?;
        }
    }
    for example in build(&["build", "--release", "--examples"])? {
        if example.kind == "example" {
            pack(&example, &bundle.join("examples"), &example.name)?;
        }
    }
    for bench in build(&["bench", "--no-run"])? {
        if bench.kind == "bench" {
            pack(&bench, &bundle.join("benches"), &bench.name)?;
        }
    }
    copy_folder(&root().join("benches/peers"), &bundle.join("benches/peers"))?;
    copy_folder(&root().join("examples/assets"), &bundle.join("examples/assets"))?;
    copy(&root().join("xtask/src/run-bundle.sh"), &bundle.join("run"))?;

    let size = folder_size(&bundle)?.div_ceil(1 << 20);
    println!("{}: {size} MiB; start `run` in it on the GPU machine", bundle.display());
    if size > SIZE_LIMIT {
        return Err(format!("the bundle may have {SIZE_LIMIT} MiB"));
    }
    Ok(())
}

/// Copies a program and strips it.
fn pack(program: &Artifact, folder: &Path, name: &str) -> Result<()> {
    let to = folder.join(name);
    copy(&program.path, &to)?;
    run(Command::new("strip").arg(&to))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let copied = fs::copy(from, to);
    copied.map(drop).map_err(|e| format!("cannot copy {} to {}: {e}", from.display(), to.display()))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for file in entries(from)? {
        if file.is_file() {
            copy(&file, &to.join(file.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

fn folder_size(folder: &Path) -> Result<u64> {
    let mut size = 0;
    for path in entries(folder)? {
        size += match path.metadata() {
            Ok(data) if data.is_dir() => folder_size(&path)?,
            Ok(data) => data.len(),
            Err(e) => return Err(format!("{}: {e}", path.display())),
        };
    }
    Ok(size)
}

fn entries(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let list = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    list.map(|entry| entry.map(|e| e.path()).map_err(|e| format!("{}: {e}", folder.display())))
        .collect()
}
