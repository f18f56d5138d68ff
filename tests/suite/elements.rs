//! Slices of every element type, empty slices, sub-slices.

use gridlaunch::prelude::*;

use crate::support::stream;

macro_rules! copies {
    ($($name:ident: $t:ty = $values:expr;)*) => {$(
        mod $name {
            use super::*;

            #[kernel]
            fn copy(scalar: $t, input: &[$t], output: &mut [$t]) {
                let i = thread::global_x();
                if i + 1 < output.len() {
                    output[i] = input[i];
                } else if i + 1 == output.len() {
                    output[i] = scalar;
                }
            }

            #[test]
            fn travels_by_value_and_in_slices() -> gridlaunch::Result<()> {
                let values: Vec<$t> = $values;
                let last = values[values.len() - 1];
                let stream = stream();
                let input = stream.upload(&values)?;
                let mut output = stream.upload(&vec![values[0]; values.len()])?;
                copy.configure(2, 32).on(&stream).launch((last, &input, &mut output))?;
                assert_eq!(stream.download(&output)?, values);
                Ok(())
            }
        }
    )*};
}

copies! {
    of_bool: bool = vec![false, true, true, false, true];
    of_i8: i8 = vec![i8::MIN, -1, 0, 1, i8::MAX];
    of_i16: i16 = vec![i16::MIN, -1, 0, 1, i16::MAX];
    of_i32: i32 = vec![i32::MIN, -1, 0, 1, i32::MAX];
    of_i64: i64 = vec![i64::MIN, -1, 0, 1, i64::MAX];
    of_isize: isize = vec![isize::MIN, -1, 0, 1, isize::MAX];
    of_u8: u8 = vec![0, 1, 127, 128, u8::MAX];
    of_u16: u16 = vec![0, 1, 0x7fff, 0x8000, u16::MAX];
    of_u32: u32 = vec![0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    of_u64: u64 = vec![0, 1, 1 << 63, u64::MAX - 1, u64::MAX];
    of_usize: usize = vec![0, 1, 1 << 63, usize::MAX - 1, usize::MAX];
    of_f32: f32 = vec![-0.0, 1.5, f32::MIN_POSITIVE / 2.0, f32::INFINITY, f32::MAX];
    of_f64: f64 = vec![-0.0, 1.5, f64::MIN_POSITIVE / 2.0, f64::INFINITY, f64::MAX];
}

#[kernel]
fn all_scalars(
    a: bool,
    b: i8,
    c: u16,
    d: i64,
    e: f32,
    f: u8,
    g: f64,
    h: i16,
    i: u32,
    out: &mut [f64],
) {
    out[0] = if a { 1.0 } else { 0.0 };
    out[1] = b as f64;
    out[2] = c as f64;
    out[3] = d as f64;
    out[4] = e as f64;
    out[5] = f as f64;
    out[6] = g;
    out[7] = h as f64;
    out[8] = i as f64;
}

#[test]
fn scalars_of_mixed_sizes_are_packed_as_the_device_reads_them() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut out = stream.zeros::<f64>(9)?;
    let arguments = (true, -7i8, 65_535u16, -1i64 << 40, 0.25f32, 200u8, 1e100f64, -300i16, 7u32);
    let (a, b, c, d, e, f, g, h, i) = arguments;
    all_scalars.configure(1, 1).on(&stream).launch((a, b, c, d, e, f, g, h, i, &mut out))?;
    let expected = [1.0, -7.0, 65_535.0, -(2f64.powi(40)), 0.25, 200.0, 1e100, -300.0, 7.0];
    assert_eq!(stream.download(&out)?, expected);
    Ok(())
}

#[kernel]
fn lengths(a: &[u8], b: &[f64], c: &mut [i16], out: &mut [usize]) {
    out[0] = a.len();
    out[1] = b.len();
    out[2] = c.len();
    out[3] = out.len();
    let i = thread::global_x();
    if i < a.len() {
        c[i] = a[i] as i16;
    }
    for k in 0..b.len() {
        c[k] = b[k] as i16;
    }
}

#[test]
fn empty_slices_have_length_zero() -> gridlaunch::Result<()> {
    let stream = stream();
    let (a, b) = (stream.upload::<u8>(&[])?, stream.zeros::<f64>(0)?);
    let mut c = stream.zeros::<i16>(0)?;
    let mut out = stream.zeros::<usize>(4)?;
    lengths.configure(2, 32).on(&stream).launch((&a, &b, &mut c, &mut out))?;
    assert_eq!(stream.download(&out)?, [0, 0, 0, 4]);
    assert!(stream.download(&c)?.is_empty());
    Ok(())
}

#[kernel]
fn double(input: &[u32], output: &mut [u32]) {
    let i = thread::global_x();
    if i < output.len() {
        output[i] = input[i] * 2;
    }
}

#[test]
fn sub_slices_are_arguments_too() -> gridlaunch::Result<()> {
    let stream = stream();
    let input = stream.upload(&(0..100u32).collect::<Vec<_>>())?;
    let mut output = stream.zeros::<u32>(100)?;
    let dispatcher = double.configure(2, 64).on(&stream);
    dispatcher.launch((&input.slice(10..13)?, &mut output.slice_mut(50..53)?))?;
    let output = stream.download(&output)?;
    assert_eq!(output[49..54], [0, 20, 22, 24, 0]);
    Ok(())
}

#[kernel]
fn neighbours(bytes: &mut [u8], words: &mut [u16], flags: &mut [bool]) {
    let i = thread::global_x();
    if i < bytes.len() && i % 2 == 0 {
        bytes[i] += 1;
        words[i] -= 1;
        flags[i] = !flags[i];
    }
}

#[test]
fn narrow_stores_leave_their_neighbours_alone() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut bytes = stream.upload(&[255u8; 70])?;
    let mut words = stream.upload(&[0u16; 70])?;
    let mut flags = stream.upload(&[true; 70])?;
    let dispatcher = neighbours.configure(2, 64).on(&stream);
    dispatcher.launch((&mut bytes, &mut words, &mut flags))?;
    let (bytes, words, flags) =
        (stream.download(&bytes)?, stream.download(&words)?, stream.download(&flags)?);
    for i in 0..70 {
        let even = i % 2 == 0;
        let expected = if even { (0, u16::MAX, false) } else { (255, 0, true) };
        assert_eq!((bytes[i], words[i], flags[i]), expected, "element {i}");
    }
    Ok(())
}
