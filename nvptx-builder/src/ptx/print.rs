//! Tree to PTX text.

use super::{Function, Guard, Instruction, Item, Module, Operand, Statement, Variable};
use std::fmt::{self, Display, Formatter, Write};

const INDENT: &str = "    ";

/// The whole text; with metadata, the comments at its head and the `//@ end` line.
pub(super) fn module(module: &Module, f: &mut Formatter<'_>) -> fmt::Result {
    if let Some(metadata) = &module.metadata {
        write!(f, "{metadata}")?;
    }
    let (major, minor) = module.version;
    writeln!(f, ".version {major}.{minor}")?;
    write!(f, ".target {}", module.target)?;
    for option in &module.target_options {
        write!(f, ", {option}")?;
    }
    writeln!(f, "\n.address_size {}", module.address_size)?;
    for item in &module.items {
        match item {
            Item::File { index, name } => writeln!(f, ".file {index} {}", Quoted(name))?,
            Item::Variable(variable) => writeln!(f, "{variable};")?,
            Item::Function(function) => write!(f, "\n{function}")?,
        }
    }
    if module.metadata.is_some() { f.write_str("//@ end\n") } else { Ok(()) }
}

/// A PTX string; the lexer resolves the escapes again.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '\\' => f.write_str("\\\\")?,
                '"' => f.write_str("\\\"")?,
                '\n' => f.write_str("\\n")?,
                '\0' => f.write_str("\\0")?,
                // ptxas takes nothing beyond ASCII, but for comments.
                c if !c.is_ascii() => write!(f, "{}", c.escape_unicode())?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// `v4.f32` as `.v4 .f32`: in declarations, each word is a token of its own.
struct Type<'a>(&'a str);

impl Display for Type<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, word) in self.0.split('.').enumerate() {
            write!(f, "{}.{word}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

fn separated<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = &self.linkage {
            write!(f, ".{linkage} ")?;
        }
        f.write_str(if self.entry { ".entry " } else { ".func " })?;
        if let Some(returns) = &self.returns {
            write!(f, "({returns}) ")?;
        }
        write!(f, "{}(", self.name)?;
        for (i, param) in self.params.iter().enumerate() {
            write!(f, "{}\n{INDENT}{param}", if i == 0 { "" } else { "," })?;
        }
        f.write_str(if self.params.is_empty() { ")" } else { "\n)" })?;
        for (word, values) in &self.directives {
            write!(f, "\n.{word}")?;
            for (i, value) in values.iter().enumerate() {
                write!(f, "{}{value}", if i == 0 { " " } else { ", " })?;
            }
        }
        match &self.body {
            None => f.write_str(";\n"),
            Some(body) => {
                f.write_str("\n{\n")?;
                statements(f, body, 1)?;
                f.write_str("}\n")
            }
        }
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = &self.linkage {
            write!(f, ".{linkage} ")?;
        }
        write!(f, ".{}", self.space)?;
        // `.attribute(…)` belongs before the type, a parameter's attributes after it.
        let before = |attribute: &&String| attribute.starts_with(".attribute(");
        for attribute in self.attributes.iter().filter(before) {
            write!(f, " {attribute}")?;
        }
        if let Some(align) = self.align {
            write!(f, " .align {align}")?;
        }
        write!(f, " {}", Type(&self.ty))?;
        for attribute in self.attributes.iter().filter(|attribute| !before(attribute)) {
            write!(f, " {attribute}")?;
        }
        write!(f, " {}", self.name)?;
        for dim in &self.dims {
            match dim {
                Some(size) => write!(f, "[{size}]")?,
                None => f.write_str("[]")?,
            }
        }
        match (self.init.as_slice(), self.dims.is_empty()) {
            ([], _) => Ok(()),
            ([value], true) => write!(f, " = {value}"),
            (values, _) => {
                f.write_str(" = {")?;
                separated(f, values)?;
                f.write_char('}')
            }
        }
    }
}

fn statements(f: &mut Formatter<'_>, body: &[Statement], depth: usize) -> fmt::Result {
    for statement in body {
        if !matches!(statement, Statement::Label(_)) {
            for _ in 0..depth {
                f.write_str(INDENT)?;
            }
        }
        match statement {
            Statement::Label(name) => writeln!(f, "{name}:")?,
            Statement::Registers { ty, prefix, count } => {
                write!(f, ".reg {} {prefix}", Type(ty))?;
                if let Some(count) = count {
                    write!(f, "<{count}>")?;
                }
                f.write_str(";\n")?;
            }
            Statement::Variable(variable) => writeln!(f, "{variable};")?,
            Statement::Loc { file, line, column } => writeln!(f, ".loc {file} {line} {column}")?,
            Statement::Instruction(instruction) => writeln!(f, "{instruction}")?,
            Statement::Block(block) => {
                f.write_str("{\n")?;
                statements(f, block, depth + 1)?;
                for _ in 0..depth {
                    f.write_str(INDENT)?;
                }
                f.write_str("}\n")?;
            }
            Statement::Pragma(text) => writeln!(f, ".pragma {};", Quoted(text))?,
        }
    }
    Ok(())
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "@{}{}", if self.negated { "!" } else { "" }, self.register)
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "{guard} ")?;
        }
        f.write_str(&self.opcode)?;
        for modifier in &self.modifiers {
            write!(f, ".{modifier}")?;
        }
        if !self.operands.is_empty() {
            f.write_char(' ')?;
            // A prototype's parts stand side by side.
            if self.opcode == ".callprototype" {
                for (i, operand) in self.operands.iter().enumerate() {
                    write!(f, "{}{operand}", if i == 0 { "" } else { " " })?;
                }
            } else {
                separated(f, &self.operands)?;
            }
        }
        f.write_char(';')
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(name) => f.write_str(name),
            Operand::Not(name) => write!(f, "!{name}"),
            Operand::Int(value) => write!(f, "{value}"),
            Operand::F32(bits) => write!(f, "0f{bits:08X}"),
            Operand::F64(bits) => write!(f, "0d{bits:016X}"),
            Operand::Address { base: Some(base), offset: 0 } => write!(f, "[{base}]"),
            Operand::Address { base: Some(base), offset } => write!(f, "[{base}+{offset}]"),
            Operand::Address { base: None, offset } => write!(f, "[{offset}]"),
            Operand::Vector(elements) => {
                f.write_char('{')?;
                separated(f, elements)?;
                f.write_char('}')
            }
            Operand::Pair(first, second) => write!(f, "{first}|{second}"),
            Operand::List(elements) => {
                f.write_char('(')?;
                separated(f, elements)?;
                f.write_char(')')
            }
            Operand::Offset(name, offset) => write!(f, "{name}+{offset}"),
        }
    }
}
