//! Which name means what, where.

use std::collections::HashMap;

use crate::hir::{Expr, LocalId};

/// All scopes around the current expression, innermost last.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    frames: Vec<Frame>,
    consts: Vec<ConstState<'a>>,
}

/// One scope.
enum Frame {
    /// A block's names.
    Names(HashMap<String, Name>),
    /// The value of a constant: the locals outside it cannot be seen inside.
    ConstBody,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Local(LocalId),
    Const(ConstId),
    /// Declared, but its declaration was an error.
    Broken,
}

/// Index of a local `const` item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConstId(usize);

/// How far a local `const` item is.
#[derive(Clone)]
pub(super) enum ConstState<'a> {
    /// Not needed so far.
    Declared(&'a syn::ItemConst),
    /// Being evaluated: to need it now is a cycle.
    Running,
    /// Its value, or an error that was reported.
    Done(Option<Expr>),
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Name(Name),
    /// A local that exists, but outside the constant that mentions it.
    OutOfReach,
    Nothing,
}

impl<'a> Scopes<'a> {
    pub(super) fn open(&mut self) {
        self.frames.push(Frame::Names(HashMap::new()));
    }

    pub(super) fn open_const_body(&mut self) {
        self.frames.push(Frame::ConstBody);
        self.open();
    }

    pub(super) fn close_const_body(&mut self) {
        self.close();
        self.close();
    }

    pub(super) fn close(&mut self) {
        self.frames.pop();
    }

    /// Makes `name` mean `what` from here to the end of the innermost scope.
    pub(super) fn declare(&mut self, name: String, what: Name) {
        if let Some(Frame::Names(names)) = self.frames.last_mut() {
            names.insert(name, what);
        }
    }

    /// Whether the innermost scope itself declares `name`.
    pub(super) fn declares(&self, name: &str) -> bool {
        matches!(self.frames.last(), Some(Frame::Names(names)) if names.contains_key(name))
    }

    pub(super) fn new_const(&mut self, item: &'a syn::ItemConst) -> ConstId {
        self.consts.push(ConstState::Declared(item));
        ConstId(self.consts.len() - 1)
    }

    pub(super) fn const_state(&mut self, id: ConstId) -> &mut ConstState<'a> {
        &mut self.consts[id.0]
    }

    pub(super) fn find(&self, name: &str) -> Found {
        let mut inside_const = false;
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::ConstBody => inside_const = true,
                Frame::Names(names) => match names.get(name) {
                    Some(Name::Local(_)) if inside_const => return Found::OutOfReach,
                    Some(found) => return Found::Name(*found),
                    None => {}
                },
            }
        }
        Found::Nothing
    }

    /// Takes away the scopes inside the one that declares `id`; [`Self::restore`] brings them back.
    pub(super) fn leave_to(&mut self, id: ConstId) -> Inner {
        let declares = |frame: &Frame| match frame {
            Frame::Names(names) => names.values().any(|name| *name == Name::Const(id)),
            Frame::ConstBody => false,
        };
        let depth = self.frames.iter().rposition(declares).map_or(self.frames.len(), |at| at + 1);
        Inner(self.frames.split_off(depth))
    }

    pub(super) fn restore(&mut self, inner: Inner) {
        self.frames.extend(inner.0);
    }
}

/// Scopes that are out of sight for a while.
pub(super) struct Inner(Vec<Frame>);
