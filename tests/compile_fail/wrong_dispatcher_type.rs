use gridlaunch::prelude::*;

#[kernel]
fn first(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
fn second(y: &mut [f32]) {
    y[0] = 2.0;
}

fn main() {
    let _: Dispatcher<first> = second.configure(1, 1);
    let _ = first.configure(1, 1);
}
