//! Broken PTX gives an error, or runs and ends: never a panic, never a hang.

mod common;

use common::{Random, kernel};
use ptx_emulator::{Launch, Memory, Options, Program, run_with};

const BODY: &str = "
    .shared .align 8 .b8 tile[256];
    .local .align 8 .b8 depot[64];
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r3, [n];
    .loc 1 3 4
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mad.lo.s32 %r4, %r1, %r2, %r0;
    setp.ge.u32 %p0, %r4, %r3;
    @%p0 bra DONE;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd0, %rd2;
    ld.global.nc.f32 %f0, [%rd3];
    shl.b32 %r5, %r0, 2;
    st.shared.f32 [%r5], %f0;
    bar.sync 0;
    mov.u32 %r6, 0;
    mov.f32 %f1, 0f00000000;
LOOP:
    and.b32 %r7, %r6, 15;
    shl.b32 %r8, %r7, 2;
    ld.shared.f32 %f2, [%r8+4];
    fma.rn.f32 %f1, %f2, %f0, %f1;
    st.local.f32 [%r8], %f1;
    add.s32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, %r0;
    @%p1 bra LOOP;
    cvt.rzi.s32.f32 %r9, %f1;
    cvt.rn.f64.s32 %fd0, %r9;
    selp.b32 %r10, %r9, %r6, %p1;
    shfl.sync.bfly.b32 %r11, %r10, 1, 31, 0xffffffff;
    vote.sync.ballot.b32 %r12, %p1, 0xffffffff;
    mov.b64 %rd4, {%r11, %r12};
    mov.b64 {%r13, %r14}, %rd4;
    bfe.u32 %r15, %r13, 3, %r0;
    prmt.b32 %r16, %r13, %r14, %r15;
    red.global.add.u32 [%rd1], %r16;
    atom.shared.cas.b32 %r17, [tile], 0, 1;
    add.s64 %rd5, %rd1, %rd2;
    st.global.u32 [%rd5], %r17;
DONE:
    ret;";

/// Loads and runs a text with little of everything; whether there was anything to run.
fn try_to_run(text: &str) -> bool {
    let Ok(program) = Program::load(text) else { return false };
    let memory = Memory::new();
    let data = memory.allocate(1 << 12).expect("there is memory");
    memory.fill(data, &[0, 0, 128, 63], 1 << 10).expect("it is allocated");
    for kernel in program.kernels() {
        let mut params = [data.to_le_bytes(), data.to_le_bytes(), 64u64.to_le_bytes()].concat();
        params.resize(kernel.param_bytes() as usize, 0);
        let launch = Launch {
            grid: [2, 1, 1],
            block: [48, 1, 1],
            dynamic_shared: 64,
            params: &params,
            workers: Some(1),
        };
        let options = Options { instruction_budget: Some(200_000) };
        // What it says does not matter here.
        let _ = run_with(kernel, &launch, &memory, &options);
    }
    program.kernels().next().is_some()
}

/// Words that mutations put in.
const WORDS: [&str; 40] = [
    "%r0",
    "%rd0",
    "%p0",
    "%f1",
    "%fd0",
    "%rs1",
    "0",
    "-1",
    "4294967295",
    "0x7fffffffffffffff",
    "LOOP",
    "DONE",
    "tile",
    "depot",
    "add.u32",
    "mul.hi.s64",
    "ld.global.v4.u32",
    "st.shared.u8",
    "bra",
    "ret",
    "exit",
    "bar.sync",
    "trap",
    "@%p0",
    "@!%p1",
    ";",
    ",",
    "[%rd0+-8]",
    "{%r0, %r1}",
    "div.u32",
    "rem.s32",
    "shfl.sync.idx.b32",
    "bar.warp.sync",
    "cvt.sat.u8.s64",
    "%tid.y",
    "%clock64",
    "_",
    "!%p0",
    "%p0|%p1",
    "0f7fc00000",
];

#[test]
fn mutated_words() {
    let original = kernel(BODY);
    try_to_run(&original);
    let words: Vec<&str> = original.split_inclusive([' ', '\n']).collect();
    let mut random = Random(42);
    for _ in 0..3000 {
        let mut mutated: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        for _ in 0..=random.next() % 3 {
            let at = random.next() as usize % mutated.len();
            let other = random.next() as usize;
            match random.next() % 4 {
                0 => mutated[at] = format!("{} ", WORDS[other % WORDS.len()]),
                1 => {
                    mutated.remove(at);
                }
                2 => mutated.insert(at, format!("{} ", WORDS[other % WORDS.len()])),
                _ => {
                    let length = mutated.len();
                    mutated.swap(at, other % length);
                }
            }
        }
        try_to_run(&mutated.concat());
    }
}

#[test]
fn mutated_lines() {
    let original = kernel(BODY);
    let lines: Vec<&str> = original.lines().collect();
    let mut random = Random(7);
    for _ in 0..1500 {
        let mut mutated = lines.clone();
        for _ in 0..=random.next() % 2 {
            // The body alone, so that the text stays PTX.
            let at = |random: &mut Random, n: usize| 12 + random.next() as usize % (n - 14);
            let (a, b) = (at(&mut random, mutated.len()), at(&mut random, mutated.len()));
            match random.next() % 3 {
                0 => mutated.swap(a, b),
                1 => {
                    mutated.remove(a);
                }
                _ => mutated.insert(a, lines[12 + b % (lines.len() - 14)]),
            }
        }
        try_to_run(&mutated.join("\n"));
    }
}

#[test]
fn mutated_bytes_and_cut_text() {
    let original = kernel(BODY);
    let mut random = Random(99);
    for _ in 0..1500 {
        let mut bytes = original.clone().into_bytes();
        for _ in 0..=random.next() % 4 {
            let at = random.next() as usize % bytes.len();
            bytes[at] = (random.next() % 96 + 32) as u8;
        }
        try_to_run(&String::from_utf8_lossy(&bytes));
    }
    for end in 0..original.len() {
        try_to_run(&original[..end]);
    }
}

/// What NVIDIA's compiler, Triton and this project's compiler wrote.
const SAMPLES: [&str; 10] = [
    include_str!("../../nvptx-builder/tests/ptx/nvcc_debug.ptx"),
    include_str!("../../nvptx-builder/tests/ptx/nvcc_lineinfo.ptx"),
    include_str!("../../nvptx-builder/tests/ptx/nvcc_optimised.ptx"),
    include_str!("../../nvptx-builder/tests/ptx/saxpy.ptx"),
    include_str!("../../nvptx-builder/tests/ptx/triton_softmax.ptx"),
    include_str!("../../nvptx-builder/tests/snapshots/arrays.ptx"),
    include_str!("../../nvptx-builder/tests/snapshots/division.ptx"),
    include_str!("../../nvptx-builder/tests/snapshots/mandelbrot.ptx"),
    include_str!("../../nvptx-builder/tests/snapshots/matmul_tiled.ptx"),
    include_str!("../../nvptx-builder/tests/snapshots/reduce.ptx"),
];

#[test]
fn mutated_samples_of_compilers() {
    let mut random = Random(2026);
    let mut ran = 0;
    for sample in SAMPLES {
        try_to_run(sample);
        for _ in 0..100 {
            let mut bytes = sample.as_bytes().to_vec();
            for _ in 0..=random.next() % 4 {
                let at = random.next() as usize % bytes.len();
                // Text with another digit is still PTX; with any other byte it seldom is.
                bytes[at] = match random.next() % 8 {
                    0 => random.next() as u8,
                    1 => bytes[random.next() as usize % bytes.len()],
                    _ if bytes[at].is_ascii_digit() => b'0' + (random.next() % 10) as u8,
                    _ => bytes[at],
                };
            }
            ran += u32::from(try_to_run(&String::from_utf8_lossy(&bytes)));
        }
    }
    assert!(ran > 100, "only {ran} of 1000 texts could be run: the test tests little");
}
