//! Waiting for a whole device, which would take away the failures of other tests beside it.

mod kernels;

use gridlaunch_runtime::{Device, Error};
use kernels::fail;

#[test]
fn a_device_that_is_waited_for_tells_of_every_streams_panic() {
    let device = Device::any().unwrap();
    let streams: Vec<_> = (0..3).map(|_| device.new_stream().unwrap()).collect();
    device.synchronize().unwrap();
    for (code, stream) in streams.iter().enumerate() {
        fail.configure(1, 1).on(stream).launch((code as u32,)).unwrap();
    }
    let mut told: Vec<String> = (0..3)
        .map(|_| match device.synchronize() {
            Err(Error::KernelPanic(panic)) => panic.message.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    told.sort();
    assert_eq!(told, ["failed with 0", "failed with 1", "failed with 2"]);
    device.synchronize().unwrap();
    streams.iter().for_each(|stream| stream.synchronize().unwrap());
}
