use gridlaunch::prelude::*;

struct Renderer;

#[kernel]
impl Renderer {
    fn run(&self) {}
}

fn main() {
    Renderer.run();
}
