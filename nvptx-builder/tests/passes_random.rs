//! Random functions mean the same after each pass as before, by the interpreter.

#![cfg(feature = "compiler")]

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
fn random_functions_give_every_pass_something_to_do() {
    let mut changed = vec![0; PASSES.len()];
    for seed in 0..300 {
        let mut function = generate(seed);
        // As the pass manager would have it for the later passes.
        for _ in 0..2 {
            for (pass, count) in PASSES.iter().zip(&mut changed) {
                *count += u32::from((pass.run)(&mut function));
            }
        }
    }
    for (pass, count) in PASSES.iter().zip(changed) {
        assert!(count >= 3, "{}: {count}", pass.name);
    }
}

#[test]
fn all_passes_in_their_order_keep_the_meaning_of_random_functions() {
    let options = Options { contract: false, ..Options::default() };
    for seed in 0..cases() {
        let function = generate(seed.wrapping_add(1 << 40));
        let mut after = function.clone();
        if let Err(error) = run(&mut after, &options) {
            panic!("seed {seed}: {error}\n{function}");
        }
        expect_same("run", &function, &after, seed);
    }
}

/// `rounds` checked accesses `x[i + k] = x[i + k] + 1` one after another, each in the scope of all
/// checks before it, inside two loops.
fn many_checks(rounds: u32) -> String {
    let mut text = String::from(
        "func @k(i64 %x, i64 %x$len, i32 %n) {\nsite 0 = 1:1:1 \"got {usize} and {usize}\"\nb0:\n\
         v0 = param.i64 0\nv1 = param.i64 1\nv2 = param.i32 2\nv3 = zext.i64 v2\nv4 = const.i64 0\n\
         v5 = const.i64 1\nv8 = const.i32 1\njump b1(v4)\nb1(v6: i64):\nv7 = cmp.ult v6, v3\n\
         br v7, b1000, b2\nb2:\nret\n",
    );
    for k in 0..rounds {
        let (v, b) = (1000 + k * 10, 1000 + 2 * k);
        let (v1, v2, v3, v4, v5, v6) = (v + 1, v + 2, v + 3, v + 4, v + 5, v + 6);
        text += &format!(
            "b{b}:\nv{v} = const.i64 {k}\nv{v1} = iadd.i64 v6, v{v}\nv{v2} = cmp.ult v{v1}, v1\n\
             br v{v2}, b{}, b{}\nb{}:\npanic 0(v{v1}, v1)\nb{}:\nv{v3} = const.i64 2\n\
             v{v4} = shl.i64 v{v1}, v{v3}\nv{v5} = iadd.i64 v0, v{v4}\n\
             v{v6} = load.i32 global [v{v5}]\nv{} = iadd.i32 v{v6}, v8\n\
             store global [v{v5}], v{}\njump b{}\n",
            100_000 + k,
            200_000 + k,
            200_000 + k,
            100_000 + k,
            v + 7,
            v + 7,
            b + 2,
        );
    }
    let (v, b) = (1000 + rounds * 10, 1000 + 2 * rounds);
    text + &format!("b{b}:\nv{v} = iadd.i64 v6, v5\njump b1(v{v})\n}}\n")
}

#[test]
fn many_checks_on_one_index_take_reasonable_time() {
    let mut function = parse(&many_checks(500)).unwrap();
    let start = std::time::Instant::now();
    run(&mut function, &Options::default()).unwrap();
    let took = start.elapsed();
    println!("{took:?}, {} blocks", function.blocks.len());
    // Nothing here can be proved, so all of it is tried.
    assert!(function.blocks.len() > 1000);
    assert!(took.as_secs() < 60, "{took:?}");
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
