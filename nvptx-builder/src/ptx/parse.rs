//! PTX text to tree: a recursive-descent parser with one token of look-ahead.

mod body;
mod items;

use super::Module;
use super::lex::{Kind, Lexer, Token, quote};
use crate::metadata::{Metadata, MetadataError};

/// How deep blocks and operands may nest; compilers use two or three levels.
const MAX_DEPTH: u32 = 64;

/// Why a text is not PTX, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The text breaks PTX's grammar, or uses a part of it that the tree cannot hold.
    #[error("line {line}, column {column}: expected {expected}, found {found}")]
    Unexpected {
        /// One-based.
        line: u32,
        /// One-based, in characters.
        column: u32,
        /// What stands there.
        found: String,
        /// What could have stood there.
        expected: String,
    },
    /// Blocks or operands are nested too deeply.
    #[error("line {line}, column {column}: nested more than {MAX_DEPTH} levels deep")]
    TooDeep {
        /// One-based.
        line: u32,
        /// One-based, in characters.
        column: u32,
    },
    /// The structured comments at the head are wrong.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
}

impl ParseError {
    pub(super) fn unexpected(line: u32, column: u32, found: String, expected: &str) -> Self {
        ParseError::Unexpected { line, column, found, expected: expected.to_owned() }
    }
}

/// Reads a PTX translation unit.
///
/// Accepts what our printer writes, and what nvcc, Triton and LLVM write for ordinary kernels.
/// Comments (but for the metadata at the head), white space, debugging sections with the `debug`
/// target option, the `function_name … inlined_at …` tail of a `.loc` and a `.pragma` at module
/// scope are not kept.
///
/// # Errors
/// [`ParseError`] at the first place where the text is not PTX that the tree can hold, or if the
/// text begins with Gridlaunch's metadata and that is malformed or the text was cut short.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let metadata = Metadata::from_ptx(text)?;
    let mut parser = Parser::new(text)?;
    let mut module = parser.module()?;
    module.metadata = metadata;
    Ok(module)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    depth: u32,
    /// Debugging information has been left out.
    skipped_section: bool,
}

type Parsed<T> = Result<T, ParseError>;

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Self> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        Ok(Parser { lexer, token, depth: 0, skipped_section: false })
    }

    /// Takes the current token.
    fn advance(&mut self) -> Parsed<Token<'a>> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// The error that the current token is not what is expected.
    fn error(&self, expected: &str) -> ParseError {
        self.error_at(&self.token, expected)
    }

    fn error_at(&self, token: &Token<'a>, expected: &str) -> ParseError {
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => quote(token.text),
        };
        ParseError::unexpected(token.line, token.column, found, expected)
    }

    /// Parses something that can contain itself.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(ParseError::TooDeep { line: self.token.line, column: self.token.column });
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn at(&self, punct: char) -> bool {
        self.token.kind == Kind::Punct(punct)
    }

    /// Takes `punct` if it is next.
    fn eat(&mut self, punct: char) -> Parsed<bool> {
        let found = self.at(punct);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, punct: char) -> Parsed<()> {
        if self.eat(punct)? { Ok(()) } else { Err(self.error(&format!("`{punct}`"))) }
    }

    /// The name of the directive that is next.
    fn directive(&self) -> Option<&'a str> {
        match self.token.kind {
            Kind::Directive(name) => Some(name),
            _ => None,
        }
    }

    /// Takes `.name` if it is next.
    fn eat_directive(&mut self, name: &str) -> Parsed<bool> {
        let found = self.directive() == Some(name);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect_directive(&mut self, name: &str) -> Parsed<()> {
        if self.eat_directive(name)? { Ok(()) } else { Err(self.error(&format!("`.{name}`"))) }
    }

    fn word(&mut self, expected: &str) -> Parsed<&'a str> {
        match self.token.kind {
            Kind::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => Err(self.error(expected)),
        }
    }

    /// A name that is being declared: a word without dots.
    fn name(&mut self, expected: &str) -> Parsed<String> {
        match self.token.kind {
            Kind::Word(word) if !word.contains('.') => {
                self.advance()?;
                Ok(word.to_owned())
            }
            _ => Err(self.error(expected)),
        }
    }

    fn string(&mut self, expected: &str) -> Parsed<String> {
        if !matches!(self.token.kind, Kind::Str(_)) {
            return Err(self.error(expected));
        }
        match self.advance()?.kind {
            Kind::Str(text) => Ok(text.into_owned()),
            _ => unreachable!("the token was just seen to be a string"),
        }
    }

    fn u64(&mut self, expected: &str) -> Parsed<u64> {
        match self.token.kind {
            Kind::Int(value) => {
                self.advance()?;
                Ok(value)
            }
            _ => Err(self.error(expected)),
        }
    }

    fn u32(&mut self, expected: &str) -> Parsed<u32> {
        match self.token.kind {
            Kind::Int(value) if value <= u64::from(u32::MAX) => {
                self.advance()?;
                Ok(value as u32)
            }
            _ => Err(self.error(expected)),
        }
    }

    /// Items separated by commas, up to and with `close`.
    fn list<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close)? {
                return Ok(items);
            }
            if !self.eat(',')? {
                return Err(self.error(&format!("`,` or `{close}`")));
            }
        }
    }
}
