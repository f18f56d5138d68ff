//! What is not loaded, and what it says.

mod common;

use common::kernel;
use ptx_emulator::{LoadError, Program};

fn refused(body: &str) -> String {
    match Program::load(&kernel(body)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("loaded: {body}"),
    }
}

#[test]
fn an_unknown_instruction_is_named_with_its_line() {
    assert_eq!(
        refused("add.u32 %r0, %r0, 1;\nfrobnicate.sync.u32 %r0, %r1;"),
        "kernel `k`, line 14: `frobnicate.sync.u32`: unknown instruction"
    );
    assert_eq!(
        refused("\n@%p0 wgmma.fence.sync.aligned;"),
        "kernel `k`, line 14: `wgmma.fence.sync.aligned`: unknown instruction"
    );
}

#[test]
fn an_unknown_modifier_is_never_ignored() {
    for instruction in [
        "add.rz.f32 %f0, %f1, %f2",
        "add.foo.u32 %r0, %r1, %r2",
        "ld.global.foo.u32 %r0, [%rd0]",
        "ld.foo.u32 %r0, [%rd0]",
        "mul.u32 %r0, %r1, %r2",
        "mul.wide.u64 %rd0, %rd1, %rd2",
        "cvt.f32.u32 %f0, %r0",
        "cvt.rn.u32.u32 %r0, %r1",
        "cvt.rzi.ftz.s32.f64 %r0, %fd0",
        "cvt.u32.b32 %r0, %r1",
        "sqrt.f32 %f0, %f1",
        "sin.f32 %f0, %f1",
        "setp.u32 %p0, %r0, %r1",
        "setp.ltu.u32 %p0, %r0, %r1",
        "setp.lt.and.xor.u32 %p0, %r0, %r1, %p1",
        "atom.global.add.b32 %r0, [%rd0], %r1",
        "atom.local.add.u32 %r0, [%r1], %r1",
        "atom.global.min.f32 %f0, [%rd0], %f1",
        "shfl.bfly.b32 %r0, %r1, %r2, %r3",
        "vote.all.pred %p0, %p1",
        "bar.red.popc.u32 %r0, 0, %p0",
        "bra.foo L",
        "cvta.shared.u64 %rd0, %rd1",
        "prmt.b32.xyz %r0, %r1, %r2, %r3",
        "mov.pred.foo %p0, %p1",
        "shf.l.b32 %r0, %r1, %r2, %r3",
        "and.u32.b32 %r0, %r1, %r2",
        "call.uni f",
    ] {
        let said = refused(&format!("L: {instruction};"));
        assert!(said.ends_with("unknown instruction") || said.contains("expected"), "{said}");
    }
}

#[test]
fn operands_are_checked() {
    for (instruction, said) in [
        ("add.u32 %r0, %r1", "expected three operands"),
        ("add.u32 %r0, %r1, %r99", "`%r99` is not declared"),
        ("add.u32 %r0, %r1, %tid.w", "`%tid.w` is not declared"),
        ("add.u32 %r0, %r1, %rd1", "`%rd1` has 64 bits, which does not fit the instruction"),
        ("add.u64 %rd0, %r1, %rd1", "`%r1` has 32 bits, which does not fit the instruction"),
        ("add.u32 %rd0, %r1, %r1", "`%rd0` has 64 bits, which does not fit the instruction"),
        ("add.u32 %r0, %p1, %r1", "`%p1` has 1 bits, which does not fit the instruction"),
        ("add.u32 5, %r1, %r1", "expected a register"),
        ("add.f32 %f0, %f1, 5", "expected a register or a constant of the instruction's type"),
        ("@%r0 ret", "`%r0` has 32 bits, which does not fit the instruction"),
        ("@%q ret", "`%q` is not declared"),
        ("bra NOWHERE", "no label `NOWHERE`"),
        ("ld.global.u32 %r0, [%r1]", "`%r1` has 32 bits, which does not fit the instruction"),
        ("ld.global.u32 %r0, %rd0", "expected an address in brackets"),
        ("ld.global.v2.u32 %r0, [%rd0]", "expected as many registers as the vector has elements"),
        ("ld.param.u64 %rd0, [other]", "`other` is not declared"),
        ("ld.param.u64 %rd0, [in+8]", "8 bytes at offset 8 are not inside the parameter `in`"),
        ("ld.param.u32 %r0, [in+2]", "4 bytes at offset 2 are not inside the parameter `in`"),
        ("ld.param.u32 %r0, [in+-4]", "4 bytes at offset -4 are not inside the parameter `in`"),
        ("mov.b64 %rd0, {%r0, %r1, %r2}", "expected as many parts as fill the register"),
        ("lop3.b32 %r0, %r1, %r2, %r3, 256", "expected a truth table of 0 to 255"),
        (
            "setp.lt.u32 %p0, %r0, %r1, %p1",
            "expected a third predicate with .and, .or or .xor alone",
        ),
        (
            "setp.lt.and.u32 %p0, %r0, %r1",
            "expected a third predicate with .and, .or or .xor alone",
        ),
        ("selp.u32 %r0, %r1, %r2, %r3", "`%r3` has 32 bits, which does not fit the instruction"),
        ("ld.shared.u32 %r0, [depot]", "expected a variable of the instruction's space"),
    ] {
        let got = refused(&format!(".local .b8 depot[8];\n{instruction};"));
        assert!(got.ends_with(said), "{instruction}: {got}");
    }
}

#[test]
fn declarations_are_checked() {
    for (body, said) in [
        ("L: ret;\nL: ret;", "kernel `k`: `L` is declared twice"),
        (".reg .b128 %q<2>; ret;", "kernel `k`: cannot declare `%q` as a .b128 register"),
        (
            ".shared .align 4 .b8 big[49153]; ret;",
            "kernel `k`: its shared variables take 49153 bytes, above the limit of 49152",
        ),
        (
            ".shared .b64 huge[0x7fffffffffffffff]; ret;",
            "kernel `k`: its shared variables take 18446744073709551615 bytes, above the limit of 49152",
        ),
        (
            ".local .b32 big[200000]; ret;",
            "kernel `k`: its local variables take 800000 bytes, above the limit of 524288",
        ),
        (".shared .b8 x[4]; .shared .b8 x[4]; ret;", "kernel `k`: `x` is declared twice"),
    ] {
        assert_eq!(refused(body), said);
    }
}

#[test]
fn text_that_is_not_ptx() {
    for text in ["", "hello", "\0", ".version 6.0", "{{{{"] {
        match Program::load(text) {
            Err(error @ LoadError::Syntax(_)) => {
                assert!(error.to_string().starts_with("the text is not PTX: "));
            }
            Err(other) => panic!("{text:?}: {other}"),
            Ok(program) => assert_eq!(program.kernels().count(), 0, "{text:?}"),
        }
    }
}

#[test]
fn a_module_may_have_several_kernels() {
    let text = ".version 6.0\n.target sm_70\n.address_size 64
        .visible .entry a() { ret; }
        .entry b(.param .u32 x) { ret; }";
    let program = Program::load(text).expect("it loads");
    let names: Vec<&str> = program.kernels().map(|kernel| kernel.name()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(program.kernel("b").expect("it is there").param_bytes(), 4);
    assert!(program.kernel("c").is_none());
}

#[test]
fn shared_variables_of_the_module_count_where_they_are_used() {
    let text = ".version 6.0\n.target sm_70\n.address_size 64
        .shared .align 4 .b8 x[100];
        .shared .align 8 .b8 y[16];
        .entry a() { .reg .b32 %r<2>; mov.u32 %r0, x; ret; }
        .entry b() { .reg .b32 %r<2>; ld.shared.u32 %r0, [y+4]; ld.shared.u32 %r1, [x]; ret; }
        .entry c() { ret; }";
    let program = Program::load(text).expect("it loads");
    let bytes: Vec<u32> = program.kernels().map(|kernel| kernel.static_shared_bytes()).collect();
    assert_eq!(bytes, [100, 120, 0]);
}

#[test]
fn more_registers_than_slots() {
    // All live at the same time: each is read after all have been written.
    let count = 70_000;
    let mut body = format!(".reg .b32 %many<{count}>;\n");
    for i in 0..count {
        body.push_str(&format!("mov.u32 %many{i}, {i};\n"));
    }
    for i in 0..count {
        body.push_str(&format!("xor.b32 %r0, %r0, %many{i};\n"));
    }
    body.push_str("ret;");
    assert_eq!(refused(&body), "kernel `k`: too many registers live at a time");
}

#[test]
fn registers_that_do_not_live_together_share() {
    let count = 70_000;
    let mut body = format!(".reg .b32 %many<{}>;\nmov.u32 %many0, 1;\n", count + 1);
    for i in 0..count {
        body.push_str(&format!("add.u32 %many{}, %many{i}, 1;\n", i + 1));
    }
    body.push_str(&format!("ld.param.u64 %rd0, [out]; st.global.u32 [%rd0], %many{count}; ret;"));
    let run = common::launch(&kernel(&body), [1; 3], [32, 1, 1], &[], 1, 0);
    run.outcome.as_ref().expect("it runs");
    assert_eq!(run.output32()[0], count + 1);
}
