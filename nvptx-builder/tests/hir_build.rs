//! What the front end makes of programs that it accepts.

#![cfg(feature = "compiler")]

mod hir_support;

use hir_support::{PRELUDE, accept, functions, invariants, rustc};
use nvptx_builder::hir::{self, Expr, ExprKind, FloatTy, Kernel, Stmt, Ty};

fn dump(source: &str) -> String {
    accept(source).to_string()
}

/// The value of the first `let` of a kernel.
fn first_value(kernel: &Kernel) -> &Expr {
    let values = kernel.body.stmts.iter().find_map(|stmt| match stmt {
        Stmt::Let(_, Some(init)) => Some(init),
        _ => None,
    });
    values.expect("a `let`")
}

#[test]
fn saxpy_is_typed_throughout() {
    let source = "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
        let i = thread::global_x();
        if i < y.len() {
            y[i] += a * x[i];
        }
    }";
    let expected = "\
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i: usize = thread::global_x();
    if i < y.len() {
        y[i] += a * x[i];
    }
}
";
    assert_eq!(dump(source), expected);
}

#[test]
fn a_tiled_product_keeps_its_shape() {
    let source = "fn product(n: usize, a: &[f32], c: &mut [f32]) {
        const TILE: usize = 4 * 4;
        let tile = block::shared::<[[f32; TILE]; TILE]>();
        let (x, y) = (thread::x());
        let mut sum = 0.0;
    }";
    assert!(hir_support::build(source).is_err(), "a tuple pattern");
    let source = "fn product(n: usize, a: &[f32], c: &mut [f32]) {
        const TILE: usize = 4 * 4;
        let tile = block::shared::<[[f32; TILE]; TILE]>();
        let x = thread::x();
        let mut sum = 0.0;
        for k in 0..n / TILE {
            tile[x][0] = a[k * TILE + x];
            block::sync();
            let mut j = 0;
            while j < TILE {
                sum += tile[x][j];
                j += 1;
            }
        }
        c[x] = sum;
    }";
    let expected = "\
fn product(n: usize, a: &[f32], c: &mut [f32]) {
    let tile: &mut [[f32; 16]; 16] /* shared */ = block::shared::<[[f32; 16]; 16]>();
    let x: usize = thread::x();
    let mut sum: f32 = 0.0f32;
    'l0: for k in 0usize..(n / 16usize) {
        tile[x][0usize] = a[(k * 16usize) + x];
        block::sync();
        let mut j: usize = 0usize;
        'l1: while j < 16usize {
            sum += tile[x][j];
            j += 1usize;
        }
    };
    c[x] = sum;
}
";
    assert_eq!(dump(source), expected);
}

#[test]
fn each_shadowing_binding_is_a_local_of_its_own() {
    let kernel = accept("fn k(x: f32) { let x = x as i32; let x = x > 1; { let x = 1u8; } x; }");
    let types: Vec<String> = kernel.locals.iter().map(|local| local.ty.to_string()).collect();
    assert_eq!(types, ["f32", "i32", "bool", "u8"]);
    let Some(Stmt::Expr(Expr { kind: ExprKind::Local(last), .. })) = kernel.body.stmts.last()
    else {
        panic!("{kernel}")
    };
    assert_eq!(last.0, 2);
}

#[test]
fn the_corpus_keeps_what_the_hir_promises() {
    for item in functions(include_str!("hir_corpus/inference.rs")) {
        invariants::check(&hir::build(&item).expect("the corpus is accepted"));
    }
}

#[test]
fn operands_never_diverge() {
    // rustc rejects these, but the front end does not, and must keep its promise all the same.
    let rejected = [
        "let a = x + return;",
        "let a = (return) + 1;",
        "let a = y[return];",
        "y[return] = 1.0;",
        "y[0] += return;",
    ];
    for body in rejected {
        invariants::check(&accept(&format!("fn k(x: f32, y: &mut [f32]) {{ {body} }}")));
    }
    let bodies = [
        "y[0] = return;",
        "let a: f32 = return;",
        "let a = [1, return];",
        "let a = (return) as f32;",
        "let a = x.max(return);",
        "if (return) {}",
        "while (return) {}",
        "while x > 1.0 && (return) {}",
        "x > 1.0 || return;",
        "for i in 0..(return) {}",
        "loop { let a = loop { break return; }; }",
        "'a: while { break 'a } {}",
        "let a = if x > 1.0 { return } else { return };",
        "let a = { return; };",
        "let a: i32 = { return; 5 };",
        "let a = loop {}; a",
        "loop { break block::sync(); }",
        "let u = block::sync(); let v = u; let mut w = v; w = ();",
        "return y[0] = 1.0;",
    ];
    let mut source = String::from(PRELUDE);
    for (at, body) in bodies.iter().enumerate() {
        let function = format!("fn k{at}(x: f32, y: &mut [f32]) {{ {body} }}");
        invariants::check(&accept(&function));
        source.push_str(&function);
    }
    let (output, _) = rustc("diverging", &source, "metadata");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn float_text_is_rounded_once_to_its_type() {
    let bits = |source: &str| match first_value(&accept(source)).kind {
        ExprKind::Float(bits) => bits,
        ref other => panic!("{other:?}"),
    };
    // Halfway between two f32, and just above: by way of f64 both would round down.
    let near = "1.00000005960464477540";
    assert_eq!(bits(&format!("fn k() {{ let a = {near}f32; }}")), u64::from(0x3f80_0001u32));
    assert_eq!(bits(&format!("fn k(x: f32) {{ let mut a = {near}; a = x; }}")), 0x3f80_0001);
    assert_eq!(bits("fn k() { let a = 0.1; }"), 0.1f64.to_bits());
    assert_eq!(bits("fn k() { let a = -0.0f32; }"), u64::from((-0.0f32).to_bits()));
    assert_eq!(bits("fn k() { let a = 1_000.5e-3_f64; }"), 1.0005f64.to_bits());
}

#[test]
fn constants_have_the_value_that_rustc_computes() {
    let constants = [
        ("usize", "(3 + 4) * 5 - 6 / 4"),
        ("i32", "-7 / 2"),
        ("i32", "-7 % 3"),
        ("i64", "i64::MIN + 1"),
        ("u8", "300u32 as u8"),
        ("i8", "200u8 as i8"),
        ("u8", "-1i32 as u8"),
        ("u64", "-1i8 as u64"),
        ("i32", "3.99f32 as i32"),
        ("u8", "-3.5 as u8"),
        ("u8", "1e9 as u8"),
        ("i32", "f32::NAN as i32"),
        ("i64", "f64::INFINITY as i64"),
        ("u32", "1 << 31"),
        ("i32", "-1 >> 3"),
        ("u32", "!0 >> 28"),
        ("i32", "!5"),
        ("u32", "0xff00 & 0x0ff0 | 1 ^ 3"),
        ("u32", "5u32.wrapping_sub(9)"),
        ("u64", "u64::MAX.wrapping_mul(u64::MAX)"),
        ("bool", "3 > 2 && !(1.5 >= 2.5) || false"),
        ("bool", "f32::NAN == f32::NAN"),
        ("bool", "f32::NAN != 1.0"),
        ("u8", "true as u8"),
        ("u32", "if 3 > 4 { 1 } else if true { 2 } else { 3 }"),
        ("usize", "{ 5 } + [1, 2, 3].len() * 0"),
        ("f32", "0.1 + 0.2"),
        ("f64", "0.1 + 0.2"),
        ("f32", "1.0 / 3.0 * 7.0 % 0.5"),
        ("f32", "16777217i32 as f32"),
        ("f32", "0.1f64 as f32"),
        ("f64", "0.1f32 as f64"),
        ("f32", "u64::MAX as f32"),
        ("f64", "-(1u64 as f64)"),
        ("f32", "-core::f32::consts::PI"),
        ("f32", "f32::MIN_POSITIVE / 2.0"),
        ("f32", "1e-50f64 as f32"),
        ("f64", "f64::MAX * 10.0"),
    ];
    let mut source = String::new();
    for (at, (ty, expr)) in constants.iter().enumerate() {
        if expr.contains("len()") {
            continue;
        }
        let kernel = accept(&format!("fn k() {{ const C: {ty} = {expr}; let a = C; }}"));
        let value = first_value(&kernel);
        source.push_str(&format!("const C{at}: {ty} = {expr};\n"));
        source.push_str(&match (&value.kind, &value.ty) {
            (ExprKind::Bool(value), _) => format!("const _: () = assert!(C{at} == {value});\n"),
            (ExprKind::Int(value), ty) => format!("const _: () = assert!(C{at} == {value}{ty});\n"),
            (ExprKind::Float(bits), Ty::Float(FloatTy::F32)) => {
                format!("const _: () = assert!(C{at}.to_bits() == {bits}u32);\n")
            }
            (ExprKind::Float(bits), _) => {
                format!("const _: () = assert!(C{at}.to_bits() == {bits}u64);\n")
            }
            (other, _) => panic!("{expr}: {other:?}"),
        });
    }
    let (output, _) = rustc("constants", &source, "metadata");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// `macro_rules!` wraps what it substitutes into groups that nobody sees.
#[test]
fn invisible_groups_around_substituted_tokens_are_seen_through() {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    let hidden = |source: &str| -> TokenTree {
        let tokens: TokenStream = source.parse().expect("tokens");
        Group::new(Delimiter::None, tokens).into()
    };
    let (ty, value, range, place) = (hidden("f32"), hidden("1 + 2"), hidden("0..4"), hidden("y"));
    let tokens = quote::quote! {
        fn k(y: &mut [#ty]) {
            let a: #ty = 2.0;
            let b = #value * 3;
            for i in #range {
                #place[i] = a;
            }
        }
    };
    let kernel = hir::build(&syn::parse2(tokens).expect("a function")).expect("accepted");
    let text = kernel.to_string();
    assert!(text.contains("let b: i32 = (1i32 + 2i32) * 3i32;"), "{text}");
    assert!(text.contains("for i in 0usize..4usize"), "{text}");
}

#[test]
fn spans_are_those_of_the_first_token() {
    let kernel = accept("fn k(x: &[f32], i: usize) {\n    let a = x[i] + 1.0;\n}");
    let ExprKind::Binary(_, left, _) = &first_value(&kernel).kind else { panic!("{kernel}") };
    assert_eq!(left.span.source_text().as_deref(), Some("x"));
    assert_eq!((left.span.start().line, left.span.start().column), (2, 12));
}

#[test]
fn clamp_of_a_float_keeps_a_nan() {
    let text = dump("fn k(x: f32) { let a = x.clamp(0.0, 1.0); }");
    assert!(!text.contains("min") && !text.contains("max"), "{text}");
    assert!(text.contains("< 0.0f32") && text.contains("> 1.0f32"), "{text}");
}

#[test]
fn names_that_are_keywords_lose_their_prefix() {
    let kernel = accept("fn r#loop(r#type: f32) { let r#fn = r#type; }");
    assert_eq!(kernel.name, "loop");
    assert_eq!(kernel.locals[0].name, "type");
}
