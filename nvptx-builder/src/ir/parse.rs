//! Reads the IR's text.
//!
//! One instruction a line. `;` begins a comment; one of the form `file:line:column` after an
//! instruction is its location.

mod cursor;

use cursor::Cursor;

use super::{
    Binary, Block, BlockData, Compare, Convert, Function, Inst, Loc, Op, Param, Slot, SlotData,
    Space, Special, Target, Terminator, Type, Unary, Value, ValueData,
};
use crate::metadata::PanicSite;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// One-based.
    pub line: u32,
    /// One-based, in characters.
    pub column: u32,
    /// What was expected.
    pub message: String,
}

/// Reads one function. The result need not [`verify`](super::verify), but each value that is used
/// has a type. Numbers of values, blocks, slots and sites are kept as they are written; a value
/// number that nothing defines is an `i1`, a block number without block is an empty dead block.
///
/// # Errors
/// The first deviation from the grammar.
pub fn parse(text: &str) -> Result<Function, ParseError> {
    let mut function = Function::new("");
    function.blocks.clear();
    function.layout.clear();
    let mut parser = Parser { function, defined: Vec::new(), line: Cursor::default() };
    let mut stage = Stage::Header;
    for (number, line) in text.lines().enumerate() {
        parser.line = Cursor::new(number as u32 + 1, line);
        if parser.line.at_end() {
            continue;
        }
        stage = parser.line(stage)?;
    }
    match stage {
        Stage::Done => parser.finish(),
        _ => parser.line.fail("expected more: the text ends inside the function"),
    }
}

/// Numbers above this are refused, so that a slip does not allocate gigabytes.
const MAX_NUMBER: u32 = 1 << 20;

#[derive(Clone, Copy)]
enum Stage {
    Header,
    /// Slots and sites.
    Tables,
    /// Inside a block.
    Block(Block),
    /// After a terminator.
    BetweenBlocks,
    Done,
}

struct Parser<'a> {
    function: Function,
    /// By value.
    defined: Vec<bool>,
    line: Cursor<'a>,
}

impl Parser<'_> {
    fn line(&mut self, stage: Stage) -> Result<Stage, ParseError> {
        let next = match stage {
            Stage::Header => {
                self.header()?;
                Stage::Tables
            }
            Stage::Done => return self.line.fail("nothing may follow the function"),
            Stage::Block(block) => self.instruction(block)?,
            Stage::Tables if self.line.eat_word("slot") => {
                self.slot()?;
                Stage::Tables
            }
            Stage::Tables if self.line.eat_word("site") => {
                self.site()?;
                Stage::Tables
            }
            Stage::Tables | Stage::BetweenBlocks => {
                if self.line.eat("}") {
                    Stage::Done
                } else {
                    Stage::Block(self.block_head()?)
                }
            }
        };
        if !self.line.at_end() {
            return self.line.fail("expected the end of the line");
        }
        Ok(next)
    }

    fn header(&mut self) -> Result<(), ParseError> {
        if !self.line.eat_word("func") {
            return self.line.fail("expected `func @name(…) {`");
        }
        self.line.expect("@")?;
        self.function.name = self.line.name()?;
        self.line.expect("(")?;
        while !self.line.eat(")") {
            let ty = self.ty()?;
            self.line.expect("%")?;
            let name = self.line.name()?;
            self.function.params.push(Param { name, ty });
            if !self.line.eat(",") && !self.line.looking_at(")") {
                return self.line.fail("expected `,` or `)`");
            }
        }
        self.line.expect("{")
    }

    fn slot(&mut self) -> Result<(), ParseError> {
        let number = self.numbered("s")?;
        if number as usize != self.function.slots.len() {
            return self.line.fail("slots are numbered in order");
        }
        self.line.expect("=")?;
        let word = self.line.word();
        let Some(space) = Space::from_name(word) else {
            return self.line.fail("expected a state space");
        };
        let name = self.line.string()?;
        self.line.expect_word("size")?;
        let size = self.line.number()?;
        self.line.expect_word("align")?;
        let align = self.line.number()?;
        self.function.slots.push(SlotData { name, space, size, align });
        Ok(())
    }

    fn site(&mut self) -> Result<(), ParseError> {
        let number: u32 = self.line.number()?;
        if number as usize != self.function.sites.len() {
            return self.line.fail("sites are numbered in order");
        }
        self.line.expect("=")?;
        let file = self.line.number()?;
        self.line.expect(":")?;
        let line = self.line.number()?;
        self.line.expect(":")?;
        let column = self.line.number()?;
        let message = self.line.string()?;
        self.function.sites.push(PanicSite { file, line, column, message });
        Ok(())
    }

    fn block_head(&mut self) -> Result<Block, ParseError> {
        let block = Block(self.numbered("b")?);
        while self.function.blocks.len() <= block.index() {
            self.function.blocks.push(BlockData {
                params: Vec::new(),
                insts: Vec::new(),
                end: Terminator::Unreachable,
                loc: Loc::default(),
            });
        }
        if self.function.layout.contains(&block) {
            return self.line.fail(format!("{block} is there already"));
        }
        self.function.layout.push(block);
        if self.line.eat("(") {
            loop {
                let value = self.value()?;
                self.line.expect(":")?;
                let ty = self.ty()?;
                self.define(value, ty)?;
                self.function.block_mut(block).params.push(value);
                if self.line.eat(")") {
                    break;
                }
                self.line.expect(",")?;
            }
        }
        self.line.expect(":")?;
        Ok(block)
    }

    fn define(&mut self, value: Value, ty: Type) -> Result<(), ParseError> {
        self.mention(value);
        if std::mem::replace(&mut self.defined[value.index()], true) {
            return self.line.fail(format!("{value} is defined already"));
        }
        self.function.values[value.index()].ty = ty;
        Ok(())
    }

    fn mention(&mut self, value: Value) {
        if self.function.values.len() <= value.index() {
            self.function.values.resize(value.index() + 1, ValueData { ty: Type::I1 });
            self.defined.resize(value.index() + 1, false);
        }
    }

    fn instruction(&mut self, block: Block) -> Result<Stage, ParseError> {
        if self.line.value_follows() {
            let result = self.value()?;
            self.line.expect("=")?;
            let (op, ty) = self.operation()?;
            self.define(result, ty)?;
            let loc = self.line.location();
            self.function.block_mut(block).insts.push(Inst { result: Some(result), op, loc });
            return Ok(Stage::Block(block));
        }
        let start = self.line.clone();
        let word = self.line.word();
        let op = match word {
            "barrier" => Op::Barrier,
            "store" => {
                let (space, address, offset) = self.address()?;
                self.line.expect(",")?;
                Op::Store { space, address, offset, value: self.value()? }
            }
            _ => {
                self.line = start;
                let end = self.terminator()?;
                let loc = self.line.location();
                self.function.terminate(block, end, loc);
                return Ok(Stage::BetweenBlocks);
            }
        };
        let loc = self.line.location();
        self.function.block_mut(block).insts.push(Inst { result: None, op, loc });
        Ok(Stage::Block(block))
    }

    /// Right of the `=`: the operation and its result's type.
    fn operation(&mut self) -> Result<(Op, Type), ParseError> {
        let start = self.line.clone();
        let word = self.line.word();
        let (name, suffix) = word.rsplit_once('.').unwrap_or((word, ""));
        if name == "cmp" {
            let Some(op) = Compare::from_name(suffix) else {
                self.line = start;
                return self.line.fail("unknown comparison");
            };
            let (a, b) = self.pair()?;
            return Ok((Op::Compare(op, a, b), Type::I1));
        }
        let Some(ty) = type_from_name(suffix) else {
            self.line = start;
            return self.line.fail("expected `operation.type`");
        };
        let op = match name {
            "const" => Op::Const(self.line.literal(ty)?),
            "param" => Op::Param(self.line.number()?),
            "special" => match Special::from_name(self.line.word()) {
                Some(special) => Op::Special(special),
                None => return self.line.fail("unknown special register"),
            },
            "slot_addr" => Op::SlotAddr(Slot(self.numbered("s")?)),
            "fma" => {
                let (a, b, c) = self.triple()?;
                Op::Fma(a, b, c)
            }
            "select" => {
                let (a, b, c) = self.triple()?;
                Op::Select(a, b, c)
            }
            "wide_smul" | "wide_umul" => {
                let (a, b) = self.pair()?;
                Op::WideMul { signed: name == "wide_smul", a, b }
            }
            "load" => {
                let (space, address, offset) = self.address()?;
                let readonly = self.line.eat_word("readonly");
                Op::Load { space, address, offset, readonly }
            }
            _ => {
                if let Some(op) = Binary::from_name(name) {
                    let (a, b) = self.pair()?;
                    Op::Binary(op, a, b)
                } else if let Some(op) = Unary::from_name(name) {
                    Op::Unary(op, self.value()?)
                } else if let Some(op) = Convert::from_name(name) {
                    Op::Convert(op, self.value()?)
                } else {
                    self.line = start;
                    return self.line.fail(format!("unknown operation `{name}`"));
                }
            }
        };
        Ok((op, ty))
    }

    fn terminator(&mut self) -> Result<Terminator, ParseError> {
        let start = self.line.clone();
        Ok(match self.line.word() {
            "jump" => Terminator::Jump(self.target()?),
            "br" => {
                let condition = self.value()?;
                self.line.expect(",")?;
                let then = self.target()?;
                self.line.expect(",")?;
                Terminator::Branch { condition, then, otherwise: self.target()? }
            }
            "ret" => Terminator::Return,
            "panic" => {
                let site = self.line.number()?;
                Terminator::Panic { site, values: self.args()? }
            }
            "unreachable" => Terminator::Unreachable,
            _ => {
                self.line = start;
                return self.line.fail("expected an instruction or a terminator");
            }
        })
    }

    fn address(&mut self) -> Result<(Space, Value, i64), ParseError> {
        let word = self.line.word();
        let Some(space) = Space::from_name(word) else {
            return self.line.fail("expected a state space");
        };
        self.line.expect("[")?;
        let address = self.value()?;
        let offset = if self.line.eat("+") {
            self.line.number()?
        } else if self.line.eat("-") {
            let magnitude: u64 = self.line.number()?;
            match 0i64.checked_sub_unsigned(magnitude) {
                Some(offset) => offset,
                None => return self.line.fail("the offset is too large"),
            }
        } else {
            0
        };
        self.line.expect("]")?;
        Ok((space, address, offset))
    }

    fn target(&mut self) -> Result<Target, ParseError> {
        let block = Block(self.numbered("b")?);
        Ok(Target { block, args: self.args()? })
    }

    fn args(&mut self) -> Result<Vec<Value>, ParseError> {
        let mut args = Vec::new();
        if self.line.eat("(") {
            loop {
                args.push(self.value()?);
                if self.line.eat(")") {
                    break;
                }
                self.line.expect(",")?;
            }
        }
        Ok(args)
    }

    fn pair(&mut self) -> Result<(Value, Value), ParseError> {
        let a = self.value()?;
        self.line.expect(",")?;
        Ok((a, self.value()?))
    }

    fn triple(&mut self) -> Result<(Value, Value, Value), ParseError> {
        let (a, b) = self.pair()?;
        self.line.expect(",")?;
        Ok((a, b, self.value()?))
    }

    fn value(&mut self) -> Result<Value, ParseError> {
        let value = Value(self.numbered("v")?);
        self.mention(value);
        Ok(value)
    }

    fn numbered(&mut self, prefix: &str) -> Result<u32, ParseError> {
        let start = self.line.clone();
        let word = self.line.word();
        let number = word.strip_prefix(prefix).and_then(|digits| digits.parse().ok());
        match number.filter(|&number| number < MAX_NUMBER) {
            Some(number) => Ok(number),
            None => {
                self.line = start;
                self.line.fail(format!("expected `{prefix}` and a number"))
            }
        }
    }

    fn ty(&mut self) -> Result<Type, ParseError> {
        let start = self.line.clone();
        match type_from_name(self.line.word()) {
            Some(ty) => Ok(ty),
            None => {
                self.line = start;
                self.line.fail("expected a type")
            }
        }
    }

    fn finish(self) -> Result<Function, ParseError> {
        Ok(self.function)
    }
}

fn type_from_name(name: &str) -> Option<Type> {
    use Type::*;
    [I1, I8, I16, I32, I64, F32, F64].into_iter().find(|ty| ty.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::verify;

    const SAMPLE: &str = "\
func @\"odd name\"(f32 %a, i64 %x, i64 %x$len) {
    slot s0 = shared \"tile \\\"\\\\\\u{7}é\" size 1024 align 4
    site 0 = 1:7:9 \"index {usize} is out of bounds for length {usize}\"
b0:
    v0 = param.f32 0
    v1 = special.i32 ctaid.x                ; 1:6:13
    v2 = const.i64 -1
    v3 = const.f32 -0.0
    v4 = const.f32 0x7fc00000
    v5 = const.f64 1e300
    v6 = const.i8 -128
    v7 = slot_addr.i32 s0
    v8 = wide_smul.i64 v1, v1
    v9 = param.i64 1
    v10 = load.f32 global [v9 - 4] readonly
    store shared [v7 + 8], v10
    barrier
    v11 = fma.f32 v10, v0, v3
    v12 = cmp.fuge v11, v4
    v13 = select.i64 v12, v2, v8
    v14 = cmp.ult v13, v9
    br v14, b2(v14, v13), b1                ; 1:7:9
b2(v15: i1, v16: i64):
    v17 = zext.i8 v15
    ret
b1:
    panic 0(v2, v9)
}
";

    #[test]
    fn every_construct_survives_printing_and_parsing() {
        let function = parse(SAMPLE).unwrap();
        verify(&function).unwrap();
        assert_eq!(function.to_string(), SAMPLE);
    }

    #[test]
    fn errors_name_line_and_column() {
        let text = SAMPLE.replace("wide_smul.i64 v1, v1", "wide_smul.i64 v1 v1");
        let error = parse(&text).unwrap_err();
        assert_eq!((error.line, error.column), (13, 27), "{error}");
        assert_eq!(error.message, "expected `,`");
        for end in 0..SAMPLE.len() - 2 {
            if SAMPLE.is_char_boundary(end) {
                assert!(parse(&SAMPLE[..end]).is_err(), "{end}");
            }
        }
    }
}
