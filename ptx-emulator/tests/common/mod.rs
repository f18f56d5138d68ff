//! Runs single instructions and small kernels.
#![allow(dead_code, unreachable_pub)]

use ptx_emulator::{Counters, Fault, Launch, Memory, Program, run};

/// A kernel around a body. Parameters: `in` and `out` (addresses) and `n`. Registers: `%r0` to
/// `%r31`, `%rd…`, `%rs…` (16 bits), `%f…`, `%fd…`, `%p…`.
pub fn kernel(body: &str) -> String {
    format!(
        ".version 6.0
.target sm_70
.address_size 64
.file 1 \"src/kernel.rs\"
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{{
    .reg .pred %p<32>;
    .reg .b16 %rs<32>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<32>;
    .reg .f32 %f<32>;
    .reg .f64 %fd<32>;
{body}
}}
"
    )
}

/// Launches [`kernel`] over words.
pub struct Run {
    pub memory: Memory,
    pub input: u64,
    pub output: u64,
    pub outcome: Result<Counters, Fault>,
    words: usize,
}

impl Run {
    /// The output.
    pub fn output(&self) -> Vec<u64> {
        let mut bytes = vec![0; self.words * 8];
        self.memory.read(self.output, &mut bytes).expect("the output is allocated");
        words_of(&bytes)
    }

    /// The output as 32-bit words.
    pub fn output32(&self) -> Vec<u32> {
        self.output().iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect()
    }

    pub fn fault(&self) -> String {
        self.outcome.as_ref().expect_err("the kernel faults").to_string()
    }
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks_exact(8)
        .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("8 bytes")))
        .collect()
}

/// Runs a kernel's text with an input and an output of so many words, zeroed.
pub fn launch(
    text: &str,
    grid: [u32; 3],
    block: [u32; 3],
    input: &[u64],
    words: usize,
    n: u32,
) -> Run {
    launch_with(text, grid, block, input, words, n, 0)
}

/// With dynamic shared memory.
pub fn launch_with(
    text: &str,
    grid: [u32; 3],
    block: [u32; 3],
    input: &[u64],
    words: usize,
    n: u32,
    dynamic_shared: u32,
) -> Run {
    let program = Program::load(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kernel = program.kernel("k").expect("the text has it");
    let memory = Memory::new();
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let input = memory.allocate(bytes.len() as u64).expect("there is memory");
    memory.write(input, &bytes).expect("it is allocated");
    let output = memory.allocate(words as u64 * 8).expect("there is memory");
    memory.fill(output, &[0], words as u64 * 8).expect("it is allocated");
    let mut params = input.to_le_bytes().to_vec();
    params.extend(output.to_le_bytes());
    params.extend(n.to_le_bytes());
    let params = &params[..kernel.param_bytes() as usize];
    let launch = Launch { grid, block, dynamic_shared, params, workers: None };
    let outcome = run(kernel, &launch, &memory);
    Run { memory, input, output, outcome, words }
}

/// Where an instruction's result is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Result64 {
    /// `%rs9`
    Short,
    /// `%r9`
    Word,
    /// `%rd9`
    Long,
    /// `%p9`, as 0 or 1.
    Predicate,
}

/// Runs instructions on each of the triples, which are in `%rd0`, `%rd1`, `%rd2`, their low halves in
/// `%r0`, `%r1`, `%r2`, the low quarters in `%rs0`, `%rs1`, `%rs2`. Half of the time, lanes are switched
/// off around it, so that the masked path runs too.
pub fn evaluate(instructions: &str, result: Result64, inputs: &[[u64; 3]]) -> Vec<u64> {
    let plain = evaluate_once(instructions, result, inputs, false);
    let masked = evaluate_once(instructions, result, inputs, true);
    assert_eq!(plain, masked, "{instructions}: lanes that are switched off make a difference");
    plain
}

fn evaluate_once(
    instructions: &str,
    result: Result64,
    inputs: &[[u64; 3]],
    masked: bool,
) -> Vec<u64> {
    let finish = match result {
        Result64::Short => "cvt.u64.u16 %rd9, %rs9;",
        Result64::Word => "cvt.u64.u32 %rd9, %r9;",
        Result64::Long => "",
        Result64::Predicate => "selp.b64 %rd9, 1, 0, %p9;",
    };
    // Odd and even lanes run the same instructions one after the other.
    let (branch, again) = match masked {
        false => (String::new(), String::new()),
        true => (
            "and.b32 %r21, %r20, 1;\n setp.eq.u32 %p20, %r21, 0;\n @%p20 bra EVEN;".to_owned(),
            format!("{instructions}\n{finish}\n bra STORE;\nEVEN:"),
        ),
    };
    let body = format!(
        "
    ld.param.u64 %rd20, [in];
    ld.param.u64 %rd21, [out];
    ld.param.u32 %r22, [n];
    mov.u32 %r23, %ctaid.x;
    mov.u32 %r24, %tid.x;
    mad.lo.s32 %r20, %r23, 64, %r24;
    setp.ge.u32 %p21, %r20, %r22;
    @%p21 bra DONE;
    mul.wide.u32 %rd22, %r20, 24;
    add.s64 %rd23, %rd20, %rd22;
    ld.global.u64 %rd0, [%rd23];
    ld.global.u64 %rd1, [%rd23+8];
    ld.global.u64 %rd2, [%rd23+16];
    cvt.u32.u64 %r0, %rd0;
    cvt.u32.u64 %r1, %rd1;
    cvt.u32.u64 %r2, %rd2;
    cvt.u16.u64 %rs0, %rd0;
    cvt.u16.u64 %rs1, %rd1;
    cvt.u16.u64 %rs2, %rd2;
    {branch}
    {again}
    {instructions}
    {finish}
STORE:
    mul.wide.u32 %rd24, %r20, 8;
    add.s64 %rd25, %rd21, %rd24;
    st.global.u64 [%rd25], %rd9;
DONE:
    ret;"
    );
    let blocks = (inputs.len() as u32).div_ceil(64).max(1);
    let words: Vec<u64> = inputs.iter().flatten().copied().collect();
    let run = launch(
        &kernel(&body),
        [blocks, 1, 1],
        [64, 1, 1],
        &words,
        inputs.len(),
        inputs.len() as u32,
    );
    run.outcome.as_ref().unwrap_or_else(|fault| panic!("{instructions}: {fault}"));
    run.output()
}

/// A generator of numbers: xorshift64*.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// Values at the edges of the integer types.
pub fn integer_edges() -> Vec<u64> {
    let mut edges = vec![0, 1, 2, 3, 7, 10, 31, 32, 33, 63, 64, 65, 100, 255, 256];
    for bits in [7, 8, 15, 16, 31, 32, 63] {
        let one = 1u64 << bits;
        edges.extend([one - 1, one, one + 1]);
    }
    let negative: Vec<u64> = edges.iter().map(|edge| edge.wrapping_neg()).collect();
    edges.extend(negative);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Bits of f32 values at the edges.
pub fn f32_edges() -> Vec<u32> {
    let mut edges: Vec<u32> = [
        0.0f32,
        1.0,
        0.5,
        1.5,
        2.5,
        3.0,
        0.1,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::EPSILON,
        1.0 + f32::EPSILON,
        1e10,
        1e-10,
        16777216.0,
        16777217.0,
        2147483648.0,
        4294967040.0,
        4294967296.0,
        9.223372e18,
        1.8446744e19,
        127.5,
        255.5,
        32767.5,
        65535.5,
        65536.0,
        f32::INFINITY,
    ]
    .iter()
    .flat_map(|value| [value.to_bits(), (-value).to_bits()])
    .collect();
    // Subnormals and NaNs.
    edges.extend([1, 0x8000_0001, 0x007f_ffff, 0x7fc0_0000, 0xffc0_1234, 0x7f80_0001]);
    edges
}

/// Bits of f64 values at the edges.
pub fn f64_edges() -> Vec<u64> {
    let mut edges: Vec<u64> =
        f32_edges().iter().map(|bits| f64::from(f32::from_bits(*bits)).to_bits()).collect();
    for value in [
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::EPSILON,
        1e300,
        1e-300,
        0.1,
        2147483647.5,
        4294967295.5,
        9007199254740993.0,
        9223372036854775807.0,
        18446744073709551615.0,
        3.4028235677973366e38,
        1.1754943e-38,
        1e-45,
        7e-46,
    ] {
        edges.extend([value.to_bits(), (-value).to_bits()]);
    }
    edges.extend([1, 0x000f_ffff_ffff_ffff, 0x7ff8_0000_0000_0000, 0xfff8_0000_0000_1234]);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// All pairs of the values, with a third one that runs through them, and some random triples.
pub fn triples(edges: &[u64]) -> Vec<[u64; 3]> {
    let mut triples = Vec::new();
    for (i, a) in edges.iter().enumerate() {
        for (j, b) in edges.iter().enumerate() {
            triples.push([*a, *b, edges[(i * 7 + j * 3) % edges.len()]]);
        }
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..500 {
        triples.push([random.next(), random.next(), random.next()]);
    }
    triples
}
