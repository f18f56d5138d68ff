//! Random functions mean the same after each pass as before, by the interpreter.

mod passes_support;

use nvptx_builder::Options;
use nvptx_builder::ir::interpret::{self, Effect, GLOBAL_BASE, Geometry, Outcome, Run, interpret};
use nvptx_builder::ir::{Function, Space, parse, verify};
use nvptx_builder::passes::{PASSES, run};
use passes_support::{CELLS, Random, generate};

/// How many functions; `PASSES_RANDOM` sets another number.
fn cases() -> u64 {
    std::env::var("PASSES_RANDOM").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}

struct Input {
    args: Vec<u64>,
    geometry: Geometry,
    memory: Vec<u8>,
}

fn inputs(seed: u64) -> Vec<Input> {
    let mut random = Random::new(seed ^ 0xabcd);
    let input = |_| {
        use nvptx_builder::ir::Type;
        let ntid = [1 + random.below(1024) as u32, 1, 1 + random.below(2) as u32];
        let geometry = Geometry {
            tid: [random.below(ntid[0].into()) as u32, 0, random.below(ntid[2].into()) as u32],
            ctaid: [random.below(1 << 31) as u32 & 0x7fff_fffe, 0, 0],
            ntid,
            nctaid: [0x7fff_ffff, 1, 1],
        };
        let args = vec![
            random.bits(Type::F32),
            random.bits(Type::F64),
            random.bits(Type::I32),
            random.bits(Type::I64),
            GLOBAL_BASE,
            random.below(CELLS / 2 + 1),
        ];
        let mut memory = Vec::new();
        for cell in 0..CELLS {
            let ty = if cell < CELLS / 2 { Type::I64 } else { Type::F64 };
            memory.extend(random.bits(ty).to_le_bytes());
        }
        Input { args, geometry, memory }
    };
    (0..4).map(input).collect()
}

fn execute(function: &Function, input: &Input) -> Result<Run, interpret::Fault> {
    let mut memory = input.memory.clone();
    let mut run = interpret(function, &input.args, &input.geometry, &mut memory, 200_000)?;
    run.steps = 0;
    if let Outcome::Panicked { site, .. } = &mut run.outcome {
        // Sites are renumbered; they keep their place.
        *site = function.sites[*site as usize].line;
    }
    for effect in &mut run.trace {
        // Which NaN is not specified.
        if let Effect::Store { space, address, bytes, bits } = effect {
            let middle = if *space == Space::Global { CELLS / 2 * 8 } else { 128 };
            let nan = match *bytes {
                4 => f32::from_bits(*bits as u32).is_nan(),
                8 => f64::from_bits(*bits).is_nan(),
                _ => false,
            };
            if nan && *address >= middle {
                *bits = u64::MAX;
            }
        }
    }
    Ok(run)
}

fn expect_same(name: &str, before: &Function, after: &Function, seed: u64) {
    if let Err(error) = verify(after) {
        panic!("seed {seed}, after {name}: {error}\n{before}\n=>\n{after}");
    }
    for (i, input) in inputs(seed).iter().enumerate() {
        let (expected, found) = (execute(before, input), execute(after, input));
        if expected == Err(interpret::Fault::Fuel) {
            continue;
        }
        assert!(expected.is_ok(), "seed {seed}: {expected:?}\n{before}");
        assert!(
            expected == found,
            "seed {seed}, input {i}, {name}:\n{before}\n=>\n{after}\n{:x?}\n{expected:x?}\n{found:x?}",
            input.args
        );
    }
}

#[test]
fn each_pass_keeps_the_meaning_of_random_functions() {
    for seed in 0..cases() {
        let function = generate(seed);
        verify(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
        for pass in PASSES.iter().filter(|pass| pass.name != "contract_multiply_add") {
            let mut after = function.clone();
            (pass.run)(&mut after);
            expect_same(pass.name, &function, &after, seed);
        }
    }
}

#[test]
fn all_passes_in_their_order_keep_the_meaning_of_random_functions() {
    let options = Options { contract: false, optimize: true };
    for seed in 0..cases() {
        let function = generate(seed.wrapping_add(1 << 40));
        let mut after = function.clone();
        if let Err(error) = run(&mut after, &options) {
            panic!("seed {seed}: {error}\n{function}");
        }
        expect_same("run", &function, &after, seed);
    }
}

#[test]
fn optimising_twice_gives_the_same_text_every_time() {
    for seed in 0..cases() / 4 {
        let mut texts = (0..2).map(|_| {
            let mut function = generate(seed);
            run(&mut function, &Options::default()).unwrap();
            function.to_string()
        });
        assert_eq!(texts.next(), texts.next());
    }
}

#[test]
fn random_functions_survive_printing_and_parsing() {
    for seed in 0..cases() {
        let function = generate(seed);
        let text = function.to_string();
        let back = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(back.to_string(), text);
        let mut optimised = function;
        run(&mut optimised, &Options::default()).unwrap();
        assert_eq!(parse(&optimised.to_string()).as_ref(), Ok(&optimised), "seed {seed}");
    }
}
