//! PTX text and tree: what the parser accepts, what it makes of it, and what it says when it cannot.

use nvptx_builder::ptx::{
    self, Instruction, Item, Module, Operand, ParseError, Statement, Variable,
};

const HEADER: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

fn module(text: &str) -> Module {
    let text = format!("{HEADER}{text}");
    let module = ptx::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let printed = module.to_string();
    assert_eq!(ptx::parse(&printed).as_ref(), Ok(&module), "{printed}");
    module
}

fn error(text: &str) -> String {
    ptx::parse(text).expect_err(text).to_string()
}

fn body(text: &str) -> Vec<Statement> {
    let mut module = module(&format!(".entry k() {{ {text}\n }}"));
    match module.items.pop() {
        Some(Item::Function(function)) => function.body.unwrap(),
        other => panic!("{other:?}"),
    }
}

fn instruction(text: &str) -> Instruction {
    match body(text).pop() {
        Some(Statement::Instruction(instruction)) => instruction,
        other => panic!("{other:?}"),
    }
}

fn operand(text: &str) -> Operand {
    instruction(&format!("mov.b64 {text};")).operands.pop().unwrap()
}

fn variable(text: &str) -> Variable {
    match module(text).items.pop() {
        Some(Item::Variable(variable)) => variable,
        other => panic!("{other:?}"),
    }
}

fn name(text: &str) -> Operand {
    Operand::Name(text.to_owned())
}

#[test]
fn our_canonical_text_prints_back_byte_for_byte() {
    let text = include_str!("ptx/saxpy.ptx");
    assert_eq!(ptx::parse(text).unwrap().to_string(), text);
}

#[test]
fn every_form_of_integer_has_its_value() {
    for (text, value) in [
        ("0", 0),
        ("42", 42),
        ("-42", -42),
        ("0x1F", 31),
        ("0X1fU", 31),
        ("0b101", 5),
        ("0B101U", 5),
        ("017", 15),
        ("017U", 15),
        ("42U", 42),
        ("0xffffffffffffffff", u64::MAX.into()),
        ("18446744073709551615", u64::MAX.into()),
        ("-9223372036854775808", i64::MIN.into()),
    ] {
        assert_eq!(operand(text), Operand::Int(value), "{text}");
    }
}

#[test]
fn floats_keep_their_bits() {
    assert_eq!(operand("0f3F800000"), Operand::F32(0x3f80_0000));
    assert_eq!(operand("0F7fc00001"), Operand::F32(0x7fc0_0001));
    assert_eq!(operand("0d3FF0000000000000"), Operand::F64(1f64.to_bits()));
    assert_eq!(operand("0DfFF0000000000000"), Operand::F64(f64::NEG_INFINITY.to_bits()));
    assert_eq!(operand("1.5"), Operand::F64(1.5f64.to_bits()));
    assert_eq!(operand("-1.5e-3"), Operand::F64((-1.5e-3f64).to_bits()));
    assert_eq!(operand("2E+4"), Operand::F64(2e4f64.to_bits()));
    assert_eq!(operand(".25"), Operand::F64(0.25f64.to_bits()));
    assert_eq!(operand("0e-5"), Operand::F64(0));
    assert_eq!(operand("-0f00000000"), Operand::F32(0x8000_0000));
}

#[test]
fn malformed_numbers_are_errors() {
    for text in [
        "0x",
        "0b2",
        "08",
        "0f3F80000",
        "0f3F8000000",
        "0d3F800000",
        "12ab",
        "1.2.3",
        "0x1.8",
        "18446744073709551616",
        "0xfffffffffffffffff",
        "1e",
        "0fU",
        "4_2",
        "-x",
        "--1",
    ] {
        let text = format!("{HEADER}.entry k() {{ mov.u32 %r1, {text}; }}");
        error(&text);
    }
}

#[test]
fn addresses_have_a_base_an_offset_or_both() {
    let address =
        |base: Option<&str>, offset| Operand::Address { base: base.map(str::to_owned), offset };
    assert_eq!(operand("[%rd1]"), address(Some("%rd1"), 0));
    assert_eq!(operand("[ %rd1 + 0 ]"), address(Some("%rd1"), 0));
    assert_eq!(operand("[%rd1+0x10]"), address(Some("%rd1"), 16));
    assert_eq!(operand("[%rd1+-4]"), address(Some("%rd1"), -4));
    assert_eq!(operand("[%rd1-4]"), address(Some("%rd1"), -4));
    assert_eq!(operand("[tile$x+8]"), address(Some("tile$x"), 8));
    assert_eq!(operand("[4096]"), address(None, 4096));
    assert_eq!(operand("tile+4"), Operand::Offset("tile".to_owned(), 4));
    assert_eq!(operand("tile-4"), Operand::Offset("tile".to_owned(), -4));
    error(&format!("{HEADER}.entry k() {{ ld.u32 %r1, [a+9223372036854775808]; }}"));
}

#[test]
fn an_opcode_is_split_into_modifiers_also_with_colons_digits_and_spaces() {
    let load = instruction("ld.global.L1::no_allocate.L2::128B.v4.f32 {%f1, _, %f2, %f3}, [%rd1];");
    assert_eq!(load.opcode, "ld");
    assert_eq!(load.modifiers, ["global", "L1::no_allocate", "L2::128B", "v4", "f32"]);
    let elements = [name("%f1"), name("_"), name("%f2"), name("%f3")];
    assert_eq!(load.operands[0], Operand::Vector(elements.into()));

    let mma =
        instruction("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {}, {%f1};");
    assert_eq!(mma.modifiers[2], "m16n8k16");
    assert_eq!(mma.operands[2], Operand::Vector(vec![]));
    assert_eq!(
        instruction("tex.2d .v4 .f32.s32 {%f1}, [t];").modifiers,
        ["2d", "v4", "f32", "s32"]
    );
    assert_eq!(instruction("ret;").operands, []);
}

#[test]
fn guards_negations_and_pairs_are_kept() {
    let shuffle = instruction("@!%p3 shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;");
    let guard = shuffle.guard.unwrap();
    assert!(guard.negated && guard.register == "%p3");
    assert_eq!(shuffle.operands[0], Operand::Pair(name("%r1").into(), name("%p1").into()));
    let compare = instruction("@p setp.lt.and.s32 %p1|_, %tid.x, WARP_SZ, !%p2;");
    assert_eq!(compare.operands[0], Operand::Pair(name("%p1").into(), name("_").into()));
    assert_eq!(compare.operands[1..3], [name("%tid.x"), name("WARP_SZ")]);
    assert_eq!(compare.operands[3], Operand::Not("%p2".to_owned()));
}

#[test]
fn calls_have_argument_lists() {
    let call = instruction("call.uni (retval0), vprintf, (param0, param1);");
    let arguments = Operand::List(vec![name("param0"), name("param1")]);
    assert_eq!(call.operands, [Operand::List(vec![name("retval0")]), name("vprintf"), arguments]);
    assert_eq!(instruction("call f, ();").operands[1], Operand::List(vec![]));
}

#[test]
fn registers_are_declared_by_range_by_name_and_as_vectors() {
    let registers = |ty: &str, prefix: &str, count| Statement::Registers {
        ty: ty.to_owned(),
        prefix: prefix.to_owned(),
        count,
    };
    let text =
        ".reg .b32 %r<9>; .reg .pred p, %q, %s<2>; .reg .v4 .f32 %v; .reg .b64 %rd<4294967295>;";
    assert_eq!(
        body(text),
        [
            registers("b32", "%r", Some(9)),
            registers("pred", "p", None),
            registers("pred", "%q", None),
            registers("pred", "%s", Some(2)),
            registers("v4.f32", "%v", None),
            registers("b64", "%rd", Some(u32::MAX)),
        ]
    );
}

#[test]
fn blocks_nest_and_labels_may_share_a_line_with_an_instruction() {
    let statements = body("$L__BB0_1: { { inner: bra.uni inner; } } ;");
    assert_eq!(statements[0], Statement::Label("$L__BB0_1".to_owned()));
    let Statement::Block(outer) = &statements[1] else { panic!("{statements:?}") };
    let Statement::Block(inner) = &outer[0] else { panic!("{outer:?}") };
    assert_eq!(inner.len(), 2);
}

#[test]
fn a_loc_loses_its_inlining_and_keeps_its_place() {
    let loc = Statement::Loc { file: 1, line: 5, column: 3 };
    let text = ".loc 1 5 3\n.loc\t1 5 3 // x.py:5:3\n\
                .loc 1 5 3, function_name $L__info_string0, inlined_at 1 12 0\n\
                .loc 1 5 3, function_name $L__info_string0+17, inlined_at 2 12 7";
    assert_eq!(body(text), vec![loc; 4]);
}

#[test]
fn branch_targets_and_call_prototypes_survive() {
    let statements = body(
        "$L_brx_0: .branchtargets $L1, $L2; brx.idx %r1, $L_brx_0; $L1: $L2: \
         proto : .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16], .param .b64 _) .noreturn;\
         other: .callprototype _ ();",
    );
    let Statement::Instruction(targets) = &statements[1] else { panic!("{statements:?}") };
    assert_eq!(targets.opcode, ".branchtargets");
    assert_eq!(targets.operands, [name("$L1"), name("$L2")]);
    let Statement::Instruction(prototype) = &statements[6] else { panic!("{statements:?}") };
    let parameters = vec![name(".param .align 8 .b8 _[16]"), name(".param .b64 _")];
    assert_eq!(prototype.operands[2], Operand::List(parameters));
}

#[test]
fn initialisers_are_flattened() {
    let table = variable(".const .align 4 .u32 t[2][2] = {{1, 0x2}, {3U, -4}};");
    assert_eq!(table.dims, [Some(2), Some(2)]);
    assert_eq!(table.init, [1, 2, 3, -4].map(Operand::Int));
    let scalar = variable(".visible .global .f32 s = 0f3F800000;");
    assert_eq!(
        (scalar.linkage.as_deref(), &scalar.init[..]),
        (Some("visible"), &[Operand::F32(0x3f80_0000)][..])
    );
    let pointers = variable(".global .u64 p[3] = {t, t+4, generic(t)+8};");
    let init = [name("t"), Operand::Offset("t".into(), 4), Operand::Offset("generic(t)".into(), 8)];
    assert_eq!(pointers.init, init);
}

#[test]
fn declarations_keep_alignment_attributes_and_open_dimensions() {
    let tile = variable(".extern .shared .align 16 .b8 smem[];");
    assert_eq!(
        (tile.align, &tile.dims[..], tile.space.as_str()),
        (Some(16), &[None][..], "shared")
    );
    let managed = variable(".global .attribute(.managed) .align 4 .u32 m = 3;");
    assert_eq!(managed.attributes, [".attribute(.managed)"]);
    assert_eq!(variable(".global .v4 .f32 v;").ty, "v4.f32");
    assert_eq!(module(".global .u32 a, b[2], c = 1;").items.len(), 3);

    let text = ".visible .entry k(.param .u64 .ptr .global .align 16 x, .param .align 16 .b8 y[64])\n\
                .maxntid 256, 1, 1 .minnctapersm 2 .pragma \"nounroll\"; { .param .b32 p; ret; }";
    let module = module(text);
    let entry = module.entry("k").unwrap();
    assert_eq!(entry.params[0].attributes, [".ptr", ".global", ".align 16"]);
    assert_eq!((entry.params[1].align, &entry.params[1].dims[..]), (Some(16), &[Some(64)][..]));
    let directives =
        [("maxntid".to_owned(), vec![256, 1, 1]), ("minnctapersm".to_owned(), vec![2])];
    assert_eq!(entry.directives, directives);
    assert_eq!(entry.body.as_ref().unwrap()[0], Statement::Pragma("nounroll".to_owned()));
}

#[test]
fn functions_may_be_declared_return_values_and_take_registers() {
    let text = ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);\n\
                .visible .func (.reg .f32 r) f(.reg .f32 a) .noreturn { mov.f32 r, a; ret; }\n\
                .weak .func g; .common .global .align 8 .u64 env; .entry bare { ret; }";
    let module = module(text);
    let functions: Vec<_> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Function(function) => Some((function.name.as_str(), function.body.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(functions, [("vprintf", false), ("f", true), ("g", false), ("bare", true)]);
    assert_eq!(module.entries().count(), 1);
}

#[test]
fn debugging_sections_are_skipped_and_files_are_kept() {
    let text = ".version 7.8\n.target sm_80, debug\n\
                .file 1 \"C:\\\\src\\a.cu\", 1700000000, 1234\n\
                .section .debug_str { $L0: .b8 116,109 // {\n .b64 $L0\n .b32 .debug_abbrev\n .b32 $L1-$L0 }\n\
                .section .debug_macinfo { }\n.file 2 \"b \\\"q\\\".cu\"\n";
    let module = ptx::parse(text).unwrap();
    assert_eq!(module.items.len(), 2);
    assert_eq!((module.file(1), module.file(2)), (Some("C:\\src\\a.cu"), Some("b \"q\".cu")));
    assert_eq!((module.target_options.len(), module.address_size), (0, 64));
    assert_eq!(ptx::parse(&module.to_string()), Ok(module));
}

#[test]
fn comments_of_every_kind_are_white_space() {
    let text = "/* .bad */ .entry /* two\nlines */ k() { // tail \"\n# 1 \"x.cu\"\nret /**/ ; /* é ** / */ }";
    assert_eq!(module(text).entries().count(), 1);
}

#[test]
fn errors_name_the_place_what_stands_there_and_what_should() {
    assert_eq!(
        error(".version 6.0\n.target sm_70\n.entry k() {\n    add.s32 %r1 %r2;\n}\n"),
        "line 4, column 17: expected `,` or `;`, found `%r2`"
    );
    assert_eq!(error(""), "line 1, column 1: expected `.version`, found the end of the text");
    assert_eq!(
        error(".version 6\n.target sm_70"),
        "line 1, column 10: expected a version such as `6.0`, found `6`"
    );
    assert_eq!(
        error(&format!("{HEADER}.entry k() {{ ret;")),
        "line 4, column 18: expected a statement or `}`, found the end of the text"
    );
    assert_eq!(
        error(&format!("{HEADER}.file 1 \"é\" ?")),
        "line 4, column 13: expected PTX text, found `?`"
    );
}

#[test]
fn nul_characters_are_errors_wherever_they_stand() {
    for text in [
        "\0",
        ".version 6.0\n.target sm_70\n// a\0b\n",
        ".version 6.0\n.target sm_70\n.pragma \"\0\";",
    ] {
        error(text);
        error(&format!("{HEADER}/* a\0b */"));
    }
}

#[test]
fn deep_nesting_is_an_error_and_not_a_stack_overflow() {
    let too_deep = |text: String| {
        let result = ptx::parse(&format!("{HEADER}{text}"));
        assert!(matches!(result, Err(ParseError::TooDeep { line: 4, .. })), "{result:?}");
    };
    too_deep(format!(".entry k() {{ {}", "{".repeat(200_000)));
    too_deep(format!(".entry k() {{ mov.b32 {}", "{".repeat(200_000)));
    too_deep(format!(".entry k() {{ call {}", "(".repeat(200_000)));
    too_deep(format!(".global .b8 x[1] = {}", "{".repeat(200_000)));
}

#[test]
fn declarations_cannot_ask_for_memory_out_of_proportion() {
    let (attributes, names) = (" .ptr".repeat(100_000), "x, ".repeat(100_000));
    error(&format!("{HEADER}.global .u32{attributes} {names}y;"));
    error(&format!(
        "{HEADER}.global .attribute({}.managed) .u32 {names}y;",
        ".managed,".repeat(100_000)
    ));
    error(&format!("{HEADER}.entry k() {{ .reg .{} {names}y; }}", "u".repeat(100_000)));
}

#[test]
fn metadata_stands_at_the_head_and_its_end_line_at_the_end() {
    let text = include_str!("ptx/saxpy.ptx");
    let module = ptx::parse(text).unwrap();
    assert_eq!(module.metadata.as_ref().unwrap().kernel, "saxpy");
    let cut = text.strip_suffix("//@ end\n").unwrap();
    assert!(matches!(ptx::parse(cut), Err(ParseError::Metadata(_))));
    let plain = text.lines().filter(|line| !line.starts_with("//@")).collect::<Vec<_>>().join("\n");
    assert_eq!(ptx::parse(&plain).unwrap(), Module { metadata: None, ..module });
}
