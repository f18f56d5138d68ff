//! Programs that the front end must reject: with which message, at which token, and whether rustc
//! rejects them too. rustc is asked, so that the kinds in the tables cannot be wrong.

#![cfg(feature = "compiler")]

mod hir_support;

use hir_support::{PRELUDE, build, describe, rustc};
use nvptx_builder::diagnostics::Kind;

/// A rejected program: source, the token at the error, a part of the message.
type Case = (&'static str, &'static str, &'static str);

/// Valid Rust: only we can say that a kernel cannot do it, and what to write instead.
const UNSUPPORTED: &[Case] = &[
    // Signatures.
    ("fn k(x: Vec<f32>) {}", "Vec", "pass a slice, `&[f32]` or `&mut [f32]`"),
    ("fn k(x: &Vec<u8>) {}", "Vec", "pass a slice, `&[u8]`"),
    ("fn k(x: &mut Vec<u8>) {}", "Vec", "pass a slice, `&mut [u8]`"),
    ("fn k(x: Box<[f64]>) {}", "Box", "pass a slice, `&[f64]`"),
    ("fn k(x: &f32) {}", "&", "pass the value, `f32`"),
    ("fn k(x: &mut u32) {}", "&", "pass a slice of one element, `&mut [u32]`"),
    ("fn k(x: [f32; 4]) {}", "[", "pass a slice"),
    ("fn k(x: &[f32; 4]) {}", "[", "pass a slice, `&[f32]`"),
    ("fn k(x: &mut [[i8; 2]; 2]) {}", "[", "compute the index"),
    ("fn k(x: &[[f32; 2]]) {}", "[", "pass it flat"),
    ("fn k(x: &[String]) {}", "String", "text stays on the host"),
    ("fn k(x: String) {}", "String", "text stays on the host"),
    ("fn k(x: &str) {}", "str", "text stays on the host"),
    ("fn k(x: char) {}", "char", "use `u32`"),
    ("fn k(x: i128) {}", "i128", "`i64` and `u64`"),
    ("fn k(x: &[u128]) {}", "u128", "`i64` and `u64`"),
    ("fn k(x: (f32, f32)) {}", "(", "pass each part as a parameter"),
    ("fn k(x: Option<f32>) {}", "Option", "use a `bool` beside the value"),
    ("fn k(x: *const f32) {}", "*", "use a slice"),
    ("fn k(x: fn(f32)) {}", "fn", "write the code in its place"),
    ("fn k(x: impl Copy) {}", "impl Copy", "cannot use a trait type"),
    ("fn k(x: &'static [f32]) {}", "'", "remove it"),
    ("fn k<'a>(x: &'a [f32]) {}", "'a", "needs no lifetime parameters"),
    ("fn k<T>(n: u32) {}", "T", "write one kernel for each type"),
    ("fn k<T: Copy>(x: &[T], y: &mut [T]) { y[0] = x[0]; }", "T: Copy", "one kernel for each type"),
    ("fn k() { let f = |x: f32| x; let a = f(1.0); }", "|", "write the code in place"),
    ("fn k() { let a = (1, (2, 3)); let b = (a.1).0; }", "(", "one variable for each part"),
    ("struct P { x: f32 } fn k(p: P) { let a = p.x; }", "P", "cannot use the type `P`"),
    ("fn k<const N: usize>(n: u32) {}", "const N: usize", "`const N: usize = …;` inside it"),
    ("fn k() where u32: Copy {}", "where", "remove `where`"),
    ("fn k() -> f32 { 1.0 }", "->", "write its results to a `&mut [T]` parameter"),
    ("unsafe fn k() {}", "unsafe", "write `unsafe { … }` inside it"),
    ("const fn k() {}", "const", "remove `const`"),
    ("async fn k() {}", "async", "remove it"),
    ("extern \"C\" fn k() {}", "extern", "remove `extern`"),
    ("fn k(_: f32) {}", "_", "needs a name"),
    ("fn k((a, b): (f32, f32)) {}", "(a, b)", "a plain name"),
    // Types.
    ("fn k() { let a: char; }", "char", "use `u32`"),
    ("fn k() { let a = 1 as i128; }", "i128", "`i64` and `u64`"),
    ("fn k() { let a = 97u8 as char; }", "char", "use `u32`"),
    ("fn k() { let a = 1i128; }", "1i128", "`i64` and `u64`"),
    ("fn k() { let a: (i32, i32); }", "(", "one variable for each part"),
    ("fn k() { let a: [f32; 0] = []; }", "0", "at least one element"),
    ("fn k() { let a = [0.0f32; 0]; }", "0", "at least one element"),
    ("fn k(x: &[f32]) { let a = [x, x]; }", "x", "not references"),
    ("fn k() { let a = [(); 3]; }", "(", "holds scalars"),
    ("fn k() { let a: [u8; _] = [1, 2]; }", "_", "write the array's length"),
    ("fn k() { let a: Vec<u8> = Vec::new(); }", "Vec", "`[f32; 16]`"),
    ("fn k() { let a: &&[f32; 2]; }", "&", "reference to a reference"),
    // Literals.
    ("fn k() { let a = 'x'; }", "'x'", "b'a'"),
    ("fn k() { let a = \"text\"; }", "\"text\"", "text stays on the host"),
    ("fn k() { let a = b\"ab\"; }", "b\"ab\"", "[b'a', b'b']"),
    ("fn k() { let a = c\"ab\"; }", "c\"ab\"", "text stays on the host"),
    // Expressions that no kernel has.
    ("fn k(n: i32) { match n { 1 => {} _ => {} } }", "match", "`if` / `else if` chain"),
    ("fn k() { let f = |a: f32| a; }", "|", "write the code in place"),
    ("fn k() { let t = (1, 2); }", "(", "one variable for each part"),
    ("fn k() { let r = 0..3; }", "..", "`for i in a..b`"),
    ("fn k(x: &[f32]) { let a = &x[1..3]; }", "[", "add the offset to the index"),
    ("fn k(o: bool) { if let true = o {} }", "let", "compare with `==`"),
    ("fn k(o: bool) { if o && let true = o {} }", "let", "compare with `==`"),
    ("fn k(o: bool) { while let true = o {} }", "let", "compare with `==`"),
    ("fn k(n: u8) { let 1 = n else { return }; }", "else", "write an `if` that returns"),
    ("fn k() { let (a, b) = (1, 2); }", "(a, b)", "one `let` for each part"),
    ("fn k() { let [a, b] = [1, 2]; }", "[a, b]", "`let a = x[0];`"),
    ("fn k(x: u8) { let ref a = x; }", "ref", "write `&` before the value"),
    ("fn k(x: u8) { let a @ _ = x; }", "@", "bind the name alone"),
    ("fn k(x: &[u8]) { let &a = &x[0]; }", "&a", "read it with `*`"),
    ("fn k() { let (mut a, _) = (1, 2); }", "(mut a, _)", "one `let` for each"),
    (
        "fn k() { let mut a = 1; let mut b = 2; (a, b) = (b, a); }",
        "(",
        "one assignment for each part",
    ),
    ("fn k() { let a = const { 3 }; }", "const", "`const N: usize = …;`"),
    ("fn k(x: u8) { let p = &raw const x; }", "&", "index a slice"),
    ("fn k() { struct S { a: u8 } let s = S { a: 1 }; }", "struct", "one variable a field"),
    ("fn k() { println!(\"a\"); }", "println", "print it on the host"),
    ("fn k() { panic!(\"a\"); }", "panic", "write `return`"),
    ("fn k(n: i32) { assert!(n > 1); }", "assert", "an `if` that returns"),
    ("fn k() { let v = vec![1, 2]; }", "vec", "`[value; N]`"),
    ("fn k(n: u8) { let a = matches!(n, 1); }", "matches", "compare with `==`"),
    // Calls and methods.
    ("fn f(a: f32) {} fn k() { f(1.0); }", "f", "write its code here"),
    ("fn k() { let a = Some(1); }", "Some", "a `bool` beside the value"),
    ("use thread::x; fn k() { let a = x(); }", "x", "write the scope of `x` too"),
    ("fn k(n: u8) { let a = u32::from(n); }", "from", "write `as u32`"),
    ("fn k(n: u8) { let a: u32 = n.into(); }", "into", "convert with `as`"),
    ("fn k(n: u8) { let a = n.clone(); }", "clone", "scalars are copied"),
    ("fn k(n: u8) { let a = n.pow(2); }", "pow", "multiply instead"),
    ("fn k(x: f32) { let a = x.sin(); }", "sin", "it has `sqrt`, `abs`"),
    ("fn k() { let a = f32::sin(1.0); }", "sin", "it has `sqrt`, `abs`"),
    ("fn k(n: u8) { let a = n.count_ones(); }", "count_ones", "it has `min`, `max`"),
    ("fn k(n: u8, lo: u8) { let a = n.clamp(lo, 9); }", "clamp", "`x.max(low).min(high)`"),
    ("fn k(x: &[f32]) { let a = x.first(); }", "first", "write `x[0]`"),
    ("fn k(x: &[f32]) { let a = x.get(1); }", "get", "`if i < x.len()`"),
    ("fn k(x: &mut [f32]) { x.swap(0, 1); }", "swap", "let t = x[i];"),
    ("fn k(x: &mut [f32]) { x.fill(0.0); }", "fill", "for i in 0..x.len()"),
    ("fn k(x: &[f32]) { let a = x.iter().count(); }", "iter", "for i in 0..x.len()"),
    ("fn k(x: &[f32]) { let p = x.as_ptr(); }", "as_ptr", "index the slice"),
    ("fn k(x: &[i32]) { let r = &x[0]; let a = r.max(&x[1]); }", "max", "(*r).max(…)"),
    ("fn k() { let a = [1, 2] == [1, 2]; }", "==", "compare the elements"),
    ("fn k(x: &[f32], y: &[f32]) { let a = x == y; }", "==", "compare the elements"),
    ("fn k(x: &[f32], y: &mut [f32]) { let r = &x[0]; y[0] += r; }", "r", "with `*`"),
    // Loops.
    ("fn k(x: &[f32]) { for a in x {} }", "x", "for i in 0..x.len()"),
    ("fn k(x: &[f32]) { for a in x.iter() {} }", "iter", "for i in 0..x.len()"),
    ("fn k() { for a in [1, 2] {} }", "[", "for i in 0..x.len()"),
    ("fn k() { for a in (0..4).rev() {} }", "rev", "n - 1 - k"),
    ("fn k() { for a in (0..4).step_by(2) {} }", "step_by", "`while` loop"),
    ("fn k() { for a in 0.. { break; } }", "..", "both ends"),
    ("fn k() { let r = 0..3; for a in r {} }", "..", "two variables"),
    // Names.
    ("const TILE: usize = 8; fn k() { let a = TILE; }", "TILE", "`const TILE: usize = …;`"),
    ("mod m { pub const T: u8 = 8; } fn k() { let a = m::T; }", "T", "not declared in this"),
    ("use core::f32::consts; fn k() { let a = consts::PI; }", "PI", "core::f32::consts::PI"),
    ("static S: u8 = 1; fn k() { let a = S; }", "S", "not declared in this kernel"),
    // Items.
    ("fn k() { static S: u8 = 1; }", "static", "`block::shared::<T>()`"),
    ("fn k() { fn f() {} f(); }", "fn", "where it is called"),
    ("fn k() { use core::f32::consts::PI; }", "use", "before the kernel"),
    ("fn k() { type T = f32; let a: T = 1.0; }", "type", "write the type out"),
    ("fn k() { const C: char = 'a'; }", "char", "use `u32`"),
    ("fn k() { const C: &[u8] = &[1]; }", "&", "remove the `&`"),
    ("fn k() { const C: f32 = f32::max(1.0, 2.0); }", "max", "write the value out"),
    ("fn k() { #[cfg(any())] let a = 1; }", "cfg", "on the whole kernel"),
    ("fn k(n: u8) { let a = [#[cfg(all())] n, n]; }", "cfg", "on the whole kernel"),
    // References.
    ("fn k(n: u8) { let a = &n; }", "&", "an array of one element"),
    ("fn k() { let mut n = 1; let a = &mut n; }", "&", "an array of one element"),
    ("fn k() { let a = &[1, 2]; }", "&", "bind it with `let`"),
    ("fn k() { let a = &1.5; }", "&", "bind it with `let`"),
    ("fn k(x: &[f32]) { let a = &x; }", "&", "remove the `&`"),
    ("fn k() { let a = [1, 2]; let s: &[i32] = &a; }", "&", "`&[T; N]`"),
    ("fn k(y: &mut [f32]) { let s: &[f32] = y; }", "y", "use the mutable slice itself"),
    ("fn k(y: &mut [f32]) { let s = &*y; }", "&", "use the mutable slice itself"),
    ("fn k() { [1, 2][0] = 3; }", "[", "bind it with `let mut` first"),
    (
        "fn k(c: bool, x: &[f32]) { let a = [1.0f32]; let r = if c { &a[0] } else { &x[0] }; }",
        "&",
        "another kind of memory",
    ),
    (
        "fn k() { let mut a = [0u8; 2]; let mut r = &mut a; r = block::shared(); }",
        "block",
        "another kind of memory",
    ),
    ("fn k() { let s = block::shared::<()>(); }", "shared", "[f32; 256]"),
    ("fn k() { let s = block::shared::<&'static [f32; 2]>(); }", "shared", "[f32; 256]"),
    ("fn k() { let s = block::shared::<(u8, u8)>(); }", "(", "one variable for each part"),
];

/// Not Rust: rustc reports it at the host twin.
const INVALID: &[Case] = &[
    ("fn k(x: f32) { let a: i32 = x; }", "x", "expected `i32`, found `f32`"),
    ("fn k(x: f32) { let a = x + 1; }", "+", "`f32` and `{integer}`"),
    ("fn k(a: i32, b: u32) { let c = a + b; }", "+", "`i32` and `u32`"),
    ("fn k(a: i32, b: u32) { let c = a == b; }", "==", "`i32` with `u32`"),
    ("fn k(a: u32) { let c = -a; }", "-", "no meaning for `u32`"),
    ("fn k() { let c = -1 as u32; }", "-", "no meaning for `u32`"),
    ("fn k() { let c: u8 = -1; }", "-", "no meaning for `u8`"),
    ("fn k(a: f32) { let c = !a; }", "!", "no meaning for `f32`"),
    ("fn k(a: bool) { let c = a + a; }", "+", "`bool`"),
    ("fn k(a: f32) { let c = a << 1; }", "<<", "`f32`"),
    ("fn k(a: f32) { let c = a & a; }", "&", "`f32`"),
    ("fn k(mut a: f32) { a <<= 1; }", "<<=", "`f32`"),
    ("fn k(mut a: f32) { a += 1; }", "+=", "`{integer}`"),
    ("fn k(a: i32) { if a {} }", "a", "expected `bool`"),
    ("fn k(a: bool) { let c = a && 1; }", "1", "expected `bool`"),
    ("fn k() { let a = 256u8; }", "256u8", "out of range for `u8`"),
    ("fn k() { let a: i8 = 128; }", "128", "out of range for `i8`"),
    ("fn k() { let a: i8 = -129; }", "-", "out of range for `i8`"),
    ("fn k() { let a = 300 as u8; }", "300", "out of range for `u8`"),
    ("fn k() { let a = 3000000000; }", "3000000000", "out of range for `i32`"),
    ("fn k() { let a = 1e40f32; }", "1e40f32", "out of range for `f32`"),
    ("fn k() { let a = 1u7; }", "1u7", "no suffix"),
    ("fn k() { let a = 1.0u8; }", "1.0u8", "no suffix"),
    ("fn k(n: i32) { let a = n as bool; }", "as", "compare with zero"),
    ("fn k(b: bool) { let a = b as f32; }", "as", "cast to an integer first"),
    ("fn k(x: &[f32]) { let r = &x[0]; let a = r as f32; }", "as", "read it with `*`"),
    ("fn k(x: &[f32]) { let a = x as f32; }", "as", "cannot be cast"),
    ("fn k() { let a = thread::w(); }", "w", "there is no `thread::w`"),
    ("fn k() { let a = Some(1)?; }", "?", "write an `if`"),
    ("fn k() { core::future::ready(1).await; }", "await", "remove `.await`"),
    ("fn k() { let a = nothing; }", "nothing", "there is no `nothing`"),
    ("fn k() { { let a = 1; } let b = a; }", "a", "there is no `a`"),
    ("fn k(x: &[f32], i: i32) { let a = x[i]; }", "i", "write `as usize`"),
    ("fn k(x: &[f32], i: u32) { let a = x[i]; }", "i", "write `as usize`"),
    ("fn k(x: &[f32]) { let a = x[1.0]; }", "1.0", "expected `usize`"),
    ("fn k(x: f32) { let a = x[0]; }", "[", "no elements"),
    ("fn k(x: &[f32]) { x[0] = 1.0; }", "x", "make it `&mut`"),
    ("fn k(x: &[f32]) { let r = &mut x[0]; }", "x", "make it `&mut`"),
    ("fn k() { let a = [0; 2]; a[0] = 1; }", "a", "declare it as `mut a`"),
    ("fn k() { let a = 1; a = 2; }", "a", "declare it as `mut a`"),
    ("fn k(a: u8) { a += 2; }", "a", "declare it as `mut a`"),
    ("fn k() { let a = [0; 2]; let r = &mut a; }", "a", "declare it as `mut a`"),
    ("fn k() { let mut a = [0; 2]; let r = &a; r[0] = 1; }", "r", "make it `&mut`"),
    ("fn k() { 1 = 2; }", "=", "cannot be assigned to"),
    ("fn k(a: u8) { a + 1 = 2; }", "=", "cannot be assigned to"),
    ("fn k() { let a: f32; let b = a; }", "a", "may have no value"),
    ("fn k(c: bool) { let a; if c { a = 1; } let b = a; }", "a", "may have no value"),
    ("fn k(c: bool) { let a; while c { a = 1; break; } let b = a; }", "a", "may have no value"),
    ("fn k() { let mut a: [f32; 2]; a[0] = 1.0; }", "a", "may have no value"),
    ("fn k() { let mut a: i32; a += 1; }", "a", "may have no value"),
    ("fn k() { let a; }", "a", "annotate it"),
    ("fn k(x: &[f32]) { let a = *x.get_unchecked(0); }", "get_unchecked", "`unsafe`"),
    ("fn k() { let a = 1.0; let b = a.sqrt(); }", "sqrt", "which float this is"),
    ("fn k() { let a = 2.0.max(1.0); }", "max", "which float this is"),
    ("fn k() { let a = -1; let b = a.abs(); }", "abs", "which integer this is"),
    ("fn k(x: &[f32]) { let mut m = 0.0; m = m.max(x[0]); }", "max", "which float this is"),
    ("fn k(n: i32) { let a = n.sqrt(); }", "sqrt", "no method `sqrt`"),
    ("fn k(n: u32) { let a = n.abs(); }", "abs", "no method `abs`"),
    ("fn k(x: f32) { let a = x.wrapping_add(1.0); }", "wrapping_add", "no method"),
    ("fn k(x: f32) { let a = x.max(); }", "max", "takes 1 arguments, not 0"),
    ("fn k(x: f32) { let a = x.max(1); }", "1", "expected `f32`"),
    ("fn k(x: f32, d: f64) { let a = f32::max(x, d); }", "d", "expected `f32`"),
    ("fn k() { let a = f32::max(1.0); }", "max", "takes 2 arguments, not 1"),
    ("fn k(x: f32) { let a = core::cmp::max(x, x); }", "max", "a.max(b)"),
    ("fn k(c: bool) { let a = if c { 1 } else { 2.0 }; }", "2.0", "expected `{integer}`"),
    ("fn k(c: bool) { let a = if c { 1 }; }", "}", "expected `{integer}`, found `()`"),
    ("fn k(c: bool) { if c { 1 } }", "1", "expected `()`"),
    ("fn k() { 5 }", "5", "expected `()`"),
    ("fn k() { let a: i32 = { 5; }; }", "}", "expected `i32`, found `()`"),
    ("fn k() { let a = loop { break 1; break 2.0; }; }", "2.0", "expected `{integer}`"),
    ("fn k() { let a: i32 = loop { break; }; }", "break", "expected `i32`, found `()`"),
    ("fn k() { while true { break 1; } }", "break", "cannot leave a `while`"),
    ("fn k() { for i in 0..3 { break i; } }", "break", "cannot leave a `for`"),
    ("fn k() { break; }", "break", "outside of a loop"),
    ("fn k() { continue; }", "continue", "outside of a loop"),
    ("fn k() { loop { break 'a; } }", "'", "no label `'a`"),
    ("fn k() { 'a: { continue 'a; } }", "continue", "cannot name a block"),
    ("fn k() { loop { 'a: { break; } } }", "break", "needs a label"),
    ("fn k() { while { break } {} }", "break", "needs a label"),
    ("fn k() { return 1; }", "1", "expected `()`"),
    ("fn k() { for i in 0.0..1.0 {} }", "for", "not in `f64`"),
    ("fn k(a: u8, b: u16) { for i in a..b {} }", "b", "expected `u8`"),
    ("fn k() { for i in 5 {} }", "5", "goes over a range"),
    ("fn k() { let a = [1, 2.0]; }", "2.0", "expected `{integer}`"),
    ("fn k() { let a: [u8; 3] = [1, 2]; }", "[", "expected `[u8; 3]`"),
    ("fn k(n: usize) { let a = [0; n]; }", "n", "must be known while compiling"),
    ("fn k() { const A: usize = B; const B: usize = A; }", "A", "depends on itself"),
    ("fn k() { const A: u8 = 255 + 1; }", "255", "overflows"),
    ("fn k() { const A: u8 = 1 / 0; }", "1", "divides by zero"),
    ("fn k() { const A: u8 = 1.0; }", "1.0", "expected `u8`"),
    ("fn k() { const A: usize = thread::x(); }", "x", "not known while compiling"),
    ("fn k() { const A: u8 = 1; const A: u8 = 2; }", "A", "declared twice"),
    ("fn k() { const A: u8 = 1; let A = 2; }", "A", "cannot be bound"),
    ("fn k() { const A: _ = 1; }", "_", "must be written"),
    ("fn k() { const A: u8 = { return }; }", "return", "in a constant"),
    ("fn k() { let a = [0; -1]; }", "-", "no meaning for `usize`"),
    ("fn k(a: u8, a: u8) {}", "a", "more than one parameter"),
    ("fn k(a: [f32]) {}", "[", "by reference"),
    ("fn k(a: _) {}", "_", "must be written"),
    ("fn k(x: f32) { let a = *x; }", "*", "cannot be dereferenced"),
    ("fn k(x: &[f32]) { let a = *x; }", "*", "no size"),
    ("fn k(x: &[f32]) { let r = &x[0]; let a = r == 1.0; }", "==", "`&f32` with `{float}`"),
    ("fn k(x: &[f32]) { let r = &x[0]; let a: f32 = r; }", "r", "expected `f32`, found `&f32`"),
    ("fn k(x: &[f32]) { let y = &mut *x; }", "&", "cannot be borrowed as mutable"),
    ("fn k() { let a = thread::x(1); }", "x", "no arguments"),
    ("fn k() { let a: u32 = thread::x(); }", "thread", "expected `u32`, found `usize`"),
    ("fn k() { let a = thread::x::<u8>(); }", "x", "no type arguments"),
    ("fn k() { let a = block::shared(); }", "block", "annotate it"),
    ("fn k(x: &[f32]) { let a = x.len(1); }", "len", "takes 0 arguments, not 1"),
    ("fn k(n: u8) { let a = n(); }", "n", "cannot call `n`"),
];

/// The first error, checked against a case.
fn check(case: &Case, kind: Kind) -> Result<(), String> {
    let (source, token, fragment) = case;
    // The kernel is the last item; what stands before it is only for rustc.
    let file: syn::File = syn::parse_str(source).map_err(|error| format!("{source}: {error}"))?;
    let Some(syn::Item::Fn(item)) = file.items.into_iter().next_back() else {
        return Err(format!("{source}: no function"));
    };
    let Err(errors) = nvptx_builder::hir::build(&item) else {
        return Err(format!("{source}: accepted"));
    };
    let all = || errors.iter().map(describe).collect::<Vec<_>>().join("\n    ");
    let Some(error) = errors.first() else { return Err(format!("{source}: no error")) };
    let at = error.span.source_text().unwrap_or_default();
    if error.kind != kind && *source != "fn k(n: u8) { let a = n(); }" {
        return Err(format!("{source}: wrong kind\n    {}", all()));
    }
    if at != *token {
        return Err(format!("{source}: at `{at}`, not at `{token}`\n    {}", all()));
    }
    if !error.message.contains(fragment) {
        return Err(format!("{source}: no `{fragment}` in the message\n    {}", all()));
    }
    if errors.len() > 1 {
        return Err(format!("{source}: one mistake, several errors\n    {}", all()));
    }
    for internal in ["HIR", "LocalId", "LoopId", "Ty::", "Type::", "Kind", "Span", "Some(", "Rc"] {
        if error.message.contains(internal) && !source.contains(internal) {
            return Err(format!("{source}: `{internal}` leaks\n    {}", all()));
        }
    }
    Ok(())
}

fn check_all(cases: &[Case], kind: Kind) {
    let failures: Vec<String> = cases.iter().filter_map(|case| check(case, kind).err()).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn unsupported_rust_says_what_to_write_instead() {
    check_all(UNSUPPORTED, Kind::Unsupported);
}

#[test]
fn invalid_rust_is_left_to_rustc() {
    check_all(INVALID, Kind::Invalid);
}

#[test]
fn what_is_unsupported_is_valid_for_rustc() {
    let mut source = String::from(PRELUDE);
    for (number, (case, ..)) in UNSUPPORTED.iter().enumerate() {
        source.push_str(&format!("mod case_{number} {{ use super::*; {case} }}\n"));
    }
    let (output, _) = rustc("unsupported", &source, "metadata");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_is_invalid_is_rejected_by_rustc() {
    let sources: Vec<&str> = INVALID.iter().map(|(source, ..)| *source).collect();
    let accepted = hir_support::accepted_by_rustc("", &sources);
    assert!(accepted.is_empty(), "rustc accepts:\n{}", accepted.join("\n"));
}

#[test]
fn several_mistakes_are_several_errors_in_one_run() {
    let errors = build(
        "fn k(x: Vec<f32>, y: &mut [f32]) {
            let a = 'c';
            let b = a + 1;
            y[0] = match 1 { _ => 2.0 };
            for v in y.iter() {}
            println!(\"{b}\");
            let z = x[0];
            y[1] = 1u8;
        }",
    )
    .expect_err("five mistakes");
    let found: Vec<String> =
        errors.iter().map(|error| error.span.source_text().unwrap_or_default()).collect();
    assert_eq!(found, ["Vec", "'c'", "match", "iter", "println", "1u8"]);
}

#[test]
fn too_many_parameter_bytes_are_itemised() {
    let params: Vec<String> = (0..256).map(|at| format!("p{at}: &[f32]")).collect();
    let errors = build(&format!("fn big(flag: bool, {}) {{}}", params.join(", ")))
        .expect_err("4112 bytes of parameters");
    let [error] = &errors[..] else { panic!("{}", errors.len()) };
    assert_eq!(error.kind, Kind::Unsupported);
    assert_eq!(error.span.source_text().as_deref(), Some("big"));
    for part in ["4112 bytes", "4096", "`flag: bool` 1", "`p255: &[f32]` 16", "panic record 8"] {
        assert!(error.message.contains(part), "no {part} in {}", error.message);
    }
    assert!(build(&format!("fn fits({}) {{}}", params[..255].join(", "))).is_ok());
}

#[test]
fn deep_nesting_is_an_error_and_not_an_overflow() {
    // As much as syn itself can take on a test's stack.
    let on_a_large_stack = |source: String| {
        let run = move || {
            let result = build(&source);
            result.err().map(|errors| errors.iter().map(describe).collect::<Vec<_>>())
        };
        let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run);
        thread.expect("a thread").join().expect("no overflow")
    };
    let deep = [
        format!("fn k() {{ let a = {}1{}; }}", "(".repeat(500), ")".repeat(500)),
        format!("fn k() {{ let a = {}1; }}", "-".repeat(500)),
        format!("fn k() {{ let a = 1{}; }}", " + 1".repeat(500)),
        format!("fn k() {{ {} {} }}", "{".repeat(500), "}".repeat(500)),
        format!("fn k() {{ let a: {}f32{}; }}", "[".repeat(500), "; 1]".repeat(500)),
    ];
    for source in deep {
        let errors = on_a_large_stack(source).expect("an error");
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains("nested too deeply"), "{errors:?}");
    }
}

#[test]
fn real_nesting_fits_a_small_stack() {
    let source = format!("fn k(x: u64) {{ let a = x{}; }}", " + x".repeat(190));
    let run = move || build(&source).is_ok();
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    assert!(thread.expect("a thread").join().expect("no overflow"));
}
