//! What ends a launch, and what it says.

mod common;

use common::{Run, kernel, launch};
use ptx_emulator::{
    Fault, FaultKind, Launch, Memory, Options, Program, SourceLocation, ThreadId, run, run_with,
};

/// Runs a body, which starts at line 10 of its source, by blocks of 64 threads: `%rd0` is the input
/// of 4 words, `%rd1` the output of 4 words, `%r0` the thread, `%r1` the block.
fn faulting(body: &str, blocks: u32) -> Run {
    let text = kernel(&format!(
        ".shared .align 8 .b8 tile[64];
         .local .align 8 .b8 depot[32];
         ld.param.u64 %rd0, [in];
         ld.param.u64 %rd1, [out];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, %ctaid.x;
         mul.wide.u32 %rd2, %r0, 4;
         .loc 1 10 9
         {body}
         ret;"
    ));
    let run = launch(&text, [blocks, 1, 1], [64, 1, 1], &[1, 2, 3, 4], 4, 0);
    assert!(run.outcome.is_err(), "{body}");
    run
}

#[test]
fn past_the_end_of_an_allocation() {
    let run = faulting("add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r2, [%rd3+8];", 1);
    let (at, start) = (run.input + 32, run.input);
    assert_eq!(
        run.fault(),
        format!(
            "kernel `k`: read of 4 bytes at {at:#x}, 0 bytes past the end of the 32-byte allocation \
             at {start:#x}\n  at src/kernel.rs:10:9\n  in block (0, 0, 0), thread (6, 0, 0)"
        )
    );
}

#[test]
fn far_past_the_end_and_before_the_start() {
    let run = faulting("st.global.v2.u32 [%rd1+72], {%r0, %r1};", 1);
    let (at, start) = (run.output + 72, run.output);
    let said = format!(
        "kernel `k`: write of 8 bytes at {at:#x}, 40 bytes past the end of the 32-byte allocation at \
         {start:#x}\n"
    );
    assert!(run.fault().starts_with(&said), "{}", run.fault());
    let run = faulting("atom.global.add.u32 %r2, [%rd0+-4], 1;", 1);
    let (at, start) = (run.input - 4, run.input);
    let said = format!(
        "kernel `k`: atomic access of 4 bytes at {at:#x}, 4 bytes before the 32-byte allocation at \
         {start:#x}\n"
    );
    assert!(run.fault().starts_with(&said), "{}", run.fault());
}

#[test]
fn across_the_end_of_an_allocation() {
    let text = kernel(
        "ld.param.u64 %rd0, [in]; add.s64 %rd0, %rd0, 16; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd0]; ret;",
    );
    let run = launch(&text, [1; 3], [1; 3], &[0; 3], 1, 0);
    let (at, start) = (run.input + 16, run.input);
    assert_eq!(
        run.fault(),
        format!(
            "kernel `k`: read of 16 bytes at {at:#x}, across the end of the 24-byte allocation at \
             {start:#x}\n  in block (0, 0, 0), thread (0, 0, 0)"
        )
    );
}

#[test]
fn nothing_at_all_near_an_address() {
    let program = Program::load(&kernel("mov.u64 %rd0, 64; ld.global.u32 %r0, [%rd0]; ret;"));
    let program = program.expect("it loads");
    let kernel = program.kernel("k").expect("the text has it");
    let launch =
        Launch { grid: [1; 3], block: [1; 3], dynamic_shared: 0, params: &[0; 20], workers: None };
    let fault = run(kernel, &launch, &Memory::new()).expect_err("nothing is allocated");
    assert_eq!(
        fault.to_string(),
        "kernel `k`: read of 4 bytes at 0x40, where nothing is allocated\n  in block (0, 0, 0), \
         thread (0, 0, 0)"
    );
}

#[test]
fn addresses_that_wrap_around() {
    for address in ["-4", "-8", "0x7fffffffffffffff", "0"] {
        let run = faulting(&format!("mov.u64 %rd3, {address}; ld.global.u64 %rd4, [%rd3+8];"), 1);
        assert!(matches!(
            run.outcome,
            Err(Fault { kind: FaultKind::OutOfBounds { .. } | FaultKind::Misaligned { .. }, .. })
        ));
    }
}

#[test]
fn use_after_free() {
    let text = kernel("ld.param.u64 %rd0, [in]; ld.global.u32 %r0, [%rd0+12]; ret;");
    let program = Program::load(&text).expect("it loads");
    let memory = Memory::new();
    let at = memory.allocate(64).expect("there is memory");
    memory.free(at).expect("it is allocated");
    let mut params = at.to_le_bytes().to_vec();
    params.resize(20, 0);
    let launch =
        Launch { grid: [1; 3], block: [1; 3], dynamic_shared: 0, params: &params, workers: None };
    let kernel = program.kernel("k").expect("the text has it");
    let fault = run(kernel, &launch, &memory).expect_err("it was freed");
    assert_eq!(
        fault.to_string(),
        format!(
            "kernel `k`: read of 4 bytes at {:#x}, 12 bytes into the 64-byte allocation at {at:#x}, \
             which was freed (use after free)\n  in block (0, 0, 0), thread (0, 0, 0)",
            at + 12
        )
    );
}

#[test]
fn misaligned_accesses() {
    let run = faulting("add.s64 %rd3, %rd0, 2; ld.global.u32 %r2, [%rd3];", 1);
    let at = run.input + 2;
    let said = format!(
        "kernel `k`: read of 4 bytes at global address {at:#x}, which is not a multiple of 4\n  at \
         src/kernel.rs:10:9\n"
    );
    assert!(run.fault().starts_with(&said), "{}", run.fault());
    let run = faulting("st.shared.u64 [tile+4], %rd0;", 1);
    let said = "kernel `k`: write of 8 bytes at shared address 0x4, which is not a multiple of 8\n";
    assert!(run.fault().starts_with(said), "{}", run.fault());
    let run = faulting("ld.local.u16 %rs0, [depot+1];", 1);
    let said = "kernel `k`: read of 2 bytes at local address 0x1, which is not a multiple of 2\n";
    assert!(run.fault().starts_with(said), "{}", run.fault());
}

#[test]
fn an_unaligned_register_with_an_offset_that_mends_it() {
    let text = kernel(
        "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];
         .shared .align 8 .b8 tile[64];
         add.s64 %rd2, %rd0, 2; ld.global.u32 %r0, [%rd2+2];
         mov.u32 %r1, 3; st.shared.u32 [%r1+5], %r0; ld.shared.u32 %r2, [%r1+5];
         st.global.u32 [%rd1], %r2; ret;",
    );
    let run = launch(&text, [1; 3], [32, 1, 1], &[5 << 32], 1, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32()[0], 5);
}

#[test]
fn outside_shared_and_local_memory() {
    let run = faulting("shl.b32 %r2, %r0, 2; ld.shared.u32 %r3, [%r2];", 1);
    assert_eq!(
        run.fault(),
        "kernel `k`: read of 4 bytes at shared address 0x40, but the block has 64 bytes\n  at \
         src/kernel.rs:10:9\n  in block (0, 0, 0), thread (16, 0, 0)"
    );
    let run = faulting("mov.u32 %r2, 32; st.local.u8 [%r2], %rs0;", 1);
    let said = "kernel `k`: write of 1 bytes at local address 0x20, but the thread has 32 bytes\n";
    assert!(run.fault().starts_with(said), "{}", run.fault());
    let run = faulting("mov.u32 %r2, -4; atom.shared.add.u32 %r3, [%r2], 1;", 1);
    let said = "kernel `k`: atomic access of 4 bytes at shared address 0xfffffffc, but the block has 64 bytes\n";
    assert!(run.fault().starts_with(said), "{}", run.fault());
    let run = faulting("mov.u64 %rd3, 0x100000000; ld.shared.u32 %r3, [%rd3];", 1);
    assert!(run.fault().contains("but the block has 64 bytes"), "{}", run.fault());
}

#[test]
fn a_fault_names_the_thread_that_made_it() {
    let text = kernel(
        "ld.param.u64 %rd0, [in];
         mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.y;
         setp.eq.u32 %p0, %r0, 5;
         setp.eq.and.u32 %p0, %r1, 6, %p0;
         setp.eq.and.u32 %p0, %r2, 1, %p0;
         .loc 1 77 0
         @%p0 ld.global.u32 %r3, [%rd0+64];
         ret;",
    );
    let run = launch(&text, [2, 2, 1], [8, 8, 1], &[0; 4], 0, 0);
    let Err(Fault { location, thread, .. }) = run.outcome else { panic!("it faults") };
    let expected = SourceLocation { file: "src/kernel.rs".to_owned(), line: 77, column: 0 };
    assert_eq!(location.as_deref(), Some(&expected));
    assert_eq!(thread, Some(ThreadId { block: [0, 1, 0], thread: [5, 6, 0] }));
}

#[test]
fn the_lowest_block_is_the_one_that_is_named() {
    for _ in 0..20 {
        let run = faulting("setp.gt.u32 %p0, %r1, 40; @%p0 trap;", 200);
        assert_eq!(
            run.fault(),
            "kernel `k`: trap\n  at src/kernel.rs:10:9\n  in block (41, 0, 0), thread (0, 0, 0)"
        );
    }
}

#[test]
fn memory_keeps_what_was_written_before_a_fault() {
    let run = faulting("mov.u32 %r2, 9; st.global.u32 [%rd1], %r2; trap;", 1);
    assert_eq!(run.output32()[0], 9);
}

#[test]
fn barriers_that_lanes_of_a_warp_reach_at_different_places() {
    let run = faulting(
        "setp.lt.u32 %p0, %r0, 16;
         @%p0 bra FEW;
         .loc 1 12 5
         bar.sync 0;
         bra JOIN;
     FEW:
         .loc 1 14 5
         bar.sync 0;
     JOIN:",
        1,
    );
    assert_eq!(
        run.fault(),
        "kernel `k`: divergent barrier: 48 of the block's 64 running threads wait here, others at \
         src/kernel.rs:14:5\n  at src/kernel.rs:12:5\n  in block (0, 0, 0), thread (16, 0, 0)"
    );
}

#[test]
fn barriers_with_different_numbers_never_meet() {
    let run = faulting(
        "setp.lt.u32 %p0, %r0, 32;
         @%p0 bra FIRST;
         .loc 1 12 5
         bar.sync 2;
         bra JOIN;
     FIRST:
         .loc 1 14 5
         bar.sync 1;
     JOIN:",
        1,
    );
    assert_eq!(
        run.fault(),
        "kernel `k`: divergent barrier: 32 of the block's 64 running threads wait here, others at \
         src/kernel.rs:12:5\n  at src/kernel.rs:14:5\n  in block (0, 0, 0), thread (0, 0, 0)"
    );
}

#[test]
fn a_barrier_for_more_threads_than_come() {
    let run = faulting("bar.sync 1, 128;", 1);
    let said = "kernel `k`: divergent barrier: 64 of the block's 64 running threads wait here\n";
    assert!(run.fault().starts_with(said), "{}", run.fault());
}

#[test]
fn warps_may_reach_a_barrier_at_different_places() {
    let text = kernel(
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra FIRST; bar.sync 0; ret;
     FIRST: bar.sync 0; ret;",
    );
    launch(&text, [1; 3], [64, 1, 1], &[], 0, 0).outcome.expect("as on a GPU");
}

#[test]
fn warp_operations_that_lanes_do_not_reach() {
    let run = faulting(
        "setp.lt.u32 %p0, %r0, 16;
         @%p0 bra FEW;
         .loc 1 12 5
         bar.warp.sync 0xffffffff;
         bra JOIN;
     FEW:
         .loc 1 14 5
         bar.warp.sync 0xffffffff;
     JOIN:",
        1,
    );
    let fault = run.fault();
    assert!(
        fault.starts_with(
            "kernel `k`: divergent warp operation: its member mask 0xffffffff names threads that do \
             not reach it\n  at src/kernel.rs:1"
        ),
        "{fault}"
    );
}

#[test]
fn a_kernel_that_does_not_end() {
    let text = kernel(".loc 1 20 1\nLOOP: add.u32 %r0, %r0, 1; bra LOOP;");
    let program = Program::load(&text).expect("it loads");
    let kernel = program.kernel("k").expect("the text has it");
    let launch = Launch {
        grid: [4, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 0,
        params: &[0; 20],
        workers: None,
    };
    let options = Options { instruction_budget: Some(1_000_000) };
    let fault = run_with(kernel, &launch, &Memory::new(), &options).expect_err("it does not end");
    assert_eq!(fault.kind, FaultKind::BudgetExceeded { budget: 1_000_000 });
    assert!(
        fault.to_string().starts_with(
            "kernel `k`: ran longer than 1000000 instructions\n  at src/kernel.rs:20:1\n"
        ),
        "{fault}"
    );
}

#[test]
fn launches_that_are_refused() {
    let text = kernel(".shared .align 4 .b8 tile[1000]; ret;");
    let program = Program::load(&text).expect("it loads");
    let kernel = program.kernel("k").expect("the text has it");
    assert_eq!(kernel.static_shared_bytes(), 1000);
    let good = Launch {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
        params: &[0; 20],
        workers: Some(0),
    };
    run(kernel, &good, &Memory::new()).expect("no workers are one");
    let cases = [
        (Launch { grid: [0, 1, 1], ..good }, "grid.x is 0, but must be 1 to 2147483647"),
        (Launch { grid: [1, 65_536, 1], ..good }, "grid.y is 65536, but must be 1 to 65535"),
        (Launch { grid: [1, 1, 65_536], ..good }, "grid.z is 65536, but must be 1 to 65535"),
        (
            Launch { grid: [1 << 31, 1, 1], ..good },
            "grid.x is 2147483648, but must be 1 to 2147483647",
        ),
        (Launch { block: [1025, 1, 1], ..good }, "block.x is 1025, but must be 1 to 1024"),
        (Launch { block: [1, 0, 1], ..good }, "block.y is 0, but must be 1 to 1024"),
        (Launch { block: [1, 1, 65], ..good }, "block.z is 65, but must be 1 to 64"),
        (
            Launch { block: [32, 33, 1], ..good },
            "threads in a block is 1056, but must be 1 to 1024",
        ),
        (
            Launch { dynamic_shared: 232_000, ..good },
            "a block takes 1000 bytes of static and 232000 of dynamic shared memory, above the limit \
             of 232448",
        ),
        (Launch { params: &[0; 19], ..good }, "takes 20 bytes of parameters, got 19"),
        (Launch { params: &[0; 24], ..good }, "takes 20 bytes of parameters, got 24"),
    ];
    for (launch, said) in cases {
        let fault = run(kernel, &launch, &Memory::new()).expect_err(said);
        assert_eq!(fault.to_string(), format!("kernel `k`: {said}"));
        assert_eq!(fault.thread, None);
    }
}
