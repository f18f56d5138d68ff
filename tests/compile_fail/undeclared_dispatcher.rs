use gridlaunch::prelude::*;

#[kernel]
fn saxpy(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {
    let _ = saxpi.configure(1, 1);
    let _ = saxpy.configure(1, 1);
}
