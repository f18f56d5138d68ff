//! The structured comments as text, in both directions.

use super::{MessageError, Metadata, PanicSite, Panics, Param, UnknownType};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// The format that this version writes, and the only one that it reads.
const FORMAT: u32 = 1;
const PREFIX: &str = "//@";
const END: &str = "//@ end";

/// Why structured comments cannot be read. Lines are one-based.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// The text does not begin with a `//@ gridlaunch` line.
    #[error("the text does not begin with `//@ gridlaunch {FORMAT}`")]
    Absent,
    /// A newer Gridlaunch wrote it.
    #[error("metadata format {0} is not known here; this version reads format {FORMAT}")]
    Format(String),
    /// A line that does not have its key's form.
    #[error("line {line}: expected {expected}")]
    Malformed {
        /// Where.
        line: usize,
        /// What a right line looks like.
        expected: &'static str,
    },
    /// A parameter whose type is not one.
    #[error("line {line}: {source}")]
    Type {
        /// Where.
        line: usize,
        /// What it says instead.
        source: UnknownType,
    },
    /// A panic message that cannot be printed.
    #[error("line {line}: the panic message has {source}")]
    Message {
        /// Where.
        line: usize,
        /// What is wrong with it.
        source: MessageError,
    },
    /// A fact that an earlier line has stated already.
    #[error("line {line}: {fact} is stated twice")]
    Duplicate {
        /// Where.
        line: usize,
        /// Which fact.
        fact: String,
    },
    /// The panic sites are not numbered 0, 1, 2, … in order.
    #[error("line {line}: panic site {found} where site {expected} should stand")]
    SiteOrder {
        /// Where.
        line: usize,
        /// Its number.
        found: u64,
        /// The number that is next.
        expected: usize,
    },
    /// A panic site in a file that no `file` line names.
    #[error("panic site {site} is in file {file}, which no `file` line names")]
    UnknownFile {
        /// The site's number.
        site: usize,
        /// The file's index.
        file: u32,
    },
    /// There is no `kernel` line.
    #[error("no `//@ kernel` line")]
    NoKernel,
    /// There are `site` lines but no `panics` line.
    #[error("panic sites without a `//@ panics` line")]
    NoPanics,
    /// The last line is not `//@ end`: the text has been cut short.
    #[error("the text does not end with `{END}`: it has been cut short")]
    NoEnd,
}

impl Display for Metadata {
    /// The lines from `//@ gridlaunch` on. The `//@ end` line is the PTX printer's.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{PREFIX} gridlaunch {FORMAT}")?;
        writeln!(f, "{PREFIX} kernel {}", Name(&self.kernel))?;
        for Param { name, ty } in &self.params {
            writeln!(f, "{PREFIX} param {} {ty}", Name(name))?;
        }
        for (index, path) in &self.files {
            // Most paths can stand as they are.
            let odd = |c: char| c == '"' || c.is_control() || !c.is_ascii();
            if path.is_empty() || path.trim() != path || path.contains(odd) {
                writeln!(f, "{PREFIX} file {index} {}", Quoted(path))?;
            } else {
                writeln!(f, "{PREFIX} file {index} {path}")?;
            }
        }
        if let Some(panics) = &self.panics {
            writeln!(f, "{PREFIX} panics {:016x}", panics.id)?;
            for (index, site) in panics.sites.iter().enumerate() {
                writeln!(f, "{PREFIX} site {}", site_line(index, site))?;
            }
        }
        Ok(())
    }
}

/// What a site's line says after its key.
pub(super) fn site_line(index: usize, site: &PanicSite) -> String {
    let PanicSite { file, line, column, message } = site;
    format!("{index} {file}:{line}:{column} {}", Quoted(message))
}

fn escaped(f: &mut Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '\\' => f.write_str("\\\\"),
        '"' => f.write_str("\\\""),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '\0' => f.write_str("\\0"),
        ' '..='~' => write!(f, "{c}"),
        // The rest of a PTX text is ASCII, which keeps it safe to pass through any tool.
        c => write!(f, "{}", c.escape_unicode()),
    }
}

struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        self.0.chars().try_for_each(|c| escaped(f, c))?;
        f.write_str("\"")
    }
}

/// A name without quotes; its characters beyond ASCII are escaped.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| escaped(f, c))
    }
}

/// Resolves escapes; `None` if one is wrong or a quote stands unescaped.
fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '"' => return None,
            '\\' => match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                c @ ('\\' | '"' | '\'') => c,
                'u' => {
                    let (digits, rest) = chars.as_str().strip_prefix('{')?.split_once('}')?;
                    let plain = (1..=6).contains(&digits.len())
                        && digits.bytes().all(|b| b.is_ascii_hexdigit());
                    let code = plain.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?;
                    chars = rest.chars();
                    char::from_u32(code)?
                }
                _ => return None,
            },
            c => c,
        });
    }
    Some(out)
}

fn unquote(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    // In `"\"` the closing quote is escaped; `unescape` then sees a lone backslash.
    unescape(inner)
}

fn name(text: &str) -> Option<String> {
    let name = unescape(text)?;
    let ok = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '$' | '%' | '.');
    (!name.is_empty() && name.chars().all(ok)).then_some(name)
}

/// Digits only; `parse` alone would take a sign.
fn number<T: FromStr>(text: &str) -> Option<T> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

impl Metadata {
    /// Reads the metadata at the head of a PTX text; `None` if the text has none, as PTX from
    /// another compiler. The rest of the text is not looked at but for its last line.
    ///
    /// # Errors
    /// [`MetadataError`] if the metadata is malformed or of an unknown format, or if the text
    /// does not end with `//@ end`.
    pub fn from_ptx(text: &str) -> Result<Option<Metadata>, MetadataError> {
        let metadata = match text.parse() {
            Err(MetadataError::Absent) => return Ok(None),
            result => result?,
        };
        match text.trim_end().lines().next_back() {
            Some(END) => Ok(Some(metadata)),
            _ => Err(MetadataError::NoEnd),
        }
    }
}

impl FromStr for Metadata {
    type Err = MetadataError;

    /// Reads the `//@` lines at the head of the text; what comes after them is not looked at.
    fn from_str(text: &str) -> Result<Self, MetadataError> {
        let body = text.trim_start();
        let skipped = text[..text.len() - body.len()].matches('\n').count();
        let mut lines = body.lines().enumerate().map_while(|(i, line)| {
            let fact = line.strip_prefix(PREFIX)?;
            let fact = fact.trim();
            let (key, value) = fact.split_once(' ').unwrap_or((fact, ""));
            Some((skipped + i + 1, key, value.trim_start()))
        });
        match lines.next() {
            Some((_, "gridlaunch", value)) if number(value) == Some(FORMAT) => {}
            Some((_, "gridlaunch", value)) => {
                return Err(MetadataError::Format(value.chars().take(20).collect()));
            }
            _ => return Err(MetadataError::Absent),
        }
        let mut reader = Reader::default();
        for (line, key, value) in lines {
            reader.fact(line, key, value)?;
        }
        reader.finish()
    }
}

/// The facts read so far.
#[derive(Default)]
struct Reader {
    kernel: Option<String>,
    params: Vec<Param>,
    param_names: std::collections::HashSet<String>,
    files: Vec<(u32, String)>,
    file_indices: std::collections::HashSet<u32>,
    panics: Option<u64>,
    sites: Vec<PanicSite>,
}

impl Reader {
    fn fact(&mut self, line: usize, key: &str, value: &str) -> Result<(), MetadataError> {
        let duplicate = |fact: String| Err(MetadataError::Duplicate { line, fact });
        let malformed = |expected| MetadataError::Malformed { line, expected };
        match key {
            "gridlaunch" => return duplicate("the format".to_owned()),
            "kernel" => {
                let name = name(value).ok_or(malformed("`kernel NAME`"))?;
                if self.kernel.replace(name).is_some() {
                    return duplicate("the kernel's name".to_owned());
                }
            }
            "param" => {
                let (text, ty) = value.split_once(' ').ok_or(malformed("`param NAME TYPE`"))?;
                let name = name(text).ok_or(malformed("`param NAME TYPE`"))?;
                let ty = ty.parse().map_err(|source| MetadataError::Type { line, source })?;
                if !self.param_names.insert(name.clone()) {
                    return duplicate(format!("parameter `{name}`"));
                }
                self.params.push(Param { name, ty });
            }
            "file" => {
                let expected = "`file INDEX PATH`";
                let (index, path) = value.split_once(' ').ok_or(malformed(expected))?;
                let index = number(index).ok_or(malformed(expected))?;
                let path = if path.starts_with('"') {
                    unquote(path).ok_or(malformed(expected))?
                } else {
                    path.to_owned()
                };
                if !self.file_indices.insert(index) {
                    return duplicate(format!("file {index}"));
                }
                self.files.push((index, path));
            }
            "panics" => {
                let hex = value.len() == 16 && value.bytes().all(|b| b.is_ascii_hexdigit());
                let id = hex.then(|| u64::from_str_radix(value, 16).ok()).flatten();
                let id = id.ok_or(malformed("`panics` and sixteen hexadecimal digits"))?;
                if self.panics.replace(id).is_some() {
                    return duplicate("the panic id".to_owned());
                }
            }
            "site" => {
                let (index, site) =
                    site(value).ok_or(malformed("`site INDEX FILE:LINE:COLUMN \"MESSAGE\"`"))?;
                if index != self.sites.len() as u64 {
                    let expected = self.sites.len();
                    return Err(MetadataError::SiteOrder { line, found: index, expected });
                }
                if let Err(source) = site.placeholders() {
                    return Err(MetadataError::Message { line, source });
                }
                self.sites.push(site);
            }
            // From a later version that adds facts; what changes the meaning of the known ones
            // gets a new format number.
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Metadata, MetadataError> {
        let kernel = self.kernel.ok_or(MetadataError::NoKernel)?;
        if self.panics.is_none() && !self.sites.is_empty() {
            return Err(MetadataError::NoPanics);
        }
        for (index, site) in self.sites.iter().enumerate() {
            if !self.file_indices.contains(&site.file) {
                return Err(MetadataError::UnknownFile { site: index, file: site.file });
            }
        }
        let panics = self.panics.map(|id| Panics { id, sites: self.sites });
        Ok(Metadata { kernel, params: self.params, files: self.files, panics })
    }
}

/// `0 1:7:9 "message"`
fn site(value: &str) -> Option<(u64, PanicSite)> {
    let mut words = value.splitn(3, ' ');
    let index = number(words.next()?)?;
    let mut position = words.next()?.split(':').map(number);
    let (file, line, column) = (position.next()??, position.next()??, position.next()??);
    if position.next().is_some() {
        return None;
    }
    let message = unquote(words.next()?)?;
    Some((index, PanicSite { file, line, column, message }))
}
