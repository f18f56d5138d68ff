//! Configuring, binding and launching.

use std::thread;

use gridlaunch::Error;
use gridlaunch::prelude::{Device, Dispatcher, kernel};

use crate::support::stream;

mod kernels {
    use gridlaunch::prelude::*;

    #[kernel]
    pub(super) fn fill(value: u32, out: &mut [u32]) {
        let i = thread::global_x();
        if i < out.len() {
            out[i] = value + i as u32;
        }
    }

    #[kernel]
    pub(super) fn add_one(data: &mut [u64]) {
        let i = thread::global_x();
        if i < data.len() {
            data[i] += 1;
        }
    }
}
use kernels::{add_one, fill};

#[kernel]
fn nothing() {}

#[test]
fn a_kernel_without_parameters_launches() -> gridlaunch::Result<()> {
    let stream = stream();
    nothing.configure(3, 32).on(&stream).launch(())?;
    stream.synchronize()
}

#[test]
fn an_unbound_launch_is_a_typed_error() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut out = stream.zeros::<u32>(4)?;
    match fill.configure(1, 32).launch((1, &mut out)) {
        Err(Error::StreamNotBound { kernel }) => assert_eq!(kernel, "fill"),
        other => panic!("{other:?}"),
    }
    assert_eq!(stream.download(&out)?, [0; 4]);
    Ok(())
}

#[test]
fn binding_makes_a_new_value() -> gridlaunch::Result<()> {
    let stream = stream();
    let configured = fill.configure(1, 32);
    let bound = configured.on(&stream);
    assert!(configured.stream().is_none());
    assert!(bound.stream().is_some());
    assert!(fill.configure(1, 32).stream().is_none(), "the cache handed out a bound value");
    Ok(())
}

#[test]
fn a_dimension_above_the_limit_is_an_error_before_the_launch() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut out = stream.zeros::<u32>(4)?;
    let wrong: [([u32; 3], [u32; 3], u64); 7] = [
        ([1, 65_536, 1], [1, 1, 1], 65_536),
        ([1, 1, 70_000], [1, 1, 1], 70_000),
        ([1 << 31, 1, 1], [1, 1, 1], 1 << 31),
        ([1, 1, 1], [1025, 1, 1], 1025),
        ([1, 1, 1], [1, 1, 65], 65),
        ([1, 1, 1], [33, 32, 1], 33 * 32),
        ([0, 1, 1], [32, 1, 1], 0),
    ];
    for (grid, block, wrong) in wrong {
        match fill.configure(grid, block).on(&stream).launch((1, &mut out)) {
            Err(Error::Dimension { kernel, value, .. }) => {
                assert_eq!((kernel.as_str(), value), ("fill", wrong), "{grid:?} {block:?}");
            }
            other => panic!("{grid:?} {block:?}: {other:?}"),
        }
    }
    assert_eq!(stream.download(&out)?, [0; 4]);
    Ok(())
}

#[test]
fn launches_of_one_stream_run_in_order() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut out = stream.zeros::<u32>(100)?;
    let mut counters = stream.zeros::<u64>(100)?;
    for round in 0..20 {
        fill.configure(2, 64).on(&stream).launch((round, &mut out))?;
        add_one.configure(2, 64).on(&stream).launch((&mut counters,))?;
    }
    let expected: Vec<u32> = (19..119).collect();
    assert_eq!(stream.download(&out)?, expected);
    assert_eq!(stream.download(&counters)?, [20; 100]);
    Ok(())
}

#[test]
fn streams_wait_for_each_other_where_they_share_a_buffer() -> gridlaunch::Result<()> {
    let device = Device::any()?;
    let streams = [device.new_stream()?, device.new_stream()?, device.new_stream()?];
    let mut counters = streams[0].zeros::<u64>(1000)?;
    for round in 0..30 {
        add_one.configure(4, 256).on(&streams[round % 3]).launch((&mut counters,))?;
    }
    assert_eq!(streams[1].download(&counters)?, [30; 1000]);
    Ok(())
}

#[test]
fn one_kernel_is_launched_from_several_threads_at_once() -> gridlaunch::Result<()> {
    let device = Device::any()?;
    thread::scope(|scope| {
        let launch = |seed: u32| {
            let stream = device.new_stream()?;
            let mut out = stream.zeros::<u32>(500)?;
            for _ in 0..20 {
                fill.configure(2 + seed % 3, 256).on(&stream).launch((seed, &mut out))?;
            }
            let expected: Vec<u32> = (seed..seed + 500).collect();
            assert_eq!(stream.download(&out)?, expected);
            gridlaunch::Result::Ok(())
        };
        let threads: Vec<_> = (0..8).map(|seed| scope.spawn(move || launch(seed * 1000))).collect();
        for thread in threads {
            thread.join().expect("no assertion failed")?;
        }
        Ok(())
    })
}

#[test]
fn threads_can_share_a_stream() -> gridlaunch::Result<()> {
    let stream = stream();
    thread::scope(|scope| {
        for seed in 0..4u32 {
            let stream = &stream;
            scope.spawn(move || {
                let mut out = stream.zeros::<u32>(10).expect("memory for ten numbers");
                let dispatcher = fill.configure(1, 32).on(stream);
                dispatcher.launch((seed, &mut out)).expect("a launch");
                let expected: Vec<u32> = (seed..seed + 10).collect();
                assert_eq!(stream.download(&out).expect("ten numbers"), expected);
            });
        }
    });
    Ok(())
}

#[test]
fn a_dispatcher_can_be_named_passed_and_kept() -> gridlaunch::Result<()> {
    struct Holder {
        dispatcher: Dispatcher<fill>,
    }
    fn run(
        dispatcher: &Dispatcher<fill>,
        out: &mut gridlaunch::Buffer<u32>,
    ) -> gridlaunch::Result<()> {
        dispatcher.launch((5, out))
    }
    let stream = stream();
    let mut out = stream.zeros::<u32>(3)?;
    let holder = Holder { dispatcher: fill.configure(1, 32).on(&stream) };
    run(&holder.dispatcher, &mut out)?;
    assert_eq!(stream.download(&out)?, [5, 6, 7]);
    Ok(())
}
