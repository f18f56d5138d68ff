//! Values that turned out to be other values.

use crate::ir::{Function, Value};

/// Maps a value to the one that replaces it.
pub(super) struct Aliases(Vec<Value>);

impl Aliases {
    pub(super) fn new(function: &Function) -> Aliases {
        Aliases((0..function.values.len() as u32).map(Value).collect())
    }

    /// From now on `old` is `new`. A chain may not close to a ring.
    pub(super) fn replace(&mut self, old: Value, new: Value) {
        let new = self.resolve(new);
        if new != old {
            self.grow(old);
            self.0[old.index()] = new;
        }
    }

    /// What stands for a value now.
    pub(super) fn resolve(&self, mut value: Value) -> Value {
        while let Some(&next) = self.0.get(value.index()) {
            if next == value {
                break;
            }
            value = next;
        }
        value
    }

    fn grow(&mut self, value: Value) {
        let known = self.0.len();
        self.0.extend((known..=value.index()).map(|i| Value(i as u32)));
    }

    /// Replaces all operands of a function.
    pub(super) fn apply(&self, function: &mut Function) {
        function.map_operands(|value| self.resolve(value));
    }
}
