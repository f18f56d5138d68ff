//! The whole pipeline, one call.

use crate::diagnostics::Diagnostic;
use crate::metadata::Metadata;

/// What the caller of the compiler can choose: the arguments of `#[kernel(…)]`.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether `a * b + c` may become one fma. On by default.
    pub contract: bool,
    /// Whether the optimising passes run. Off only to compare.
    pub optimize: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { contract: true, optimize: true }
    }
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The PTX text, metadata included.
    pub ptx: String,
    /// The IR that it was generated from, as text, for tests and for the curious.
    pub ir: String,
    /// What the PTX says of itself.
    pub metadata: Metadata,
}

/// Compiles one kernel.
///
/// # Errors
/// Every error found, each at the user's token.
pub fn compile(item: &syn::ItemFn, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let _ = (item, options);
    unimplemented!()
}
