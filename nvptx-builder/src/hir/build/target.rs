//! What `break` and `continue` can name.

use super::Builder;
use super::coerce::Merge;
use crate::hir::LoopId;

/// A loop or a labelled block around the current expression.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) label: Option<String>,
    pub(super) id: LoopId,
    pub(super) kind: TargetKind,
    /// The `break`s' values, of a `loop` or a block.
    pub(super) values: Merge,
    /// Some `break` gets there.
    pub(super) may_break: bool,
    /// The condition of a `while` is being walked, where a plain `break` is an error.
    pub(super) in_condition: bool,
}

/// The construct, which decides what can leave it how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetKind {
    Loop,
    While,
    For,
    Block,
}

impl TargetKind {
    pub(super) fn keyword(self) -> &'static str {
        match self {
            TargetKind::Loop => "loop",
            TargetKind::While => "while",
            TargetKind::For => "for",
            TargetKind::Block => "a labelled block",
        }
    }
}

impl Builder<'_> {
    /// Opens a target around what is walked next.
    pub(super) fn enter(&mut self, label: &Option<syn::Label>, kind: TargetKind, values: Merge) {
        let label = label.as_ref().map(|label| label.name.ident.to_string());
        let id = self.new_loop();
        let (may_break, in_condition) = (false, false);
        self.targets.push(Target { label, id, kind, values, may_break, in_condition });
    }

    /// The innermost target.
    ///
    /// # Panics
    /// Outside of every target; only between an `enter` and its `leave` is it called.
    pub(super) fn target(&mut self) -> &mut Target {
        self.targets.last_mut().expect("a target was entered")
    }

    /// Closes the innermost target.
    pub(super) fn leave(&mut self) -> Target {
        self.targets.pop().expect("a target was entered")
    }
}
