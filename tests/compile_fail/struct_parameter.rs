use gridlaunch::prelude::*;

#[derive(Clone, Copy)]
pub struct Point {
    x: f32,
}

#[kernel]
fn broken(point: Point, y: &mut [f32]) {
    y[0] = point.x;
}

fn main() {
    let stream = Device::any().and_then(|device| device.new_stream()).expect("a device");
    let mut y = stream.zeros::<f32>(1).expect("memory");
    broken.configure(1, 1).on(&stream).launch((Point { x: 1.0 }, &mut y)).expect("a launch");
}
