//! Moves the constant part of an address into the access's offset.

use super::ranges::Ranges;
use crate::ir::{Binary, Block, Convert, Function, Inst, Loc, Op, Space, Type, Value, evaluate};

/// The device's offsets have 24 bits.
const MAX_OFFSET: i64 = 1 << 22;
/// How deep an address is taken apart.
const DEPTH: u32 = 8;

/// `load [base + (i + 1) * 4]` becomes `load [base + i * 4] + 4`, so that neighbours share one
/// address. Global addresses wrap at 64 bits, so that is exact; in the narrow state spaces only
/// where ranges show that nothing wraps.
pub(super) fn fold_addresses(function: &mut Function) -> bool {
    let ranges = Ranges::new(function);
    let mut folds = Vec::new();
    for &block in ranges.dominators().reverse_postorder() {
        for (position, inst) in function.block(block).insts.iter().enumerate() {
            let (Op::Load { space, address, offset, .. }
            | Op::Store { space, address, offset, .. }) = inst.op
            else {
                continue;
            };
            let split = Splitter { ranges: &ranges, function, block };
            let (tree, moved) = split.split(address, DEPTH);
            if moved == 0 || !is_allowed(&ranges, block, space, address, offset, moved) {
                continue;
            }
            folds.push((block, position, tree, offset + moved));
        }
    }
    let changed = !folds.is_empty();
    // From the back, so that positions stay right.
    for (block, position, tree, new_offset) in folds.into_iter().rev() {
        let loc = function.block(block).insts[position].loc;
        let mut insts = Vec::new();
        let base = build(function, &tree, loc, &mut insts);
        let data = function.block_mut(block);
        if let Op::Load { address, offset, .. } | Op::Store { address, offset, .. } =
            &mut data.insts[position].op
        {
            *address = base;
            *offset = new_offset;
        }
        data.insts.splice(position..position, insts);
    }
    changed
}

fn is_allowed(
    ranges: &Ranges<'_>,
    block: Block,
    space: Space,
    address: Value,
    offset: i64,
    moved: i64,
) -> bool {
    if !(-MAX_OFFSET..MAX_OFFSET).contains(&moved) || !(-MAX_OFFSET..MAX_OFFSET).contains(&offset) {
        return false;
    }
    let range = ranges.at(address, block);
    let (low, high) = (i128::from(range.low), i128::from(range.high));
    space == Space::Global
        || low - i128::from(moved) >= 0 && high - i128::from(moved) <= i32::MAX.into()
}

/// An address without its constant part.
enum Tree {
    Value(Value),
    /// Nothing but the constant was there.
    Zero(Type),
    Binary(Binary, Type, Box<(Tree, Tree)>),
    Shifted(Type, Box<Tree>, Value),
    Extended(Convert, Box<Tree>),
}

struct Splitter<'a> {
    ranges: &'a Ranges<'a>,
    function: &'a Function,
    block: Block,
}

impl Splitter<'_> {
    /// `value` is the tree plus the number, modulo the type's width.
    fn split(&self, value: Value, depth: u32) -> (Tree, i64) {
        let whole = || (Tree::Value(value), 0);
        let ty = self.function.ty(value);
        if depth == 0 {
            return whole();
        }
        let found = match self.ranges.op(value) {
            Some(Op::Const(bits)) => Some((Tree::Zero(ty), evaluate::sign_extend(ty, bits))),
            Some(Op::Binary(Binary::Iadd, a, b)) => self.sum(ty, a, b, depth),
            Some(Op::Binary(Binary::Shl, a, count)) => {
                self.ranges.constant(count).filter(|&bits| bits < 32).and_then(|bits| {
                    let (tree, moved) = self.split(a, depth - 1);
                    let scaled = moved.checked_mul(1 << bits)?;
                    Some((Tree::Shifted(ty, Box::new(tree), count), scaled))
                })
            }
            Some(Op::Binary(Binary::Imul, a, factor)) => {
                self.ranges.constant(factor).and_then(|bits| {
                    let (tree, moved) = self.split(a, depth - 1);
                    let scaled = moved.checked_mul(evaluate::sign_extend(ty, bits))?;
                    let parts = Box::new((tree, Tree::Value(factor)));
                    Some((Tree::Binary(Binary::Imul, ty, parts), scaled))
                })
            }
            Some(Op::Convert(op @ (Convert::Zext | Convert::Sext), a)) => self.extension(op, a),
            _ => None,
        };
        match found {
            Some((tree, moved)) if moved != 0 && moved.unsigned_abs() < MAX_OFFSET as u64 => {
                (tree, moved)
            }
            _ => whole(),
        }
    }

    fn sum(&self, ty: Type, a: Value, b: Value, depth: u32) -> Option<(Tree, i64)> {
        let (left, moved_left) = self.split(a, depth - 1);
        let (right, moved_right) = self.split(b, depth - 1);
        let moved = moved_left.checked_add(moved_right)?;
        let tree = match (left, right) {
            (Tree::Zero(_), other) | (other, Tree::Zero(_)) => other,
            parts => Tree::Binary(Binary::Iadd, ty, Box::new(parts)),
        };
        Some((tree, moved))
    }

    /// The extension of `x + c`, if that does not wrap, is the extension of `x`, plus `c`.
    fn extension(&self, op: Convert, sum: Value) -> Option<(Tree, i64)> {
        let Some(Op::Binary(Binary::Iadd, x, c)) = self.ranges.op(sum) else { return None };
        if self.function.ty(x) != Type::I32 {
            return None;
        }
        let c = evaluate::sign_extend(Type::I32, self.ranges.constant(c)?);
        let range = self.ranges.at(x, self.block);
        let (low, high, least, most) = if op == Convert::Zext {
            (range.low.into(), range.high.into(), 0, i128::from(u32::MAX))
        } else {
            (range.least.into(), range.most.into(), i32::MIN.into(), i32::MAX.into())
        };
        let (low, high): (i128, i128) = (low, high);
        let fits = low + i128::from(c) >= least && high + i128::from(c) <= most;
        fits.then(|| (Tree::Extended(op, Box::new(Tree::Value(x))), c))
    }
}

fn build(function: &mut Function, tree: &Tree, loc: Loc, out: &mut Vec<Inst>) -> Value {
    let (op, ty) = match tree {
        Tree::Value(value) => return *value,
        Tree::Zero(ty) => (Op::Const(0), *ty),
        Tree::Binary(op, ty, parts) => {
            let a = build(function, &parts.0, loc, out);
            let b = build(function, &parts.1, loc, out);
            (Op::Binary(*op, a, b), *ty)
        }
        Tree::Shifted(ty, inner, count) => {
            let inner = build(function, inner, loc, out);
            (Op::Binary(Binary::Shl, inner, *count), *ty)
        }
        Tree::Extended(op, inner) => {
            let inner = build(function, inner, loc, out);
            (Op::Convert(*op, inner), Type::I64)
        }
    };
    let result = function.add_value(ty);
    out.push(Inst { result: Some(result), op, loc });
    result
}
