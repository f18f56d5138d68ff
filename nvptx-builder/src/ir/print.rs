//! The IR's text. [`parse`](super::parse) reads all of it back.

use std::fmt::{self, Display, Formatter};

use super::{Block, Function, Inst, Loc, Op, Target, Terminator, Type, Value};

/// Where location comments begin.
const LOCATION_COLUMN: usize = 44;

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "func @{}(", Name(&self.name))?;
        for (i, param) in self.params.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{} %{}", param.ty, Name(&param.name))?;
        }
        writeln!(f, ") {{")?;
        for (i, slot) in self.slots.iter().enumerate() {
            writeln!(
                f,
                "    slot s{i} = {} {} size {} align {}",
                slot.space,
                Quoted(&slot.name),
                slot.size,
                slot.align
            )?;
        }
        for (i, site) in self.sites.iter().enumerate() {
            let (file, line, column) = (site.file, site.line, site.column);
            writeln!(f, "    site {i} = {file}:{line}:{column} {}", Quoted(&site.message))?;
        }
        for &block in &self.layout {
            self.print_block(f, block)?;
        }
        writeln!(f, "}}")
    }
}

impl Function {
    fn print_block(&self, f: &mut Formatter<'_>, block: Block) -> fmt::Result {
        let Some(data) = self.blocks.get(block.index()) else {
            // Only in a function that does not verify; the text should still help.
            return writeln!(f, "; {block} does not exist");
        };
        write!(f, "{block}")?;
        if !data.params.is_empty() {
            write!(f, "(")?;
            for (i, &param) in data.params.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                write!(f, "{comma}{param}: {}", self.type_name(param))?;
            }
            write!(f, ")")?;
        }
        writeln!(f, ":")?;
        for inst in &data.insts {
            print_line(f, &self.inst_text(inst), inst.loc)?;
        }
        print_line(f, &data.end.to_string(), data.loc)
    }

    fn type_name(&self, value: Value) -> &'static str {
        self.values.get(value.index()).map_or("?", |data| data.ty.name())
    }

    fn inst_text(&self, inst: &Inst) -> String {
        let mut text = String::new();
        let mut ty = "?";
        if let Some(result) = inst.result {
            text = format!("{result} = ");
            ty = self.type_name(result);
        }
        text += &match inst.op {
            Op::Const(bits) => {
                let ty = inst.result.and_then(|result| self.values.get(result.index()));
                let constant =
                    ty.map_or_else(|| format!("{bits:#x}"), |data| literal(data.ty, bits));
                format!("const.{} {constant}", ty.map_or("?", |data| data.ty.name()))
            }
            Op::Param(number) => format!("param.{ty} {number}"),
            Op::Special(special) => format!("special.{ty} {special}"),
            Op::SlotAddr(slot) => format!("slot_addr.{ty} {slot}"),
            Op::Unary(op, a) => format!("{op}.{ty} {a}"),
            Op::Binary(op, a, b) => format!("{op}.{ty} {a}, {b}"),
            Op::Fma(a, b, c) => format!("fma.{ty} {a}, {b}, {c}"),
            Op::WideMul { signed: true, a, b } => format!("wide_smul.{ty} {a}, {b}"),
            Op::WideMul { signed: false, a, b } => format!("wide_umul.{ty} {a}, {b}"),
            Op::Compare(op, a, b) => format!("cmp.{op} {a}, {b}"),
            Op::Select(condition, a, b) => format!("select.{ty} {condition}, {a}, {b}"),
            Op::Convert(op, a) => format!("{op}.{ty} {a}"),
            Op::Load { space, address, offset, readonly } => {
                let readonly = if readonly { " readonly" } else { "" };
                format!("load.{ty} {space} [{address}{}]{readonly}", Offset(offset))
            }
            Op::Store { space, address, offset, value } => {
                format!("store {space} [{address}{}], {value}", Offset(offset))
            }
            Op::Barrier => "barrier".to_owned(),
        };
        text
    }
}

fn print_line(f: &mut Formatter<'_>, text: &str, loc: Loc) -> fmt::Result {
    if loc.is_unknown() {
        return writeln!(f, "    {text}");
    }
    let width = LOCATION_COLUMN - 4;
    writeln!(f, "    {text:<width$}; {loc}")
}

impl Display for Loc {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Display for Terminator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Jump(target) => write!(f, "jump {target}"),
            Terminator::Branch { condition, then, otherwise } => {
                write!(f, "br {condition}, {then}, {otherwise}")
            }
            Terminator::Return => f.write_str("ret"),
            Terminator::Panic { site, values } => {
                write!(f, "panic {site}")?;
                print_args(f, values)
            }
            Terminator::Unreachable => f.write_str("unreachable"),
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.block)?;
        print_args(f, &self.args)
    }
}

fn print_args(f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
    if values.is_empty() {
        return Ok(());
    }
    f.write_str("(")?;
    for (i, value) in values.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{value}")?;
    }
    f.write_str(")")
}

/// A constant: signed decimal for integers, shortest exact decimal for finite floats, else bits.
pub(super) fn literal(ty: Type, bits: u64) -> String {
    if bits & !ty.mask() != 0 {
        return format!("{bits:#x}");
    }
    match ty {
        Type::I1 => bits.to_string(),
        Type::I8 => (bits as i8).to_string(),
        Type::I16 => (bits as i16).to_string(),
        Type::I32 => (bits as i32).to_string(),
        Type::I64 => (bits as i64).to_string(),
        Type::F32 if f32::from_bits(bits as u32).is_finite() => {
            format!("{:?}", f32::from_bits(bits as u32))
        }
        Type::F64 if f64::from_bits(bits).is_finite() => format!("{:?}", f64::from_bits(bits)),
        Type::F32 | Type::F64 => format!("{bits:#x}"),
    }
}

struct Offset(i64);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            offset if offset < 0 => write!(f, " - {}", offset.unsigned_abs()),
            offset => write!(f, " + {offset}"),
        }
    }
}

/// A name: bare if it is an identifier, else quoted.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() && self.0.chars().all(is_name_char) {
            f.write_str(self.0)
        } else {
            Quoted(self.0).fmt(f)
        }
    }
}

/// May stand in a bare name.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '.')
}

/// A string with `\\`, `\"` and `\u{…}` escapes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", c as u32)?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
