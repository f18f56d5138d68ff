//! Divergence, loops, barriers, exits and operations between lanes.

mod common;

use common::{kernel, launch};

/// Runs a body for each thread of a block; it has its number in `%r0` and leaves its result in
/// `%r9`.
fn per_thread(body: &str, threads: u32) -> Vec<u32> {
    let text = kernel(&format!(
        "ld.param.u64 %rd20, [out];
         mov.u32 %r0, %tid.x;
         {body}
         mul.wide.u32 %rd21, %r0, 4;
         add.s64 %rd22, %rd20, %rd21;
         st.global.u32 [%rd22], %r9;
         ret;"
    ));
    let words = threads.div_ceil(2) as usize;
    let run = launch(&text, [1; 3], [threads, 1, 1], &[], words, 0);
    run.outcome.as_ref().unwrap_or_else(|fault| panic!("{body}: {fault}"));
    run.output32()[..threads as usize].to_vec()
}

fn check(body: &str, expected: impl Fn(u32) -> u32) {
    for threads in [1, 31, 32, 33, 100, 256] {
        let got = per_thread(body, threads);
        let expected: Vec<u32> = (0..threads).map(&expected).collect();
        assert_eq!(got, expected, "{threads} threads: {body}");
    }
}

#[test]
fn nested_branches() {
    check(
        "and.b32 %r1, %r0, 1;
         setp.eq.u32 %p0, %r1, 0;
         @%p0 bra EVEN;
         and.b32 %r2, %r0, 2;
         setp.eq.u32 %p1, %r2, 0;
         @%p1 bra ONE;
         mov.u32 %r9, 3;
         bra JOIN;
     ONE:
         mov.u32 %r9, 1;
         bra JOIN;
     EVEN:
         and.b32 %r2, %r0, 2;
         setp.ne.u32 %p1, %r2, 0;
         @%p1 bra TWO;
         mov.u32 %r9, 0;
         bra JOIN;
     TWO:
         mov.u32 %r9, 2;
     JOIN:
         add.u32 %r9, %r9, 100;",
        |t| t % 4 + 100,
    );
}

#[test]
fn loops_with_different_trip_counts() {
    check(
        "mov.u32 %r9, 0;
         mov.u32 %r1, 0;
         rem.u32 %r2, %r0, 7;
     LOOP:
         setp.ge.u32 %p0, %r1, %r2;
         @%p0 bra DONE;
         add.u32 %r9, %r9, %r1;
         add.u32 %r1, %r1, 1;
         bra LOOP;
     DONE:
         add.u32 %r9, %r9, 1;",
        |t| (0..t % 7).sum::<u32>() + 1,
    );
}

#[test]
fn collatz_ends_at_different_times() {
    check(
        "add.u32 %r1, %r0, 1;
         mov.u32 %r9, 0;
     LOOP:
         setp.eq.u32 %p0, %r1, 1;
         @%p0 bra DONE;
         add.u32 %r9, %r9, 1;
         and.b32 %r2, %r1, 1;
         setp.ne.u32 %p1, %r2, 0;
         @%p1 bra ODD;
         shr.u32 %r1, %r1, 1;
         bra LOOP;
     ODD:
         mad.lo.u32 %r1, %r1, 3, 1;
         bra LOOP;
     DONE:",
        |t| {
            let (mut n, mut steps) = (t + 1, 0);
            while n != 1 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        },
    );
}

#[test]
fn break_and_continue_in_nested_loops() {
    // for i in 0..8 { if i & t == i { continue } for j in 0..8 { if i * j > t { break } r += j } }
    check(
        "mov.u32 %r9, 0;
         mov.u32 %r1, 0;
     OUTER:
         and.b32 %r2, %r1, %r0;
         setp.eq.u32 %p0, %r2, %r1;
         @%p0 bra NEXT;
         mov.u32 %r3, 0;
     INNER:
         mul.lo.u32 %r4, %r1, %r3;
         setp.gt.u32 %p1, %r4, %r0;
         @%p1 bra NEXT;
         add.u32 %r9, %r9, %r3;
         add.u32 %r3, %r3, 1;
         setp.lt.u32 %p2, %r3, 8;
         @%p2 bra INNER;
     NEXT:
         add.u32 %r1, %r1, 1;
         setp.lt.u32 %p3, %r1, 8;
         @%p3 bra OUTER;",
        |t| {
            let mut r = 0;
            for i in (0..8).filter(|i| i & t != *i) {
                r += (0..8).take_while(|j| i * j <= t).sum::<u32>();
            }
            r
        },
    );
}

#[test]
fn blocks_in_an_odd_order() {
    // The join comes before the branches in the text.
    check(
        "setp.lt.u32 %p0, %r0, 10;
         @%p0 bra SMALL;
         bra LARGE;
     JOIN:
         add.u32 %r9, %r9, %r0;
         bra OUT;
     LARGE:
         mov.u32 %r9, 1000;
         bra JOIN;
     SMALL:
         mov.u32 %r9, 2000;
         bra JOIN;
     OUT:",
        |t| if t < 10 { 2000 + t } else { 1000 + t },
    );
}

#[test]
fn registers_that_are_never_written_are_zero() {
    check(
        "add.u32 %r9, %r30, 5; setp.eq.u32 %p0, %r0, 3; @%p0 mov.u32 %r31, 9; add.u32 %r9, %r9, %r31;",
        |t| {
            if t == 3 { 14 } else { 5 }
        },
    );
}

#[test]
fn scopes_have_registers_and_labels_of_their_own() {
    check(
        "mov.u32 %r1, 1;
         {
             .reg .b32 %r<2>;
             mov.u32 %r1, 10;
             bra L;
         L:
         }
         {
             .reg .b64 %r1;
             mov.u64 %r1, 7;
             bra L;
         L:
         }
         mov.u32 %r9, %r1;",
        |_| 1,
    );
}

#[test]
fn special_registers() {
    let text = kernel(
        "ld.param.u64 %rd0, [out];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, %tid.y;
         mov.u32 %r2, %tid.z;
         mov.u32 %r3, %ntid.x;
         mov.u32 %r4, %ntid.y;
         mad.lo.u32 %r5, %r2, %r4, %r1;
         mad.lo.u32 %r5, %r5, %r3, %r0;
         mov.u32 %r6, %ctaid.x;
         mov.u32 %r7, %ctaid.y;
         mov.u32 %r8, %ctaid.z;
         mov.u32 %r9, %nctaid.x;
         mov.u32 %r10, %nctaid.y;
         mad.lo.u32 %r11, %r8, %r10, %r7;
         mad.lo.u32 %r11, %r11, %r9, %r6;
         mad.lo.u32 %r12, %r11, 60, %r5;
         mov.u32 %r13, %laneid;
         mov.u32 %r14, %warpid;
         mad.lo.u32 %r15, %r14, WARP_SZ, %r13;
         setp.ne.u32 %p0, %r15, %r5;
         @%p0 trap;
         mov.u32 %r16, %nwarpid;
         setp.ne.u32 %p0, %r16, 2;
         @%p0 trap;
         mov.u32 %r17, %lanemask_lt;
         popc.b32 %r18, %r17;
         setp.ne.u32 %p0, %r18, %r13;
         @%p0 trap;
         mul.wide.u32 %rd1, %r12, 4;
         add.s64 %rd2, %rd0, %rd1;
         st.global.u32 [%rd2], %r12;
         ret;",
    );
    let run = launch(&text, [3, 2, 2], [5, 4, 3], &[], 360, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32(), (0..720).collect::<Vec<u32>>());
}

#[test]
fn clocks_move_on() {
    check(
        "mov.u32 %r1, %clock;
         mov.u64 %rd1, %clock64;
         bra NEXT;
     NEXT:
         mov.u32 %r2, %clock;
         mov.u64 %rd2, %clock64;
         setp.gt.u32 %p0, %r2, %r1;
         setp.gt.and.u64 %p0, %rd2, %rd1, %p0;
         mov.u64 %rd3, %globaltimer;
         setp.gt.and.u64 %p0, %rd3, 1, %p0;
         selp.u32 %r9, 1, 0, %p0;",
        |_| 1,
    );
}

#[test]
fn a_tree_reduction_between_barriers() {
    let text = kernel(
        "ld.param.u64 %rd0, [out];
         .shared .align 4 .b8 sums[1024];
         mov.u32 %r0, %tid.x;
         shl.b32 %r1, %r0, 2;
         st.shared.u32 [%r1], %r0;
         mov.u32 %r2, 128;
     LOOP:
         bar.sync 0;
         setp.ge.u32 %p0, %r0, %r2;
         @%p0 bra SKIP;
         shl.b32 %r3, %r2, 2;
         add.u32 %r4, %r1, %r3;
         ld.shared.u32 %r5, [%r4];
         ld.shared.u32 %r6, [%r1];
         add.u32 %r7, %r5, %r6;
         st.shared.u32 [%r1], %r7;
     SKIP:
         shr.u32 %r2, %r2, 1;
         setp.ne.u32 %p1, %r2, 0;
         @%p1 bra LOOP;
         setp.ne.u32 %p2, %r0, 0;
         @%p2 bra DONE;
         ld.shared.u32 %r8, [sums];
         mov.u32 %r9, %ctaid.x;
         mul.wide.u32 %rd1, %r9, 4;
         add.s64 %rd2, %rd0, %rd1;
         st.global.u32 [%rd2], %r8;
     DONE:
         ret;",
    );
    let run = launch(&text, [10, 1, 1], [256, 1, 1], &[], 5, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32(), [(0..256).sum::<u32>(); 10]);
}

#[test]
fn threads_that_exit_do_not_hang_a_barrier() {
    for exits in ["and.b32 %r1, %r0, 1;", "and.b32 %r1, %r0, 32;", "rem.u32 %r1, %r0, 7;"] {
        let text = kernel(&format!(
            "ld.param.u64 %rd0, [out];
             mov.u32 %r0, %tid.x;
             {exits}
             setp.ne.u32 %p0, %r1, 0;
             @%p0 exit;
             bar.sync 0;
             red.global.add.u32 [%rd0], 1;
             barrier.sync.aligned 1;
             red.global.add.u32 [%rd0+4], 1;
             ret;"
        ));
        let run = launch(&text, [1; 3], [256, 1, 1], &[], 1, 0);
        run.outcome.as_ref().unwrap_or_else(|fault| panic!("{exits}: {fault}"));
        let left = run.output32()[0];
        assert!(left > 0 && left < 256);
        assert_eq!(run.output32()[1], left);
    }
}

#[test]
fn threads_may_exit_while_others_wait() {
    // Half of each warp waits; the other half exits later.
    let text = kernel(
        "ld.param.u64 %rd0, [out];
         mov.u32 %r0, %tid.x;
         and.b32 %r1, %r0, 1;
         setp.ne.u32 %p0, %r1, 0;
         @%p0 bra LEAVE;
         bar.sync 0;
         red.global.add.u32 [%rd0], 1;
         ret;
     LEAVE:
         exit;",
    );
    let run = launch(&text, [1; 3], [64, 1, 1], &[], 1, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32()[0], 32);
}

#[test]
fn barriers_between_some_warps() {
    // Warp 0 produces, warp 1 consumes, warps 2 and 3 do not take part.
    let text = kernel(
        "ld.param.u64 %rd0, [out];
         .shared .align 4 .b8 cells[128];
         mov.u32 %r0, %tid.x;
         and.b32 %r1, %r0, 31;
         shl.b32 %r2, %r1, 2;
         mov.u32 %r3, %warpid;
         setp.gt.u32 %p0, %r3, 1;
         @%p0 bra DONE;
         setp.eq.u32 %p1, %r3, 1;
         @%p1 bra CONSUME;
         add.u32 %r4, %r1, 100;
         st.shared.u32 [%r2], %r4;
         bar.arrive 3, 64;
         bra DONE;
     CONSUME:
         mov.u32 %r6, 64;
         bar.sync 3, %r6;
         ld.shared.u32 %r5, [%r2];
         mul.wide.u32 %rd1, %r1, 4;
         add.s64 %rd2, %rd0, %rd1;
         st.global.u32 [%rd2], %r5;
     DONE:
         bar.sync 0;
         ret;",
    );
    let run = launch(&text, [1; 3], [128, 1, 1], &[], 16, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32(), (100..132).collect::<Vec<u32>>());
}

#[test]
fn guarded_barriers_and_warp_operations() {
    check(
        "setp.ge.u32 %p0, %r0, 0;
         @%p0 bar.sync 0;
         mov.u32 %r9, 5;
         @!%p0 trap;
         setp.lt.u32 %p1, %r0, 1000;
         @%p1 activemask.b32 %r9;
         setp.ne.u32 %p2, %r9, 0;
         selp.u32 %r9, 1, 0, %p2;",
        |_| 1,
    );
}

/// `shfl` by the pseudo-code of the *PTX ISA*.
fn shuffled(mode: &str, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, (c & 31) as i32, c >> 8 & 31);
    let high = (lane & segment) as i32 | (clamp & !(segment as i32));
    let low = lane & segment;
    let from = match mode {
        "up" => lane as i32 - b as i32,
        "down" => lane as i32 + b as i32,
        "bfly" => (lane ^ b) as i32,
        _ => (low | b & !segment) as i32,
    };
    let inside = if mode == "up" { from >= high } else { from <= high };
    (if inside { from as u32 } else { lane }, inside)
}

#[test]
fn shuffles() {
    for (mode, b, c) in [
        ("up", 1, 0),
        ("up", 3, 0x1800),
        ("down", 2, 31),
        ("down", 5, 0x1c1f),
        ("bfly", 16, 31),
        ("bfly", 3, 0x181f),
        ("idx", 7, 31),
        ("idx", 9, 0x181f),
        ("idx", 40, 15),
    ] {
        let body = format!(
            "mul.lo.u32 %r1, %r0, 3;
             shfl.sync.{mode}.b32 %r2|%p0, %r1, {b}, {c}, 0xffffffff;
             selp.u32 %r3, 1, 0, %p0;
             shl.b32 %r4, %r2, 1;
             or.b32 %r9, %r4, %r3;"
        );
        let expected = |t: u32| {
            let (from, inside) = shuffled(mode, t % 32, b, c);
            (t / 32 * 32 + from) * 3 * 2 + u32::from(inside)
        };
        let got = per_thread(&body, 64);
        assert_eq!(got, (0..64).map(expected).collect::<Vec<u32>>(), "{mode} {b} {c:#x}");
    }
}

#[test]
fn votes_and_matches() {
    let vote = |form: &str| {
        let (destination, finish) = match form {
            "ballot.b32" => ("%r9", ""),
            _ => ("%p9", "selp.u32 %r9, 1, 0, %p9;"),
        };
        per_thread(
            &format!(
                "and.b32 %r1, %r0, 3;
                 setp.eq.u32 %p0, %r1, 1;
                 vote.sync.{form} {destination}, %p0, 0xffffffff; {finish}"
            ),
            32,
        )[5]
    };
    assert_eq!(vote("ballot.b32"), 0x2222_2222);
    assert_eq!(vote("all.pred"), 0);
    assert_eq!(vote("any.pred"), 1);
    assert_eq!(vote("uni.pred"), 0);
    check(
        "setp.ge.u32 %p0, %r0, 0; vote.sync.all.pred %p9, !%p0, 0xffffffff; selp.u32 %r9, 1, 0, %p9;",
        |_| 0,
    );
    let any = per_thread("rem.u32 %r1, %r0, 3; match.any.sync.b32 %r9, %r1, 0xffffffff;", 32);
    assert_eq!(any[4], 0x9249_2492);
    let all = per_thread(
        "mov.u64 %rd1, 7; match.all.sync.b64 %r1|%p0, %rd1, 0xffffffff;
         match.all.sync.b32 %r2|%p1, %r0, 0xffffffff;
         selp.u32 %r3, 2, 0, %p0; selp.u32 %r4, 1, 0, %p1; or.b32 %r5, %r3, %r4;
         setp.eq.u32 %p2, %r1, -1; setp.eq.and.u32 %p2, %r2, 0, %p2;
         selp.u32 %r6, 4, 0, %p2; or.b32 %r9, %r5, %r6;",
        32,
    );
    assert_eq!(all, [6; 32]);
    let sums = per_thread("redux.sync.add.s32 %r9, %r0, 0xffffffff;", 32);
    assert_eq!(sums, [496; 32]);
    let least = per_thread("sub.u32 %r1, %r0, 5; redux.sync.min.s32 %r9, %r1, -1;", 32);
    assert_eq!(least, [(-5i32) as u32; 32]);
    assert_eq!(per_thread("redux.sync.max.u32 %r9, %r0, -1;", 32), [31; 32]);
}

#[test]
fn lanes_come_together_for_a_warp_operation() {
    // Even and odd lanes arrive one after the other.
    let got = per_thread(
        "and.b32 %r1, %r0, 1;
         setp.eq.u32 %p0, %r1, 0;
         @%p0 bra SHUFFLE;
         add.u32 %r1, %r1, 10;
         bra SHUFFLE;
     SHUFFLE:
         bar.warp.sync 0xffffffff;
         shfl.sync.bfly.b32 %r9, %r1, 1, 31, 0xffffffff;",
        64,
    );
    assert_eq!(got, [11, 0].repeat(32));
}

#[test]
fn a_member_mask_of_half_a_warp() {
    let got = per_thread(
        "mov.u32 %r9, 99;
         setp.ge.u32 %p0, %r0, 16;
         @%p0 bra OUT;
         shfl.sync.down.b32 %r9, %r0, 4, 31, 0x0000ffff;
         vote.sync.ballot.b32 %r1, %p0, 0x0000ffff;
     OUT:",
        32,
    );
    assert_eq!(got[..12], [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    assert_eq!(got[16..], [99; 16]);
}

#[test]
fn counters_count_lanes_and_warps() {
    let text = kernel(
        "mov.u32 %r0, %tid.x;
         setp.lt.u32 %p0, %r0, 8;
         @%p0 add.u32 %r1, %r0, 1;
         @%p0 bra MORE;
         ret;
     MORE:
         add.u32 %r1, %r1, 1;
         ret;",
    );
    let run = launch(&text, [2, 1, 1], [40, 1, 1], &[], 0, 0);
    let counters = run.outcome.expect("it runs");
    // Each block: 40 threads do mov, setp and bra; 8 do two adds; all do one ret.
    assert_eq!(counters.lane_operations, 2 * (40 * 3 + 8 * 2 + 40));
    // Warp 0: mov, setp, add, bra, ret, and add, ret; warp 1 the first five.
    assert_eq!(counters.instructions, 2 * (7 + 5));
    assert_eq!(counters.blocks, 2);
}
