//! `&&` and `||` evaluate their right side only when they have to.

use gridlaunch::prelude::*;

use crate::support::assert_as_on_host;

#[kernel]
fn guarded(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    // Without the short circuit, the threads beyond the end would panic.
    if i < n.len() && n[i] % 2 == 0 && (i == 0 || n[i - 1] % 2 == 1) {
        out[i] = n[i];
    }
    if i >= n.len() || n[i] > 50 {
        return;
    }
    out[i] += 1000;
}

#[test]
fn a_guard_keeps_an_index_from_being_evaluated() -> gridlaunch::Result<()> {
    assert_as_on_host!(guarded, (0..100u32).collect::<Vec<_>>(), vec![0u32; 100]);
    Ok(())
}

#[kernel]
fn effects(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut calls = 0u32;
        let a = n[i] % 2 == 0 && {
            calls += 1;
            n[i] % 3 == 0
        };
        let b = n[i] % 5 == 0 || {
            calls += 10;
            n[i] % 7 == 0
        };
        let c = (a || {
            calls += 100;
            b
        }) && {
            calls += 1000;
            !a
        };
        if a && b
            || !c && {
                calls += 10_000;
                b
            }
        {
            calls += 100_000;
        }
        while calls % 7 != 3 && {
            calls += 1;
            calls < 1_000_000
        } {}
        out[i] = calls;
    }
}

#[test]
fn effects_on_the_right_happen_only_when_needed() -> gridlaunch::Result<()> {
    assert_as_on_host!(effects, (0..211u32).collect::<Vec<_>>(), vec![0u32; 211]);
    Ok(())
}
