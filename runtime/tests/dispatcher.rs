//! Configuring, binding and launching.

mod kernels;

use gridlaunch_runtime::{Block, Device, Dispatcher, Error, Grid, Stream};
use kernels::{fail, mixed, nothing, saxpy};

fn stream() -> Stream {
    Device::any().unwrap().new_stream().unwrap()
}

#[test]
fn a_configured_and_bound_kernel_computes() {
    let stream = stream();
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let (x, mut y) = (stream.upload(&x).unwrap(), stream.upload(&[1.0f32; 1000]).unwrap());
    saxpy.configure(4, 256).on(&stream).launch((3.0, &x, &mut y)).unwrap();
    let expected: Vec<f32> = (0..1000).map(|i| 3.0 * i as f32 + 1.0).collect();
    assert_eq!(stream.download(&y).unwrap(), expected);
}

#[test]
fn slices_of_buffers_are_arguments() {
    let stream = stream();
    let x = stream.upload(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let mut y = stream.zeros::<f32>(4).unwrap();
    let kernel = saxpy.configure(1, 32).on(&stream);
    kernel.launch((1.0, x.slice(2..).unwrap(), y.slice_mut(..2).unwrap())).unwrap();
    let part = x.slice(..1).unwrap();
    let mut last = y.slice_mut(3..).unwrap();
    kernel.launch((10.0, &part, &mut last)).unwrap();
    kernel.launch((10.0, &part, &mut last)).unwrap();
    let borrowed = &mut y;
    kernel.launch((0.5, &x, &mut *borrowed)).unwrap();
    assert_eq!(stream.download(&y).unwrap(), [3.5, 5.0, 1.5, 22.0]);
}

#[test]
fn scalars_of_all_sizes_arrive() {
    let stream = stream();
    let mut out = stream.zeros::<u64>(5).unwrap();
    mixed.configure(1, 1).on(&stream).launch((250, true, -0.5, 65_535, &mut out)).unwrap();
    let expected = [250, 1, (-0.5f64).to_bits(), 65_535, 5];
    assert_eq!(stream.download(&out).unwrap(), expected);
}

#[test]
fn kernels_without_parameters_or_with_empty_buffers_launch() {
    let stream = stream();
    nothing.configure(2, 2).on(&stream).launch(()).unwrap();
    let (x, mut y) = (stream.upload::<f32>(&[]).unwrap(), stream.zeros::<f32>(0).unwrap());
    saxpy.configure(1, 32).on(&stream).launch((1.0, &x, &mut y)).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn a_kernels_panic_reaches_the_stream_and_the_next_launch_works() {
    let stream = stream();
    fail.configure(1, 1).on(&stream).launch((42,)).unwrap();
    let Err(Error::KernelPanic(panic)) = stream.synchronize() else { panic!("no panic") };
    assert_eq!((panic.message.as_str(), panic.line), ("failed with 42", 3));
    let (x, mut y) = (stream.upload(&[2.0f32]).unwrap(), stream.zeros::<f32>(1).unwrap());
    saxpy.configure(1, 1).on(&stream).launch((2.0, &x, &mut y)).unwrap();
    assert_eq!(stream.download(&y).unwrap(), [4.0]);
}

#[test]
fn an_unbound_launch_is_an_error_with_advice() {
    let stream = stream();
    let (x, mut y) = (stream.upload(&[2.0f32]).unwrap(), stream.zeros::<f32>(1).unwrap());
    for unbound in [saxpy.clone(), saxpy.configure(1, 1)] {
        assert!(unbound.stream().is_none());
        let error = unbound.launch((1.0, &x, &mut y)).unwrap_err();
        assert_eq!(error, Error::StreamNotBound { kernel: "saxpy".to_owned() });
        assert!(error.to_string().contains(".on(&stream)"), "{error}");
    }
    let error = saxpy.on(&stream).launch((1.0, &x, &mut y)).unwrap_err();
    assert_eq!(error, Error::NotConfigured { kernel: "saxpy".to_owned() });
    assert!(error.to_string().contains(".configure("), "{error}");
    assert_eq!(stream.download(&y).unwrap(), [0.0], "nothing was launched");
}

#[test]
fn binding_and_configuring_make_new_values() {
    let device = Device::any().unwrap();
    let (first, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let unbound = saxpy.configure((2, 3), (4, 5));
    let bound = unbound.on(&first);
    let rebound = bound.on(&second);
    let reconfigured = bound.configure([7, 8, 9], Block::from(1).dynamic_shared(64));
    assert!(unbound.stream().is_none());
    assert_eq!(bound.stream(), Some(&first));
    assert_eq!(rebound.stream(), Some(&second));
    assert_eq!(reconfigured.stream(), Some(&first));
    assert_eq!(bound.grid(), Grid { x: 2, y: 3, z: 1 });
    assert_eq!(bound.block(), Block { x: 4, y: 5, z: 1, dynamic_shared: 0 });
    assert_eq!(reconfigured.grid(), Grid { x: 7, y: 8, z: 9 });
    assert_eq!(reconfigured.block().dynamic_shared, 64);
    assert!(saxpy.configure((2, 3), (4, 5)).stream().is_none(), "the cache has no stream");
    assert_eq!(saxpy.ptx(), kernels::SAXPY);
}

#[test]
fn a_dimension_beyond_the_limit_is_named_before_the_launch() {
    let stream = stream();
    let (x, mut y) = (stream.upload(&[2.0f32]).unwrap(), stream.zeros::<f32>(1).unwrap());
    let mut dimension = |grid: Grid, block: Block| {
        let kernel = saxpy.configure(grid, block).on(&stream);
        match kernel.launch((1.0, &x, &mut y)) {
            Err(Error::Dimension { kernel, dimension, value, limit }) => {
                assert_eq!(kernel, "saxpy");
                (dimension, value, limit)
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(dimension((1, 65_536).into(), 1.into()), ("grid.y", 65_536, 65_535));
    assert_eq!(dimension((1, 1, 65_536).into(), 1.into()), ("grid.z", 65_536, 65_535));
    assert_eq!(dimension(0x8000_0000.into(), 1.into()), ("grid.x", 0x8000_0000, 0x7fff_ffff));
    assert_eq!(dimension(0.into(), 1.into()), ("grid.x", 0, 0x7fff_ffff));
    assert_eq!(dimension(1.into(), (1, 1, 65).into()), ("block.z", 65, 64));
    assert_eq!(dimension(1.into(), (32, 33).into()), ("threads per block", 1056, 1024));
    assert_eq!(stream.download(&y).unwrap(), [0.0], "nothing was launched");
}

#[test]
fn too_much_dynamic_shared_memory_is_an_error_with_both_numbers() {
    let stream = stream();
    let limit = stream.device().limits().shared_per_block_opt_in;
    let kernel = |bytes| nothing.configure(1, Block::from(1).dynamic_shared(bytes)).on(&stream);
    kernel(limit).launch(()).unwrap();
    match kernel(limit + 1).launch(()) {
        Err(Error::SharedMemory { dynamic_bytes, limit: given, .. }) => {
            assert_eq!((dynamic_bytes, given), (limit + 1, limit));
        }
        other => panic!("{other:?}"),
    }
    stream.synchronize().unwrap();
}

#[test]
fn memory_of_another_device_is_an_error_that_names_the_argument() {
    let (here, there) = (stream(), Device::emulator().new_stream().unwrap());
    let (x, mut y) = (here.upload(&[1.0f32]).unwrap(), here.zeros::<f32>(1).unwrap());
    let (foreign_x, mut foreign_y) =
        (there.upload(&[1.0f32]).unwrap(), there.zeros::<f32>(1).unwrap());
    let kernel = saxpy.configure(1, 1).on(&here);
    let text = kernel.launch((1.0, &foreign_x, &mut y)).unwrap_err().to_string();
    assert!(text.contains("argument 1 (`x`) of kernel `saxpy`"), "{text}");
    assert!(text.contains(&here.device().id().to_string()), "{text}");
    assert!(text.contains(&there.device().id().to_string()), "{text}");
    let text = kernel.launch((1.0, &x, &mut foreign_y)).unwrap_err().to_string();
    assert!(text.contains("argument 2 (`y`)"), "{text}");
}

#[test]
fn threads_share_a_kernel_each_on_a_stream_of_its_own() {
    let device = Device::any().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let device = &device;
            scope.spawn(move || {
                let stream = device.new_stream().unwrap();
                let x = stream.upload(&[1.0f32; 100]).unwrap();
                let mut y = stream.zeros::<f32>(100).unwrap();
                for round in 0..50u32 {
                    let kernel = saxpy.configure(4 + (round + thread) % 3, 32).on(&stream);
                    kernel.launch((thread as f32, &x, &mut y)).unwrap();
                }
                let expected = 50.0 * thread as f32;
                assert!(stream.download(&y).unwrap().iter().all(|y| *y == expected));
            });
        }
    });
}

#[test]
fn a_kernel_runs_on_several_emulators() {
    let streams = [(); 3].map(|()| Device::emulator().new_stream().unwrap());
    for stream in &streams {
        let (x, mut y) = (stream.upload(&[2.0f32]).unwrap(), stream.zeros::<f32>(1).unwrap());
        saxpy.configure(1, 1).on(stream).launch((2.0, &x, &mut y)).unwrap();
        assert_eq!(stream.download(&y).unwrap(), [4.0]);
    }
}

#[test]
fn a_dispatcher_is_an_ordinary_value() {
    fn ordinary<T: Clone + Send + Sync + std::fmt::Debug + 'static>(_: &T) {}
    let kernel: Dispatcher<saxpy> = saxpy.configure(1, 2);
    ordinary(&kernel);
    let text = format!("{kernel:?}");
    assert!(text.contains("saxpy") && !text.contains("ld.global"), "{text}");

    // Code that does not know the kernel can configure and bind it.
    fn bind<K: gridlaunch_runtime::Kernel>(kernel: &Dispatcher<K>, to: &Stream) -> Dispatcher<K> {
        kernel.configure(1, 1).on(to)
    }
    bind(&nothing, &stream()).launch(()).unwrap();
}
