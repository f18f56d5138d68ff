//! The emulator computes what an H200 computed, bit for bit: NaN payloads, saturation, signed zeros
//! and subnormals included. `hardware/h200.txt` holds what the hardware said.

use ptx_emulator::{Launch, Memory, Program, run};

const MEASURED: &str = include_str!("hardware/h200.txt");

/// One line of the table.
struct Row<'a> {
    operation: &'a str,
    /// Inputs and output of each case.
    cases: Vec<(Vec<u64>, u64)>,
}

fn rows() -> impl Iterator<Item = Row<'static>> {
    MEASURED.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (operation, cases) = line.split_once(' ').expect("an operation and its cases");
        let number = |text: &str| u64::from_str_radix(text, 16).expect("a hexadecimal number");
        let case = |text: &str| {
            let (inputs, output) = text.split_once('>').expect("inputs>output");
            (inputs.split(',').map(number).collect(), number(output))
        };
        Row { operation, cases: cases.split(' ').map(case).collect() }
    })
}

/// A kernel that applies the operation to `n` operands of each thread, all widened to 64 bits.
fn kernel(operation: &str, n: usize) -> String {
    let ty = operation.rsplit('.').next().expect("a type");
    let (load, register) = if ty == "f32" { ("f32", "%f") } else { ("f64", "%fd") };
    let loads: String =
        (0..n).map(|i| format!("ld.global.{load} {register}{i}, [%rd3+{}];\n", 8 * i)).collect();
    let operands: Vec<String> = (0..n).map(|i| format!("{register}{i}")).collect();
    let operands = operands.join(", ");
    let integer = operation.split('.').rev().nth(1).unwrap_or_default();
    let to_integer = operation.starts_with("cvt.rzi");
    let compute = if operation.starts_with("setp") {
        format!("{operation} %p1, {operands};\nselp.u32 %r9, 1, 0, %p1;\ncvt.u64.u32 %rd9, %r9;")
    } else if to_integer && integer.ends_with("64") {
        format!("{operation} %rd9, {operands};")
    } else if to_integer {
        format!("{operation} %r9, {operands};\ncvt.u64.u32 %rd9, %r9;")
    } else if operation.split('.').any(|part| part == "f32") && operation != "cvt.f64.f32" {
        format!("{operation} %f9, {operands};\nmov.b32 %r9, %f9;\ncvt.u64.u32 %rd9, %r9;")
    } else {
        format!("{operation} %fd9, {operands};\nmov.b64 %rd9, %fd9;")
    };
    format!(
        ".version 6.0\n.target sm_70\n.address_size 64\n\
         .visible .entry apply(.param .u64 data, .param .u32 count)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.reg .f32 %f<10>;\n.reg .f64 %fd<10>;\n\
         mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n\
         mad.lo.u32 %r1, %r1, %r2, %r3;\nld.param.u32 %r5, [count];\n\
         setp.ge.u32 %p0, %r1, %r5;\n@%p0 bra done;\n\
         ld.param.u64 %rd1, [data];\nmad.wide.u32 %rd3, %r1, 32, %rd1;\n\
         {loads}{compute}\nst.global.u64 [%rd3+24], %rd9;\ndone:\nret;\n}}\n"
    )
}

#[test]
fn every_operation_gives_the_bits_that_an_h200_gave() {
    let mut wrong = Vec::new();
    for row in rows() {
        let operands = row.cases[0].0.len();
        let program = Program::load(&kernel(row.operation, operands))
            .unwrap_or_else(|e| panic!("{}: {e}", row.operation));
        let memory = Memory::new();
        let data = memory.allocate(32 * row.cases.len() as u64).expect("memory");
        for (inputs, at) in row.cases.iter().map(|case| &case.0).zip((data..).step_by(32)) {
            let words = inputs.iter().copied().chain([0; 4]).take(4);
            let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
            memory.write(at, &bytes).expect("inside the allocation");
        }
        let mut params = data.to_le_bytes().to_vec();
        params.extend((row.cases.len() as u32).to_le_bytes());
        let launch = Launch {
            grid: [row.cases.len().div_ceil(128) as u32, 1, 1],
            block: [128, 1, 1],
            dynamic_shared: 0,
            params: &params,
            workers: None,
        };
        let kernel = program.kernel("apply").expect("the entry");
        run(kernel, &launch, &memory).unwrap_or_else(|e| panic!("{}: {e}", row.operation));
        for ((inputs, expected), at) in row.cases.iter().zip((data + 24..).step_by(32)) {
            let mut bytes = [0; 8];
            memory.read(at, &mut bytes).expect("inside the allocation");
            let got = u64::from_le_bytes(bytes);
            if got != *expected {
                wrong.push(format!("{} {inputs:x?}: {got:x}, not {expected:x}", row.operation));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong, such as\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}
