//! A panic in a kernel is an error with its place, its thread and its values, and nothing else
//! suffers from it.

use gridlaunch::prelude::*;
use gridlaunch::{Error, KernelPanic};

use crate::support::stream;

/// The panic that the stream reports.
#[track_caller]
fn panic_of(stream: &Stream) -> KernelPanic {
    match stream.synchronize() {
        Err(Error::KernelPanic(panic)) => *panic,
        other => panic!("expected a kernel panic, and synchronize returned {other:?}"),
    }
}

/// One-based line and column of the first `needle` after `from` in this file.
#[track_caller]
fn place(from: &str, needle: &str) -> (u32, u32) {
    let source = include_str!("panics.rs");
    let start = source.find(from).expect("the kernel is in this file");
    let at = start + source[start..].find(needle).expect("the expression is in the kernel");
    let line = source[..at].lines().count() as u32;
    let line_start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    (line, (at - line_start) as u32 + 1)
}

#[kernel]
fn index_above(shift: usize, x: &[u32], y: &mut [u32]) {
    let i = thread::global_x();
    if i < y.len() {
        y[i] = x[i + shift] + 1;
    }
}

#[test]
fn an_index_out_of_bounds_names_place_thread_and_values() -> gridlaunch::Result<()> {
    let stream = stream();
    let x = stream.upload(&[7u32; 100])?;
    let mut y = stream.zeros::<u32>(100)?;
    let dispatcher = index_above.configure(4, 32).on(&stream);
    dispatcher.launch((1, &x, &mut y))?;

    let panic = panic_of(&stream);
    assert_eq!(panic.kernel, "index_above");
    assert_eq!(panic.message, "index 100 is out of bounds for length 100");
    assert_eq!(panic.values, [100, 100]);
    assert_eq!((panic.block, panic.thread), ([3, 0, 0], [3, 0, 0]));
    assert_eq!(panic.file, file!());
    assert_eq!((panic.line, panic.column), place("fn index_above", "x[i + shift]"));

    // The others went on, and the next launch works.
    assert_eq!(stream.download(&y)?[..99], [8; 99]);
    dispatcher.launch((0, &x, &mut y))?;
    assert_eq!(stream.download(&y)?, [8; 100]);
    Ok(())
}

#[test]
fn a_download_reports_the_panic_once() -> gridlaunch::Result<()> {
    let stream = stream();
    let x = stream.upload(&[7u32; 10])?;
    let mut y = stream.zeros::<u32>(10)?;
    index_above.configure(1, 32).on(&stream).launch((1000, &x, &mut y))?;
    match stream.download(&y) {
        Err(Error::KernelPanic(panic)) => {
            let text = panic.message.strip_prefix("index 10").unwrap_or_default();
            assert!(text.ends_with(" is out of bounds for length 10"), "{panic}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(stream.download(&y)?, [0; 10]);
    stream.synchronize()
}

#[kernel]
fn store_above(y: &mut [i16]) {
    let at = thread::global_x() * 2;
    y[at] = 5;
}

#[test]
fn a_store_out_of_bounds_stores_nothing() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut buffer = stream.zeros::<i16>(16)?;
    {
        let mut half = buffer.slice_mut(0..8)?;
        store_above.configure(1, 5).on(&stream).launch((&mut half,))?;
    }
    let panic = panic_of(&stream);
    assert_eq!(panic.message, "index 8 is out of bounds for length 8");
    assert_eq!(panic.thread, [4, 0, 0]);
    assert_eq!((panic.line, panic.column), place("fn store_above", "y[at]"));
    assert_eq!(stream.download(&buffer)?, [5, 0, 5, 0, 5, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    Ok(())
}

#[kernel]
fn far_below(y: &mut [u8]) {
    let i = thread::global_x();
    // Below zero is, as in Rust's release build, very far above.
    y[i - 1] = 1;
}

#[test]
fn an_index_below_zero_is_a_large_one() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut y = stream.zeros::<u8>(4)?;
    far_below.configure(1, 4).on(&stream).launch((&mut y,))?;
    let panic = panic_of(&stream);
    assert_eq!(panic.message, "index 18446744073709551615 is out of bounds for length 4");
    assert_eq!(stream.download(&y)?, [1, 1, 1, 0]);
    Ok(())
}

#[kernel]
fn local_index(at: usize, y: &mut [u32]) {
    let mut values = [1u32, 2, 3];
    values[at] += 10;
    y[0] = values[0] + values[1] + values[2];
}

#[kernel]
fn shared_index(at: usize, y: &mut [u32]) {
    let values = block::shared::<[[u32; 4]; 3]>();
    values[2][at] = 7;
    y[0] = values[2][at];
}

#[test]
fn local_and_shared_arrays_are_checked() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut y = stream.zeros::<u32>(1)?;
    let local = local_index.configure(1, 1).on(&stream);
    local.launch((2, &mut y))?;
    assert_eq!(stream.download(&y)?, [16]);
    local.launch((3, &mut y))?;
    let panic = panic_of(&stream);
    assert_eq!(panic.message, "index 3 is out of bounds for length 3");
    assert_eq!((panic.line, panic.column), place("fn local_index", "values[at]"));

    let shared = shared_index.configure(1, 1).on(&stream);
    shared.launch((3, &mut y))?;
    assert_eq!(stream.download(&y)?, [7]);
    shared.launch((4, &mut y))?;
    let panic = panic_of(&stream);
    assert_eq!(panic.message, "index 4 is out of bounds for length 4");
    assert_eq!((panic.line, panic.column), place("fn shared_index", "values[2][at]"));
    Ok(())
}

macro_rules! division {
    ($($name:ident: $t:ident $($signed:ident)?;)*) => {$(
        mod $name {
            use super::*;

            #[kernel]
            fn divide(a: $t, b: $t, out: &mut [$t]) {
                out[0] = a / b;
            }

            #[kernel]
            fn remainder(a: $t, b: $t, out: &mut [$t]) {
                out[0] = a % b;
            }

            #[test]
            fn by_zero_panics() -> gridlaunch::Result<()> {
                let stream = stream();
                let mut out = stream.zeros::<$t>(1)?;
                divide.configure(1, 1).on(&stream).launch((7, 0, &mut out))?;
                assert_eq!(panic_of(&stream).message, "attempt to divide by zero");
                remainder.configure(1, 1).on(&stream).launch((7, 0, &mut out))?;
                let message = "attempt to calculate the remainder with a divisor of zero";
                assert_eq!(panic_of(&stream).message, message);
                divide.configure(1, 1).on(&stream).launch((7, 2, &mut out))?;
                assert_eq!(stream.download(&out)?, [3]);
                Ok(())
            }

            $(
                #[test]
                fn $signed() -> gridlaunch::Result<()> {
                    let stream = stream();
                    let mut out = stream.zeros::<$t>(1)?;
                    divide.configure(1, 1).on(&stream).launch(($t::MIN, -1, &mut out))?;
                    assert_eq!(panic_of(&stream).message, "attempt to divide with overflow");
                    remainder.configure(1, 1).on(&stream).launch(($t::MIN, -1, &mut out))?;
                    let message = "attempt to calculate the remainder with overflow";
                    assert_eq!(panic_of(&stream).message, message);
                    divide.configure(1, 1).on(&stream).launch(($t::MIN, 1, &mut out))?;
                    assert_eq!(stream.download(&out)?, [$t::MIN]);
                    Ok(())
                }
            )?
        }
    )*};
}

division! {
    of_i8: i8 of_the_smallest_by_minus_one_panics;
    of_i16: i16 of_the_smallest_by_minus_one_panics;
    of_i32: i32 of_the_smallest_by_minus_one_panics;
    of_i64: i64 of_the_smallest_by_minus_one_panics;
    of_isize: isize of_the_smallest_by_minus_one_panics;
    of_u8: u8;
    of_u16: u16;
    of_u32: u32;
    of_u64: u64;
    of_usize: usize;
}

#[kernel]
fn divide_places(a: u32, b: u32, out: &mut [u32]) {
    out[0] = a + (a / b);
    let mut rest = a;
    rest %= b;
    out[0] += rest;
}

#[test]
fn a_division_names_its_own_place() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut out = stream.zeros::<u32>(1)?;
    divide_places.configure(1, 1).on(&stream).launch((1, 0, &mut out))?;
    let panic = panic_of(&stream);
    assert_eq!((panic.line, panic.column), place("fn divide_places", "a / b"));
    assert!(panic.values.is_empty());
    Ok(())
}

#[kernel]
fn before_a_barrier(limit: usize, input: &[u32], output: &mut [u32]) {
    let shared = block::shared::<[u32; 128]>();
    let here = thread::x();
    shared[here] = 0;
    if here % 2 == 0 {
        // Threads at and above the limit panic here, and their neighbours wait below.
        shared[here] = input[here];
    }
    block::sync();
    if here < limit {
        output[here] = shared[127 - here] + shared[here];
    }
    block::sync();
    if here + 1 < limit {
        output[here + 128] = output[here];
    }
}

#[test]
fn threads_at_a_barrier_do_not_wait_for_one_that_panicked() -> gridlaunch::Result<()> {
    let stream = stream();
    let input = stream.upload(&(1..=100u32).collect::<Vec<_>>())?;
    let mut output = stream.zeros::<u32>(256)?;
    before_a_barrier.configure(1, 128).on(&stream).launch((100, &input, &mut output))?;
    let panic = panic_of(&stream);
    assert!(panic.thread[0] >= 100 && panic.thread[0] % 2 == 0, "{panic}");

    let value = |at: u32| if at % 2 == 0 && at < 100 { at + 1 } else { 0 };
    let output = stream.download(&output)?;
    for here in 0..100u32 {
        let expected = value(127 - here) + value(here);
        assert_eq!(output[here as usize], expected, "element {here}");
        let later = if here + 1 < 100 { expected } else { 0 };
        assert_eq!(output[here as usize + 128], later, "element {here} after the second barrier");
    }
    Ok(())
}

#[kernel]
fn everywhere(y: &mut [u32]) {
    let i = thread::global_x() + y.len();
    y[i] = 1;
}

#[test]
fn when_all_threads_panic_one_of_them_is_reported() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut y = stream.zeros::<u32>(3)?;
    let dispatcher = everywhere.configure(50, 256).on(&stream);
    dispatcher.launch((&mut y,))?;
    let panic = panic_of(&stream);
    let thread = panic.block[0] * 256 + panic.thread[0];
    assert_eq!(panic.values, [u64::from(thread) + 3, 3]);
    assert_eq!(stream.download(&y)?, [0; 3]);
    Ok(())
}

#[test]
fn each_stream_reports_its_own_panics() -> gridlaunch::Result<()> {
    let good = stream();
    let bad = good.device().new_stream()?;
    let x = good.upload(&[1u32; 8])?;
    let (mut y, mut z) = (good.zeros::<u32>(8)?, good.zeros::<u32>(8)?);
    index_above.configure(1, 8).on(&bad).launch((3, &x, &mut y))?;
    index_above.configure(1, 8).on(&good).launch((0, &x, &mut z))?;
    assert_eq!(good.download(&z)?, [2; 8]);
    let panic = panic_of(&bad);
    assert_eq!(panic.values[1], 8);
    good.synchronize()
}

#[kernel]
fn guarded_by_a_loop(n: usize, x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0;
    for i in 0..n {
        sum += x[i];
    }
    out[thread::x()] = sum;
}

#[test]
fn a_loop_that_runs_too_far_panics_at_the_first_index_too_many() -> gridlaunch::Result<()> {
    let stream = stream();
    let x = stream.upload(&[0.5f32; 1000])?;
    let mut out = stream.zeros::<f32>(4)?;
    let dispatcher = guarded_by_a_loop.configure(1, 4).on(&stream);
    dispatcher.launch((1000, &x, &mut out))?;
    assert_eq!(stream.download(&out)?, [500.0; 4]);
    dispatcher.launch((2000, &x, &mut out))?;
    let panic = panic_of(&stream);
    assert_eq!(panic.message, "index 1000 is out of bounds for length 1000");
    assert_eq!((panic.line, panic.column), place("fn guarded_by_a_loop", "x[i]"));
    Ok(())
}
