//! Whatever tree is printed, the parser gives back.

#[path = "ptx/random.rs"]
mod random;

use nvptx_builder::metadata::{Metadata, PanicSite, Panics, Param, ParamType, Scalar};
use nvptx_builder::ptx::*;
use random::Random;

const TYPES: &[&str] = &["u8", "s32", "b64", "f32", "pred", "v2.f32", "v4.b32", "b128"];
const WORDS: &[&str] =
    &["global", "v4", "f32", "L1::no_allocate", "m16n8k16", "2d", "rn", "cta_group::1"];
const STRINGS: &[&str] = &[
    "",
    "a b.rs",
    "C:\\dir\\x.rs",
    "q\"uote",
    "line\nbreak",
    "tab\té\u{1f980}",
    "\\",
    "\\n",
    "\\u{e9}\\u{",
    "é",
    "\0",
    " x ",
];

fn name(r: &mut Random) -> String {
    let names =
        ["a", "_", "%r1", "$L__BB0_2", "k$panic", "_Z5twicef", "L1", "generic", "%tid", "x_9"];
    r.pick(&names).to_owned()
}

fn string(r: &mut Random) -> String {
    r.pick(STRINGS).to_owned()
}

fn operand(r: &mut Random, depth: usize) -> Operand {
    match r.below(if depth == 0 { 7 } else { 10 }) {
        0 => Operand::Name(if r.flip() { "%tid.x".to_owned() } else { name(r) }),
        1 => Operand::Not(name(r)),
        2 => Operand::Int(match r.below(4) {
            0 => r.u64().into(),
            1 => -i128::from(r.u64()),
            2 => i64::MIN.into(),
            _ => r.below(10) as i128,
        }),
        3 => Operand::F32(r.u64() as u32),
        4 => Operand::F64(r.u64()),
        5 => {
            let offset = r.u64() as i64;
            let small = r.below(9) as i64 - 4;
            let base = r.flip().then(|| name(r));
            Operand::Address { base, offset: if r.flip() { offset } else { small } }
        }
        6 => {
            let offset = r.u64() as i64;
            Operand::Offset(name(r), r.pick(&[0, 4, -4, i64::MIN, offset]))
        }
        7 => Operand::Vector(r.many(4, |r| operand(r, depth - 1))),
        8 => Operand::List(r.many(4, |r| operand(r, depth - 1))),
        _ => Operand::Pair(operand(r, 0).into(), operand(r, 0).into()),
    }
}

fn variable(r: &mut Random, space: &str) -> Variable {
    let param = space == "param";
    let mut attributes = Vec::new();
    if param && r.flip() {
        attributes = [".ptr", ".global", ".align 16"].map(str::to_owned).to_vec();
    } else if space == "global" && r.flip() {
        attributes = vec![".attribute(.managed)".to_owned()];
    }
    let dims = r.many(2, |r| r.flip().then(|| r.u64() >> r.below(64)));
    let init = match (param, dims.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => r.many(1, |r| operand(r, 0)),
        // A vector inside an initialiser is flattened, so none is generated.
        (false, false) => r.many(5, |r| operand(r, 0)),
    };
    Variable {
        linkage: (!param).then(|| linkage(r)).flatten(),
        space: space.to_owned(),
        align: r.flip().then(|| 1 << r.below(8)),
        ty: r.pick(TYPES).to_owned(),
        name: name(r),
        dims,
        attributes,
        init,
    }
}

fn linkage(r: &mut Random) -> Option<String> {
    r.pick(&[None, Some("visible"), Some("extern"), Some("weak"), Some("common")])
        .map(str::to_owned)
}

fn statement(r: &mut Random, depth: usize) -> Statement {
    match r.below(if depth == 0 { 7 } else { 8 }) {
        0 => Statement::Label(name(r)),
        1 => Statement::Registers {
            ty: r.pick(TYPES).to_owned(),
            prefix: name(r),
            count: r.flip().then(|| r.u64() as u32),
        },
        2 => {
            let space = r.pick(&["shared", "local", "param", "global"]);
            Statement::Variable(variable(r, space))
        }
        3 => Statement::Loc {
            file: r.u64() as u32,
            line: r.u64() as u32,
            column: r.below(90) as u32,
        },
        4 => Statement::Pragma(string(r)),
        5 | 6 => Statement::Instruction(Instruction {
            guard: r.flip().then(|| Guard { register: name(r), negated: r.flip() }),
            opcode: r.pick(&["ld", "mov", "call", "ret", "bra"]).to_owned(),
            modifiers: r.many(5, |r| r.pick(WORDS).to_owned()),
            operands: r.many(4, |r| operand(r, 2)),
        }),
        _ => Statement::Block(r.many(4, |r| statement(r, depth - 1))),
    }
}

fn function(r: &mut Random) -> Function {
    Function {
        entry: r.flip(),
        linkage: linkage(r),
        returns: r.flip().then(|| variable(r, "param")),
        name: name(r),
        params: r.many(4, |r| variable(r, "param")),
        directives: r.many(3, |r| {
            (r.pick(&["maxntid", "minnctapersm", "noreturn"]).to_owned(), r.many(3, Random::u64))
        }),
        body: r.flip().then(|| r.many(12, |r| statement(r, 3))),
    }
}

fn metadata(r: &mut Random) -> Metadata {
    let kernel = r.pick(&["saxpy", "größe", "k$panic"]).to_owned();
    let files: Vec<_> = (0..r.below(4)).map(|i| (i as u32 * 7, string(r))).collect();
    let mut params = Vec::new();
    for name in ["a", "r#type", "naïve"] {
        if r.flip() {
            let element = r.pick(&Scalar::ALL);
            let ty = match r.below(3) {
                0 => ParamType::Scalar(element),
                n => ParamType::Slice { element, mutable: n == 1 },
            };
            params.push(Param { name: name.to_owned(), ty });
        }
    }
    let panics = (r.flip() && !files.is_empty()).then(|| {
        let sites = r.many(4, |r| PanicSite {
            file: r.pick(&files).0,
            line: r.u64() as u32,
            column: r.below(200) as u32,
            message: r
                .pick(&["", "{{{u8}}} \"é\"\n", "{usize}{f32}", "\\ \u{7f} {bool}"])
                .to_owned(),
        });
        Panics::new(&kernel, &files, sites)
    });
    Metadata { kernel, params, files, panics }
}

fn module(r: &mut Random) -> Module {
    Module {
        metadata: r.flip().then(|| metadata(r)),
        version: (r.below(10) as u32, r.below(12) as u32),
        target: r.pick(&["sm_70", "sm_90a", "sm_103f"]).to_owned(),
        target_options: r.many(2, |r| r.pick(&["debug", "texmode_independent"]).to_owned()),
        address_size: r.pick(&[32, 64]),
        items: r.many(6, |r| match r.below(3) {
            0 => Item::File { index: r.u64() as u32, name: string(r) },
            1 => {
                let space = r.pick(&["global", "const", "shared"]);
                Item::Variable(variable(r, space))
            }
            _ => Item::Function(function(r)),
        }),
    }
}

#[test]
fn parsing_a_printed_tree_gives_the_tree() {
    let mut r = Random::new(1);
    for i in 0..3000 {
        let module = module(&mut r);
        let text = module.to_string();
        let parsed = parse(&text).unwrap_or_else(|error| panic!("{i}: {error}\n{text}"));
        assert_eq!(parsed, module, "{i}\n{text}");
        assert_eq!(parsed.to_string(), text);
        assert!(text.is_ascii(), "ptxas takes nothing else\n{text}");
    }
}

#[test]
fn labels_stand_at_column_0_and_every_statement_has_its_line() {
    let mut r = Random::new(2);
    for _ in 0..100 {
        let body = r.many(9, |r| statement(r, 0));
        let function = Function {
            body: Some(body.clone()),
            params: vec![],
            directives: vec![],
            ..function(&mut r)
        };
        let text = function.to_string();
        let lines: Vec<_> = text.lines().skip_while(|line| *line != "{").skip(1).collect();
        assert_eq!(lines.len(), body.len() + 1);
        for (line, statement) in lines.iter().zip(&body) {
            let label = matches!(statement, Statement::Label(_));
            assert_eq!(!line.starts_with("    "), label, "{line}");
        }
    }
}
