//! NVIDIA's assembler accepts the PTX of every snapshot, for every architecture that we promise.
//! It runs where the environment variable `PTXAS` names one; `cargo xtask test` sets it.
#![cfg(feature = "compiler")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ARCHITECTURES: [&str; 8] =
    ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

#[test]
fn ptxas_assembles_every_snapshot_for_every_architecture() {
    let Some(ptxas) = std::env::var_os("PTXAS") else {
        eprintln!("skipped: PTXAS names no ptxas");
        return;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let entries = fs::read_dir(&folder).expect("the folder of snapshots");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let texts: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "ptx")).collect();
    assert!(!texts.is_empty());
    let jobs: Vec<_> = texts
        .iter()
        .flat_map(|text| ARCHITECTURES.map(|architecture| (text, architecture)))
        .collect();
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let share = jobs.len().div_ceil(workers);
    std::thread::scope(|scope| {
        for jobs in jobs.chunks(share) {
            let ptxas = &ptxas;
            scope.spawn(move || {
                for (text, architecture) in jobs {
                    let output = Command::new(ptxas)
                        .arg(format!("-arch={architecture}"))
                        .args(["-o", "/dev/null"])
                        .arg(text)
                        .output()
                        .expect("a ptxas that starts");
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{architecture} {}: {said}", text.display());
                }
            });
        }
    });
}
