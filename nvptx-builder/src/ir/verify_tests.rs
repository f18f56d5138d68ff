//! What the verifier refuses.

use super::{parse, verify};

fn problem(text: &str) -> String {
    verify(&parse(text).unwrap()).unwrap_err().to_string()
}

/// A function of one block with these lines.
fn body(lines: &str) -> String {
    format!(
        "func @k(i64 %a) {{\n slot s0 = local \"l\" size 8 align 8\n \
         site 0 = 1:1:1 \"value {{u32}}\"\nb0:\n{lines}\n}}"
    )
}

#[test]
fn a_use_must_be_dominated_by_its_definition() {
    assert_eq!(
        problem(&body("v0 = ineg.i32 v1\nv1 = const.i32 1\nret")),
        "b0, instruction 0: the definition of v1 does not dominate this use"
    );
    assert_eq!(
        problem(&body(
            "v0 = const.i1 1\nbr v0, b1, b2\nb1:\nv1 = const.i32 1\njump b2\nb2:\nv2 = ineg.i32 v1\nret"
        )),
        "b2, instruction 0: the definition of v1 does not dominate this use"
    );
    assert_eq!(
        problem(&body("v0 = ineg.i32 v0\nret")),
        "b0, instruction 0: the definition of v0 does not dominate this use"
    );
    assert_eq!(
        problem(&body("v0 = ineg.i32 v7\nret")),
        "b0, instruction 0: v7 is used but never defined"
    );
}

#[test]
fn types_must_agree() {
    for (lines, expected) in [
        ("v0 = const.i32 0x100000000\nret", "the constant 0x100000000 is wider than i32"),
        ("v0 = param.i32 0\nret", "parameter 0 is i64, expected i32"),
        ("v0 = param.i64 1\nret", "there is no parameter 1"),
        ("v0 = const.f32 1.0\nv1 = iadd.f32 v0, v0\nret", "no iadd of f32"),
        ("v0 = const.i1 1\nv1 = iadd.i1 v0, v0\nret", "no iadd of i1"),
        (
            "v0 = const.i32 1\nv1 = const.i64 1\nv2 = iadd.i32 v0, v1\nret",
            "v1 is i64, expected i32",
        ),
        ("v0 = const.i32 1\nv1 = trunc.i64 v0\nret", "no trunc from i32 to i64"),
        ("v0 = const.i1 1\nv1 = sext.i32 v0\nret", "no sext from i1 to i32"),
        ("v0 = const.i64 1\nv1 = load.i32 shared [v0]\nret", "v0 is i64, expected i32"),
        ("v0 = const.i32 1\nv1 = load.i32 global [v0]\nret", "v0 is i32, expected i64"),
        ("v0 = const.i32 1\nv1 = load.i1 local [v0]\nret", "loads an i1"),
        ("v0 = const.i32 1\nv1 = const.i1 1\nstore local [v0], v1\nret", "stores an i1"),
        ("v0 = const.i32 1\nbr v0, b0, b0", "v0 is i32, expected i1"),
        ("v0 = slot_addr.i32 s3\nret", "there is no slot s3"),
    ] {
        let problem = problem(&body(lines));
        assert!(problem.ends_with(expected), "{lines}: {problem}");
    }
}

#[test]
fn jumps_pass_what_their_targets_take() {
    let text = body("v0 = const.i32 1\njump b1\nb1(v1: i32):\nret");
    assert_eq!(problem(&text), "b0, instruction 1: b1 takes 1 arguments, given 0");
    let text = body("v0 = const.i64 1\njump b1(v0)\nb1(v1: i32):\nret");
    assert_eq!(problem(&text), "b0, instruction 1: v0 is i64, expected i32");
    assert_eq!(problem(&body("jump b1")), "b0: goes to b1, which is not laid out");
    assert_eq!(problem("func @k() {\nb0(v0: i32):\nret\n}"), "the entry block has parameters");
    assert_eq!(problem("func @k() {\n}"), "no entry block");
}

#[test]
fn panics_carry_the_values_of_their_message() {
    assert_eq!(problem(&body("panic 0")), "b0, instruction 0: site 0 does not take 0 values");
    assert_eq!(problem(&body("panic 4")), "b0, instruction 0: there is no panic site 4");
    let text = "func @k() {\nsite 0 = 1:1:1 \"{\"\nb0:\nret\n}";
    assert_eq!(problem(text), "site 0: malformed message, or more than 8 values");
    let text = "func @k() {\nsite 0 = 1:1:1 \"{{}} fine\"\nb0:\npanic 0\n}";
    assert_eq!(verify(&parse(text).unwrap()), Ok(()));
}
