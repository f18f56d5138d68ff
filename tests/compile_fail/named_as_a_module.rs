use gridlaunch::prelude::*;

#[kernel]
fn block(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
