use gridlaunch::prelude::*;

#[kernel]
async fn broken(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {
    let _ = broken.configure(1, 1);
}
