use gridlaunch::prelude::*;

#[kernel]
#[derive(Debug)]
struct Broken {
    x: f32,
}

fn main() {
    let broken = Broken { x: 1.0 };
    println!("{broken:?}");
}
