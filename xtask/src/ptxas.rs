//! NVIDIA's assembler, from PyPI, and what it says of our PTX.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Result;
use crate::commands::{run, target_dir};

/// The last release whose ptxas still assembles for sm_70.
const PACKAGE: &str = "nvidia-cuda-nvcc-cu12==12.9.86";

/// Every architecture that the project promises.
pub(crate) const ARCHITECTURES: [&str; 8] =
    ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

/// The path of a ptxas, installed into a virtual environment under `target/` at the first call.
pub(crate) fn install() -> Result<PathBuf> {
    let home = target_dir().join("ptxas");
    if let Some(ptxas) = find(&home) {
        return Ok(ptxas);
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&home)).map_err(|e| {
        format!("{e}\nptxas comes from PyPI: install Python 3 with its `venv` module")
    })?;
    let pip = home.join("bin/python");
    run(Command::new(pip).args(["-m", "pip", "install", "--quiet", "--no-deps", PACKAGE]))?;
    find(&home).ok_or_else(|| format!("{PACKAGE} holds no ptxas under {}", home.display()))
}

fn find(home: &Path) -> Option<PathBuf> {
    let pythons = std::fs::read_dir(home.join("lib")).ok()?;
    pythons
        .filter_map(|entry| Some(entry.ok()?.path()))
        .map(|python| python.join("site-packages/nvidia/cuda_nvcc/bin/ptxas"))
        .find(|path| path.is_file())
}

/// Assembles every text for every architecture.
///
/// # Errors
/// What ptxas said, for the first few that it refused.
pub(crate) fn assemble(ptxas: &Path, texts: &BTreeSet<String>) -> Result<()> {
    let folder = target_dir().join("ptx");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut jobs = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let file = folder.join(format!("{number}.ptx"));
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        jobs.extend(ARCHITECTURES.map(|architecture| (file.clone(), architecture)));
    }

    let next = AtomicUsize::new(0);
    let refused = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((file, architecture)) =
                    jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(message) = assemble_one(ptxas, file, architecture) {
                        refused.lock().unwrap_or_else(|e| e.into_inner()).push(message);
                    }
                }
            });
        }
    });

    let refused = refused.into_inner().unwrap_or_else(|e| e.into_inner());
    println!(
        "ptxas: {} PTX × {} architectures, {} refused",
        texts.len(),
        ARCHITECTURES.len(),
        refused.len()
    );
    match refused.len() {
        0 => Ok(()),
        _ => Err(refused[..refused.len().min(5)].join("\n")),
    }
}

fn assemble_one(ptxas: &Path, file: &Path, architecture: &str) -> Result<()> {
    let output = Command::new(ptxas)
        .arg(format!("-arch={architecture}"))
        .args(["-o", "/dev/null"])
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{} did not start: {e}", ptxas.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("ptxas -arch={architecture} {}: {}", file.display(), said.trim()))
}
