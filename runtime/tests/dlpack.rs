//! Exports, as a consumer sees them.

mod kernels;

use std::ffi::c_void;
use std::sync::Arc;

use dlpark::ffi as peer;
use gridlaunch_runtime::dlpack::ffi::{
    DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion,
};
use gridlaunch_runtime::dlpack::{ConsumerStream, DlpackError, DlpackTensor};
use gridlaunch_runtime::{Device, Element, Error, Stream};
use kernels::{fail, saxpy};

/// The legacy default stream, or what another consumer says.
const LEGACY: ConsumerStream = ConsumerStream::LEGACY_DEFAULT;

fn emulator() -> Stream {
    Device::emulator().new_stream().unwrap()
}

/// Through `dlpark`, which knows nothing of this crate.
fn consume(tensor: DlpackTensor) -> dlpark::versioned::Dlpack {
    let raw = tensor.into_raw().as_ptr().cast::<peer::DLManagedTensorVersioned>();
    // SAFETY: a header that nobody else has.
    unsafe { dlpark::versioned::Dlpack::from_raw(raw) }.unwrap()
}

fn consume_legacy(tensor: DlpackTensor) -> dlpark::legacy::Dlpack {
    let raw = tensor.into_raw_legacy().unwrap().as_ptr().cast::<peer::DLManagedTensor>();
    // SAFETY: a header that nobody else has.
    unsafe { dlpark::legacy::Dlpack::from_raw(raw) }.unwrap()
}

#[test]
fn an_independent_consumer_reads_what_was_exported() {
    let stream = emulator();
    let data = [1.5f32, -2.0, 3.0, 4.0, 5.0, 6.0];
    let export = stream.upload(&data).unwrap().into_dlpack().shape(&[2, 3]);
    let tensor = consume(export.for_stream(LEGACY).unwrap());
    let view = tensor.validate_export().unwrap();
    assert_eq!(view.device(), peer::DLDevice::CPU);
    assert_eq!(view.dtype(), peer::DLDataType::F32);
    assert_eq!((view.shape(), view.strides()), (&[2i64, 3][..], Some(&[3i64, 1][..])));
    assert_eq!(view.byte_offset(), 0);
    // SAFETY: memory of the emulator, which is the host's.
    assert_eq!(unsafe { view.cpu_slice::<f32>() }.unwrap(), data);
    assert_eq!(tensor.version(), peer::DLPackVersion { major: 1, minor: 3 });
    assert!(tensor.flags().is_empty());

    let export = stream.upload(&data).unwrap().into_dlpack();
    let tensor = consume_legacy(export.for_stream(LEGACY).unwrap());
    let view = tensor.validate_export().unwrap();
    assert_eq!((view.shape(), view.strides()), (&[6i64][..], Some(&[1i64][..])));
    // SAFETY: memory of the emulator, which is the host's.
    assert_eq!(unsafe { view.cpu_slice::<f32>() }.unwrap(), data);
}

#[test]
fn both_structures_have_the_peers_layout() {
    let stream = emulator();
    let export = || stream.upload(&[1u16, 2, 3]).unwrap().into_dlpack().for_stream(LEGACY).unwrap();
    let raw = export().into_raw();
    // SAFETY: a live header, in our words and in the peer's; its deleter is called once, last.
    unsafe {
        let ours: &DLManagedTensorVersioned = raw.as_ref();
        let theirs: &peer::DLManagedTensorVersioned = raw.cast().as_ref();
        assert_eq!(ours.version, DLPackVersion { major: 1, minor: 3 });
        assert_eq!((theirs.version.major, theirs.version.minor), (1, 3));
        assert_eq!(theirs.manager_ctx, ours.manager_ctx);
        assert_eq!(theirs.dl_tensor.data, ours.dl_tensor.data);
        assert_eq!(theirs.dl_tensor.ndim, 1);
        assert_eq!(*theirs.dl_tensor.shape, 3);
        assert_eq!(theirs.dl_tensor.dtype, peer::DLDataType::U16);
        assert_eq!(std::slice::from_raw_parts(ours.dl_tensor.data.cast::<u16>(), 3), [1, 2, 3]);
        (ours.deleter.unwrap())(raw.as_ptr());
    }
    let raw = export().into_raw_legacy().unwrap();
    // SAFETY: as above.
    unsafe {
        let ours: &DLManagedTensor = raw.as_ref();
        let theirs: &peer::DLManagedTensor = raw.cast().as_ref();
        assert_eq!(theirs.manager_ctx, ours.manager_ctx);
        assert_eq!(*theirs.dl_tensor.strides, 1);
        (theirs.deleter.unwrap())(raw.as_ptr().cast());
    }
}

#[test]
fn every_element_type_arrives_as_itself() {
    fn check<T: Element>(values: &[T], code: u8, bits: u8) {
        let buffer = emulator().upload(values).unwrap();
        let tensor = consume(buffer.into_dlpack().synchronized().unwrap());
        let view = tensor.validate().unwrap();
        let dtype = view.dtype();
        assert_eq!((dtype.code.0, dtype.bits, dtype.lanes), (code, bits, 1));
        // SAFETY: the element type has just been compared.
        let seen = unsafe { std::slice::from_raw_parts(view.data_ptr().cast::<T>(), values.len()) };
        assert_eq!(seen, values);
    }
    check(&[true, false, true], 6, 8);
    check(&[-1i8], 0, 8);
    check(&[i16::MIN, 1], 0, 16);
    check(&[i32::MIN, 1], 0, 32);
    check(&[i64::MIN, 1], 0, 64);
    check(&[-1isize], 0, 64);
    check(&[200u8; 5], 1, 8);
    check(&[u16::MAX], 1, 16);
    check(&[u32::MAX], 1, 32);
    check(&[u64::MAX], 1, 64);
    check(&[usize::MAX], 1, 64);
    check(&[f32::MAX], 2, 32);
    check(&[f64::MIN], 2, 64);
}

#[test]
fn work_in_flight_is_done_before_the_consumer_looks() {
    let device = Device::emulator();
    let (first, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    // SAFETY: handles of no driver, for the emulator.
    let handle = |stream| unsafe { ConsumerStream::from_argument(stream) }.unwrap();
    for consumer in [None, Some(1), Some(2), Some(1 << 40), Some(first.raw_handle() as i64)] {
        let x = first.upload(&[1.0f32; 10]).unwrap();
        let mut y = first.zeros::<f32>(10).unwrap();
        saxpy.configure(1, 32).on(&first).launch((3.0, &x, &mut y)).unwrap();
        saxpy.configure(1, 32).on(&second).launch((4.0, &x, &mut y)).unwrap();
        let tensor = consume(y.into_dlpack().for_stream(handle(consumer)).unwrap());
        // SAFETY: memory of the emulator, which is the host's.
        let seen = unsafe { tensor.validate().unwrap().cpu_slice::<f32>() }.unwrap();
        assert_eq!(seen, [7.0; 10], "for {consumer:?}");
    }
}

#[test]
fn the_synchronized_export_reports_a_kernels_panic() {
    let stream = emulator();
    let y = stream.zeros::<f32>(1).unwrap();
    fail.configure(1, 1).on(&stream).launch((7,)).unwrap();
    let error = y.into_dlpack().synchronized().unwrap_err();
    assert!(matches!(error, Error::KernelPanic(_)), "{error:?}");
}

#[test]
fn a_shape_that_does_not_fit_is_refused() {
    let shaped = |shape: &[usize]| {
        emulator().zeros::<u8>(6).unwrap().into_dlpack().shape(shape).for_stream(LEGACY)
    };
    for shape in [&[6][..], &[2, 3], &[1, 6, 1], &[3, 2, 1, 1]] {
        assert!(shaped(shape).is_ok(), "{shape:?}");
    }
    let tall = [1; 100];
    for shape in [&[][..], &[5], &[7], &[2, 4], &[0], &[usize::MAX, 2], &[1 << 63, 1 << 63], &tall]
    {
        let error = shaped(shape).unwrap_err();
        assert_eq!(
            error,
            Error::Dlpack(DlpackError::Shape { shape: shape.to_vec(), len: 6 }),
            "{shape:?}"
        );
    }
}

#[test]
fn a_tensor_without_elements_has_no_address() {
    let stream = emulator();
    let export = |shape: &[usize]| {
        let empty = stream.zeros::<f64>(0).unwrap();
        consume(empty.into_dlpack().shape(shape).for_stream(LEGACY).unwrap())
    };
    for shape in [&[0][..], &[4, 0, 2], &[0, 1 << 40, 1 << 40]] {
        let tensor = export(shape);
        // SAFETY: a live header.
        let raw = unsafe { tensor.tensor() };
        assert!(raw.data.is_null());
        assert!(!raw.shape.is_null() && !raw.strides.is_null());
    }
    // A scalar is the other way round: data, and no dimensions.
    let scalar = stream.upload(&[2.5f64]).unwrap().into_dlpack().shape(&[]);
    let tensor = consume(scalar.for_stream(LEGACY).unwrap());
    // SAFETY: memory of the emulator, which is the host's.
    assert_eq!(unsafe { tensor.validate().unwrap().cpu_slice::<f64>() }.unwrap(), [2.5]);
}

#[test]
fn shared_memory_is_read_only_and_the_old_structure_refuses_it() {
    let stream = emulator();
    let buffer = Arc::new(stream.upload(&[1i32, 2]).unwrap());
    let mut tensor = consume(buffer.share_dlpack().for_stream(LEGACY).unwrap());
    assert!(tensor.validate_mut().is_err(), "it says that it is read-only");
    // SAFETY: memory of the emulator, which is the host's.
    assert_eq!(unsafe { tensor.validate().unwrap().cpu_slice::<i32>() }.unwrap(), [1, 2]);
    assert_eq!(stream.download(&*buffer).unwrap(), [1, 2], "the program still has it");
    assert_eq!(Arc::strong_count(&buffer), 2);
    drop(tensor);
    assert_eq!(Arc::strong_count(&buffer), 1);

    let exported = buffer.share_dlpack().for_stream(LEGACY).unwrap();
    assert_eq!(exported.into_raw_legacy(), Err(DlpackError::ReadOnly));
    assert_eq!(Arc::strong_count(&buffer), 1);
    let owned = stream.zeros::<u8>(1).unwrap().into_dlpack().read_only();
    assert!(owned.for_stream(LEGACY).unwrap().is_read_only());
}

#[test]
fn the_memory_outlives_everything_but_its_consumer() {
    let tensor = {
        let device = Device::emulator();
        let stream = device.new_stream().unwrap();
        let buffer = stream.upload(&[7u64; 100]).unwrap();
        consume(buffer.into_dlpack().for_stream(LEGACY).unwrap())
    };
    std::thread::spawn(move || {
        // SAFETY: memory of the emulator, which is the host's.
        assert_eq!(unsafe { tensor.validate().unwrap().cpu_slice::<u64>() }.unwrap(), [7; 100]);
        drop(tensor);
    })
    .join()
    .unwrap();
}

mod gpu {
    //! On a GPU, with the driver's own calls as the consumer. Without a GPU they pass unseen.

    use cudarc::driver::sys;

    use super::*;

    fn device() -> Option<Device> {
        match Device::any() {
            Ok(device) if !device.is_emulator() => Some(device),
            _ => None,
        }
    }

    /// Reads a tensor on a stream of the driver, which is all that orders it after the producer.
    fn read(tensor: &DLManagedTensorVersioned, on: u64, len: usize) -> Vec<f32> {
        let mut host = vec![0.0f32; len];
        let stream = on as sys::CUstream;
        let data = tensor.dl_tensor.data as sys::CUdeviceptr;
        // SAFETY: `len` elements on both sides; the copy is waited for.
        unsafe {
            let to = host.as_mut_ptr().cast::<c_void>();
            sys::cuMemcpyDtoHAsync_v2(to, data, 4 * len, stream).result().unwrap();
            sys::cuStreamSynchronize(stream).result().unwrap();
        }
        host
    }

    #[test]
    fn the_consumers_stream_waits_for_the_stream_that_wrote_last() {
        const LEN: usize = 1 << 24;
        let Some(device) = device() else { return };
        let (writer, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        for argument in [None, Some(1), Some(2), Some(reader.raw_handle() as i64)] {
            let x = writer.upload(&vec![1.0f32; LEN]).unwrap();
            let mut y = writer.zeros::<f32>(LEN).unwrap();
            let kernel = saxpy.configure((LEN / 256) as u32, 256).on(&writer);
            for _ in 0..200 {
                kernel.launch((1.0, &x, &mut y)).unwrap();
            }
            assert!(!writer.query().unwrap(), "the work is over before the export");
            // SAFETY: the handle is that of a live stream.
            let consumer = unsafe { ConsumerStream::from_argument(argument) }.unwrap();
            let raw = y.into_dlpack().for_stream(consumer).unwrap().into_raw();
            let on = argument.unwrap_or(1) as u64;
            // SAFETY: a live header; its deleter is called once.
            unsafe {
                let device = raw.as_ref().dl_tensor.device;
                assert_eq!(device, DLDevice { device_type: DLDevice::CUDA, device_id: 0 });
                let seen = read(raw.as_ref(), on, LEN);
                assert!(seen.iter().all(|y| *y == 200.0), "for {argument:?}");
                (raw.as_ref().deleter.unwrap())(raw.as_ptr());
            }
        }
    }

    #[test]
    fn the_writers_own_stream_and_a_consumer_without_a_stream_are_served() {
        let Some(device) = device() else { return };
        let stream = device.new_stream().unwrap();
        let own = i64::try_from(stream.raw_handle()).unwrap();
        // SAFETY: the handle is that of a live stream.
        let own = unsafe { ConsumerStream::from_argument(Some(own)) }.unwrap();
        for consumer in [Some(own), None] {
            let x = stream.upload(&[2.0f32; 100]).unwrap();
            let mut y = stream.zeros::<f32>(100).unwrap();
            saxpy.configure(1, 128).on(&stream).launch((4.0, &x, &mut y)).unwrap();
            let export = y.into_dlpack();
            let tensor = match consumer {
                Some(consumer) => export.for_stream(consumer).unwrap(),
                None => export.synchronized().unwrap(),
            };
            let on = if consumer.is_some() { stream.raw_handle() } else { 1 };
            let raw = tensor.into_raw();
            // SAFETY: a live header; its deleter is called once.
            unsafe {
                assert_eq!(read(raw.as_ref(), on, 100), [8.0; 100]);
                (raw.as_ref().deleter.unwrap())(raw.as_ptr());
            }
        }
    }

    /// Captures a graph on `stream` while `work` runs; fails if that has ended the capture.
    fn capture(stream: &Stream, mode: sys::CUstreamCaptureMode, work: impl FnOnce()) {
        let raw = stream.raw_handle() as sys::CUstream;
        let mut graph = std::ptr::null_mut();
        // SAFETY: a live stream that nothing else uses meanwhile, and the graph of its capture.
        unsafe {
            sys::cuStreamBeginCapture_v2(raw, mode).result().unwrap();
            work();
            sys::cuStreamEndCapture(raw, &mut graph).result().unwrap();
            assert!(!graph.is_null());
            sys::cuGraphDestroy(graph).result().unwrap();
        }
    }

    #[test]
    fn an_export_and_a_deleter_leave_a_capture_intact() {
        use sys::CUstreamCaptureMode as Mode;
        let Some(device) = device() else { return };
        let (writer, consumer) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        // SAFETY: the handle is that of a live stream.
        let to = unsafe { ConsumerStream::from_argument(Some(consumer.raw_handle() as i64)) };
        let to = to.unwrap();
        // `GLOBAL` is not among them: it would refuse what the other tests do at the same time.
        for mode in
            [Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, Mode::CU_STREAM_CAPTURE_MODE_RELAXED]
        {
            let y = writer.zeros::<f32>(100).unwrap();
            capture(&consumer, mode, || {
                let error = y.into_dlpack().for_stream(to).unwrap_err();
                assert!(matches!(error, Error::Capturing { .. }), "{error:?}");
            });
            let y = writer.zeros::<f32>(100).unwrap();
            capture(&writer, mode, || {
                let error = y.into_dlpack().for_stream(to).unwrap_err();
                assert!(matches!(error, Error::Capturing { .. }), "{error:?}");
            });
            let y = writer.zeros::<f32>(100).unwrap();
            let raw = y.into_dlpack().for_stream(to).unwrap().into_raw();
            // SAFETY: a live header; its deleter is called once.
            capture(&consumer, mode, || unsafe { (raw.as_ref().deleter.unwrap())(raw.as_ptr()) });
        }
    }

    #[test]
    fn memory_stays_while_the_consumers_kernels_use_it() {
        const LEN: usize = 1 << 24;
        let Some(device) = device() else { return };
        let (writer, consumer) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let y = writer.upload(&vec![3.0f32; LEN]).unwrap();
        // SAFETY: the handle is that of a live stream.
        let to = unsafe { ConsumerStream::from_argument(Some(consumer.raw_handle() as i64)) };
        let raw = y.into_dlpack().for_stream(to.unwrap()).unwrap().into_raw();
        let mut sink = consumer.zeros::<f32>(LEN).unwrap();
        let into = sink.as_mut_slice().address();
        // SAFETY: `LEN` elements each; the deleter is called once, with the copies still queued.
        unsafe {
            let data = raw.as_ref().dl_tensor.data as sys::CUdeviceptr;
            let on = consumer.raw_handle() as sys::CUstream;
            for _ in 0..100 {
                sys::cuMemcpyDtoDAsync_v2(into, data, 4 * LEN, on).result().unwrap();
            }
            (raw.as_ref().deleter.unwrap())(raw.as_ptr());
        }
        // What would reuse the memory at once, had it been returned.
        let _other = writer.upload(&vec![-1.0f32; LEN]).unwrap();
        assert!(consumer.download(&sink).unwrap().iter().all(|y| *y == 3.0));
    }
}
