//! The optimiser: what ptxas does not do for us, one pass a file.

use crate::Options;
use crate::ir::{Function, VerifyError, verify};

/// A pass has broken the function, or the function was not valid to begin with: a mistake of the
/// compiler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The function given is invalid.
    #[error("internal error: invalid IR before optimising: {0}")]
    Input(VerifyError),
    /// The pass named has left an invalid function behind.
    #[error("internal error: invalid IR after {pass}: {error}")]
    Pass {
        /// The pass's name.
        pass: &'static str,
        /// What is wrong.
        error: VerifyError,
    },
}

/// Runs all passes, and verifies the function before the first and after each.
///
/// # Errors
/// If the function does not verify.
pub fn run(function: &mut Function, options: &Options) -> Result<(), Error> {
    let _ = options;
    verify(function).map_err(Error::Input)
}
