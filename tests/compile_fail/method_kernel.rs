use gridlaunch::prelude::*;

struct Renderer;

impl Renderer {
    #[kernel]
    fn broken(&self, y: &mut [f32]) {
        y[0] = 1.0;
    }
}

fn main() {}
