//! A library that denies everything.

#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, unused, rust_2018_idioms)]
#![forbid(unsafe_code)]

/// Kernels of this crate.
pub mod kernels {
    use gridlaunch::prelude::*;

    /// Scales.
    #[kernel]
    pub fn scale(factor: f32, data: &mut [f32]) {
        let i = thread::global_x();
        if i < data.len() {
            data[i] *= factor;
        }
    }

    /// Visible in this crate alone.
    #[kernel(contract = false)]
    pub(crate) fn shift(offset: f32, data: &mut [f32]) {
        let i = thread::global_x();
        if i < data.len() {
            data[i] += offset;
        }
    }
}

fn main() {
    #[gridlaunch::kernel]
    fn local(data: &mut [f32]) {
        data[0] = 1.0;
    }

    let mut data = [1.0];
    kernels::scale::on_host(1, 1, 2.0, &mut data);
    kernels::shift::on_host(1, 1, 0.5, &mut data);
    assert_eq!(data, [2.5]);
    let _ = (&kernels::scale, &kernels::shift, &local);
}
