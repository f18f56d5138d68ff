//! From spans to source positions.

use std::path::{Path, PathBuf};

use crate::ir::Loc;
use proc_macro2::Span;

/// Turns spans into positions, and numbers the files that they come from.
///
/// Inside a procedural macro a span knows its file, as rustc names it in panic messages. Outside
/// one it does not, and then the name that the caller gave stands for it.
#[derive(Debug)]
pub struct Locator {
    name: String,
    package: Option<PathBuf>,
    files: Vec<String>,
}

impl Locator {
    /// `name` stands for the file of spans that know none.
    pub fn new(name: impl Into<String>) -> Locator {
        Locator { name: name.into(), package: None, files: Vec::new() }
    }

    /// Names files with an absolute path from this directory on.
    pub fn package(self, package: Option<PathBuf>) -> Locator {
        Locator { package, ..self }
    }

    /// Where a span begins; unknown where the compiler does not say.
    pub fn locate(&mut self, span: Span) -> Loc {
        let start = span.start();
        if start.line == 0 {
            return Loc::default();
        }
        // Without a compiler, proc-macro2 makes names up: `<parsed string 3>`, `<unspecified>`.
        let file = span.file();
        let file = if file.is_empty() || file.starts_with('<') {
            self.name.clone()
        } else {
            portable(&file, self.package.as_deref())
        };
        let index = match self.files.iter().position(|known| *known == file) {
            Some(index) => index,
            None => {
                self.files.push(file);
                self.files.len() - 1
            }
        };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        // rustc counts lines and columns from one, proc-macro2 columns from zero.
        Loc { file: number(index) + 1, line: number(start.line), column: number(start.column) + 1 }
    }

    /// The files met so far, with the numbers that stand for them in every [`Loc`].
    pub fn into_files(self) -> Vec<(u32, String)> {
        (1..).zip(self.files).collect()
    }
}

/// The file's name without the place where it was built, so that the same source gives the same
/// text everywhere.
///
/// For packages of the workspace cargo gives paths from its root on, which stay. For those of a
/// registry it gives absolute ones: `/home/me/.cargo/registry/src/…/blur-1.0.0/src/lib.rs` becomes
/// `blur-1.0.0/src/lib.rs`.
fn portable(file: &str, package: Option<&Path>) -> String {
    let path = Path::new(file);
    if !path.is_absolute() {
        return file.to_owned();
    }
    let inside = package.and_then(|package| {
        let rest = path.strip_prefix(package).ok()?;
        Some(Path::new(package.file_name()?).join(rest))
    });
    let name = || path.file_name().map_or_else(PathBuf::new, PathBuf::from);
    inside.unwrap_or_else(name).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_says_where_it_was_built() {
        let package = Path::new("/home/me/.cargo/registry/src/index/blur-1.0.0");
        let file = "/home/me/.cargo/registry/src/index/blur-1.0.0/src/lib.rs";
        assert_eq!(portable("kernels/src/lib.rs", Some(package)), "kernels/src/lib.rs");
        assert_eq!(portable(file, Some(package)), "blur-1.0.0/src/lib.rs");
        assert_eq!(portable("/tmp/out/generated.rs", Some(package)), "generated.rs");
        assert_eq!(portable(file, None), "lib.rs");
    }

    #[test]
    fn positions_outside_a_macro_carry_the_callers_name_and_count_from_one() {
        let item: syn::Ident = syn::parse_str("\n  name").unwrap();
        let mut locator = Locator::new("kernel.rs");
        assert_eq!(locator.locate(item.span()), Loc { file: 1, line: 2, column: 3 });
        assert_eq!(locator.into_files(), [(1, "kernel.rs".to_owned())]);
    }
}
