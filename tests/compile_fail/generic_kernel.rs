use gridlaunch::prelude::*;

#[kernel]
fn broken<T: Copy>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

fn main() {
    let _ = broken.configure(1, 1);
}
