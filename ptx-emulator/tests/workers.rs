//! Blocks that run at the same time: what they share is atomic, and the outcome does not depend on how
//! many workers there are.

mod common;

use common::kernel;
use ptx_emulator::{Counters, Launch, Memory, Program, run};

/// Runs a kernel by so many workers; its counters, and the first words of its zeroed output of 1 KiB.
fn by_workers(text: &str, workers: usize, grid: [u32; 3], block: u32) -> (Counters, [u32; 4]) {
    let program = Program::load(text).expect("it loads");
    let kernel = program.kernel("k").expect("the text has it");
    let memory = Memory::new();
    let output = memory.allocate(1024).expect("there is memory");
    memory.fill(output, &[0], 1024).expect("it is allocated");
    let mut params = [0; 20];
    params[8..16].copy_from_slice(&output.to_le_bytes());
    let launch = Launch {
        grid,
        block: [block, 1, 1],
        dynamic_shared: 0,
        params: &params,
        workers: Some(workers),
    };
    let counters = run(kernel, &launch, &memory).unwrap_or_else(|fault| panic!("{fault}"));
    let mut bytes = [0; 16];
    memory.read(output, &mut bytes).expect("it is allocated");
    let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * i + byte]));
    (counters, std::array::from_fn(word))
}

#[test]
fn atomic_updates_of_all_blocks_count() {
    let text = kernel(
        "ld.param.u64 %rd0, [out];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, %ctaid.x;
         mov.u32 %r2, %ntid.x;
         mad.lo.u32 %r3, %r1, %r2, %r0;
         red.global.add.u32 [%rd0], %r3;
         atom.global.max.u32 %r4, [%rd0+4], %r3;
         red.global.xor.b32 [%rd0+8], %r3;
         atom.global.inc.u32 %r5, [%rd0+12], 6;
         ret;",
    );
    let threads = 96 * 300u32;
    let expected = [
        (0..threads).fold(0, u32::wrapping_add),
        threads - 1,
        (0..threads).fold(0, |sum, t| sum ^ t),
        threads % 7,
    ];
    let (counters, one) = by_workers(&text, 1, [300, 1, 1], 96);
    assert_eq!(one, expected);
    for workers in [2, 3, 8, 1000] {
        assert_eq!(by_workers(&text, workers, [300, 1, 1], 96), (counters, expected), "{workers}");
    }
}

#[test]
fn a_lock_orders_the_plain_accesses_between() {
    // One thread of each warp takes the lock, adds without an atomic, and lets go.
    let text = kernel(
        "ld.param.u64 %rd0, [out];
         mov.u32 %r0, %laneid;
         setp.ne.u32 %p0, %r0, 0;
         @%p0 bra DONE;
     LOCK:
         atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1;
         setp.ne.u32 %p1, %r1, 0;
         @%p1 bra LOCK;
         ld.global.u32 %r2, [%rd0+4];
         add.u32 %r3, %r2, 1;
         st.global.u32 [%rd0+4], %r3;
         ld.global.u32 %r4, [%rd0+8];
         add.u32 %r4, %r4, %r3;
         st.global.u32 [%rd0+8], %r4;
         atom.release.gpu.global.exch.b32 %r5, [%rd0], 0;
     DONE:
         ret;",
    );
    let warps = 4 * 500u32;
    for workers in [1, 2, 8] {
        let (_, words) = by_workers(&text, workers, [500, 1, 1], 128);
        assert_eq!(words, [0, warps, (1..=warps).sum(), 0], "{workers} workers");
    }
}

#[test]
fn the_last_block_to_finish_sees_what_all_have_written() {
    // Each block stores its share, fences and counts itself; the one that counts last adds up.
    let text = kernel(
        "ld.param.u64 %rd0, [out];
         mov.u32 %r0, %ctaid.x;
         mov.u32 %r1, %nctaid.x;
         mul.wide.u32 %rd1, %r0, 4;
         add.s64 %rd2, %rd0, %rd1;
         add.u32 %r2, %r0, 1000;
         st.global.u32 [%rd2+16], %r2;
         membar.gl;
         sub.u32 %r3, %r1, 1;
         atom.global.add.u32 %r4, [%rd0], 1;
         setp.ne.u32 %p0, %r4, %r3;
         @%p0 bra DONE;
         membar.gl;
         mov.u32 %r5, 0;
         mov.u32 %r6, 0;
     SUM:
         mul.wide.u32 %rd1, %r5, 4;
         add.s64 %rd2, %rd0, %rd1;
         ld.global.u32 %r7, [%rd2+16];
         add.u32 %r6, %r6, %r7;
         add.u32 %r5, %r5, 1;
         setp.lt.u32 %p1, %r5, %r1;
         @%p1 bra SUM;
         st.global.u32 [%rd0+4], %r6;
     DONE:
         ret;",
    );
    for workers in [1, 2, 8] {
        for _ in 0..20 {
            let (_, words) = by_workers(&text, workers, [200, 1, 1], 1);
            assert_eq!(words[..2], [200, (1000..1200).sum()], "{workers} workers");
        }
    }
}

#[test]
fn shared_memory_is_each_blocks_own() {
    let text = kernel(
        "ld.param.u64 %rd0, [out];
         .shared .align 4 .b8 cell[4];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, 0;
         setp.eq.u32 %p0, %r0, 0;
         @%p0 st.shared.u32 [cell], %r1;
         bar.sync 0;
         red.shared.add.u32 [cell], 1;
         bar.sync 0;
         ld.shared.u32 %r2, [cell];
         setp.ne.u32 %p1, %r2, 64;
         @%p1 trap;
         @%p0 red.global.add.u32 [%rd0], %r2;
         ret;",
    );
    for workers in [1, 8] {
        let (_, words) = by_workers(&text, workers, [10, 10, 4], 64);
        assert_eq!(words[0], 400 * 64, "{workers} workers");
    }
}
