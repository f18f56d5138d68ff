//! A crate that has `gridlaunch` under another name, and nothing of the prelude in scope.

#![no_implicit_prelude]

mod gpu {
    pub use ::gridlaunch::*;
}

mod kernels {
    use crate::gpu::device::thread;

    #[crate::gpu::kernel(crate = crate::gpu)]
    pub fn fill(value: u32, out: &mut [u32]) {
        let i = thread::global_x();
        if i < out.len() {
            out[i] = value;
        }
    }
}

fn main() {
    let mut out = [0; 4];
    kernels::fill::on_host(1, 4, 7, &mut out);
    ::std::assert_eq!(out, [7; 4]);
}
