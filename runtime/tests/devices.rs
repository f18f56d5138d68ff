//! Devices, streams, events and buffers, on whatever `Device::any` gives: the emulator on a machine
//! without a GPU, a GPU where there is one.

use std::sync::Arc;
use std::time::Duration;

use gridlaunch_runtime::{
    Buffer, Device, DeviceId, Element, Error, Event, KernelPanic, Limits, PinnedBuffer, Slice,
    SliceMut, Stream,
};

fn stream() -> Stream {
    Device::any().unwrap().new_stream().unwrap()
}

/// Enough elements that a GPU is still busy when the next call comes. The emulator forgets an order
/// with few as well as with many.
fn many(device: &Device) -> usize {
    if device.is_emulator() { 1 << 10 } else { 1 << 22 }
}

/// What is written and read back, for one type.
fn round_trip<T: Element>(values: &[T]) {
    let stream = stream();
    let buffer = stream.upload(values).unwrap();
    assert_eq!(buffer.len(), values.len());
    assert_eq!(stream.download(&buffer).unwrap(), values);

    let mut back = vec![T::default(); values.len()];
    stream.download_into(&buffer, &mut back).unwrap();
    assert_eq!(back, values);

    let mut copy = stream.zeros::<T>(values.len()).unwrap();
    assert_eq!(stream.download(&copy).unwrap(), vec![T::default(); values.len()]);
    stream.copy(&buffer, &mut copy).unwrap();
    assert_eq!(stream.download(&copy).unwrap(), values);

    for value in values {
        stream.fill(&mut copy, *value).unwrap();
        assert_eq!(stream.download(&copy).unwrap(), vec![*value; values.len()]);
    }
}

#[test]
fn every_element_type_comes_back_as_it_went() {
    round_trip(&[false, true, true, false, true]);
    round_trip(&[i8::MIN, -1, 0, 1, i8::MAX]);
    round_trip(&[i16::MIN, -1, 0, 1, i16::MAX]);
    round_trip(&[i32::MIN, -1, 0, 1, i32::MAX]);
    round_trip(&[i64::MIN, -1, 0, 1, i64::MAX, 0x0123_4567_89ab_cdef]);
    round_trip(&[isize::MIN, -1, 0, 1, isize::MAX]);
    round_trip(&[0u8, 1, 0xab, u8::MAX]);
    round_trip(&[0u16, 1, 0xabcd, u16::MAX]);
    round_trip(&[0u32, 1, 0xdead_beef, u32::MAX]);
    round_trip(&[0u64, 1, 0x0123_4567_89ab_cdef, u64::MAX]);
    round_trip(&[0usize, 1, usize::MAX]);
    round_trip(&[0.0f32, -0.0, 1.5, f32::MIN, f32::MAX, f32::INFINITY, f32::MIN_POSITIVE]);
    round_trip(&[0.0f64, -0.0, 1.5, f64::MIN, f64::MAX, f64::NEG_INFINITY, f64::MIN_POSITIVE]);
}

#[test]
fn bits_of_a_nan_are_kept() {
    let stream = stream();
    let bits = [0x7fc0_0001u32, 0xffa5_5a5a];
    let buffer = stream.upload(&bits.map(f32::from_bits)).unwrap();
    let back: Vec<u32> = stream.download(&buffer).unwrap().into_iter().map(f32::to_bits).collect();
    assert_eq!(back, bits);
}

#[test]
fn nothing_is_as_good_as_something() {
    let stream = stream();
    let empty: Buffer<f64> = stream.upload(&[]).unwrap();
    let mut other = stream.zeros::<f64>(0).unwrap();
    assert!(empty.is_empty() && empty.address() == 0);
    stream.fill(&mut other, 1.0).unwrap();
    stream.copy(&empty, &mut other).unwrap();
    stream.write(&mut other, &[]).unwrap();
    assert_eq!(stream.download(&other).unwrap(), Vec::<f64>::new());
    stream.download_into(&other, &mut []).unwrap();

    let mut pinned = stream.device().pinned::<f64>(0).unwrap();
    stream.write_pinned(&mut other, &pinned).unwrap();
    stream.download_pinned(&other, &mut pinned).unwrap();
    assert!(pinned.is_empty() && pinned[..].is_empty());

    let some = stream.upload(&[1u8, 2, 3]).unwrap();
    assert_eq!(stream.download(some.slice(3..).unwrap()).unwrap(), []);
    assert_eq!(stream.download(some.slice(1..1).unwrap()).unwrap(), []);
}

#[test]
fn parts_of_a_buffer_are_its_own_memory() {
    let stream = stream();
    let mut buffer = stream.upload(&[0u16, 1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
    let part = buffer.slice(2..=5).unwrap();
    assert_eq!((part.len(), part.address()), (4, buffer.address() + 4));
    assert_eq!(stream.download(part.slice(1..).unwrap()).unwrap(), [3, 4, 5]);
    let (left, right) = part.split_at(1).unwrap();
    assert_eq!(stream.download(left).unwrap(), [2]);
    let by_reference: &Slice<'_, u16> = &right;
    assert_eq!(stream.download(by_reference).unwrap(), [3, 4, 5]);
    assert_eq!(stream.download(right).unwrap(), [3, 4, 5]);

    stream.fill(buffer.slice_mut(3..5).unwrap(), 77).unwrap();
    {
        let (mut left, mut right) = buffer.split_at_mut(5).unwrap();
        stream.copy(left.slice(3..).unwrap(), right.slice_mut(..2).unwrap()).unwrap();
        let mut first = left.slice_mut(0..1).unwrap();
        stream.write(&mut first, &[41]).unwrap();
        stream.write(first, &[42]).unwrap();
        let (_, mut tail) = right.split_at_mut(4).unwrap();
        stream.fill(&mut tail, 9000).unwrap();
    }
    assert_eq!(stream.download(&buffer).unwrap(), [42, 1, 2, 77, 77, 77, 77, 7, 8, 9000]);
}

#[test]
fn what_is_not_inside_a_buffer_is_an_error_with_the_numbers() {
    let stream = stream();
    let mut buffer = stream.zeros::<i32>(10).unwrap();
    let out = |start, end, len| Error::Range { start, end, len };
    assert_eq!(buffer.slice(4..11).unwrap_err(), out(4, 11, 10));
    assert_eq!(buffer.slice(2..4).unwrap().slice(..3).unwrap_err(), out(0, 3, 2));
    assert_eq!(buffer.slice_mut(11..).unwrap_err(), out(11, 10, 10));
    assert_eq!(buffer.split_at_mut(11).unwrap_err(), out(11, 10, 10));
    assert_eq!(
        stream.write(&mut buffer, &[1, 2, 3]).unwrap_err().to_string(),
        "write: the source has 3 elements, the destination 10"
    );
    let short = stream.zeros::<i32>(9).unwrap();
    let lengths = |operation| Error::Length { operation, source_len: 9, destination_len: 10 };
    assert_eq!(stream.copy(&short, &mut buffer).unwrap_err(), lengths("copy"));
    assert_eq!(stream.download_into(&short, &mut [0; 10]).unwrap_err(), lengths("download_into"));
}

#[test]
fn sizes_that_no_memory_has_are_errors() {
    let stream = stream();
    let error = stream.zeros::<u64>(usize::MAX / 4).unwrap_err();
    assert_eq!(error, Error::TooLarge { len: usize::MAX / 4, element: 8 });
    let error = stream.zeros::<u8>(1 << 60).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { bytes, .. } if bytes == 1 << 60), "{error}");
    // And the device goes on working.
    assert_eq!(stream.download(&stream.upload(&[1, 2]).unwrap()).unwrap(), [1, 2]);
}

#[test]
fn a_fill_writes_every_element_and_nothing_beside() {
    fn check<T: Element>(value: T, other: T) {
        let stream = stream();
        for len in [1usize, 2, 3, 31, 1000, 70_001, 200_003] {
            let mut buffer = stream.zeros::<T>(len + 2).unwrap();
            stream.fill(&mut buffer, other).unwrap();
            stream.fill(buffer.slice_mut(1..=len).unwrap(), value).unwrap();
            let back = stream.download(&buffer).unwrap();
            assert_eq!((back[0], back[len + 1]), (other, other), "{len}");
            assert!(back[1..=len].iter().all(|found| *found == value), "{len}");
        }
    }
    check(0xa5u8, 1);
    check(true, false);
    check(0x1234u16, 1);
    check(-1.25f32, 1.0);
    check(std::f64::consts::PI, 1.0);
    check(0x0123_4567_89ab_cdefu64, 1);
    check(-1i64, 1);
}

#[test]
fn another_stream_waits_for_the_one_that_wrote() {
    let device = Device::any().unwrap();
    let (a, b, c) =
        (device.new_stream().unwrap(), device.new_stream().unwrap(), device.new_stream().unwrap());
    let len = many(&device);
    let mut x = a.zeros::<u32>(len).unwrap();
    let mut y = b.zeros::<u32>(len).unwrap();
    for round in 1..20 {
        a.fill(&mut x, round).unwrap();
        b.copy(&x, &mut y).unwrap(); // after a's fill
        c.copy(&y, &mut x).unwrap(); // after b's copy
        a.fill(x.slice_mut(..1).unwrap(), 0).unwrap(); // after c's copy
        let back = b.download(&x).unwrap();
        assert_eq!(back[0], 0);
        assert!(back[1..].iter().all(|value| *value == round));
    }
}

#[test]
fn a_write_waits_for_readers_on_other_streams() {
    let device = Device::any().unwrap();
    let (writer, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let len = many(&device);
    let mut source = writer.zeros::<u64>(len).unwrap();
    let mut copies: Vec<_> = (0..8).map(|_| reader.zeros::<u64>(len).unwrap()).collect();
    for (round, copy) in copies.iter_mut().enumerate() {
        writer.fill(&mut source, round as u64).unwrap();
        reader.copy(&source, copy).unwrap();
    }
    for (round, copy) in copies.iter().enumerate() {
        let back = reader.download(copy).unwrap();
        assert!(back.iter().all(|value| *value == round as u64), "{round}");
    }
}

#[test]
fn halves_may_be_used_on_two_streams_by_two_threads() {
    let device = Device::any().unwrap();
    let (a, b) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let mut buffer = a.zeros::<i32>(20_000).unwrap();
    for round in 0..50 {
        let (mut left, mut right) = buffer.split_at_mut(10_000).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| a.fill(&mut left, round).unwrap());
            scope.spawn(|| b.fill(&mut right, -round).unwrap());
        });
    }
    let back = a.download(&buffer).unwrap();
    assert!(back[..10_000].iter().all(|value| *value == 49));
    assert!(back[10_000..].iter().all(|value| *value == -49));
}

#[test]
fn buffers_and_streams_may_go_in_any_order() {
    for order in 0..6 {
        let device = Device::any().unwrap();
        let (a, b) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let len = many(&device);
        let source = a.upload(&vec![7u32; len]).unwrap();
        let mut copy = b.zeros::<u32>(len).unwrap();
        b.copy(&source, &mut copy).unwrap();
        let event = b.record().unwrap();
        match order {
            0 => {
                drop(device);
                drop(a);
                drop(source);
                assert_eq!(b.download(&copy).unwrap()[5], 7);
            }
            1 => {
                drop((source, a, b));
                event.synchronize().unwrap();
                let other = device.new_stream().unwrap();
                assert_eq!(other.download(&copy).unwrap()[5], 7);
            }
            2 => drop((a, b, device, event, copy, source)),
            3 => drop((copy, source, event, b, a, device)),
            4 => {
                drop((source, copy, device, a, b));
                assert!(event.query().is_ok());
            }
            _ => {
                drop(source);
                let again = a.upload(&vec![8u32; len]).unwrap();
                assert_eq!(b.download(&copy).unwrap()[5], 7);
                assert_eq!(b.download(&again).unwrap()[5], 8);
            }
        }
    }
}

#[test]
fn memory_that_is_dropped_is_used_again_only_after_its_last_use() {
    let device = Device::any().unwrap();
    let (a, b) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let len = many(&device);
    let mut results = Vec::new();
    for round in 0..16u32 {
        let mut result = b.zeros::<u32>(len).unwrap();
        let mut temporary = a.zeros::<u32>(len).unwrap();
        a.fill(&mut temporary, round).unwrap();
        b.copy(&temporary, &mut result).unwrap();
        results.push(result);
        // Dropped while b may not even have begun to read it.
    }
    for (round, result) in results.iter().enumerate() {
        assert!(b.download(result).unwrap().iter().all(|value| *value == round as u32));
    }
}

#[test]
fn pinned_memory_shows_what_was_copied_and_never_half_of_it() {
    let stream = stream();
    let len = many(stream.device());
    let mut out = stream.device().pinned::<f32>(len).unwrap();
    assert!(out.iter().all(|value| *value == 0.0));
    for (index, value) in out.iter_mut().enumerate() {
        *value = index as f32;
    }
    let buffer = stream.upload_pinned(&out).unwrap();
    out.fill(-1.0); // waits for the copy
    let mut back = stream.device().pinned::<f32>(len).unwrap();
    stream.download_pinned(&buffer, &mut back).unwrap();
    assert!(back.iter().enumerate().all(|(index, value)| *value == index as f32));

    let mut other = stream.zeros::<f32>(len).unwrap();
    stream.write_pinned(&mut other, &out).unwrap();
    stream.download_pinned(&other, &mut back).unwrap();
    drop((out, buffer, other));
    assert!(back.iter().all(|value| *value == -1.0));
}

#[test]
fn pinned_memory_may_go_while_a_copy_is_in_flight() {
    let stream = stream();
    let len = many(stream.device());
    let mut buffer = stream.zeros::<u64>(len).unwrap();
    for round in 0..8 {
        let mut pinned = stream.device().pinned::<u64>(len).unwrap();
        pinned.fill(round);
        stream.write_pinned(&mut buffer, &pinned).unwrap();
        drop(pinned);
        let mut target = stream.device().pinned::<u64>(len).unwrap();
        stream.download_pinned(&buffer, &mut target).unwrap();
    }
    assert!(stream.download(&buffer).unwrap().iter().all(|value| *value == 7));
}

#[test]
fn a_slice_of_pinned_memory_may_be_uploaded_like_any_other() {
    let stream = stream();
    let len = many(stream.device());
    let mut pinned = stream.device().pinned::<u32>(len).unwrap();
    pinned.fill(1);
    let buffer = stream.upload(&pinned[..]).unwrap();
    // The copy has read its source when it returns, though the driver could go on without us.
    pinned.fill(2);
    assert!(stream.download(&buffer).unwrap().iter().all(|value| *value == 1));
}

#[test]
fn an_upload_takes_its_source_at_the_call() {
    let stream = stream();
    let len = many(stream.device());
    let mut data = vec![1i64; len];
    let buffer = stream.upload(&data).unwrap();
    data.fill(2);
    assert!(stream.download(&buffer).unwrap().iter().all(|value| *value == 1));
}

#[test]
fn events_happen_in_order_and_tell_the_time_between() {
    let device = Device::any().unwrap();
    let (a, b) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let mut buffer = a.zeros::<u8>(1 << 24).unwrap();
    let before = a.record().unwrap();
    a.fill(&mut buffer, 1).unwrap();
    let after = a.record().unwrap();
    b.wait(&after).unwrap();
    let on_b = b.record().unwrap();
    on_b.synchronize().unwrap();
    assert!(after.query().unwrap() && before.query().unwrap());
    let elapsed = after.elapsed_since(&before).unwrap();
    assert!(elapsed > Duration::ZERO && elapsed < Duration::from_secs(10), "{elapsed:?}");
    assert_eq!(before.elapsed_since(&after).unwrap(), Duration::ZERO);
}

#[test]
fn a_query_comes_true() {
    let stream = stream();
    let mut buffer = stream.zeros::<u8>(1 << 20).unwrap();
    stream.fill(&mut buffer, 1).unwrap();
    let event = stream.record().unwrap();
    while !event.query().unwrap() {}
    while !stream.query().unwrap() {}
}

#[test]
fn streams_that_wait_for_each_other_in_both_directions_come_to_an_end() {
    let device = Device::any().unwrap();
    let (a, b) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let (mut x, mut y) = (a.zeros::<u32>(1000).unwrap(), b.zeros::<u32>(1000).unwrap());
    for round in 0..300 {
        a.fill(&mut x, round).unwrap();
        b.wait(&a.record().unwrap()).unwrap();
        b.copy(&x, &mut y).unwrap();
        a.wait(&b.record().unwrap()).unwrap();
        a.copy(&y, &mut x).unwrap();
    }
    std::thread::scope(|scope| {
        scope.spawn(|| a.synchronize().unwrap());
        scope.spawn(|| b.synchronize().unwrap());
    });
    assert_eq!(a.download(&y).unwrap(), vec![299; 1000]);
    device.synchronize().unwrap();
}

#[test]
fn one_stream_may_be_used_by_many_threads() {
    let stream = stream();
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let stream = &stream;
            scope.spawn(move || {
                for round in 0..20 {
                    let value = thread * 100 + round;
                    let mut buffer = stream.upload(&[value; 100]).unwrap();
                    stream.fill(buffer.slice_mut(..50).unwrap(), value + 1).unwrap();
                    let back = stream.download(&buffer).unwrap();
                    assert_eq!((back[0], back[99]), (value + 1, value));
                }
            });
        }
    });
}

#[test]
fn things_of_two_devices_do_not_mix() {
    let stream = stream();
    let other = Device::emulator().new_stream().unwrap();
    let mut buffer = other.upload(&[1, 2, 3]).unwrap();
    let expected = stream.device().id().to_string();
    let found = other.device().id().to_string();
    assert_ne!(stream.device(), other.device());
    for error in [
        stream.download(&buffer).unwrap_err(),
        stream.fill(&mut buffer, 1).unwrap_err(),
        stream.wait(&other.record().unwrap()).unwrap_err(),
    ] {
        let Error::WrongDevice { expected: e, found: f, .. } = &error else { panic!("{error}") };
        assert_eq!((e, f), (&expected, &found));
    }
}

#[test]
fn a_device_knows_itself() {
    let device = Device::any().unwrap();
    assert_eq!(device, Device::any().unwrap());
    assert_eq!(device, device.clone());
    assert_ne!(Device::emulator(), Device::emulator());
    let limits: &Limits = device.limits();
    assert_eq!(limits.warp_size, 32);
    assert!(limits.grid[0] >= 65535 && limits.block[0] >= 1024 && limits.threads_per_block >= 1024);
    assert!(limits.shared_per_block_opt_in >= limits.shared_per_block);
    assert!(limits.multiprocessors > 0 && !device.name().is_empty());
    assert!(device.compute_capability() >= (7, 0));
    assert_eq!(device.is_emulator(), matches!(device.id(), DeviceId::Emulator(_)));
    assert!(format!("{device:?}").contains(device.name()));
}

#[test]
fn a_borrowed_stream_is_not_ours_to_destroy() {
    let device = Device::any().unwrap();
    let owned = device.new_stream().unwrap();
    {
        // SAFETY: the stream lives on below.
        let borrowed = unsafe { Stream::from_raw(&device, owned.raw_handle()).unwrap() };
        assert_eq!(borrowed, owned);
        assert_eq!(borrowed.download(&borrowed.upload(&[1u8, 2]).unwrap()).unwrap(), [1, 2]);
    }
    assert_eq!(owned.download(&owned.upload(&[3u8]).unwrap()).unwrap(), [3]);

    // SAFETY: refused.
    let error = unsafe { Stream::from_raw(&device, 2) }.unwrap_err();
    assert!(error.to_string().contains("per-thread"), "{error}");
    // SAFETY: the legacy default stream always exists, and the emulator refuses it.
    let legacy = unsafe { Stream::from_raw(&device, 0) };
    if device.is_emulator() {
        assert!(matches!(legacy, Err(Error::StreamHandle { handle: 0, .. })));
        return;
    }
    let legacy = legacy.unwrap();
    let mut buffer = legacy.upload(&[1u32; 1000]).unwrap();
    owned.fill(&mut buffer, 5).unwrap();
    assert_eq!(legacy.download(&buffer).unwrap(), [5; 1000]);
}

#[test]
fn without_a_driver_the_error_says_what_to_do() {
    match Device::cuda(0) {
        Err(error @ Error::NoDriver { .. }) => {
            let text = error.to_string();
            for advice in ["install", "GRIDLAUNCH_DEVICE=emulator", "Device::emulator()"] {
                assert!(text.contains(advice), "{text}");
            }
        }
        Err(error @ Error::NoDevice { .. }) => {
            assert!(error.to_string().contains("GRIDLAUNCH_DEVICE=emulator"));
        }
        Ok(device) => {
            assert_eq!(device.id(), DeviceId::Cuda(0));
            let error = Device::cuda(1000).unwrap_err();
            assert!(matches!(error, Error::NoDevice { ordinal: 1000, available: 1.. }), "{error}");
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn the_environment_variable_chooses_and_a_bad_value_is_an_error() {
    const CHILD: &str = "GRIDLAUNCH_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let device = Device::any();
        println!("chose {:?}", device.map(|device| device.id()).map_err(|error| error.to_string()));
        return;
    }
    let run = |value: &str| {
        // The variable is the process's, so each value has a process of its own.
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_environment_variable_chooses_and_a_bad_value_is_an_error"])
            .arg("--nocapture")
            .env(CHILD, "1")
            .env("GRIDLAUNCH_DEVICE", value)
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run("emulator").contains("chose Ok(Emulator("));
    let bad = run("quantum");
    for part in ["chose Err", "quantum", "cuda:N", "emulator"] {
        assert!(bad.contains(part), "{bad}");
    }
    let gpu = run("cuda:0");
    match Device::cuda(0) {
        Ok(_) => assert!(gpu.contains("chose Ok(Cuda(0))"), "{gpu}"),
        Err(error) => assert!(gpu.contains(&error.to_string()), "{gpu}"),
    }
}

#[test]
fn many_operations_without_a_wait_take_bounded_room() {
    let stream = stream();
    let mut buffer = stream.zeros::<u32>(4).unwrap();
    for round in 0..20_000u32 {
        stream.write(&mut buffer, &[round; 4]).unwrap();
    }
    assert_eq!(stream.download(&buffer).unwrap(), [19_999; 4]);
}

#[test]
fn everything_may_go_to_another_thread() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Device>();
    check::<Stream>();
    check::<Event>();
    check::<Buffer<f32>>();
    check::<PinnedBuffer<u8>>();
    check::<Slice<'static, i32>>();
    check::<SliceMut<'static, bool>>();
    check::<Error>();
    check::<KernelPanic>();
    check::<Arc<Limits>>();
}
