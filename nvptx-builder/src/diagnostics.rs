//! Errors that point into the user's source.

use std::fmt;

use proc_macro2::Span;

/// Who will tell the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Valid Rust that this compiler does not accept: only we can say so.
    Unsupported,
    /// Not valid Rust (a type mismatch, an unknown name, a move): rustc reports it on the host
    /// twin, better than we could, and reporting it twice would be noise.
    Invalid,
}

/// One error.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Who reports it.
    pub kind: Kind,
    /// The user's token.
    pub span: Span,
    /// What is wrong and what to write instead; never an internal name.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl From<Diagnostic> for syn::Error {
    fn from(diagnostic: Diagnostic) -> syn::Error {
        syn::Error::new(diagnostic.span, diagnostic.message)
    }
}

/// Collects errors, so that one run reports all of them.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds an error that only this compiler knows of.
    pub fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        self.push(Kind::Unsupported, span, message.into());
    }

    /// Adds an error that rustc will report too.
    pub fn invalid(&mut self, span: Span, message: impl Into<String>) {
        self.push(Kind::Invalid, span, message.into());
    }

    fn push(&mut self, kind: Kind, span: Span, message: String) {
        self.list.push(Diagnostic { kind, span, message });
    }

    /// How many errors there are so far.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// No error so far.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// `value` if there was no error, else all errors.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Vec<Diagnostic>> {
        match value {
            Some(value) if self.list.is_empty() => Ok(value),
            _ => Err(self.list),
        }
    }
}
