//! What stands in a function's body: statements, instructions, operands.

use super::super::{Guard, Instruction, Operand, Statement};
use super::{Kind, Parsed, Parser};

impl Parser<'_> {
    /// Statements up to and with the closing brace.
    pub(super) fn statements(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        while !self.eat('}')? {
            self.statement(into)?;
        }
        Ok(())
    }

    fn statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        match self.token.kind {
            Kind::Directive(word) => self.directive_statement(word, into),
            Kind::Punct('{') => {
                self.advance()?;
                let block = self.nested(|parser| {
                    let mut block = Vec::new();
                    parser.statements(&mut block)?;
                    Ok(block)
                })?;
                into.push(Statement::Block(block));
                Ok(())
            }
            Kind::Punct('@') => {
                self.advance()?;
                let negated = self.eat('!')?;
                let register = self.word("a predicate register")?.to_owned();
                let opcode = self.word("an instruction")?;
                let guard = Some(Guard { register, negated });
                into.push(Statement::Instruction(self.instruction(guard, opcode)?));
                Ok(())
            }
            Kind::Punct(';') => self.advance().map(|_| ()),
            Kind::Word(word) => {
                self.advance()?;
                into.push(if !word.contains('.') && self.eat(':')? {
                    Statement::Label(word.to_owned())
                } else {
                    Statement::Instruction(self.instruction(None, word)?)
                });
                Ok(())
            }
            _ => Err(self.error("a statement or `}`")),
        }
    }

    fn directive_statement(&mut self, word: &str, into: &mut Vec<Statement>) -> Parsed<()> {
        match word {
            "reg" => self.registers(into),
            "loc" => {
                into.push(self.loc()?);
                Ok(())
            }
            "pragma" => {
                into.extend(self.pragmas()?.into_iter().map(Statement::Pragma));
                Ok(())
            }
            "section" => self.section(),
            "branchtargets" | "calltargets" => {
                self.advance()?;
                let mut operands = Vec::new();
                loop {
                    operands.push(Operand::Name(self.name("a label or a function")?));
                    if !self.eat(',')? {
                        break;
                    }
                }
                self.expect(';')?;
                into.push(named_list(word, operands));
                Ok(())
            }
            "callprototype" => {
                self.advance()?;
                let operands = self.prototype()?;
                into.push(named_list(word, operands));
                Ok(())
            }
            _ => {
                let linkage = self.linkage()?;
                match self.directive() {
                    Some("shared" | "local" | "param" | "global" | "const") => {
                        let variables = self.variables(linkage)?;
                        into.extend(variables.into_iter().map(Statement::Variable));
                        Ok(())
                    }
                    _ => Err(self.error("a declaration such as `.reg` or `.shared`")),
                }
            }
        }
    }

    /// `(.param .b32 _) _ (.param .b64 _, .param .b64 _);` after `.callprototype`: the parameters
    /// are kept as text.
    fn prototype(&mut self) -> Parsed<Vec<Operand>> {
        fn text(parser: &mut Parser<'_>) -> Parsed<Operand> {
            Ok(Operand::Name(parser.parameter()?.to_string()))
        }
        let mut operands = Vec::new();
        if self.eat('(')? {
            operands.push(Operand::List(self.list(')', text)?));
        }
        operands.push(Operand::Name(self.name("`_`")?));
        self.expect('(')?;
        operands.push(Operand::List(self.list(')', text)?));
        while let Some(word) = self.directive() {
            self.advance()?;
            operands.push(Operand::Name(format!(".{word}")));
        }
        self.expect(';')?;
        Ok(operands)
    }

    /// `.reg .b32 %r<9>, %x;`
    fn registers(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        self.advance()?;
        let ty = self.ty()?;
        loop {
            let prefix = self.name("a register")?;
            let count = if self.eat('<')? {
                let count = self.u32("a number of registers")?;
                self.expect('>')?;
                Some(count)
            } else {
                None
            };
            into.push(Statement::Registers { ty: ty.clone(), prefix, count });
            if self.eat(';')? {
                return Ok(());
            }
            if !self.eat(',')? {
                return Err(self.error("`;`, `,` or `<`"));
            }
        }
    }

    /// `.loc 1 5 3`, and perhaps `, function_name $name+4, inlined_at 1 12 3`.
    fn loc(&mut self) -> Parsed<Statement> {
        self.advance()?;
        let (file, line, column) = self.position()?;
        if self.eat(',')? {
            self.keyword("function_name")?;
            self.name("a label")?;
            if self.eat('+')? {
                self.u64("an offset")?;
            }
            self.expect(',')?;
            self.keyword("inlined_at")?;
            self.position()?;
        }
        Ok(Statement::Loc { file, line, column })
    }

    fn position(&mut self) -> Parsed<(u32, u32, u32)> {
        let file = self.u32("a file index")?;
        Ok((file, self.u32("a line")?, self.u32("a column")?))
    }

    fn keyword(&mut self, keyword: &str) -> Parsed<()> {
        if matches!(self.token.kind, Kind::Word(word) if word == keyword) {
            self.advance()?;
            Ok(())
        } else {
            Err(self.error(&format!("`{keyword}`")))
        }
    }

    /// Operands and the semicolon, after the opcode.
    fn instruction(&mut self, guard: Option<Guard>, word: &str) -> Parsed<Instruction> {
        let mut parts = word.split('.').map(str::to_owned);
        let opcode = parts.next().unwrap_or_default();
        let mut modifiers: Vec<String> = parts.collect();
        // White space may stand before a dot.
        while let Some(word) = self.directive() {
            self.advance()?;
            modifiers.push(word.to_owned());
        }
        let mut operands = Vec::new();
        if !self.eat(';')? {
            loop {
                operands.push(self.operand()?);
                if self.eat(';')? {
                    break;
                }
                if !self.eat(',')? {
                    return Err(self.error("`,` or `;`"));
                }
            }
        }
        Ok(Instruction { guard, opcode, modifiers, operands })
    }

    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        let first = self.single()?;
        if !self.eat('|')? {
            return Ok(first);
        }
        let second = self.single()?;
        Ok(Operand::Pair(Box::new(first), Box::new(second)))
    }

    /// An operand that is not a pair.
    fn single(&mut self) -> Parsed<Operand> {
        match self.token.kind {
            Kind::Word(word) => {
                self.advance()?;
                self.offset_of(word.to_owned())
            }
            Kind::Int(_) | Kind::F32(_) | Kind::F64(_) | Kind::Punct('-') => self.number(),
            Kind::Punct('!') => {
                self.advance()?;
                Ok(Operand::Not(self.word("a predicate register")?.to_owned()))
            }
            Kind::Punct('[') => {
                self.advance()?;
                self.address()
            }
            Kind::Punct('{') => {
                self.advance()?;
                self.nested(|parser| parser.list('}', Self::operand)).map(Operand::Vector)
            }
            Kind::Punct('(') => {
                self.advance()?;
                self.nested(|parser| parser.list(')', Self::operand)).map(Operand::List)
            }
            _ => Err(self.error("an operand")),
        }
    }

    /// A literal with an optional sign.
    fn number(&mut self) -> Parsed<Operand> {
        let negative = self.eat('-')?;
        let operand = match self.token.kind {
            Kind::Int(value) if negative => Operand::Int(-i128::from(value)),
            Kind::Int(value) => Operand::Int(i128::from(value)),
            Kind::F32(bits) => Operand::F32(bits ^ (u32::from(negative) << 31)),
            Kind::F64(bits) => Operand::F64(bits ^ (u64::from(negative) << 63)),
            _ => return Err(self.error("a number")),
        };
        self.advance()?;
        Ok(operand)
    }

    /// What may follow a name: `+4`, `-4`, `+-4`.
    pub(super) fn offset_of(&mut self, name: String) -> Parsed<Operand> {
        Ok(match self.offset()? {
            Some(offset) => Operand::Offset(name, offset),
            None => Operand::Name(name),
        })
    }

    fn offset(&mut self) -> Parsed<Option<i64>> {
        if self.eat('+')? {
            self.signed(false).map(Some)
        } else if self.eat('-')? {
            self.signed(true).map(Some)
        } else {
            Ok(None)
        }
    }

    fn signed(&mut self, negative: bool) -> Parsed<i64> {
        const EXPECTED: &str = "an offset of at most 63 bits";
        let negative = negative ^ self.eat('-')?;
        let Kind::Int(magnitude) = self.token.kind else {
            return Err(self.error(EXPECTED));
        };
        let magnitude = i128::from(magnitude);
        let value = if negative { -magnitude } else { magnitude };
        let value = i64::try_from(value).map_err(|_| self.error(EXPECTED))?;
        self.advance()?;
        Ok(value)
    }

    /// After the opening bracket.
    fn address(&mut self) -> Parsed<Operand> {
        let address = match self.token.kind {
            Kind::Word(word) => {
                self.advance()?;
                let offset = self.offset()?.unwrap_or(0);
                Operand::Address { base: Some(word.to_owned()), offset }
            }
            Kind::Int(_) | Kind::Punct('-') => {
                Operand::Address { base: None, offset: self.signed(false)? }
            }
            _ => return Err(self.error("a register, a variable or a number")),
        };
        self.expect(']')?;
        Ok(address)
    }
}

/// A directive that a label names; the tree has it as an instruction whose opcode keeps its dot.
fn named_list(word: &str, operands: Vec<Operand>) -> Statement {
    Statement::Instruction(Instruction {
        guard: None,
        opcode: format!(".{word}"),
        modifiers: Vec::new(),
        operands,
    })
}
