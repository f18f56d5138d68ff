use gridlaunch::prelude::*;

#[kernel]
fn broken(y: &mut [f32]) -> f32 {
    y[0]
}

fn main() {
    let _ = broken.configure(1, 1);
}
