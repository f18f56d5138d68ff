//! rustc is the judge of types: every binding of the corpus has the type that rustc's MIR gives it.

#![cfg(feature = "compiler")]

mod hir_support;

use std::collections::BTreeMap;

use hir_support::{PRELUDE, accept, describe, functions, rustc};
use nvptx_builder::hir;

/// The bindings of a function, sorted: name and type.
type Bindings = Vec<(String, String)>;

/// Reads `--emit=mir`: the declarations `let _3: usize;` and the names `debug i => _3;`.
fn bindings_of_mir(mir: &str) -> BTreeMap<String, Bindings> {
    let mut functions = BTreeMap::new();
    let consts: BTreeMap<String, String> = mir
        .lines()
        .filter(|line| !line.starts_with(char::is_whitespace))
        .map(|line| line.strip_prefix("const ").unwrap_or(line))
        .filter_map(|line| line.split_once(" = ")?.0.split_once(": "))
        .map(|(name, ty)| (name.to_owned(), ty.to_owned()))
        .collect();
    let mut current: Option<(String, BTreeMap<String, String>, Bindings)> = None;
    for line in mir.lines() {
        let text = line.trim();
        if let Some(rest) = line.strip_prefix("fn ") {
            let (name, rest) = rest.split_once('(').expect("a signature");
            let (params, _) = rest.rsplit_once(") -> ").expect("a signature");
            let mut types = consts.clone();
            let params = params.split("_").filter_map(|param| param.split_once(": "));
            for (local, ty) in params {
                types.insert(format!("_{local}"), ty.trim().trim_end_matches(',').to_owned());
            }
            current = Some((name.to_owned(), types, Vec::new()));
        } else if line == "}" {
            if let Some((name, _, mut bindings)) = current.take() {
                bindings.sort();
                functions.insert(name, bindings);
            }
        } else if let Some((_, types, bindings)) = &mut current {
            if let Some(rest) = text.strip_prefix("let ") {
                let rest = rest.strip_prefix("mut ").unwrap_or(rest).trim_end_matches(';');
                if let Some((local, ty)) = rest.split_once(": ") {
                    types.insert(local.to_owned(), ty.to_owned());
                }
            } else if let Some(rest) = text.strip_prefix("debug ") {
                let (name, place) =
                    rest.trim_end_matches(';').split_once(" => ").expect("a debug line");
                bindings.push((name.to_owned(), type_of(place, types)));
            }
        }
    }
    functions
}

/// The type of what a `debug` line names: a local, or a constant such as `const 5_i32`, which is
/// all that is left of a variable that the program does not need.
fn type_of(place: &str, types: &BTreeMap<String, String>) -> String {
    const SCALARS: [&str; 12] =
        ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];
    if let Some(ty) = types.get(place) {
        return ty.replace("&'static ", "&");
    }
    let Some(value) = place.strip_prefix("const ") else { return place.to_owned() };
    let (owner, name) = value.rsplit_once("::").unwrap_or(("", value));
    match name {
        "true" | "false" => return "bool".into(),
        "()" => return "()".into(),
        "BITS" | "MANTISSA_DIGITS" => return "u32".into(),
        _ => {}
    }
    // `u8::MAX`, `core::f32::<impl f32>::NAN`, `std::f32::consts::PI`
    let owner = owner.trim_end_matches('>').trim_end_matches("::consts");
    let owner = owner.rsplit([' ', ':']).next().unwrap_or_default();
    if SCALARS.contains(&owner) {
        return owner.to_owned();
    }
    types.get(value).or_else(|| types.get(name)).cloned().unwrap_or_else(|| {
        let suffix = SCALARS.iter().find(|scalar| value.ends_with(*scalar));
        suffix.map_or(value, |scalar| scalar).to_string()
    })
}

/// Compares the bindings of a kernel with those of rustc's function of that name.
fn compare(kernel: &hir::Kernel, mir: &BTreeMap<String, Bindings>) -> Result<usize, String> {
    let locals = kernel.locals.iter();
    let locals = locals.filter(|local| local.name != "_" && local.name != "temporary");
    let mut ours: Bindings =
        locals.map(|local| (local.name.clone(), local.ty.to_string())).collect();
    ours.sort();
    let mut theirs = mir.get(&kernel.name).cloned().unwrap_or_default();
    // The iterator that a `for` hides.
    theirs.retain(|(name, _)| name != "iter");
    if ours == theirs {
        return Ok(ours.len());
    }
    let only_ours: Vec<_> = ours.iter().filter(|b| !theirs.contains(b)).collect();
    let only_theirs: Vec<_> = theirs.iter().filter(|b| !ours.contains(b)).collect();
    Err(format!("{}: ours {only_ours:?}, rustc's {only_theirs:?}", kernel.name))
}

#[test]
fn every_binding_has_the_type_that_rustc_gives_it() {
    let corpus = include_str!("hir_corpus/inference.rs");
    let (output, file) = rustc("inference", &format!("{PRELUDE}\n{corpus}"), "mir");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mir = bindings_of_mir(&std::fs::read_to_string(file).expect("rustc wrote the MIR"));

    let mut failures = Vec::new();
    let mut compared = 0;
    for item in functions(corpus) {
        match hir::build(&item) {
            Ok(kernel) => match compare(&kernel, &mir) {
                Ok(count) => compared += count,
                Err(difference) => failures.push(difference),
            },
            Err(errors) => {
                let name = &item.sig.ident;
                failures.extend(errors.iter().map(|error| format!("{name}: {}", describe(error))));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 250, "only {compared} bindings were compared");
}

/// Programs made at random, most of them wrong: front end and rustc agree on which are right, and
/// on the types in those.
#[test]
fn random_programs_are_judged_as_rustc_judges_them() {
    let sources: Vec<String> = (0..700).map(|seed| Generator::new(seed).function()).collect();
    let mut accepted = Vec::new();
    let mut rejected = Vec::new();
    for source in &sources {
        match hir_support::build(source) {
            Ok(kernel) => accepted.push((source, kernel)),
            Err(errors) => rejected.push((source, errors)),
        }
    }
    assert!(accepted.len() > 60 && rejected.len() > 60, "{} accepted", accepted.len());

    // The lints find arithmetic that would panic: not a matter of types.
    let allow = "#![allow(arithmetic_overflow, unconditional_panic)]\n";
    let lines: Vec<&str> = accepted.iter().map(|(source, _)| source.as_str()).collect();
    let (output, file) = rustc("random", &format!("{allow}{}\n{PRELUDE}", lines.join("\n")), "mir");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mir = bindings_of_mir(&std::fs::read_to_string(file).expect("rustc wrote the MIR"));
    let failures: Vec<String> = accepted
        .iter()
        .filter_map(|(source, kernel)| {
            compare(kernel, &mir).err().map(|difference| format!("{difference}\n{source}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));

    let sources: Vec<&str> = rejected.iter().map(|(source, _)| source.as_str()).collect();
    let wrongly = hir_support::accepted_by_rustc(allow, &sources);
    let wrongly: Vec<String> = rejected
        .iter()
        .filter(|(source, _)| wrongly.contains(&source.as_str()))
        .map(|(source, errors)| format!("{source}\n    {}", describe(&errors[0])))
        .collect();
    assert!(wrongly.is_empty(), "rustc accepts:\n{}", wrongly.join("\n"));
}

/// A source of programs: the kinds of its expressions fit, their types often do not.
struct Generator {
    seed: u64,
    state: u64,
    /// Names with their kinds.
    names: Vec<(String, Sort)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Int,
    Float,
    Bool,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let names = [("n", Sort::Int), ("u", Sort::Int), ("x", Sort::Float), ("c", Sort::Bool)];
        let names = names.map(|(name, sort)| (name.to_owned(), sort)).to_vec();
        Generator { seed, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, names }
    }

    fn below(&mut self, bound: u64) -> u64 {
        // xorshift64* of Vigna
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn function(mut self) -> String {
        let mut body = String::new();
        for number in 0..=self.seed % 3 {
            let sort = [Sort::Int, Sort::Int, Sort::Float, Sort::Bool][self.below(4) as usize];
            let value = self.expr(sort, 2);
            let annotation = match (sort, self.below(5)) {
                (Sort::Int, 0) => self.pick(&[": i32", ": u8", ": usize", ": i64", ": _"]),
                (Sort::Float, 0) => self.pick(&[": f32", ": f64"]),
                _ => "",
            };
            let name = format!("v{number}");
            body.push_str(&format!("let mut {name}{annotation} = {value}; "));
            self.names.push((name.clone(), sort));
            match self.below(6) {
                0 => {
                    let value = self.expr(sort, 2);
                    let op = match sort {
                        Sort::Int => self.pick(&["=", "+=", "<<=", "&=", "%="]),
                        Sort::Float => self.pick(&["=", "+=", "*="]),
                        Sort::Bool => self.pick(&["=", "^="]),
                    };
                    body.push_str(&format!("{name} {op} {value}; "));
                }
                1 if sort == Sort::Int => body.push_str(&format!("y[{name}] = 0.0; ")),
                2 if sort == Sort::Int => {
                    let end = self.expr(sort, 1);
                    body.push_str(&format!("for i in {name}..{end} {{ y[i] = 1.0; }} "));
                }
                _ => {}
            }
        }
        let seed = self.seed;
        format!("fn random_{seed}(n: i32, u: u8, x: f32, c: bool, y: &mut [f32]) {{ {body}}}")
    }

    fn leaf(&mut self, sort: Sort) -> String {
        let known: Vec<String> =
            self.names.iter().filter(|name| name.1 == sort).map(|name| name.0.clone()).collect();
        if self.below(2) == 0 {
            return known[self.below(known.len() as u64) as usize].clone();
        }
        let suffix = match (sort, self.below(12)) {
            (Sort::Int, 0) => self.pick(&["i32", "u8", "i64", "usize"]),
            (Sort::Float, 0) => self.pick(&["f32", "f64"]),
            _ => "",
        };
        match sort {
            Sort::Int => format!("{}{suffix}", self.below(100)),
            Sort::Float => format!("{}.5{suffix}", self.below(10)),
            Sort::Bool => self.pick(&["true", "false"]).into(),
        }
    }

    fn expr(&mut self, sort: Sort, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(sort);
        }
        let depth = depth - 1;
        match self.below(10) {
            0..=2 => self.leaf(sort),
            3 => {
                let condition = self.expr(Sort::Bool, depth);
                let (a, b) = (self.expr(sort, depth), self.expr(sort, depth));
                format!("if {condition} {{ {a} }} else {{ {b} }}").replacen("if", "(if", 1) + ")"
            }
            4 => {
                let value = self.expr(sort, depth);
                format!("{{ {value} }}").replacen('{', "({", 1) + ")"
            }
            5 => match sort {
                Sort::Int => {
                    let from = [Sort::Int, Sort::Float, Sort::Bool][self.below(3) as usize];
                    let value = self.expr(from, depth);
                    format!("(({value}) as {})", self.pick(&["i32", "u8", "usize", "i64"]))
                }
                Sort::Float => {
                    let from = [Sort::Int, Sort::Float][self.below(2) as usize];
                    let value = self.expr(from, depth);
                    format!("(({value}) as {})", self.pick(&["f32", "f64"]))
                }
                Sort::Bool => {
                    let value = self.expr(Sort::Bool, depth);
                    format!("!({value})")
                }
            },
            6 => match sort {
                Sort::Int => {
                    let method = self.pick(&["max", "min", "wrapping_add"]);
                    let (a, b) = (self.expr(sort, depth), self.expr(sort, depth));
                    format!("({a}).{method}({b})")
                }
                Sort::Float => {
                    let method = self.pick(&["sqrt", "abs"]);
                    format!("({}).{method}()", self.expr(sort, depth))
                }
                Sort::Bool => {
                    let op = self.pick(&["&&", "||", "&", "^", "=="]);
                    format!("({} {op} {})", self.expr(sort, depth), self.expr(sort, depth))
                }
            },
            7 if sort == Sort::Float => format!("y[{}]", self.expr(Sort::Int, depth)),
            7 if sort == Sort::Int => {
                let (a, b) = (self.expr(sort, depth), self.expr(sort, depth));
                format!("[{a}, {b}][{}]", self.expr(Sort::Int, depth))
            }
            _ => match sort {
                Sort::Int => {
                    let op = self.pick(&["+", "-", "*", "/", "%", "&", "|", "<<", ">>"]);
                    let (a, b) = (self.expr(sort, depth), self.expr(sort, depth));
                    let sign = self.pick(&["", "", "", "-", "!"]);
                    format!("{sign}({a} {op} {b})")
                }
                Sort::Float => {
                    let op = self.pick(&["+", "-", "*", "/"]);
                    let (a, b) = (self.expr(sort, depth), self.expr(sort, depth));
                    let sign = self.pick(&["", "", "-"]);
                    format!("{sign}({a} {op} {b})")
                }
                Sort::Bool => {
                    let of = [Sort::Int, Sort::Float][self.below(2) as usize];
                    let op = self.pick(&["<", "<=", "==", "!="]);
                    format!("({} {op} {})", self.expr(of, depth), self.expr(of, depth))
                }
            },
        }
    }
}

/// The dump is Rust again, fully annotated: rustc must agree with each type in it, those of
/// expressions and literals too.
#[test]
fn the_typed_dump_is_accepted_by_rustc() {
    let corpus = include_str!("hir_corpus/inference.rs");
    let mut source = String::from(PRELUDE);
    for item in functions(corpus) {
        use quote::ToTokens;
        source.push_str(&accept(&item.to_token_stream().to_string()).to_string());
    }
    let (output, _) = rustc("dump", &source, "metadata");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
