//! From spans to source positions.

use crate::ir::Loc;
use proc_macro2::Span;

/// Turns spans into positions, and numbers the files that they come from.
///
/// Inside a procedural macro a span knows its file, as rustc names it in panic messages. Outside
/// one it does not, and then the name that the caller gave stands for it.
#[derive(Debug)]
pub struct Locator {
    name: String,
    files: Vec<String>,
}

impl Locator {
    /// `name` stands for the file of spans that know none.
    pub fn new(name: impl Into<String>) -> Locator {
        Locator { name: name.into(), files: Vec::new() }
    }

    /// Where a span begins; unknown where the compiler does not say.
    pub fn locate(&mut self, span: Span) -> Loc {
        let start = span.start();
        if start.line == 0 {
            return Loc::default();
        }
        // Without a compiler, proc-macro2 makes names up: `<parsed string 3>`, `<unspecified>`.
        let file = span.file();
        let file = if file.is_empty() || file.starts_with('<') { &self.name } else { &file };
        let index = match self.files.iter().position(|known| known == file) {
            Some(index) => index,
            None => {
                self.files.push(file.clone());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_outside_a_macro_carry_the_callers_name_and_count_from_one() {
        let item: syn::Ident = syn::parse_str("\n  name").unwrap();
        let mut locator = Locator::new("kernel.rs");
        assert_eq!(locator.locate(item.span()), Loc { file: 1, line: 2, column: 3 });
        assert_eq!(locator.into_files(), [(1, "kernel.rs".to_owned())]);
    }
}
