//! A kernel that is loaded on a device.

use std::sync::Arc;

use nvptx_builder::metadata::Metadata;

use super::{Device, Kind, Limits};
use crate::backend::cuda::Function;
use crate::error::{Error, Result};
use crate::panic;

/// A kernel, loaded. Clones share it.
#[derive(Clone)]
pub(crate) struct LoadedKernel(Arc<Loaded>);

/// It does not hold its device: a program keeps its kernels as long as it lives, and what is decoded
/// for one emulator runs on all of them.
struct Loaded {
    name: String,
    device_name: String,
    limits: Limits,
    code: Code,
}

/// What the device runs. Decoded PTX has no device: every emulator runs it.
pub(crate) enum Code {
    Cuda(Function),
    Emulator(Arc<ptx_emulator::Program>),
}

impl Device {
    /// Loads the kernel `entry` of a PTX text, and keeps its panic table for the messages.
    ///
    /// # Errors
    /// [`Error::Target`] if the PTX is for another GPU, [`Error::KernelNotFound`],
    /// [`Error::Metadata`], [`Error::Load`] with the log of the driver's compiler.
    pub(crate) fn load(&self, entry: &str, ptx: &str) -> Result<LoadedKernel> {
        check_target(self, entry, ptx)?;
        let metadata = Metadata::from_ptx(ptx).map_err(|error| Error::Metadata {
            kernel: entry.to_owned(),
            reason: error.to_string(),
        })?;
        let code = match &self.kind {
            Kind::Cuda(context) => Code::Cuda(Function::load(context, entry, ptx)?),
            Kind::Emulator(_) => Code::Emulator(emulated(self, entry, ptx)?),
        };
        if let Some(metadata) = metadata {
            panic::register(metadata);
        }
        let loaded = Loaded {
            name: entry.to_owned(),
            device_name: self.name().to_owned(),
            limits: self.limits().clone(),
            code,
        };
        Ok(LoadedKernel(Arc::new(loaded)))
    }
}

fn emulated(device: &Device, entry: &str, ptx: &str) -> Result<Arc<ptx_emulator::Program>> {
    let program = ptx_emulator::Program::load(ptx).map_err(|error| Error::Load {
        kernel: entry.to_owned(),
        device: device.name().to_owned(),
        log: error.to_string(),
    })?;
    if program.kernel(entry).is_none() {
        return Err(Error::KernelNotFound { kernel: entry.to_owned() });
    }
    Ok(Arc::new(program))
}

/// Compares the text's `.target` with the device. A text without one is left to the driver.
fn check_target(device: &Device, entry: &str, ptx: &str) -> Result<()> {
    let Some(target) = ptx
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(".target"))
        .map(|rest| rest.split([',', '/']).next().unwrap_or_default().trim())
    else {
        return Ok(());
    };
    let Some(number) = target.strip_prefix("sm_") else { return Ok(()) };
    // `sm_90a` runs on 9.0 only, `sm_100f` on every 10.x.
    let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let Ok(needs) = digits.parse::<u32>() else { return Ok(()) };
    let (major, minor) = device.compute_capability();
    let has = major * 10 + minor;
    let fits = match &number[digits.len()..] {
        "a" => has == needs,
        "f" => has >= needs && major == needs / 10,
        _ => has >= needs,
    };
    if fits {
        return Ok(());
    }
    Err(Error::Target {
        kernel: entry.to_owned(),
        needs: target.to_owned(),
        device: device.name().to_owned(),
        has: format!("sm_{has}"),
    })
}

impl LoadedKernel {
    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// The name of the device that it was loaded on.
    pub(crate) fn device_name(&self) -> &str {
        &self.0.device_name
    }

    #[inline]
    pub(crate) fn code(&self) -> &Code {
        &self.0.code
    }

    /// The most threads that a block of this kernel can have; registers may make it less than the
    /// device's limit.
    pub(crate) fn max_threads(&self) -> u32 {
        match &self.0.code {
            Code::Cuda(function) => function.max_threads,
            Code::Emulator(_) => self.0.limits.threads_per_block,
        }
    }

    /// Bytes of shared memory that the kernel declares.
    pub(crate) fn static_shared(&self) -> u32 {
        match &self.0.code {
            Code::Cuda(function) => function.static_shared,
            Code::Emulator(program) => {
                program.kernel(&self.0.name).map_or(0, |kernel| kernel.static_shared_bytes())
            }
        }
    }

    /// Makes a launch with that much dynamic shared memory possible. A launch does it by itself.
    ///
    /// # Errors
    /// [`Error::SharedMemory`] if the device does not have it.
    #[inline]
    pub(crate) fn prepare(&self, dynamic_shared: u32) -> Result<()> {
        match &self.0.code {
            Code::Cuda(function) if function.grants(dynamic_shared) => Ok(()),
            Code::Emulator(_) if dynamic_shared == 0 => Ok(()),
            _ => self.opt_in(dynamic_shared),
        }
    }

    #[cold]
    fn opt_in(&self, dynamic_shared: u32) -> Result<()> {
        let limit = self.0.limits.shared_per_block_opt_in;
        let static_shared = self.static_shared();
        if dynamic_shared > limit.saturating_sub(static_shared) {
            return Err(Error::SharedMemory {
                kernel: self.0.name.clone(),
                static_bytes: static_shared,
                dynamic_bytes: dynamic_shared,
                device: self.0.device_name.clone(),
                limit,
            });
        }
        match &self.0.code {
            Code::Cuda(function) => function.grant(),
            Code::Emulator(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(line: &str) -> Result<()> {
        check_target(&Device::emulator(), "k", &format!("//@ gridlaunch 1\n.version 6.0\n{line}\n"))
    }

    #[test]
    fn ptx_for_a_newer_gpu_is_an_error_that_names_both() {
        let error = target(".target sm_121").unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("sm_121") && text.contains("sm_90") && text.contains("`k`"),
            "{text}"
        );
    }

    #[test]
    fn an_architecture_specific_target_fits_its_own_gpu_only() {
        assert!(target(".target sm_90a").is_ok());
        assert!(target(".target sm_80a").is_err());
        assert!(target(".target sm_100f").is_err());
        assert!(target(".target sm_70, texmode_independent").is_ok());
    }
}
