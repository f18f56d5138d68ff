//! What stands at module scope: the header, files, variables, functions.

use super::super::{Function, Item, Module, Operand, Statement, Variable};
use super::{Kind, Parsed, Parser};

/// The words that can stand before a variable or a function.
const LINKAGE: [&str; 4] = ["visible", "extern", "weak", "common"];

/// The longest word that a type or an attribute can be, and the most attributes that a variable
/// can have: far more than PTX has. The variables of one declaration each get a copy, so without
/// a limit a small text could ask for much memory.
const MAX_WORD: usize = 40;
const MAX_ATTRIBUTES: usize = 16;

impl<'a> Parser<'a> {
    /// The whole text. Metadata is the caller's.
    pub(super) fn module(&mut self) -> Parsed<Module> {
        self.expect_directive("version")?;
        let version = self.version()?;
        self.expect_directive("target")?;
        let target = self.name("a target such as `sm_70`")?;
        let mut target_options = Vec::new();
        while self.eat(',')? {
            target_options.push(self.name("a target option")?);
        }
        let mut address_size = 64;
        if self.eat_directive("address_size")? {
            address_size = match self.token.kind {
                Kind::Int(size @ (32 | 64)) => size as u32,
                _ => return Err(self.error("32 or 64")),
            };
            self.advance()?;
        }
        let mut items = Vec::new();
        while self.token.kind != Kind::End {
            self.item(&mut items)?;
        }
        if self.skipped_section {
            // It promises the sections that are gone.
            target_options.retain(|option| option != "debug");
        }
        Ok(Module { metadata: None, version, target, target_options, address_size, items })
    }

    /// `7.8` has been lexed as one number.
    fn version(&mut self) -> Parsed<(u32, u32)> {
        let number = |text: &str| {
            let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| text.parse().ok()).flatten()
        };
        let parts = self.token.text.split_once('.');
        let Some((Some(major), Some(minor))) = parts.map(|(a, b)| (number(a), number(b))) else {
            return Err(self.error("a version such as `6.0`"));
        };
        self.advance()?;
        Ok((major, minor))
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        const EXPECTED: &str = "a directive such as `.visible .entry` or `.global`";
        match self.directive() {
            Some("file") => {
                self.advance()?;
                let index = self.u32("a file index")?;
                let name = self.string("a file name in quotes")?;
                // The modification time and the size of the file.
                while self.eat(',')? {
                    self.u64("a number")?;
                }
                items.push(Item::File { index, name });
            }
            Some("section") => self.section()?,
            Some("pragma") => {
                self.pragmas()?;
            }
            Some(_) => {
                let linkage = self.linkage()?;
                match self.directive() {
                    Some("entry") => items.push(Item::Function(self.function(true, linkage)?)),
                    Some("func") => items.push(Item::Function(self.function(false, linkage)?)),
                    Some("global" | "const" | "shared" | "tex") => {
                        items.extend(self.variables(linkage)?.into_iter().map(Item::Variable));
                    }
                    _ => return Err(self.error(EXPECTED)),
                }
            }
            None if self.at(';') => {
                self.advance()?;
            }
            None => return Err(self.error(EXPECTED)),
        }
        Ok(())
    }

    pub(super) fn linkage(&mut self) -> Parsed<Option<String>> {
        match self.directive() {
            Some(word) if LINKAGE.contains(&word) => {
                self.advance()?;
                Ok(Some(word.to_owned()))
            }
            _ => Ok(None),
        }
    }

    /// `.section name { … }` holds debugging information, which is not kept.
    pub(super) fn section(&mut self) -> Parsed<()> {
        self.expect_directive("section")?;
        if self.directive().is_none() && !matches!(self.token.kind, Kind::Word(_)) {
            return Err(self.error("the section's name"));
        }
        self.advance()?;
        self.expect('{')?;
        self.skipped_section = true;
        let mut open = 1_u64;
        while open > 0 {
            match self.token.kind {
                Kind::Punct('{') => open += 1,
                Kind::Punct('}') => open -= 1,
                Kind::End => return Err(self.error("`}`")),
                _ => {}
            }
            self.advance()?;
        }
        Ok(())
    }

    /// `.pragma "a", "b";`
    pub(super) fn pragmas(&mut self) -> Parsed<Vec<String>> {
        self.expect_directive("pragma")?;
        let mut pragmas = vec![self.string("a pragma in quotes")?];
        while self.eat(',')? {
            pragmas.push(self.string("a pragma in quotes")?);
        }
        self.expect(';')?;
        Ok(pragmas)
    }

    /// From `.entry` or `.func` on.
    fn function(&mut self, entry: bool, linkage: Option<String>) -> Parsed<Function> {
        self.advance()?;
        let returns = if self.eat('(')? {
            let returns = self.parameter()?;
            self.expect(')')?;
            Some(returns)
        } else {
            None
        };
        let name = self.name("the function's name")?;
        let params = if self.eat('(')? { self.list(')', Self::parameter)? } else { Vec::new() };

        let mut directives = Vec::new();
        let mut statements = Vec::new();
        loop {
            match self.directive() {
                // Means the same at the body's beginning, where the tree has a place for it.
                Some("pragma") => {
                    statements.extend(self.pragmas()?.into_iter().map(Statement::Pragma));
                }
                Some(word) => {
                    self.advance()?;
                    directives.push((word.to_owned(), self.directive_values()?));
                }
                None => break,
            }
        }
        let body = if self.eat(';')? {
            None
        } else if self.eat('{')? {
            self.statements(&mut statements)?;
            Some(statements)
        } else {
            return Err(self.error("`{`, `;` or a directive such as `.maxntid`"));
        };
        Ok(Function { entry, linkage, returns, name, params, directives, body })
    }

    /// `256, 1, 1`, or nothing.
    fn directive_values(&mut self) -> Parsed<Vec<u64>> {
        let mut values = Vec::new();
        if matches!(self.token.kind, Kind::Int(_)) {
            values.push(self.u64("a number")?);
            while self.eat(',')? {
                values.push(self.u64("a number")?);
            }
        }
        Ok(values)
    }

    /// `.param .u64 x` as it stands in a parameter list.
    pub(super) fn parameter(&mut self) -> Parsed<Variable> {
        match self.directive() {
            Some("param" | "reg") => {
                let head = self.variable_head(None)?;
                self.variable_name(head)
            }
            _ => Err(self.error("a parameter such as `.param .u64 x`")),
        }
    }

    /// `.global .align 4 .b8 a[4] = {…}, b;` from the space on.
    pub(super) fn variables(&mut self, linkage: Option<String>) -> Parsed<Vec<Variable>> {
        let head = self.variable_head(linkage)?;
        let mut variables = Vec::new();
        loop {
            let mut variable = self.variable_name(head.clone())?;
            if self.eat('=')? {
                self.initialiser(&mut variable.init)?;
            }
            variables.push(variable);
            if self.eat(';')? {
                return Ok(variables);
            }
            if !self.eat(',')? {
                return Err(self.error("`;`, `,`, `=` or `[`"));
            }
        }
    }

    /// All that the variables of one declaration share; the name is left empty.
    fn variable_head(&mut self, linkage: Option<String>) -> Parsed<Variable> {
        let Some(space) = self.directive() else {
            return Err(self.error("a state space such as `.global`"));
        };
        self.advance()?;
        let (mut align, mut attributes) = (None, Vec::new());
        loop {
            if attributes.len() > MAX_ATTRIBUTES {
                return Err(self.error("fewer attributes"));
            } else if self.eat_directive("align")? {
                align = Some(self.u32("an alignment in bytes")?);
            } else if self.eat_directive("attribute")? {
                attributes.push(self.attribute()?);
            } else {
                break;
            }
        }
        let ty = self.ty()?;
        while self.directive().is_some() {
            if attributes.len() > MAX_ATTRIBUTES {
                return Err(self.error("fewer attributes"));
            }
            attributes.push(match self.short_directive("an attribute")? {
                "align" => format!(".align {}", self.u32("an alignment in bytes")?),
                word => format!(".{word}"),
            });
        }
        Ok(Variable {
            linkage,
            space: space.to_owned(),
            align,
            ty,
            name: String::new(),
            dims: Vec::new(),
            attributes,
            init: Vec::new(),
        })
    }

    /// `(.managed)` after `.attribute`.
    fn attribute(&mut self) -> Parsed<String> {
        self.expect('(')?;
        let mut count = 0;
        let words = self.list(')', |parser| {
            count += 1;
            if count > MAX_ATTRIBUTES {
                return Err(parser.error("fewer attributes"));
            }
            Ok(format!(".{}", parser.short_directive("an attribute such as `.managed`")?))
        })?;
        Ok(format!(".attribute({})", words.join(", ")))
    }

    /// A directive that is kept as a word of a declaration.
    fn short_directive(&mut self, expected: &str) -> Parsed<&'a str> {
        match self.directive() {
            Some(word) if word.len() <= MAX_WORD => {
                self.advance()?;
                Ok(word)
            }
            _ => Err(self.error(expected)),
        }
    }

    /// `.f32` as `f32`, `.v4 .f32` as `v4.f32`.
    pub(super) fn ty(&mut self) -> Parsed<String> {
        let first = self.short_directive("a type such as `.u64`")?;
        if !matches!(first, "v2" | "v4" | "v8") {
            return Ok(first.to_owned());
        }
        Ok(format!("{first}.{}", self.short_directive("the vector's element type")?))
    }

    /// `x[64]`, or `a[2][3]`, or `smem[]`.
    fn variable_name(&mut self, mut variable: Variable) -> Parsed<Variable> {
        variable.name = self.name("a name")?;
        while self.eat('[')? {
            variable.dims.push(match self.token.kind {
                Kind::Int(size) => {
                    self.advance()?;
                    Some(size)
                }
                _ => None,
            });
            self.expect(']')?;
        }
        Ok(variable)
    }

    /// `5` or `{1, {2, 3}}`, flattened into `into`.
    fn initialiser(&mut self, into: &mut Vec<Operand>) -> Parsed<()> {
        if !self.eat('{')? {
            into.push(self.initial_value()?);
            return Ok(());
        }
        self.nested(|parser| parser.list('}', |parser| parser.initialiser(into)))?;
        Ok(())
    }

    /// A number, `name`, `name+4` or `generic(name)+4`; the last one keeps `generic(…)` as a name.
    fn initial_value(&mut self) -> Parsed<Operand> {
        if self.token.kind != Kind::Word("generic") {
            return self.operand();
        }
        self.advance()?;
        if !self.at('(') {
            return self.offset_of("generic".to_owned());
        }
        self.advance()?;
        let name = self.word("a variable's name")?;
        self.expect(')')?;
        self.offset_of(format!("generic({name})"))
    }
}
