use gridlaunch::prelude::*;

#[kernel]
fn broken(x: &f32, y: &mut [f32]) {
    y[0] = *x;
}

fn main() {
    let _ = broken.configure(1, 1);
}
