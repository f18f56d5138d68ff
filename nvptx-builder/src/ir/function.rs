//! Building and reading a [`Function`].

use super::{
    Block, BlockData, Function, Inst, Loc, Op, Param, Slot, SlotData, Target, Terminator, Type,
    Value, ValueData,
};
use crate::metadata::PanicSite;

impl Function {
    /// A function with an empty entry block and nothing else.
    pub fn new(name: impl Into<String>) -> Function {
        let mut function = Function {
            name: name.into(),
            params: Vec::new(),
            slots: Vec::new(),
            values: Vec::new(),
            blocks: Vec::new(),
            layout: Vec::new(),
            sites: Vec::new(),
        };
        function.add_block();
        function
    }

    /// The entry block: the first of the layout.
    ///
    /// # Panics
    /// If the layout is empty, which [`verify`](super::verify) refuses.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// Adds a flattened parameter; its number goes into [`Op::Param`].
    pub fn add_param(&mut self, name: impl Into<String>, ty: Type) -> u32 {
        self.params.push(Param { name: name.into(), ty });
        self.params.len() as u32 - 1
    }

    /// Adds a shared or local memory object.
    pub fn add_slot(&mut self, slot: SlotData) -> Slot {
        self.slots.push(slot);
        Slot(self.slots.len() as u32 - 1)
    }

    /// Adds a panic site; its number goes into [`Terminator::Panic`].
    pub fn add_site(&mut self, site: PanicSite) -> u32 {
        self.sites.push(site);
        self.sites.len() as u32 - 1
    }

    /// Adds an empty block at the end of the layout. It ends in [`Terminator::Unreachable`] until
    /// [`terminate`](Self::terminate) says otherwise.
    pub fn add_block(&mut self) -> Block {
        let block = Block(self.blocks.len() as u32);
        self.blocks.push(BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            end: Terminator::Unreachable,
            loc: Loc::default(),
        });
        self.layout.push(block);
        block
    }

    /// Adds a value that nothing defines yet.
    pub fn add_value(&mut self, ty: Type) -> Value {
        self.values.push(ValueData { ty });
        Value(self.values.len() as u32 - 1)
    }

    /// Adds a parameter to a block; every jump to the block has to pass a value for it.
    pub fn add_block_param(&mut self, block: Block, ty: Type) -> Value {
        let value = self.add_value(ty);
        self.block_mut(block).params.push(value);
        value
    }

    /// Appends an operation that has a result of type `ty`.
    pub fn push(&mut self, block: Block, op: Op, ty: Type, loc: Loc) -> Value {
        let value = self.add_value(ty);
        self.block_mut(block).insts.push(Inst { result: Some(value), op, loc });
        value
    }

    /// Appends an operation without a result: a store or a barrier.
    pub fn push_effect(&mut self, block: Block, op: Op, loc: Loc) {
        self.block_mut(block).insts.push(Inst { result: None, op, loc });
    }

    /// Appends a constant, whose bits are cut to the type's width.
    pub fn push_const(&mut self, block: Block, ty: Type, bits: u64, loc: Loc) -> Value {
        self.push(block, Op::Const(bits & ty.mask()), ty, loc)
    }

    /// Sets how a block ends.
    pub fn terminate(&mut self, block: Block, end: Terminator, loc: Loc) {
        let data = self.block_mut(block);
        data.end = end;
        data.loc = loc;
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value.index()].ty
    }

    /// A block.
    pub fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block.index()]
    }

    /// A block, to change it.
    pub fn block_mut(&mut self, block: Block) -> &mut BlockData {
        &mut self.blocks[block.index()]
    }

    /// Where a block can go, in the terminator's order; twice the same block if both sides of a
    /// branch go there.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.block(block).end.targets().map(|target| target.block)
    }

    /// For each block (by index) those of the layout that can go there; twice the same block if
    /// both sides of its branch do.
    pub fn predecessors(&self) -> Vec<Vec<Block>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for &block in &self.layout {
            for successor in self.successors(block) {
                predecessors[successor.index()].push(block);
            }
        }
        predecessors
    }

    /// For each value (by index) the instruction that defines it: its block and position.
    /// `None` for block parameters and for values without a definition.
    pub fn definitions(&self) -> Vec<Option<(Block, usize)>> {
        let mut definitions = vec![None; self.values.len()];
        for &block in &self.layout {
            for (position, inst) in self.block(block).insts.iter().enumerate() {
                if let Some(result) = inst.result {
                    definitions[result.index()] = Some((block, position));
                }
            }
        }
        definitions
    }

    /// Replaces each operand in all blocks of the layout.
    pub fn map_operands(&mut self, mut map: impl FnMut(Value) -> Value) {
        for &block in &self.layout {
            let data = &mut self.blocks[block.index()];
            for inst in &mut data.insts {
                inst.op.map_operands(&mut map);
            }
            data.end.map_operands(&mut map);
        }
    }
}

impl Type {
    /// Width in bits; 1 for `i1`.
    pub const fn bits(self) -> u32 {
        match self {
            Type::I1 => 1,
            Type::I8 => 8,
            Type::I16 => 16,
            Type::I32 | Type::F32 => 32,
            Type::I64 | Type::F64 => 64,
        }
    }

    /// Size in memory, in bytes. An `i1` has none, and counts as one.
    pub const fn bytes(self) -> u64 {
        match self {
            Type::I1 | Type::I8 => 1,
            Type::I16 => 2,
            Type::I32 | Type::F32 => 4,
            Type::I64 | Type::F64 => 8,
        }
    }

    /// The bits that a value of this type can have set.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// An integer of 8 bits or more.
    pub const fn is_int(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// As the IR's text has it.
    pub const fn name(self) -> &'static str {
        match self {
            Type::I1 => "i1",
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::F32 => "f32",
            Type::F64 => "f64",
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl super::Space {
    /// The type of an address in this state space.
    pub const fn address_type(self) -> Type {
        match self {
            super::Space::Global => Type::I64,
            super::Space::Shared | super::Space::Local => Type::I32,
        }
    }
}

impl Target {
    /// A successor without parameters.
    pub fn to(block: Block) -> Target {
        Target { block, args: Vec::new() }
    }

    /// A successor with the values of its parameters.
    pub fn with(block: Block, args: impl Into<Vec<Value>>) -> Target {
        Target { block, args: args.into() }
    }
}

impl Loc {
    /// Nothing is known of where this comes from.
    pub fn is_unknown(self) -> bool {
        self == Loc::default()
    }
}
