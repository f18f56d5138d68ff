//! Everything that has to pass.

use std::collections::BTreeSet;
use std::process::Command;

use crate::Result;
use crate::commands::{Artifact, build, cargo, run, target_dir};
use crate::{embedded, ptxas};

/// Runs the whole list; stops at the first failure.
pub(crate) fn run_all() -> Result<()> {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;

    let ptxas = ptxas::install()?;
    run(cargo(&["test", "--workspace"]).env("PTXAS", &ptxas))?;
    run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;

    let examples = build(&["build", "--workspace", "--examples"])?;
    run_examples(&examples)?;

    let tests = build(&["test", "--workspace", "--no-run"])?;
    let mut texts = BTreeSet::new();
    for program in examples.iter().chain(&tests) {
        embedded::collect(&program.path, &mut texts)?;
    }
    if texts.is_empty() {
        return Err("no program carries any PTX: the search for it is broken".to_owned());
    }
    ptxas::assemble(&ptxas, &texts)?;
    println!("everything passed");
    Ok(())
}

/// Each example checks its own result and fails if it is wrong.
fn run_examples(programs: &[Artifact]) -> Result<()> {
    let folder = target_dir().join("examples-run");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for example in programs.iter().filter(|program| program.kind == "example") {
        run(Command::new(&example.path).current_dir(&folder))?;
    }
    Ok(())
}
