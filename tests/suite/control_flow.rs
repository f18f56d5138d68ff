//! All of Rust's control flow, as the host twin does it.

use gridlaunch::prelude::*;

use crate::support::assert_as_on_host;

fn numbers() -> Vec<u32> {
    (0..100).chain([1000, 4096, 77_777]).collect()
}

#[kernel]
fn labelled(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut steps = 0u32;
        'outer: for a in 0..10u32 {
            for b in 0..10u32 {
                if b == 3 {
                    continue;
                }
                if a + b == 12 {
                    continue 'outer;
                }
                if a * b > n[i] {
                    break 'outer;
                }
                steps += a * 10 + b;
            }
            steps += 1000;
        }
        out[i] = steps;
    }
}

#[test]
fn labels_choose_the_loop() -> gridlaunch::Result<()> {
    assert_as_on_host!(labelled, numbers(), vec![0u32; 103]);
    Ok(())
}

#[kernel]
fn loop_values(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut x = n[i] + 1;
        let mut count = 0;
        let steps = loop {
            if x == 1 {
                break count;
            }
            if count > 50 {
                break 1000 + x;
            }
            x = if x % 2 == 0 { x / 2 } else { (3 * x + 1) % 100_003 };
            count += 1;
        };
        let from_block = 'block: {
            if steps > 20 {
                break 'block steps * 2;
            }
            if steps > 10 {
                break 'block 7;
            }
            steps + 1
        };
        out[i * 2] = steps;
        out[i * 2 + 1] = from_block;
    }
}

#[test]
fn break_carries_a_value() -> gridlaunch::Result<()> {
    assert_as_on_host!(loop_values, numbers(), vec![0u32; 206]);
    Ok(())
}

#[kernel]
fn outer_value(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i >= n.len() {
        return;
    }
    out[i] = 'found: loop {
        let mut a = 0;
        while a < 20 {
            let mut b = a;
            loop {
                if a * a + b * b == n[i] {
                    break 'found a * 100 + b;
                }
                b += 1;
                if b > 20 {
                    break;
                }
            }
            a += 1;
        }
        break 9999;
    };
}

#[test]
fn break_carries_a_value_out_of_nested_loops() -> gridlaunch::Result<()> {
    assert_as_on_host!(outer_value, numbers(), vec![0u32; 103]);
    Ok(())
}

#[kernel]
fn early_returns(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i >= n.len() {
        return;
    }
    out[i] = 1;
    if n[i] % 3 == 0 {
        return;
    }
    out[i] = 2;
    for k in 0..n[i] {
        if k * k == n[i] {
            return;
        }
        out[i] += 1;
        if k > 60 {
            out[i] = 5000;
            return;
        }
    }
    while out[i] < 50 {
        if out[i] == 33 {
            return;
        }
        out[i] += 2;
    }
    out[i] += 100_000;
}

#[test]
fn return_ends_the_thread_anywhere() -> gridlaunch::Result<()> {
    assert_as_on_host!(early_returns, numbers(), vec![0u32; 103]);
    Ok(())
}

#[kernel]
fn ranges(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut sum = 0u32;
        for k in 0..n[i] % 10 {
            sum += k;
        }
        for k in n[i]..5 {
            sum += k * 100;
        }
        for k in 3..=n[i] % 7 {
            sum += k * 1000;
        }
        for k in 250..=255u8 {
            sum += k as u32;
        }
        for k in -3i32..3 {
            sum += (k * k) as u32;
        }
        for _ in 0..3 {
            sum += 1;
        }
        // The bounds are evaluated once, before the first round.
        let mut end = 3;
        for k in 0..end {
            end += k;
            sum += end as u32;
        }
        out[i] = sum;
    }
}

#[test]
fn ranges_count_as_rusts_do() -> gridlaunch::Result<()> {
    assert_as_on_host!(ranges, numbers(), vec![0u32; 103]);
    Ok(())
}

#[kernel]
fn full_inclusive_range(out: &mut [u32]) {
    let mut rounds = 0u32;
    for k in 0..=255u8 {
        rounds += 1 + (k / 255) as u32;
    }
    out[0] = rounds;
    rounds = 0;
    for _ in i8::MIN..=i8::MAX {
        rounds += 1;
    }
    out[1] = rounds;
    rounds = 0;
    for k in (u64::MAX - 2)..=u64::MAX {
        rounds += (k % 10) as u32;
    }
    out[2] = rounds;
}

#[test]
fn an_inclusive_range_ends_at_the_types_maximum() -> gridlaunch::Result<()> {
    let stream = crate::support::stream();
    let mut out = stream.zeros::<u32>(3)?;
    full_inclusive_range.configure(1, 1).on(&stream).launch((&mut out,))?;
    assert_eq!(stream.download(&out)?, [257, 256, 3 + 4 + 5]);
    Ok(())
}

#[kernel]
fn nested_ifs(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let x = n[i];
        out[i] = if x < 10 {
            if x % 2 == 0 { 1 } else { 2 }
        } else if x < 20 {
            let y = x * 2;
            y + 1
        } else if x == 33 || x == 44 {
            3
        } else {
            let mut y = x;
            if y > 50 {
                y -= 50;
            }
            {
                y += 1;
            }
            y
        };
        let later;
        if x > 5 {
            later = x;
        } else {
            later = 5;
        }
        out[i] += later * 1000;
    }
}

#[test]
fn if_is_an_expression() -> gridlaunch::Result<()> {
    assert_as_on_host!(nested_ifs, numbers(), vec![0u32; 103]);
    Ok(())
}

#[kernel]
fn shadowed(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let x = n[i];
        let x = x + 1;
        let mut sum = x;
        {
            let x = x as f32 * 0.5;
            sum += x as u32;
            let x = x > 3.0;
            if x {
                sum += 1;
            }
        }
        for x in 0..x % 5 {
            sum += x;
        }
        let x = x * 2;
        out[i] = sum + x;
    }
}

#[test]
fn a_name_can_be_bound_again() -> gridlaunch::Result<()> {
    assert_as_on_host!(shadowed, numbers(), vec![0u32; 103]);
    Ok(())
}

#[kernel]
fn evaluation_order(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut x = n[i];
        let first = {
            x += 1;
            x
        } * 10
            + {
                x *= 2;
                x
            }
            + x;
        let mut a = [0u32; 4];
        let mut at = 0;
        a[{
            at += 1;
            at
        }] = {
            at += 1;
            at as u32
        };
        a[at] += {
            at += 1;
            5
        };
        out[i * 3] = first;
        out[i * 3 + 1] = a[0] + a[1] * 10 + a[2] * 100 + a[3] * 1000;
        out[i * 3 + 2] = at as u32;
    }
}

#[test]
fn operands_are_evaluated_in_rusts_order() -> gridlaunch::Result<()> {
    assert_as_on_host!(evaluation_order, numbers(), vec![0u32; 309]);
    Ok(())
}

#[kernel]
fn divergent(n: &[u32], out: &mut [u32]) {
    let i = thread::global_x();
    if i < n.len() {
        let mut x = n[i] * 2_654_435 % 1009;
        let mut count = 0u32;
        while x != 0 {
            if x % 3 == 0 {
                x /= 3;
            } else if x % 2 == 0 {
                let mut k = x % 7;
                while k > 0 {
                    count += k;
                    k -= 1;
                    if count % 11 == 10 {
                        break;
                    }
                }
                x /= 2;
            } else {
                x -= 1;
                if x > 700 {
                    continue;
                }
                count += 3;
            }
            count += 1;
        }
        out[i] = count;
    }
}

#[test]
fn threads_of_a_warp_go_their_own_ways() -> gridlaunch::Result<()> {
    assert_as_on_host!(divergent, (0..500).collect::<Vec<u32>>(), vec![0u32; 500]);
    Ok(())
}
