//! Lane-operations a second on one core: 512³ f32 matrix products, tiled and register-blocked, as
//! a compiler with unrolled inner loops writes them, and saxpy for the cost of global memory.
//!
//! `cargo bench -p ptx-emulator`

use std::fmt::Write;
use std::time::Instant;

use ptx_emulator::{Launch, Memory, Program, run};

const N: usize = 512;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let blocks = (N / 16) as u32;
    product("tiled", &tiled(), [blocks, blocks, 1], [16, 16, 1])?;
    let blocks = (N / 64) as u32;
    product("register-blocked", &blocked(), [blocks, blocks, 1], [16, 16, 1])?;
    saxpy()?;
    Ok(())
}

/// Runs a product, checks it, and prints its speed.
fn product(
    name: &str,
    ptx: &str,
    grid: [u32; 3],
    block: [u32; 3],
) -> Result<(), Box<dyn std::error::Error>> {
    let program = Program::load(ptx)?;
    let kernel = program.kernel("matmul").ok_or("the text has it")?;
    let memory = Memory::new();
    let a: Vec<f32> = (0..N * N).map(|i| (i % 13) as f32 - 6.0).collect();
    let b: Vec<f32> = (0..N * N).map(|i| (i % 7) as f32 - 3.0).collect();
    let mut addresses = [0; 3];
    for address in &mut addresses {
        *address = memory.allocate((N * N * 4) as u64)?;
    }
    memory.write(addresses[0], &bytes(&a))?;
    memory.write(addresses[1], &bytes(&b))?;
    let params: Vec<u8> = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
    let launch = Launch { grid, block, dynamic_shared: 0, params: &params, workers: Some(1) };
    let mut best = f64::INFINITY;
    let mut counters = Default::default();
    for _ in 0..5 {
        let start = Clock::start();
        counters = run(kernel, &launch, &memory)?;
        best = best.min(start.seconds());
    }
    let mut c = vec![0; N * N * 4];
    memory.read(addresses[2], &mut c)?;
    for (row, column) in [(0, 0), (3, 77), (511, 511), (256, 64)] {
        let expected: f32 = (0..N).map(|k| a[row * N + k] * b[k * N + column]).sum();
        let at = (row * N + column) * 4;
        let got = f32::from_le_bytes([c[at], c[at + 1], c[at + 2], c[at + 3]]);
        assert_eq!(got, expected, "row {row}, column {column}");
    }
    report(&format!("{name} matmul {N}³"), counters.lane_operations, best);
    println!("  {:.2} GFLOP/s", 2.0 * (N as f64).powi(3) / best / 1e9);
    Ok(())
}

fn saxpy() -> Result<(), Box<dyn std::error::Error>> {
    const LENGTH: u32 = 1 << 20;
    let program = Program::load(SAXPY)?;
    let kernel = program.kernel("saxpy").ok_or("the text has it")?;
    let memory = Memory::new();
    let (x, y) = (memory.allocate(4 << 20)?, memory.allocate(4 << 20)?);
    let mut params = x.to_le_bytes().to_vec();
    params.extend(y.to_le_bytes());
    params.extend(LENGTH.to_le_bytes());
    let launch = Launch {
        grid: [LENGTH / 256, 1, 1],
        block: [256, 1, 1],
        dynamic_shared: 0,
        params: &params,
        workers: Some(1),
    };
    let mut best = f64::INFINITY;
    let mut operations = 0;
    for _ in 0..5 {
        let start = Clock::start();
        operations = run(kernel, &launch, &memory)?.lane_operations;
        best = best.min(start.seconds());
    }
    report("saxpy 2^20", operations, best);
    Ok(())
}

/// The time that this thread runs on a processor, where the system tells it (Linux): other work on
/// the machine should not count. Else the time that passes.
enum Clock {
    Processor(u64),
    Wall(Instant),
}

impl Clock {
    fn start() -> Clock {
        nanoseconds().map_or_else(|| Clock::Wall(Instant::now()), Clock::Processor)
    }

    fn seconds(self) -> f64 {
        match self {
            Clock::Processor(start) => (nanoseconds().unwrap_or(start) - start) as f64 / 1e9,
            Clock::Wall(start) => start.elapsed().as_secs_f64(),
        }
    }
}

fn nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

fn report(name: &str, operations: u64, seconds: f64) {
    let rate = operations as f64 / seconds / 1e9;
    println!("{name}: {:.1} ms, {rate:.2} G lane-operations/s", seconds * 1e3);
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

const HEAD: &str = "
.version 6.0
.target sm_70
.address_size 64
.visible .entry matmul(.param .u64 a, .param .u64 b, .param .u64 c)
{
    .reg .pred %p<4>;
    .reg .b32 %r<64>;
    .reg .b64 %rd<64>;
    .reg .f32 %f<2048>;
";

/// 16 × 16 tiles in shared memory, one element a thread, the loop over a tile unrolled.
fn tiled() -> String {
    let mut text = HEAD.to_owned();
    text.push_str(
        "
    .shared .align 4 .b8 tile_a[1024];
    .shared .align 4 .b8 tile_b[1024];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    mad.lo.s32 %r5, %r3, 16, %r1;
    mad.lo.s32 %r6, %r4, 16, %r2;
    mad.lo.s32 %r7, %r6, 512, %r1;
    mul.wide.u32 %rd4, %r7, 4;
    add.s64 %rd5, %rd1, %rd4;
    mad.lo.s32 %r8, %r2, 512, %r5;
    mul.wide.u32 %rd6, %r8, 4;
    add.s64 %rd7, %rd2, %rd6;
    shl.b32 %r9, %r2, 6;
    mov.u32 %r10, tile_a;
    add.s32 %r11, %r10, %r9;
    shl.b32 %r12, %r1, 2;
    add.s32 %r13, %r11, %r12;
    mov.u32 %r14, tile_b;
    add.s32 %r15, %r14, %r12;
    add.s32 %r16, %r15, %r9;
    mov.f32 %f0, 0f00000000;
    mov.u32 %r17, 0;
LOOP:
    ld.global.nc.f32 %f1, [%rd5];
    st.shared.f32 [%r13], %f1;
    ld.global.nc.f32 %f2, [%rd7];
    st.shared.f32 [%r16], %f2;
    bar.sync 0;
",
    );
    for k in 0..16 {
        let (a, b) = (10 + 2 * k, 11 + 2 * k);
        let _ = write!(
            text,
            "    ld.shared.f32 %f{a}, [%r11+{}];
    ld.shared.f32 %f{b}, [%r15+{}];
    fma.rn.f32 %f0, %f{a}, %f{b}, %f0;
",
            4 * k,
            64 * k
        );
    }
    text.push_str(
        "    bar.sync 0;
    add.s64 %rd5, %rd5, 64;
    add.s64 %rd7, %rd7, 32768;
    add.s32 %r17, %r17, 1;
    setp.lt.u32 %p1, %r17, 32;
    @%p1 bra LOOP;
    mad.lo.s32 %r18, %r6, 512, %r5;
    mul.wide.u32 %rd8, %r18, 4;
    add.s64 %rd9, %rd3, %rd8;
    st.global.f32 [%rd9], %f0;
    ret;
}
",
    );
    text
}

/// 64 × 64 tiles, 4 × 4 elements a thread, 16 steps of k a tile, unrolled.
fn blocked() -> String {
    let mut text = HEAD.to_owned();
    text.push_str(
        "
    .shared .align 16 .b8 tile_a[4096];
    .shared .align 16 .b8 tile_b[4096];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    shl.b32 %r5, %r3, 6;
    shl.b32 %r6, %r4, 6;
    mad.lo.s32 %r7, %r2, 16, %r1;
    // a: row = thread / 4 + block row, column = 4 * (thread % 4)
    shr.u32 %r8, %r7, 2;
    and.b32 %r9, %r7, 3;
    shl.b32 %r10, %r9, 2;
    add.s32 %r11, %r6, %r8;
    mad.lo.s32 %r12, %r11, 512, %r10;
    mul.wide.u32 %rd4, %r12, 4;
    add.s64 %rd5, %rd1, %rd4;
    // tile_a[k][row]
    mov.u32 %r13, tile_a;
    shl.b32 %r14, %r10, 8;
    add.s32 %r15, %r13, %r14;
    shl.b32 %r16, %r8, 2;
    add.s32 %r17, %r15, %r16;
    // b: row = thread / 16, column = 4 * (thread % 16) + block column
    shr.u32 %r18, %r7, 4;
    and.b32 %r19, %r7, 15;
    shl.b32 %r20, %r19, 2;
    add.s32 %r21, %r5, %r20;
    mad.lo.s32 %r22, %r18, 512, %r21;
    mul.wide.u32 %rd6, %r22, 4;
    add.s64 %rd7, %rd2, %rd6;
    mov.u32 %r23, tile_b;
    shl.b32 %r24, %r18, 8;
    add.s32 %r25, %r23, %r24;
    shl.b32 %r26, %r20, 2;
    add.s32 %r27, %r25, %r26;
    // what this thread multiplies
    shl.b32 %r28, %r2, 4;
    add.s32 %r29, %r13, %r28;
    shl.b32 %r30, %r1, 4;
    add.s32 %r31, %r23, %r30;
    mov.u32 %r32, 0;
",
    );
    for i in 0..16 {
        let _ = writeln!(text, "    mov.f32 %f{i}, 0f00000000;");
    }
    text.push_str(
        "LOOP:
    ld.global.nc.v4.f32 {%f20, %f21, %f22, %f23}, [%rd5];
    st.shared.f32 [%r17], %f20;
    st.shared.f32 [%r17+256], %f21;
    st.shared.f32 [%r17+512], %f22;
    st.shared.f32 [%r17+768], %f23;
    ld.global.nc.v4.f32 {%f24, %f25, %f26, %f27}, [%rd7];
    st.shared.v4.f32 [%r27], {%f24, %f25, %f26, %f27};
    bar.sync 0;
",
    );
    for k in 0..16 {
        let (a, b) = (100 + 8 * k, 104 + 8 * k);
        let _ = write!(
            text,
            "    ld.shared.v4.f32 {{%f{a}, %f{}, %f{}, %f{}}}, [%r29+{}];
    ld.shared.v4.f32 {{%f{b}, %f{}, %f{}, %f{}}}, [%r31+{}];
",
            a + 1,
            a + 2,
            a + 3,
            256 * k,
            b + 1,
            b + 2,
            b + 3,
            256 * k
        );
        for i in 0..16 {
            let (x, y) = (a + i / 4, b + i % 4);
            let _ = writeln!(text, "    fma.rn.f32 %f{i}, %f{x}, %f{y}, %f{i};");
        }
    }
    text.push_str(
        "    bar.sync 0;
    add.s64 %rd5, %rd5, 64;
    add.s64 %rd7, %rd7, 32768;
    add.s32 %r32, %r32, 1;
    setp.lt.u32 %p1, %r32, 32;
    @%p1 bra LOOP;
    shl.b32 %r33, %r2, 2;
    add.s32 %r34, %r6, %r33;
    shl.b32 %r35, %r1, 2;
    add.s32 %r36, %r5, %r35;
    mad.lo.s32 %r37, %r34, 512, %r36;
    mul.wide.u32 %rd8, %r37, 4;
    add.s64 %rd9, %rd3, %rd8;
",
    );
    for i in 0..4 {
        let f = 4 * i;
        let _ = writeln!(
            text,
            "    st.global.v4.f32 [%rd9+{}], {{%f{f}, %f{}, %f{}, %f{}}};",
            2048 * i,
            f + 1,
            f + 2,
            f + 3
        );
    }
    text.push_str("    ret;\n}\n");
    text
}

const SAXPY: &str = "
.version 6.0
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<8>;
    ld.param.u64 %rd0, [x];
    ld.param.u64 %rd1, [y];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    setp.ge.u32 %p0, %r4, %r0;
    @%p0 bra DONE;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd0, %rd2;
    add.s64 %rd4, %rd1, %rd2;
    ld.global.nc.f32 %f0, [%rd3];
    ld.global.f32 %f1, [%rd4];
    fma.rn.f32 %f2, %f0, 0f40400000, %f1;
    st.global.f32 [%rd4], %f2;
DONE:
    ret;
}
";
