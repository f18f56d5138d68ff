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

#[test]
fn every_binding_has_the_type_that_rustc_gives_it() {
    let corpus = include_str!("hir_corpus/inference.rs");
    let (output, file) = rustc("inference", &format!("{PRELUDE}\n{corpus}"), "mir");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let theirs = bindings_of_mir(&std::fs::read_to_string(file).expect("rustc wrote the MIR"));

    let mut failures = Vec::new();
    let mut compared = 0;
    for item in functions(corpus) {
        let name = item.sig.ident.to_string();
        let kernel = match hir::build(&item) {
            Ok(kernel) => kernel,
            Err(errors) => {
                failures.extend(errors.iter().map(|error| format!("{name}: {}", describe(error))));
                continue;
            }
        };
        let locals = kernel.locals.iter();
        let locals = locals.filter(|local| local.name != "_" && local.name != "temporary");
        let mut ours: Bindings =
            locals.map(|local| (local.name.clone(), local.ty.to_string())).collect();
        ours.sort();
        let mut theirs = theirs.get(&name).cloned().unwrap_or_default();
        // The iterator that a `for` hides.
        theirs.retain(|(name, _)| name != "iter");
        compared += ours.len();
        if ours != theirs {
            let only_ours: Vec<_> = ours.iter().filter(|b| !theirs.contains(b)).collect();
            let only_theirs: Vec<_> = theirs.iter().filter(|b| !ours.contains(b)).collect();
            failures.push(format!("{name}: ours {only_ours:?}, rustc's {only_theirs:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 250, "only {compared} bindings were compared");
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
