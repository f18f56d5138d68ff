//! The dominator tree.
//!
//! Computed with the iterative algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
//! Algorithm" (2001).

use super::{Block, Function};

/// Which block dominates which: `a` dominates `b` if every path from the entry to `b` passes `a`.
/// Blocks that the entry does not reach are outside the tree.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Reachable blocks, each before its successors but for back edges.
    order: Vec<Block>,
    /// Immediate dominators, by block; `None` for the entry and for unreachable blocks.
    idom: Vec<Option<Block>>,
    /// When a walk of the tree enters and leaves each block; `(0, 0)` outside the tree.
    span: Vec<(u32, u32)>,
    children: Vec<Vec<Block>>,
}

impl Dominators {
    /// Of a function as it is now. A function without layout has an empty tree.
    pub fn new(function: &Function) -> Dominators {
        let count = function.blocks.len();
        let order = reverse_postorder(function);
        let mut number = vec![usize::MAX; count];
        for (i, block) in order.iter().enumerate() {
            number[block.index()] = i;
        }
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (i, &block) in order.iter().enumerate() {
            for successor in function.successors(block) {
                predecessors[number[successor.index()]].push(i);
            }
        }

        // Over positions in `order`: a dominator's position is the smaller one.
        let unknown = usize::MAX;
        let mut idom = vec![unknown; order.len()];
        if !order.is_empty() {
            idom[0] = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (i, predecessors) in predecessors.iter().enumerate().skip(1) {
                let mut new = unknown;
                for &predecessor in predecessors {
                    if idom[predecessor] == unknown {
                        continue;
                    }
                    new = if new == unknown {
                        predecessor
                    } else {
                        intersect(&idom, new, predecessor)
                    };
                }
                if idom[i] != new {
                    idom[i] = new;
                    changed = true;
                }
            }
        }

        let mut tree = Dominators {
            idom: vec![None; count],
            span: vec![(0, 0); count],
            children: vec![Vec::new(); count],
            order,
        };
        for (&parent, &block) in idom.iter().zip(&tree.order).skip(1) {
            let parent = tree.order[parent];
            tree.idom[block.index()] = Some(parent);
            tree.children[parent.index()].push(block);
        }
        tree.number_spans();
        tree
    }

    fn number_spans(&mut self) {
        let Some(&entry) = self.order.first() else { return };
        let mut clock = 1;
        self.span[entry.index()].0 = clock;
        let mut stack = vec![(entry, 0)];
        while let Some((block, next)) = stack.last_mut() {
            clock += 1;
            match self.children[block.index()].get(*next) {
                Some(&child) => {
                    *next += 1;
                    self.span[child.index()].0 = clock;
                    stack.push((child, 0));
                }
                None => {
                    self.span[block.index()].1 = clock;
                    stack.pop();
                }
            }
        }
    }

    /// Reachable blocks in reverse postorder: a block comes before its successors, but for back
    /// edges, and after its dominators.
    pub fn reverse_postorder(&self) -> &[Block] {
        &self.order
    }

    /// The entry reaches this block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.span[block.index()].0 != 0
    }

    /// The closest block that dominates this one and is another; `None` for the entry and for
    /// unreachable blocks.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        self.idom[block.index()]
    }

    /// The blocks that this one dominates immediately.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.children[block.index()]
    }

    /// Every path from the entry to `b` passes `a`; a reachable block dominates itself. False where
    /// one of them is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (self.span[a.index()], self.span[b.index()]);
        a.0 != 0 && b.0 != 0 && a.0 <= b.0 && b.1 <= a.1
    }
}

fn intersect(idom: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = idom[a];
        }
        while b > a {
            b = idom[b];
        }
    }
    a
}

fn reverse_postorder(function: &Function) -> Vec<Block> {
    let mut order = Vec::new();
    let Some(&entry) = function.layout.first() else { return order };
    let mut seen = vec![false; function.blocks.len()];
    seen[entry.index()] = true;
    let mut stack = vec![(entry, function.successors(entry).collect::<Vec<_>>())];
    // The last successor first, so that the first one comes first in the reversed order.
    while let Some((block, successors)) = stack.last_mut() {
        match successors.pop() {
            Some(next) if !seen[next.index()] => {
                seen[next.index()] = true;
                let successors = function.successors(next).collect();
                stack.push((next, successors));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    #[test]
    fn a_loop_inside_a_diamond_has_the_textbook_tree() {
        let function = parse(
            "func @k() {
             b0:
                 v0 = const.i1 1
                 br v0, b1, b2
             b1:
                 jump b3
             b3:
                 br v0, b3, b4
             b2:
                 jump b4
             b4:
                 ret
             b5:
                 jump b4
             }",
        )
        .unwrap();
        let tree = Dominators::new(&function);
        let idom = |n| tree.immediate(Block(n)).map(|block| block.0);
        assert_eq!(
            [idom(0), idom(1), idom(2), idom(3), idom(4), idom(5)],
            [None, Some(0), Some(0), Some(1), Some(0), None]
        );
        assert!(tree.dominates(Block(0), Block(4)) && tree.dominates(Block(1), Block(3)));
        assert!(tree.dominates(Block(3), Block(3)) && !tree.dominates(Block(1), Block(4)));
        assert!(!tree.is_reachable(Block(5)) && !tree.dominates(Block(5), Block(5)));
        assert_eq!(tree.reverse_postorder().first(), Some(&Block(0)));
    }
}
