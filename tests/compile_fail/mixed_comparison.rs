use gridlaunch::prelude::*;

#[kernel]
fn broken(y: &mut [f32]) {
    if y[0] > 1u32 {
        y[0] = 1.0;
    }
}

fn main() {
    let stream = Device::any().and_then(|device| device.new_stream()).expect("a device");
    let mut y = stream.zeros::<f32>(1).expect("memory");
    broken.configure(1, 1).on(&stream).launch((&mut y,)).expect("a launch");
}
