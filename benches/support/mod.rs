//! What the benches share: medians, and CUDA C++ peers loaded beside our kernels.

#![allow(dead_code)] // each bench uses its part

use std::error::Error;
use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::ptr;

use cudarc::driver::sys;
use gridlaunch::{Device, Stream};

/// What a bench's `main` returns.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// The middle of an odd number of measurements.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The GPU that the bench is about; `None`, with a word to the reader, where there is none.
pub(crate) fn gpu() -> Option<Device> {
    match Device::cuda(0) {
        Ok(device) => {
            println!("device: {}", device.name());
            Some(device)
        }
        Err(error) => {
            println!("not measured: {error}");
            None
        }
    }
}

/// Where nvcc put the compiled peers; `None`, with a word to the reader, where nobody did.
pub(crate) fn peers() -> Option<PathBuf> {
    let peers = std::env::var_os("GRIDLAUNCH_PEERS").map(PathBuf::from);
    if peers.is_none() {
        println!("peers not measured: GRIDLAUNCH_PEERS names no folder of compiled benches/peers");
    }
    peers
}

/// A kernel launched by the driver's own calls, with nothing of ours in between.
pub(crate) struct RawKernel {
    function: sys::CUfunction,
}

impl RawKernel {
    /// From PTX text or a cubin's bytes, into the current context.
    pub(crate) fn load(image: &[u8], name: &str) -> Result<RawKernel, Box<dyn Error>> {
        let image = [image, &[0]].concat();
        let name = CString::new(name)?;
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the image ends in a NUL and the name is a C string; both outlive the calls. The
        // module is never unloaded, so the function stays valid.
        unsafe {
            sys::cuModuleLoadData(&mut module, image.as_ptr().cast()).result()?;
            sys::cuModuleGetFunction(&mut function, module, name.as_ptr()).result()?;
        }
        Ok(RawKernel { function })
    }

    /// One `cuLaunchKernel`.
    ///
    /// # Safety
    /// `params` point at values of the kernel's parameter types, valid on the device.
    pub(crate) unsafe fn launch(
        &self,
        stream: &Stream,
        grid: [u32; 3],
        block: [u32; 3],
        params: &mut [*mut c_void],
    ) -> Result<(), Box<dyn Error>> {
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        let stream = stream.raw_handle() as sys::CUstream;
        // SAFETY: the caller vouches for the parameters; the function and the stream are alive.
        let launched = unsafe {
            sys::cuLaunchKernel(
                self.function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                0,
                stream,
                params.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        Ok(launched.result()?)
    }
}

/// Seconds that the device takes for `work`, the median of `rounds` after two to warm up.
pub(crate) fn device_time(
    stream: &Stream,
    rounds: usize,
    mut work: impl FnMut() -> Outcome,
) -> Result<f64, Box<dyn Error>> {
    let mut times = Vec::with_capacity(rounds);
    for round in 0..rounds + 2 {
        let start = stream.record()?;
        work()?;
        let stop = stream.record()?;
        stop.synchronize()?;
        if round >= 2 {
            times.push(stop.elapsed_since(&start)?.as_secs_f64());
        }
    }
    Ok(median(times))
}
