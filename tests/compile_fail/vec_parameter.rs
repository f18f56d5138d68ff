use gridlaunch::prelude::*;

#[kernel]
fn broken(x: Vec<f32>, y: &mut [f32]) {
    y[0] = x[0];
}

fn main() {
    let _ = broken.configure(1, 1);
}
