//! Loads, stores and atomics in all state spaces.

mod common;

use common::{kernel, launch, launch_with};
use ptx_emulator::{Memory, MemoryError};

/// Copies what an instruction pair loads and stores, one element a thread, from `in` to `out`.
fn copies(load: &str, store: &str, bytes: u32, threads: u32) {
    let words = (threads * bytes / 8) as usize;
    let input: Vec<u64> =
        (0..words as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let text = kernel(&format!(
        "ld.param.u64 %rd0, [in];
         ld.param.u64 %rd1, [out];
         mov.u32 %r0, %tid.x;
         mul.wide.u32 %rd2, %r0, {bytes};
         add.s64 %rd3, %rd0, %rd2;
         add.s64 %rd4, %rd1, %rd2;
         {load}
         {store}
         ret;"
    ));
    let run = launch(&text, [1, 1, 1], [threads, 1, 1], &input, words, 0);
    run.outcome.as_ref().unwrap_or_else(|fault| panic!("{load} {store}: {fault}"));
    assert_eq!(run.output(), input, "{load} {store}");
}

#[test]
fn global_accesses_of_every_width() {
    for threads in [32, 64, 48, 8] {
        copies("ld.global.u8 %rs0, [%rd3];", "st.global.u8 [%rd4], %rs0;", 1, threads);
        copies("ld.global.s8 %r0, [%rd3];", "st.global.b8 [%rd4], %r0;", 1, threads);
        copies("ld.global.b16 %rs0, [%rd3];", "st.global.b16 [%rd4], %rs0;", 2, threads);
        copies("ld.global.f32 %f0, [%rd3];", "st.global.f32 [%rd4], %f0;", 4, threads);
        copies("ld.global.nc.b64 %rd5, [%rd3];", "st.global.b64 [%rd4], %rd5;", 8, threads);
        copies(
            "ld.global.v2.f32 {%f0, %f1}, [%rd3];",
            "st.global.v2.f32 [%rd4], {%f0, %f1};",
            8,
            threads,
        );
        copies(
            "ld.global.nc.v4.u32 {%r0, %r1, %r2, %r3}, [%rd3];",
            "st.global.v4.u32 [%rd4], {%r0, %r1, %r2, %r3};",
            16,
            threads,
        );
        copies(
            "ld.global.v2.u64 {%rd5, %rd6}, [%rd3];",
            "st.global.v2.f64 [%rd4], {%rd5, %rd6};",
            16,
            threads,
        );
        copies(
            "ld.global.v4.u8 {%rs0, %rs1, %rs2, %rs3}, [%rd3];",
            "st.global.v4.u8 [%rd4], {%rs0, %rs1, %rs2, %rs3};",
            4,
            threads,
        );
    }
}

#[test]
fn forms_with_an_order_or_a_hint() {
    for (load, store) in [
        ("ld.volatile.global.u32", "st.volatile.global.u32"),
        ("ld.relaxed.gpu.global.u32", "st.relaxed.sys.global.u32"),
        ("ld.acquire.sys.global.u32", "st.release.gpu.global.u32"),
        ("ld.global.cg.u32", "st.global.wb.u32"),
        ("ld.global.L1::no_allocate.L2::128B.u32", "st.global.cs.u32"),
        ("ld.weak.global.u32", "st.weak.global.u32"),
        ("ldu.global.u32", "st.u32"),
        ("ld.u32", "st.global.u32"),
    ] {
        copies(&format!("{load} %r0, [%rd3];"), &format!("{store} [%rd4], %r0;"), 4, 64);
    }
}

#[test]
fn offsets_are_added_with_their_sign() {
    copies(
        "add.s64 %rd3, %rd3, 1000; ld.global.u32 %r0, [%rd3+-1000];",
        "sub.s64 %rd4, %rd4, 64; st.global.u32 [%rd4+64], %r0;",
        4,
        64,
    );
}

#[test]
fn narrow_loads_extend_to_the_register() {
    let text = kernel(
        "ld.param.u64 %rd0, [in];
         ld.param.u64 %rd1, [out];
         ld.global.s8 %rd2, [%rd0];
         ld.global.u8 %rd3, [%rd0];
         ld.global.s16 %r0, [%rd0];
         ld.global.u16 %r1, [%rd0];
         ld.global.s32 %rd4, [%rd0];
         mov.b64 %rd5, {%r0, %r1};
         st.global.u64 [%rd1], %rd2;
         st.global.u64 [%rd1+8], %rd3;
         st.global.u64 [%rd1+16], %rd5;
         st.global.u64 [%rd1+24], %rd4;
         ret;",
    );
    let run = launch(&text, [1; 3], [1; 3], &[0xffff_fffe_89ab_cdef], 4, 0);
    run.outcome.as_ref().expect("it runs");
    let expected = [0xffff_ffff_ffff_ffef, 0xef, 0x0000_cdef_ffff_cdef, 0xffff_ffff_89ab_cdef];
    assert_eq!(run.output(), expected);
}

#[test]
fn scattered_and_masked_accesses() {
    // Thread t copies element (t * 37) mod 256 if t is not a multiple of 3.
    let text = kernel(
        "ld.param.u64 %rd0, [in];
         ld.param.u64 %rd1, [out];
         mov.u32 %r0, %tid.x;
         rem.u32 %r1, %r0, 3;
         setp.eq.u32 %p0, %r1, 0;
         @%p0 bra DONE;
         mul.lo.u32 %r2, %r0, 37;
         and.b32 %r2, %r2, 255;
         mul.wide.u32 %rd2, %r2, 8;
         add.s64 %rd3, %rd0, %rd2;
         add.s64 %rd4, %rd1, %rd2;
         ld.global.u64 %rd5, [%rd3];
         st.global.u64 [%rd4], %rd5;
     DONE:
         ret;",
    );
    let input: Vec<u64> = (1..=256).collect();
    let run = launch(&text, [1; 3], [256, 1, 1], &input, 256, 0);
    run.outcome.as_ref().expect("it runs");
    let mut expected = vec![0; 256];
    for t in (0..256).filter(|t| t % 3 != 0) {
        let at = t * 37 % 256;
        expected[at] = input[at];
    }
    assert_eq!(run.output(), expected);
}

#[test]
fn of_lanes_that_store_to_one_place_the_last_one_counts() {
    let text = kernel(
        "ld.param.u64 %rd1, [out];
         .shared .align 8 .b8 cell[8];
         mov.u32 %r0, %tid.x;
         st.global.u32 [%rd1], %r0;
         st.shared.u32 [cell], %r0;
         ld.shared.u32 %r1, [cell];
         st.global.u32 [%rd1+4], %r1;
         ret;",
    );
    let run = launch(&text, [1; 3], [32, 1, 1], &[], 1, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32(), [31, 31]);
}

#[test]
fn a_transpose_through_shared_memory() {
    let text = kernel(
        "ld.param.u64 %rd0, [in];
         ld.param.u64 %rd1, [out];
         .shared .align 4 .b8 tile[4224];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, %tid.y;
         mad.lo.u32 %r2, %r1, 32, %r0;
         mul.wide.u32 %rd2, %r2, 4;
         add.s64 %rd3, %rd0, %rd2;
         ld.global.u32 %r3, [%rd3];
         mad.lo.u32 %r4, %r1, 33, %r0;
         shl.b32 %r4, %r4, 2;
         mov.u32 %r5, tile;
         add.u32 %r6, %r5, %r4;
         st.shared.u32 [%r6], %r3;
         bar.sync 0;
         mad.lo.u32 %r7, %r0, 33, %r1;
         shl.b32 %r7, %r7, 2;
         add.u32 %r8, %r5, %r7;
         ld.shared.u32 %r9, [%r8];
         add.s64 %rd4, %rd1, %rd2;
         st.global.u32 [%rd4], %r9;
         ret;",
    );
    let input: Vec<u64> = (0..512u64).map(|i| (2 * i) | ((2 * i + 1) << 32)).collect();
    let run = launch(&text, [1; 3], [32, 32, 1], &input, 512, 0);
    run.outcome.as_ref().expect("it runs");
    let expected: Vec<u32> = (0..1024).map(|i| i % 32 * 32 + i / 32).collect();
    assert_eq!(run.output32(), expected);
}

#[test]
fn dynamic_shared_memory_follows_the_static() {
    let text = format!(
        ".version 6.0\n.target sm_70\n.address_size 64
         .extern .shared .align 16 .b8 dynamic[];
         .shared .align 4 .b8 fixed[12];
         {}",
        kernel(
            "ld.param.u64 %rd1, [out];
             mov.u32 %r0, dynamic;
             mov.u32 %r1, fixed;
             mov.u32 %r2, %dynamic_smem_size;
             mov.u32 %r3, %total_smem_size;
             st.shared.v4.u32 [%r0+64], {%r0, %r1, %r2, %r3};
             ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [dynamic+64];
             st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};
             ret;"
        )
        .split_once(".visible")
        .map(|(_, entry)| format!(".visible{entry}"))
        .expect("it has an entry")
    );
    let run = launch_with(&text, [1; 3], [1; 3], &[], 2, 0, 80);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32(), [16, 0, 80, 96]);
}

#[test]
fn sixty_four_bit_addresses_of_shared_and_local_memory() {
    let text = kernel(
        "ld.param.u64 %rd1, [out];
         .shared .align 8 .b8 tile[64];
         .local .align 8 .b8 depot[64];
         mov.u64 %rd2, tile;
         mov.u64 %rd3, depot;
         mov.u32 %r0, 41;
         mov.u32 %r1, 42;
         st.shared.u32 [%rd2+8], %r0;
         st.local.u32 [%rd3+8], %r1;
         ld.shared.u32 %r2, [%rd2+8];
         ld.local.u32 %r3, [%rd3+8];
         st.global.v2.u32 [%rd1], {%r2, %r3};
         ret;",
    );
    let run = launch(&text, [1; 3], [32, 1, 1], &[], 1, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32(), [41, 42]);
}

#[test]
fn local_memory_is_each_threads_own() {
    // Each thread fills an array of bytes with its number plus the index, at indices that differ
    // from thread to thread, then reads it back in other widths.
    let text = kernel(
        "ld.param.u64 %rd1, [out];
         .local .align 8 .b8 array[16];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, 0;
     FILL:
         add.u32 %r2, %r0, %r1;
         and.b32 %r3, %r2, 15;
         st.local.u8 [%r3], %r2;
         add.u32 %r1, %r1, 1;
         setp.lt.u32 %p0, %r1, 16;
         @%p0 bra FILL;
         ld.local.u64 %rd2, [array];
         ld.local.v2.u32 {%r4, %r5}, [array+8];
         mov.b64 %rd3, {%r4, %r5};
         ld.local.u16 %rs0, [array+6];
         cvt.u64.u16 %rd4, %rs0;
         mul.wide.u32 %rd5, %r0, 24;
         add.s64 %rd6, %rd1, %rd5;
         st.global.u64 [%rd6], %rd2;
         st.global.u64 [%rd6+8], %rd3;
         st.global.u64 [%rd6+16], %rd4;
         ret;",
    );
    let run = launch(&text, [1; 3], [64, 1, 1], &[], 192, 0);
    run.outcome.as_ref().expect("it runs");
    let mut expected = Vec::new();
    for thread in 0..64u32 {
        let mut array = [0u8; 16];
        for i in 0..16 {
            array[((thread + i) & 15) as usize] = (thread + i) as u8;
        }
        let word = |at: usize| u64::from_le_bytes(array[at..at + 8].try_into().expect("8 bytes"));
        expected.extend([word(0), word(8), word(0) >> 48]);
    }
    assert_eq!(run.output(), expected);
}

#[test]
fn parameters_of_every_type() {
    let text = ".version 6.0\n.target sm_70\n.address_size 64
        .visible .entry k(.param .u64 out, .param .u8 a, .param .s16 b, .param .f32 c,
            .param .align 8 .b8 d[16], .param .u8 e)
        {
            .reg .b16 %rs<4>;
            .reg .b32 %r<8>;
            .reg .b64 %rd<8>;
            ld.param.u64 %rd0, [out];
            ld.param.u8 %rs0, [a];
            ld.param.s16 %rd1, [b];
            ld.param.f32 %r0, [c];
            ld.param.u64 %rd2, [d+8];
            ld.param.v2.u32 {%r1, %r2}, [d];
            ld.param.s8 %r3, [e];
            cvt.u32.u16 %r4, %rs0;
            st.global.u64 [%rd0], %rd1;
            st.global.u64 [%rd0+8], %rd2;
            st.global.v4.u32 [%rd0+16], {%r0, %r1, %r2, %r3};
            st.global.u32 [%rd0+32], %r4;
            ret;
        }";
    let program = ptx_emulator::Program::load(text).expect("it loads");
    let kernel = program.kernel("k").expect("the text has it");
    assert_eq!(kernel.param_bytes(), 33);
    let memory = Memory::new();
    let out = memory.allocate(40).expect("there is memory");
    let mut params = out.to_le_bytes().to_vec();
    params.extend([200, 0]);
    params.extend((-2i16).to_le_bytes());
    params.extend(1.5f32.to_le_bytes());
    params.extend(0x1111_2222_3333_4444u64.to_le_bytes());
    params.extend(0x5555_6666_7777_8888u64.to_le_bytes());
    params.push(0xfe);
    let launch = ptx_emulator::Launch {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
        params: &params,
        workers: None,
    };
    ptx_emulator::run(kernel, &launch, &memory).expect("it runs");
    let mut bytes = [0; 40];
    memory.read(out, &mut bytes).expect("it is allocated");
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("4 bytes"))).collect();
    let expected = [
        0xffff_fffe,
        0xffff_ffff,
        0x7777_8888,
        0x5555_6666,
        1.5f32.to_bits(),
        0x3333_4444,
        0x1111_2222,
        0xffff_fffe,
        200,
    ];
    assert_eq!(words[..9], expected);
}

/// Runs an atomic by 4 blocks of 64 threads, each with its number, on a cell, in global memory and
/// in each block's shared memory; the cells' values.
fn atomics(ty: &str, register: &str, operation: &str, start: &str, value: &str) -> [u64; 2] {
    let bits = ty.trim_start_matches(|c: char| !c.is_ascii_digit());
    let text = kernel(&format!(
        "ld.param.u64 %rd1, [out];
         .shared .align 8 .b8 cell[8];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, %ctaid.x;
         mad.lo.u32 %r2, %r1, 64, %r0;
         setp.ne.u32 %p0, %r0, 0;
         mov.b{bits} {register}5, {start};
         @!%p0 st.shared.b{bits} [cell], {register}5;
         bar.sync 0;
         {value}
         atom.global.{operation}.{ty} {register}6, [%rd1], {register}7;
         red.shared.{operation}.{ty} [cell], {register}7;
         bar.sync 0;
         @%p0 bra DONE;
         setp.ne.u32 %p1, %r1, 3;
         @%p1 bra DONE;
         ld.shared.b{bits} {register}8, [cell];
         st.global.b{bits} [%rd1+8], {register}8;
     DONE:
         ret;"
    ));
    let run = launch(&text, [4, 1, 1], [64, 1, 1], &[], 2, 0);
    run.outcome.as_ref().unwrap_or_else(|fault| panic!("{operation}.{ty}: {fault}"));
    run.output().try_into().expect("two words")
}

#[test]
fn atomics_of_every_operation_and_type() {
    let number = "add.u32 %r7, %r2, 1;";
    let wide = "add.u32 %r7, %r2, 1; cvt.u64.u32 %rd7, %r7;";
    let negative = "add.u32 %r7, %r2, 1; neg.s32 %r7, %r7;";
    let wide_negative = "add.u32 %r7, %r2, 1; neg.s32 %r7, %r7; cvt.s64.s32 %rd7, %r7;";
    let all: u64 = (1..=256).sum();
    let last: u64 = (193..=256).sum();
    for ty in ["u32", "s32"] {
        assert_eq!(atomics(ty, "%r", "add", "0", number), [all, last]);
    }
    assert_eq!(atomics("u64", "%rd", "add", "0", wide), [all, last]);
    assert_eq!(atomics("u32", "%r", "max", "0", number), [256, 256]);
    assert_eq!(atomics("u32", "%r", "min", "1000", number), [0, 193]);
    assert_eq!(atomics("s32", "%r", "min", "0", negative), [0xffff_ff00, 0xffff_ff00]);
    assert_eq!(atomics("u32", "%r", "max", "0", negative), [0xffff_ffff, 0xffff_ff3f]);
    assert_eq!(atomics("s32", "%r", "max", "-1000", negative), [0, 0xffff_ff3f]);
    assert_eq!(atomics("s64", "%rd", "min", "0", wide_negative), [(-256i64) as u64; 2]);
    assert_eq!(atomics("u64", "%rd", "max", "0", wide), [256, 256]);
    assert_eq!(atomics("b32", "%r", "or", "0", number), [511, 511]);
    assert_eq!(atomics("b64", "%rd", "or", "0", wide), [511, 511]);
    assert_eq!(atomics("b32", "%r", "and", "-1", "mov.u32 %r7, 12;"), [0, 12]);
    assert_eq!(atomics("b32", "%r", "xor", "0", "mov.u32 %r7, 12;"), [0, 0]);
    assert_eq!(atomics("u32", "%r", "inc", "0", "mov.u32 %r7, 99;"), [256 % 100, 64]);
    assert_eq!(atomics("u32", "%r", "dec", "0", "mov.u32 %r7, 99;"), [100 - 256 % 100, 36]);
    let one = "mov.f32 %f7, 0f3f800000;";
    let result = atomics("f32", "%f", "add", "0f00000000", one);
    assert_eq!(result, [256.0f32, 64.0].map(|value| value.to_bits().into()));
    let one = "mov.f64 %fd7, 0d3ff0000000000000;";
    let result = atomics("f64", "%fd", "add", "0d0000000000000000", one);
    assert_eq!(result, [256.0f64, 64.0].map(f64::to_bits));
}

#[test]
fn additions_of_subnormals_flush_in_global_memory_alone() {
    let subnormal = "mov.f32 %f7, 0f00000001;";
    assert_eq!(atomics("f32", "%f", "add", "0f00000000", subnormal), [0, 64]);
}

#[test]
fn exchange_gives_back_what_was_there() {
    // Every thread puts its number in and adds up what it takes out.
    let text = kernel(
        "ld.param.u64 %rd1, [out];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, %ctaid.x;
         mad.lo.u32 %r2, %r1, 128, %r0;
         atom.exch.b32 %r3, [%rd1], %r2;
         red.relaxed.gpu.global.add.u32 [%rd1+4], %r3;
         ret;",
    );
    let run = launch(&text, [64, 1, 1], [128, 1, 1], &[], 1, 0);
    run.outcome.as_ref().expect("it runs");
    let [last, sum] = run.output32()[..] else { panic!("two words") };
    assert_eq!(sum + last, (0..8192).sum::<u32>());
}

/// As a kernel's panic record is taken: the first thread to swap 0 for 1 writes it.
#[test]
fn of_many_threads_that_compare_and_swap_one_wins() {
    let text = kernel(
        "ld.param.u64 %rd1, [out];
         mov.u32 %r0, %tid.x;
         mov.u32 %r1, %ctaid.x;
         atom.sys.global.cas.b32 %r2, [%rd1], 0, 1;
         setp.ne.u32 %p0, %r2, 0;
         @%p0 exit;
         st.global.u32 [%rd1+4], %r1;
         st.global.u32 [%rd1+8], %r0;
         red.global.add.u32 [%rd1+12], 1;
         membar.sys;
         fence.acq_rel.sys;
         st.release.sys.global.u32 [%rd1], 2;
         exit;",
    );
    for _ in 0..20 {
        let run = launch(&text, [50, 1, 1], [256, 1, 1], &[], 2, 0);
        run.outcome.as_ref().expect("it runs");
        let record = run.output32();
        assert_eq!((record[0], record[3]), (2, 1));
        assert!(record[1] < 50 && record[2] < 256);
    }
}

#[test]
fn a_lock_that_a_diverged_warp_spins_on() {
    // Each lane takes the lock in turn; whoever has it is ahead of those who spin.
    let text = kernel(
        "ld.param.u64 %rd1, [out];
     SPIN:
         atom.global.cas.b32 %r0, [%rd1], 0, 1;
         setp.ne.u32 %p0, %r0, 0;
         @%p0 bra SPIN;
         ld.volatile.global.u32 %r1, [%rd1+4];
         add.u32 %r1, %r1, 1;
         st.volatile.global.u32 [%rd1+4], %r1;
         membar.gl;
         atom.global.exch.b32 %r2, [%rd1], 0;
         ret;",
    );
    let run = launch(&text, [2, 1, 1], [64, 1, 1], &[], 1, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32(), [0, 128]);
}

#[test]
fn a_warp_may_wait_for_another_in_a_loop() {
    let text = kernel(
        "ld.param.u64 %rd1, [out];
         .shared .align 4 .b8 flag[4];
         mov.u32 %r0, %tid.x;
         setp.eq.u32 %p0, %r0, 0;
         @%p0 st.shared.u32 [flag], 0;
         bar.sync 0;
         setp.lt.u32 %p1, %r0, 32;
         @!%p1 bra SET;
     WAIT:
         ld.volatile.shared.u32 %r1, [flag];
         setp.eq.u32 %p2, %r1, 0;
         @%p2 bra WAIT;
         st.global.u32 [%rd1], %r1;
         ret;
     SET:
         st.volatile.shared.u32 [flag], 7;
         ret;",
    );
    let run = launch(&text, [1; 3], [64, 1, 1], &[], 1, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32()[0], 7);
}

#[test]
fn the_host_reads_and_writes_any_bytes_of_an_allocation() {
    let memory = Memory::new();
    let at = memory.allocate(100).expect("there is memory");
    assert_eq!(at % 256, 0);
    let mut bytes = [0; 100];
    memory.read(at, &mut bytes).expect("it is allocated");
    assert_eq!(bytes, [0xff; 100], "fresh memory");
    for (offset, length) in [(0, 100), (1, 30), (7, 1), (8, 8), (9, 23), (99, 1), (50, 0)] {
        let written: Vec<u8> = (0..length).map(|i| (offset * 3 + i) as u8).collect();
        memory.write(at + offset, &written).expect("it is allocated");
        let mut read = vec![0; length as usize];
        memory.read(at + offset, &mut read).expect("it is allocated");
        assert_eq!(read, written);
    }
    memory.fill(at + 1, &[1, 2, 3], 33).expect("it is allocated");
    memory.read(at, &mut bytes).expect("it is allocated");
    assert!((0..99).all(|i| bytes[i + 1] == (i % 3) as u8 + 1));
    memory.fill(at, &[], 5).expect("nothing to do");
    memory.fill(at, &[9; 5000], 0).expect("nothing to do");
}

#[test]
fn copies_may_overlap() {
    let memory = Memory::new();
    let at = memory.allocate(20_000).expect("there is memory");
    let bytes: Vec<u8> = (0..20_000u32).map(|i| (i / 7) as u8).collect();
    for (from, to) in [(0u64, 1000u64), (1000, 0), (3, 0), (0, 0)] {
        memory.write(at, &bytes).expect("it is allocated");
        memory.copy(at + from, at + to, 15_000).expect("it is allocated");
        let mut expected = bytes.clone();
        expected.copy_within(from as usize..from as usize + 15_000, to as usize);
        let mut read = vec![0; 20_000];
        memory.read(at, &mut read).expect("it is allocated");
        assert!(read == expected, "from {from} to {to}");
    }
}

#[test]
fn host_accesses_are_checked() {
    let memory = Memory::new();
    let (a, b) = (memory.allocate(64), memory.allocate(64));
    let (a, b) = (a.expect("there is memory"), b.expect("there is memory"));
    let out = |address, bytes| Err(MemoryError::OutOfBounds { address, bytes });
    assert_eq!(memory.read(a + 60, &mut [0; 8]), out(a + 60, 8));
    assert_eq!(memory.write(a - 1, &[0]), out(a - 1, 1));
    assert_eq!(memory.write(a + 64, &[0]), out(a + 64, 1), "allocations are not adjacent");
    assert_eq!(memory.fill(a, &[0; 8], u64::MAX), out(a, u64::MAX));
    assert_eq!(memory.copy(a, b, 65), out(a, 65));
    assert_eq!(memory.read(0, &mut [0]), out(0, 1));
    memory.free(a).expect("it is allocated");
    assert_eq!(memory.read(a, &mut [0; 8]), Err(MemoryError::Freed { address: a, bytes: 8 }));
    assert_eq!(memory.free(a), Err(MemoryError::NotAllocated { address: a }));
    assert_eq!(memory.free(b + 1), Err(MemoryError::NotAllocated { address: b + 1 }));
    memory.write(b, &[0; 64]).expect("the other one is still there");
}

#[test]
fn allocations_of_nothing_have_addresses_of_their_own() {
    let memory = Memory::new();
    let (a, b) = (memory.allocate(0), memory.allocate(0));
    let (a, b) = (a.expect("there is memory"), b.expect("there is memory"));
    assert_ne!(a, b);
    memory.read(a, &mut []).expect("nothing to read");
    assert!(memory.read(a, &mut [0]).is_err());
    memory.free(a).expect("it is allocated");
    memory.free(b).expect("it is allocated");
}

#[test]
fn an_allocation_that_no_host_has_room_for() {
    let error = Memory::new().allocate(u64::MAX - 100).expect_err("nobody has so much");
    assert_eq!(
        error.to_string(),
        "the emulator's host has no 18446744073709551515 bytes left to allocate"
    );
}

#[test]
fn addresses_come_back_after_a_while() {
    let memory = Memory::new();
    for _ in 0..2000 {
        let at = memory.allocate(1 << 20).expect("freed memory is used again");
        memory.write(at, &[1; 64]).expect("it is live, whatever was there before");
        memory.free(at).expect("it is allocated");
    }
}
