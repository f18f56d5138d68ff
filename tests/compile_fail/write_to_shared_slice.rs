use gridlaunch::prelude::*;

#[kernel]
fn broken(x: &[f32]) {
    x[0] = 1.0;
}

fn main() {
    let _ = broken.configure(1, 1);
}
