//! Local arrays.

use gridlaunch::prelude::*;

use crate::support::{assert_as_on_host, stream};

#[kernel]
fn local_arrays(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut counts = [0u32; 10];
        let mut x = n[i];
        while x > 0 {
            counts[(x % 10) as usize] += 1;
            x /= 10;
        }
        let primes = [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29];
        let mut sum = 0;
        for k in 0..counts.len() {
            sum += counts[k] * primes[k];
        }
        out[i] = sum;
    }
}

#[test]
fn a_local_array_is_indexed_by_variables() -> gridlaunch::Result<()> {
    let numbers: Vec<u32> = (0..200).map(|k| k * k * 12_345).collect();
    assert_as_on_host!(local_arrays, numbers, vec![0u32; 200]);
    Ok(())
}

#[kernel]
fn matrices(n: &[i64], out: &mut [i64]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut m = [[0i64; 3]; 2];
        for row in 0..2 {
            for column in 0..3 {
                m[row][column] = n[i] * 10 + (row * 3 + column) as i64;
            }
        }
        m[1][2] -= m[0][1];
        let copy = m;
        m[0] = copy[1];
        let row = m[1];
        out[i * 3] = m[0][0] + m[0][1] * 7 + m[0][2] * 49;
        out[i * 3 + 1] = row[0] + row[1] * 7 + row[2] * 49;
        out[i * 3 + 2] = copy[0][0] + copy.len() as i64 * 1000 + copy[0].len() as i64;
    }
}

#[test]
fn arrays_nest_and_are_copied() -> gridlaunch::Result<()> {
    let numbers: Vec<i64> = (-40..60).collect();
    assert_as_on_host!(matrices, numbers, vec![0i64; 300]);
    Ok(())
}

#[kernel]
fn small_elements(n: &[u8], out: &mut [u8]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut bytes = [1u8; 7];
        let mut flags = [false; 5];
        let mut words = [0x1234u16, 0x5678, 0x9abc];
        let at = (n[i] % 5) as usize;
        bytes[at] = n[i];
        bytes[at + 2] = n[i] / 2;
        flags[at] = true;
        words[at % 3] >>= 4;
        let mut sum = 0u8;
        for k in 0..7 {
            sum = sum.wrapping_mul(31).wrapping_add(bytes[k]);
        }
        for k in 0..5 {
            if flags[k] {
                sum = sum.wrapping_add(100);
            }
        }
        for k in 0..3 {
            sum = sum.wrapping_add((words[k] % 251) as u8);
        }
        out[i] = sum;
    }
}

#[test]
fn arrays_of_narrow_elements_keep_their_neighbours() -> gridlaunch::Result<()> {
    assert_as_on_host!(small_elements, (0..=255u8).collect::<Vec<_>>(), vec![0u8; 256]);
    Ok(())
}

#[kernel]
fn sorted(input: &[f32], output: &mut [f32]) {
    let base = thread::global_x() * 16;
    if base + 16 <= input.len() {
        let mut values = [0.0f32; 16];
        for k in 0..16 {
            values[k] = input[base + k];
        }
        for k in 1..16 {
            let value = values[k];
            let mut at = k;
            while at > 0 && values[at - 1] > value {
                values[at] = values[at - 1];
                at -= 1;
            }
            values[at] = value;
        }
        for k in 0..16 {
            output[base + k] = values[k];
        }
    }
}

#[test]
fn an_insertion_sort_runs_in_a_local_array() -> gridlaunch::Result<()> {
    let input: Vec<f32> = (0..1600u32).map(|k| (k * 7919 % 1009) as f32).collect();
    let stream = stream();
    let there = stream.upload(&input)?;
    let mut output = stream.zeros::<f32>(input.len())?;
    sorted.configure(2, 64).on(&stream).launch((&there, &mut output))?;
    let mut expected = input;
    expected.chunks_mut(16).for_each(|chunk| chunk.sort_by(f32::total_cmp));
    assert_eq!(stream.download(&output)?, expected);
    Ok(())
}
