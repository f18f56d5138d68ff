//! Copies that happen at once, one after another.

use crate::ptx::Operand;

/// A copy into a register; `class` is what `mov` says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Copy {
    pub(super) to: String,
    pub(super) from: Operand,
    pub(super) class: &'static str,
}

/// Orders copies that are meant to happen all at once so that none overwrites what another still
/// reads; a cycle goes through a temporary register.
pub(super) fn in_sequence(
    copies: Vec<Copy>,
    mut temporary: impl FnMut(&'static str) -> String,
) -> Vec<Copy> {
    let reads =
        |copy: &Copy, register: &str| matches!(&copy.from, Operand::Name(name) if name == register);
    let mut pending: Vec<Copy> = copies.into_iter().filter(|c| !reads(c, &c.to)).collect();
    let mut done = Vec::new();
    while !pending.is_empty() {
        let free = pending.iter().position(|copy| !pending.iter().any(|c| reads(c, &copy.to)));
        if let Some(free) = free {
            done.push(pending.remove(free));
            continue;
        }
        // All that is left are cycles: save what the first copy overwrites.
        let first = &pending[0];
        let saved = Copy {
            to: temporary(first.class),
            from: Operand::Name(first.to.clone()),
            class: first.class,
        };
        for copy in &mut pending {
            if copy.from == saved.from {
                copy.from = Operand::Name(saved.to.clone());
            }
        }
        done.push(saved);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn copy(to: &str, from: &str) -> Copy {
        Copy { to: to.to_owned(), from: Operand::Name(from.to_owned()), class: "b32" }
    }

    #[test]
    fn swaps_chains_and_fans_give_what_simultaneous_copies_give() {
        let cases: [&[(&str, &str)]; 5] = [
            &[("a", "b"), ("b", "a")],
            &[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")],
            &[("a", "a"), ("b", "a")],
            &[("a", "b"), ("c", "b"), ("b", "d")],
            &[("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")],
        ];
        for case in cases {
            let copies = case.iter().map(|(to, from)| copy(to, from)).collect();
            let mut count = 0;
            let sequence = in_sequence(copies, |_| {
                count += 1;
                format!("t{count}")
            });
            let mut registers: HashMap<String, String> =
                ["a", "b", "c", "d"].map(|name| (name.to_owned(), name.to_owned())).into();
            for copy in sequence {
                let Operand::Name(from) = copy.from else { unreachable!() };
                let value = registers[&from].clone();
                registers.insert(copy.to, value);
            }
            for (to, from) in case {
                assert_eq!(registers[*to], *from, "{case:?}");
            }
        }
    }
}
