//! Random functions mean the same in PTX, on the emulator, as in the IR, by the interpreter.
#![cfg(feature = "compiler")]

mod passes_support;

use nvptx_builder::Options;
use nvptx_builder::codegen::{Interface, generate as generate_ptx};
use nvptx_builder::ir::interpret::{Fault, GLOBAL_BASE, Geometry, Outcome, interpret};
use nvptx_builder::ir::{Binary, Function, Inst, Loc, Op, Slot, Space, Type};
use nvptx_builder::metadata::{PanicRecord, Param, ParamType, Scalar};
use nvptx_builder::passes::run;
use passes_support::{CELLS, Random, generate};
use ptx_emulator::{Launch, Memory, Program};

/// How many functions; `CODEGEN_RANDOM` sets another number.
fn cases() -> u64 {
    std::env::var("CODEGEN_RANDOM").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

/// What a thread leaves behind.
#[derive(Debug, PartialEq)]
struct End {
    memory: Vec<u64>,
    /// The site and the values of a panic.
    panic: Option<(u32, Vec<u64>)>,
}

/// Which NaN is not specified.
fn canonical(cells: &[u8]) -> Vec<u64> {
    let cells = cells.chunks_exact(8).enumerate().map(|(i, bytes)| {
        let cell = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let floats = i as u64 >= CELLS / 2;
        let nan = |half: u64| f32::from_bits(half as u32).is_nan();
        match floats {
            false => cell,
            true if f64::from_bits(cell).is_nan() => u64::MAX,
            // Both halves may be f32.
            true => {
                let low = if nan(cell & 0xffff_ffff) { 0xffff_ffff } else { cell & 0xffff_ffff };
                let high = if nan(cell >> 32) { 0xffff_ffff } else { cell >> 32 };
                high << 32 | low
            }
        }
    });
    cells.collect()
}

fn in_the_ir(function: &Function, args: &[u64], memory: &[u8]) -> Result<End, Fault> {
    let geometry = Geometry { tid: [0; 3], ctaid: [0; 3], ntid: [1; 3], nctaid: [1; 3] };
    let mut bytes = memory.to_vec();
    let run = interpret(function, args, &geometry, &mut bytes, 200_000)?;
    let panic = match run.outcome {
        Outcome::Returned => None,
        Outcome::Panicked { site, values } => Some((function.sites[site as usize].line, values)),
    };
    Ok(End { memory: canonical(&bytes), panic })
}

fn interface(function: &Function) -> Interface {
    let scalar = |ty| match ty {
        Type::F32 => Scalar::F32,
        Type::F64 => Scalar::F64,
        Type::I32 => Scalar::I32,
        _ => Scalar::I64,
    };
    let params = function
        .params
        .iter()
        .map(|param| Param { name: param.name.clone(), ty: ParamType::Scalar(scalar(param.ty)) });
    Interface { params: params.collect(), files: vec![(1, "random.rs".to_owned())] }
}

/// Zeros in shared and local memory, as the interpreter has them.
fn clear(function: &mut Function, insts: &mut Vec<Inst>) {
    let loc = Loc::default();
    let zero = function.add_value(Type::I64);
    insts.push(Inst { result: Some(zero), op: Op::Const(0), loc });
    for (i, slot) in function.slots.clone().into_iter().enumerate() {
        let address = function.add_value(Type::I32);
        let op = Op::SlotAddr(Slot(i as u32));
        insts.push(Inst { result: Some(address), op, loc });
        for offset in (0..slot.size as i64).step_by(8) {
            let op = Op::Store { space: slot.space, address, offset, value: zero };
            insts.push(Inst { result: None, op, loc });
        }
    }
}

/// The function with a parameter more, which every address in global memory is moved by: what it
/// computes from addresses stays what it is in the interpreter's memory.
fn movable(function: &Function) -> Function {
    let mut function = function.clone();
    let number = function.add_param("distance", Type::I64);
    let distance = function.add_value(Type::I64);
    for block in function.layout.clone() {
        let mut insts = Vec::new();
        if block == function.entry() {
            let op = Op::Param(number);
            insts.push(Inst { result: Some(distance), op, loc: Loc::default() });
            clear(&mut function, &mut insts);
        }
        for mut inst in std::mem::take(&mut function.block_mut(block).insts) {
            if let Op::Load { space: Space::Global, address, .. }
            | Op::Store { space: Space::Global, address, .. } = &mut inst.op
            {
                let op = Op::Binary(Binary::Iadd, *address, distance);
                *address = function.add_value(Type::I64);
                insts.push(Inst { result: Some(*address), op, loc: inst.loc });
            }
            insts.push(inst);
        }
        function.block_mut(block).insts = insts;
    }
    function
}

fn in_ptx(function: &Function, args: &[u64], memory: &[u8]) -> End {
    let function = &movable(function);
    let module = generate_ptx(function, &interface(function));
    let text = module.to_string();
    let metadata = module.metadata.expect("our PTX has metadata");
    let device = Memory::new();
    let address = device.allocate(memory.len() as u64).expect("memory");
    device.write(address, memory).expect("inside the allocation");
    let record = device.allocate(PanicRecord::SIZE as u64).expect("memory");
    device.write(record, &[0; PanicRecord::SIZE]).expect("inside the allocation");

    let mut params = Vec::new();
    let distance = address.wrapping_sub(GLOBAL_BASE);
    for (param, arg) in function.params.iter().zip(args.iter().chain([&distance])) {
        let size = param.ty.bytes() as usize;
        params.resize(params.len().next_multiple_of(size), 0);
        params.extend(&arg.to_le_bytes()[..size]);
    }
    if metadata.panics.is_some() {
        params.resize(params.len().next_multiple_of(8), 0);
        params.extend(record.to_le_bytes());
    }
    let program = Program::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kernel = program.kernel(&function.name).expect("the entry");
    let launch = Launch {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
        params: &params,
        workers: Some(1),
    };
    ptx_emulator::run(kernel, &launch, &device).unwrap_or_else(|fault| panic!("{fault}\n{text}"));

    let mut bytes = vec![0; memory.len()];
    device.read(address, &mut bytes).expect("inside the allocation");
    let mut raw = [0; PanicRecord::SIZE];
    device.read(record, &mut raw).expect("inside the allocation");
    let record = PanicRecord::from_bytes(&raw);
    let panic = (record.state == PanicRecord::COMPLETE).then(|| {
        let site = &metadata.panics.expect("a panic needs a table").sites[record.site as usize];
        let count = site.value_types().expect("a message of ours").len();
        (site.line, record.values[..count].to_vec())
    });
    End { memory: canonical(&bytes), panic }
}

#[test]
fn random_functions_mean_the_same_in_ptx() {
    for seed in 0..cases() {
        let function = generate(seed.wrapping_add(1 << 41));
        let mut optimized = function.clone();
        let options = Options { contract: false, ..Options::default() };
        run(&mut optimized, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let mut random = Random::new(seed ^ 0x5eed);
        for _ in 0..2 {
            let args = [
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
            let expected = match in_the_ir(&function, &args, &memory) {
                Ok(expected) => expected,
                Err(Fault::Fuel) => continue,
                Err(fault) => panic!("seed {seed}: {fault}\n{function}"),
            };
            for (what, function) in [("plain", &function), ("optimized", &optimized)] {
                let found = in_ptx(function, &args, &memory);
                assert!(
                    found == expected,
                    "seed {seed}, {what}, {args:x?}\n{function}\n{}\n{expected:x?}\n{found:x?}",
                    generate_ptx(function, &interface(function)),
                );
            }
        }
    }
}
