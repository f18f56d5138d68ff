//! SSA built while the source is walked.
//!
//! The algorithm is Braun, Buchwald, Hack, Leißa, Mallon, Zwinkau, "Simple and Efficient
//! Construction of Static Single Assignment Form" (CC 2013), with block parameters in the place of
//! phis. Trivial parameters go at the end, in [`Ssa::finish`], instead of one by one; Rust's control
//! flow is reducible, so what remains is minimal.

use std::collections::HashMap;

use crate::ir::{Block, Function, Loc, Op, Target, Terminator, Type, Value};

/// A mutable variable of the source, or a temporary that branches assign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Var(u32);

/// One way into a block: the block that it comes from, and which of its successors it is.
#[derive(Clone, Copy)]
struct Edge {
    from: Block,
    successor: usize,
}

/// What is known of a block that is being built.
#[derive(Default)]
struct BlockState {
    /// All ways into it are known.
    sealed: bool,
    edges: Vec<Edge>,
    /// Parameters whose arguments wait for the seal.
    incomplete: Vec<(Var, Value)>,
}

/// A function under construction, and the block that code is appended to.
pub(super) struct Ssa {
    pub(super) function: Function,
    /// Where the instructions that are appended come from.
    pub(super) loc: Loc,
    current: Block,
    /// Blocks in the order in which they were started: the order of the source.
    order: Vec<Block>,
    /// Blocks that end in a panic, kept out of the way.
    cold: Vec<Block>,
    states: Vec<BlockState>,
    vars: Vec<Type>,
    values: HashMap<(Var, Block), Value>,
    /// For each block parameter, its argument on each edge, in the order of the edges.
    arguments: HashMap<Value, Vec<Value>>,
    /// Constants already there, by block.
    constants: HashMap<(Block, Type, u64), Value>,
    /// The bits of each constant.
    bits: HashMap<Value, u64>,
}

impl Ssa {
    pub(super) fn new(name: &str) -> Ssa {
        let function = Function::new(name);
        let entry = function.entry();
        let mut ssa = Ssa {
            function,
            loc: Loc::default(),
            current: entry,
            order: vec![entry],
            cold: Vec::new(),
            states: vec![BlockState::default()],
            vars: Vec::new(),
            values: HashMap::new(),
            arguments: HashMap::new(),
            constants: HashMap::new(),
            bits: HashMap::new(),
        };
        ssa.seal(entry);
        ssa
    }

    pub(super) fn new_block(&mut self) -> Block {
        self.states.push(BlockState::default());
        self.function.add_block()
    }

    /// Code is appended to this block from now on.
    pub(super) fn start(&mut self, block: Block) {
        self.order.push(block);
        self.current = block;
    }

    /// Seals a block and starts it.
    pub(super) fn start_sealed(&mut self, block: Block) {
        self.seal(block);
        self.start(block);
    }

    /// No more edges lead to this block.
    pub(super) fn seal(&mut self, block: Block) {
        let state = &mut self.states[block.index()];
        state.sealed = true;
        for (var, param) in std::mem::take(&mut state.incomplete) {
            self.complete(block, var, param);
        }
    }

    pub(super) fn var(&mut self, ty: Type) -> Var {
        self.vars.push(ty);
        Var(self.vars.len() as u32 - 1)
    }

    pub(super) fn write(&mut self, var: Var, value: Value) {
        self.values.insert((var, self.current), value);
    }

    pub(super) fn read(&mut self, var: Var) -> Value {
        self.read_in(var, self.current)
    }

    fn read_in(&mut self, var: Var, block: Block) -> Value {
        // Up the blocks that have one way in, without recursion.
        let mut passed = Vec::new();
        let mut at = block;
        let value = loop {
            if let Some(&value) = self.values.get(&(var, at)) {
                break value;
            }
            let state = &self.states[at.index()];
            match (state.sealed, state.edges.as_slice()) {
                // A loop that nothing enters has one way in, too: from itself.
                (true, [_]) if passed.len() > self.states.len() => {
                    break self.never_assigned(var, at);
                }
                (true, [edge]) => {
                    passed.push(at);
                    at = edge.from;
                }
                (true, []) => break self.never_assigned(var, at),
                (sealed, _) => {
                    let param = self.function.add_block_param(at, self.vars[var.0 as usize]);
                    // Before its arguments are looked for: they may come around a loop.
                    self.values.insert((var, at), param);
                    if sealed {
                        self.complete(at, var, param);
                    } else {
                        self.states[at.index()].incomplete.push((var, param));
                    }
                    break param;
                }
            }
        };
        for block in passed {
            self.values.insert((var, block), value);
        }
        value
    }

    fn complete(&mut self, block: Block, var: Var, param: Value) {
        let edges = self.states[block.index()].edges.clone();
        let arguments = edges.iter().map(|edge| self.read_in(var, edge.from)).collect();
        self.arguments.insert(param, arguments);
    }

    /// A variable that is read where nothing was assigned, which rustc allows in dead code only.
    fn never_assigned(&mut self, var: Var, block: Block) -> Value {
        let ty = self.vars[var.0 as usize];
        let value = self.function.push_const(block, ty, 0, Loc::default());
        let insts = &mut self.function.block_mut(block).insts;
        insts.rotate_right(1);
        self.values.insert((var, block), value);
        value
    }

    pub(super) fn push(&mut self, op: Op, ty: Type) -> Value {
        self.function.push(self.current, op, ty, self.loc)
    }

    pub(super) fn push_effect(&mut self, op: Op) {
        self.function.push_effect(self.current, op, self.loc);
    }

    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        let bits = bits & ty.mask();
        let key = (self.current, ty, bits);
        if let Some(&value) = self.constants.get(&key) {
            return value;
        }
        let value = self.push(Op::Const(bits), ty);
        self.constants.insert(key, value);
        self.bits.insert(value, bits);
        value
    }

    /// The bits of a value that is a constant.
    pub(super) fn bits_of(&self, value: Value) -> Option<u64> {
        self.bits.get(&value).copied()
    }

    /// Ends the current block; what follows is dead until another block is started.
    fn end(&mut self, end: Terminator) {
        let targets: Vec<Block> = end.targets().map(|target| target.block).collect();
        for (successor, block) in targets.into_iter().enumerate() {
            self.states[block.index()].edges.push(Edge { from: self.current, successor });
        }
        self.function.terminate(self.current, end, self.loc);
        let dead = self.new_block();
        self.start_sealed(dead);
    }

    pub(super) fn jump(&mut self, block: Block) {
        self.end(Terminator::Jump(Target::to(block)));
    }

    pub(super) fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.end(Terminator::Branch {
            condition,
            then: Target::to(then),
            otherwise: Target::to(otherwise),
        });
    }

    pub(super) fn ret(&mut self) {
        self.end(Terminator::Return);
    }

    /// Goes on where `holds` is true, and panics elsewhere.
    pub(super) fn panic_unless(&mut self, holds: Value, site: u32, values: Vec<Value>) {
        let (next, panic) = (self.new_block(), self.new_block());
        self.branch(holds, next, panic);
        self.seal(panic);
        self.function.terminate(panic, Terminator::Panic { site, values }, self.loc);
        self.cold.push(panic);
        self.start_sealed(next);
    }

    /// Drops dead blocks and trivial parameters, and passes the arguments of the others.
    pub(super) fn finish(mut self) -> Function {
        let reachable = self.reachable();
        let live = |block: &Block| reachable[block.index()];
        self.function.layout = self.order.iter().chain(&self.cold).copied().filter(live).collect();
        for block in self.function.layout.clone() {
            let edges = std::mem::take(&mut self.states[block.index()].edges);
            let kept: Vec<bool> = edges.iter().map(|edge| live(&edge.from)).collect();
            for param in &self.function.block(block).params {
                if let Some(arguments) = self.arguments.get_mut(param) {
                    let mut kept = kept.iter();
                    arguments.retain(|_| kept.next() == Some(&true));
                }
            }
            self.states[block.index()].edges =
                edges.into_iter().filter(|e| live(&e.from)).collect();
        }
        let mut aliases = self.trivial_parameters();
        for block in self.function.layout.clone() {
            self.pass_arguments(block);
        }
        self.function.map_operands(|value| resolve(&mut aliases, value));
        self.function
    }

    fn reachable(&self) -> Vec<bool> {
        let mut reachable = vec![false; self.function.blocks.len()];
        let mut stack = vec![self.function.entry()];
        while let Some(block) = stack.pop() {
            if !std::mem::replace(&mut reachable[block.index()], true) {
                stack.extend(self.function.successors(block));
            }
        }
        reachable
    }

    /// Removes parameters that can have one value only, until there are none; what to read instead.
    fn trivial_parameters(&mut self) -> HashMap<Value, Value> {
        let mut aliases = HashMap::new();
        loop {
            let mut changed = false;
            for &block in &self.function.layout.clone() {
                let params = std::mem::take(&mut self.function.block_mut(block).params);
                let kept = params.into_iter().filter(|&param| {
                    let arguments = self.arguments.get(&param).map_or(&[][..], Vec::as_slice);
                    let mut only = None;
                    for &argument in arguments {
                        let argument = resolve(&mut aliases, argument);
                        if argument != param && *only.get_or_insert(argument) != argument {
                            return true;
                        }
                    }
                    match only {
                        Some(value) => aliases.insert(param, value),
                        None => return true,
                    };
                    changed = true;
                    false
                });
                let kept = kept.collect();
                self.function.block_mut(block).params = kept;
            }
            if !changed {
                return aliases;
            }
        }
    }

    fn pass_arguments(&mut self, block: Block) {
        let params = self.function.block(block).params.clone();
        for (i, edge) in self.states[block.index()].edges.iter().enumerate() {
            let arguments =
                params.iter().filter_map(|param| self.arguments.get(param)?.get(i).copied());
            let arguments = arguments.collect();
            let mut targets = self.function.blocks[edge.from.index()].end.targets_mut();
            if let Some(target) = targets.nth(edge.successor) {
                target.args = arguments;
            }
        }
    }
}

/// Follows aliases to their end, and shortens the way.
fn resolve(aliases: &mut HashMap<Value, Value>, value: Value) -> Value {
    let mut end = value;
    while let Some(&next) = aliases.get(&end) {
        end = next;
    }
    let mut at = value;
    while let Some(next) = aliases.get_mut(&at) {
        at = std::mem::replace(next, end);
    }
    end
}
