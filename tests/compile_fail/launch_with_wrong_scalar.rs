use gridlaunch::prelude::*;

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::global_x();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

fn main() -> gridlaunch::Result<()> {
    let stream = Device::any()?.new_stream()?;
    let x = stream.upload(&[1.0f32; 4])?;
    let mut y = stream.zeros::<f32>(4)?;
    let launch = saxpy.configure(1, 32).on(&stream);
    launch.launch((3u32, &x, &mut y))?;
    stream.download(&y)?;
    stream.download(&x)?;
    Ok(())
}
