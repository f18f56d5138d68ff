//! What does not compile, and what the user reads then: one error for one mistake, at the user's
//! own token. And what has to compile without a warning.
//!
//! `TRYBUILD=overwrite cargo test --test compile_fail` writes the expected messages anew; read the
//! difference.

#[test]
fn each_mistake_is_one_error_at_its_own_place() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}

#[test]
fn sound_kernels_compile_without_a_warning() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_pass/*.rs");
}

/// The `.stderr` files are what a user sees, so what is never right is checked over all of them.
#[test]
fn messages_are_one_error_each_and_keep_to_the_users_words() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/compile_fail");
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).expect("the cases are there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|extension| extension != "stderr") {
            continue;
        }
        cases += 1;
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let errors = text.lines().filter(|line| line.starts_with("error")).count();
        assert_eq!(errors, 1, "{name} has {errors} errors:\n{text}");
        for internal in [
            "HIR",
            "ExprKind",
            "Diagnostic",
            "syn::",
            "proc-macro derive panicked",
            "custom attribute panicked",
            "__program",
            "PROGRAM",
            "on_host",
        ] {
            assert!(!text.contains(internal), "{name} says `{internal}`:\n{text}");
        }
    }
    assert!(cases >= 25, "{cases} cases");
}
