//! Splits PTX text into tokens, one at a time and without copying (PTX ISA, chapter 4).

use super::parse::ParseError;
use std::borrow::Cow;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    /// A name, an opcode with its modifiers, or a register: `ld.global.f32`, `%tid.x`, `_`.
    Word(&'a str),
    /// A dot and one word, without the dot: `.visible`.
    Directive(&'a str),
    /// The magnitude of an integer literal.
    Int(u64),
    /// `0f` and eight hexadecimal digits.
    F32(u32),
    /// `0d` and sixteen hexadecimal digits, or a decimal literal.
    F64(u64),
    /// The text between quotes, escapes resolved.
    Str(Cow<'a, str>),
    /// One character of punctuation.
    Punct(char),
    /// The end of the text.
    End,
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// As written.
    pub(super) text: &'a str,
    /// One-based.
    pub(super) line: u32,
    /// One-based, in characters.
    pub(super) column: u32,
}

/// The position in the text.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

fn word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%')
}

fn word_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

/// The length of a run of word characters and `::` at the start of `text`: one modifier.
fn modifier_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(&b) if word_part(b as char) => at += 1,
            Some(b':') if bytes.get(at + 1) == Some(&b':') && after_colons(bytes, at) => at += 2,
            _ => return at,
        }
    }
}

/// Whether the `::` at `at` stands between two word characters.
fn after_colons(bytes: &[u8], at: usize) -> bool {
    at > 0
        && word_part(bytes[at - 1] as char)
        && bytes.get(at + 2).is_some_and(|&b| word_part(b as char))
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer { rest: text, line: 1, column: 1 }
    }

    /// Takes `len` bytes, which end at a character boundary.
    fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(len);
        self.rest = rest;
        for c in taken.chars() {
            if c == '\n' {
                self.line = self.line.saturating_add(1);
                self.column = 1;
            } else {
                self.column = self.column.saturating_add(1);
            }
        }
        taken
    }

    fn error(&self, found: impl Into<String>, expected: &str) -> ParseError {
        ParseError::unexpected(self.line, self.column, found.into(), expected)
    }

    /// Skips white space, comments and preprocessor lines.
    fn skip_blank(&mut self) -> Result<(), ParseError> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start_matches(char::is_whitespace).len();
            self.take(blank);
            if self.rest.starts_with("//") || (self.rest.starts_with('#') && self.column_is_first())
            {
                self.comment(self.rest.find('\n').unwrap_or(self.rest.len()))?;
            } else if self.rest.starts_with("/*") {
                let Some(len) = self.rest[2..].find("*/") else {
                    return Err(self.error("`/*`", "a comment that is closed with `*/`"));
                };
                self.comment(len + 4)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Skips `len` bytes. A driver takes PTX as a C string, so a NUL would end it, even here.
    fn comment(&mut self, len: usize) -> Result<(), ParseError> {
        if let Some(nul) = self.rest[..len].find('\0') {
            self.take(nul);
            return Err(self.error("a NUL character", "text without NUL characters"));
        }
        self.take(len);
        Ok(())
    }

    /// A `#` starts a preprocessor line only where nothing stands before it on its line.
    fn column_is_first(&self) -> bool {
        self.column == 1
    }

    /// The next token; [`Kind::End`] from the end on.
    pub(super) fn next(&mut self) -> Result<Token<'a>, ParseError> {
        self.skip_blank()?;
        let (line, column, start) = (self.line, self.column, self.rest);
        let kind = self.kind()?;
        let text = &start[..start.len() - self.rest.len()];
        Ok(Token { kind, text, line, column })
    }

    fn kind(&mut self) -> Result<Kind<'a>, ParseError> {
        let Some(first) = self.rest.chars().next() else {
            return Ok(Kind::End);
        };
        let second = self.rest.chars().nth(1);
        if word_start(first) {
            return Ok(Kind::Word(self.word()));
        }
        if first == '.' && second.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            let len = 1 + modifier_len(&self.rest[1..]);
            return Ok(Kind::Directive(&self.take(len)[1..]));
        }
        if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) {
            return self.number();
        }
        match first {
            '"' => self.string(),
            ';' | ',' | ':' | '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | '=' | '+' | '-'
            | '!' | '|' | '@' | '*' => {
                self.take(1);
                Ok(Kind::Punct(first))
            }
            '\0' => Err(self.error("a NUL character", "PTX text")),
            other => Err(self.error(format!("`{}`", other.escape_debug()), "PTX text")),
        }
    }

    fn word(&mut self) -> &'a str {
        let bytes = self.rest.as_bytes();
        let mut at = 1;
        while bytes.get(at).is_some_and(|&b| word_part(b as char)) {
            at += 1;
        }
        while bytes.get(at) == Some(&b'.') {
            match modifier_len(&self.rest[at + 1..]) {
                0 => break,
                len => at += 1 + len,
            }
        }
        self.take(at)
    }

    fn number(&mut self) -> Result<Kind<'a>, ParseError> {
        let len = number_len(self.rest);
        let text = &self.rest[..len];
        let Some(kind) = number_value(text) else {
            let expected = "an integer of at most 64 bits, `0f` with eight hexadecimal digits, \
                            `0d` with sixteen, or a decimal number";
            return Err(self.error(quote(text), expected));
        };
        self.take(len);
        Ok(kind)
    }

    fn string(&mut self) -> Result<Kind<'a>, ParseError> {
        let body = &self.rest[1..];
        let mut owned: Option<String> = None;
        let mut chars = body.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.take(at + 2);
                    return Ok(Kind::Str(match owned {
                        Some(text) => Cow::Owned(text),
                        None => Cow::Borrowed(&body[..at]),
                    }));
                }
                '\n' | '\0' => break,
                '\\' => {
                    let text = owned.get_or_insert_with(|| body[..at].to_owned());
                    match chars.next() {
                        Some((_, '\\')) => text.push('\\'),
                        Some((_, '"')) => text.push('"'),
                        Some((_, 'n')) => text.push('\n'),
                        Some((_, '0')) => text.push('\0'),
                        Some((at, 'u')) => match unicode(&body[at + 1..]) {
                            Some((c, len)) => {
                                text.push(c);
                                chars.nth(len - 1);
                            }
                            None => text.push_str("\\u"),
                        },
                        // Windows paths are not always escaped: a backslash before anything
                        // else stands for itself.
                        Some((_, other)) if other != '\n' && other != '\0' => {
                            text.push('\\');
                            text.push(other);
                        }
                        _ => break,
                    }
                }
                c => {
                    if let Some(text) = &mut owned {
                        text.push(c);
                    }
                }
            }
        }
        Err(self.error("`\"`", "a string that ends on its line"))
    }
}

/// The character that `{e9}` after `\u` means, and how many characters that takes.
fn unicode(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(8).position(|b| b == b'}')?;
    let digits = text[..end].strip_prefix('{')?;
    let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
    let code = plain.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?;
    // Only what the printer escapes; the rest is text that merely looks like an escape.
    char::from_u32(code).filter(|c| !c.is_ascii()).map(|c| (c, end + 1))
}

/// The length of the numeric literal at the start of `text`, with whatever letters cling to it.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let prefixed = bytes[0] == b'0' && bytes.get(1).is_some_and(|b| b"xXbBfFdD".contains(b));
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        let sign_of_exponent = matches!(b, b'+' | b'-')
            && !prefixed
            && at > 0
            && matches!(bytes[at - 1], b'e' | b'E')
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if b.is_ascii_alphanumeric() || b == b'_' || (b == b'.' && !prefixed) || sign_of_exponent {
            at += 1;
        } else {
            break;
        }
    }
    at
}

fn number_value<'a>(text: &str) -> Option<Kind<'a>> {
    let unsigned = text.strip_suffix(['u', 'U']).unwrap_or(text);
    // `from_str_radix` would take a sign.
    let integer = |digits: &str, radix: u32| {
        let plain = digits.bytes().all(|b| (b as char).is_digit(radix));
        plain.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(Kind::Int)
    };
    let exact = |digits: &str, count: usize| {
        let plain = digits.len() == count && digits.bytes().all(|b| b.is_ascii_hexdigit());
        plain.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
    };
    match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => integer(&unsigned[2..], 16),
        [b'0', b'b' | b'B', ..] => integer(&unsigned[2..], 2),
        [b'0', b'f' | b'F', ..] => {
            exact(&text[2..], 8).and_then(|bits| u32::try_from(bits).ok()).map(Kind::F32)
        }
        [b'0', b'd' | b'D', ..] => exact(&text[2..], 16).map(Kind::F64),
        [b'0', b'0'..=b'9', ..] if !text.contains(['.', 'e', 'E']) => integer(&unsigned[1..], 8),
        _ if text.bytes().all(|b| b.is_ascii_digit()) || unsigned.len() < text.len() => {
            integer(unsigned, 10)
        }
        _ => {
            let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
            let value = if plain { text.parse::<f64>().ok()? } else { return None };
            Some(Kind::F64(value.to_bits()))
        }
    }
}

/// A piece of the input for a message: quoted, and cut if it is long.
pub(super) fn quote(text: &str) -> String {
    let mut short: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    format!("`{short}`")
}
