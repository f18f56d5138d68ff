use gridlaunch::prelude::*;

#[kernel]
fn broken([a, b]: [f32; 2], y: &mut [f32]) {
    y[0] = a + b;
}

fn main() {
    let _ = broken.configure(1, 1);
}
