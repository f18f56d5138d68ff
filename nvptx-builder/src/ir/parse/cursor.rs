//! Words, numbers and strings of one line.

use super::ParseError;
use crate::ir::print::is_name_char;
use crate::ir::{Loc, Type};

/// The rest of one line.
#[derive(Clone, Default)]
pub(super) struct Cursor<'a> {
    number: u32,
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(number: u32, line: &'a str) -> Cursor<'a> {
        let mut cursor = Cursor { number, whole: line, rest: line };
        cursor.skip_space();
        cursor
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        let consumed = &self.whole[..self.whole.len() - self.rest.len()];
        Err(ParseError {
            line: self.number,
            column: consumed.chars().count() as u32 + 1,
            message: message.into(),
        })
    }

    pub(super) fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Nothing but a comment is left.
    pub(super) fn at_end(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with(';')
    }

    pub(super) fn looking_at(&self, token: &str) -> bool {
        self.rest.starts_with(token)
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                self.skip_space();
                true
            }
            None => false,
        }
    }

    pub(super) fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.eat(token) { Ok(()) } else { self.fail(format!("expected `{token}`")) }
    }

    /// The longest run of name characters; may be empty.
    pub(super) fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c| !is_name_char(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.skip_space();
        word
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = self.clone();
        let found = ahead.word() == word;
        if found {
            *self = ahead;
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { self.fail(format!("expected `{word}`")) }
    }

    pub(super) fn value_follows(&self) -> bool {
        let mut ahead = self.clone();
        let word = ahead.word();
        word.len() > 1 && word.starts_with('v') && word[1..].bytes().all(|b| b.is_ascii_digit())
    }

    pub(super) fn name(&mut self) -> Result<String, ParseError> {
        if self.looking_at("\"") {
            return self.string();
        }
        let word = self.word();
        if word.is_empty() { self.fail("expected a name") } else { Ok(word.to_owned()) }
    }

    pub(super) fn string(&mut self) -> Result<String, ParseError> {
        if !self.looking_at("\"") {
            return self.fail("expected a string");
        }
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        loop {
            let Some((at, c)) = chars.next() else {
                return self.fail("the string is not closed");
            };
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    self.skip_space();
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    Some((_, 'u')) => {
                        let digits: String = chars
                            .by_ref()
                            .skip(1)
                            .map(|(_, c)| c)
                            .take_while(|&c| c != '}')
                            .collect();
                        let code = u32::from_str_radix(&digits, 16).ok();
                        match code.and_then(char::from_u32) {
                            Some(c) => text.push(c),
                            None => return self.fail("bad `\\u{…}` escape"),
                        }
                    }
                    _ => return self.fail("unknown escape"),
                },
                c => text.push(c),
            }
        }
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T, ParseError> {
        let start = self.clone();
        match self.word().parse() {
            Ok(number) => Ok(number),
            Err(_) => {
                *self = start;
                self.fail("expected a number")
            }
        }
    }

    /// A constant of a type: its bits.
    pub(super) fn literal(&mut self, ty: Type) -> Result<u64, ParseError> {
        let start = self.clone();
        // Up to white space: `1e-7` and `-0.0` are not words.
        let end =
            self.rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.skip_space();
        let bits = if let Some(digits) = text.strip_prefix("0x") {
            u64::from_str_radix(digits, 16).ok()
        } else {
            match ty {
                Type::F32 => text.parse::<f32>().ok().map(|value| u64::from(value.to_bits())),
                Type::F64 => text.parse::<f64>().ok().map(f64::to_bits),
                _ => {
                    let signed = text.parse::<i64>().ok().map(|value| value as u64 & ty.mask());
                    signed.or_else(|| text.parse::<u64>().ok())
                }
            }
        };
        match bits {
            Some(bits) => Ok(bits),
            None => {
                *self = start;
                self.fail(format!("expected a constant of type {ty}"))
            }
        }
    }

    /// The location in the comment that follows, if there is one.
    pub(super) fn location(&self) -> Loc {
        let Some(comment) = self.rest.strip_prefix(';') else { return Loc::default() };
        let mut parts = comment.trim().split(':').map(|part| part.parse::<u32>().ok());
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Some(file)), Some(Some(line)), Some(Some(column)), None) => {
                Loc { file, line, column }
            }
            _ => Loc::default(),
        }
    }
}
