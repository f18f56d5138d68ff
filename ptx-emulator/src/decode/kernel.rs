//! Decodes one entry: its memory, its parameters, its body.

use std::collections::HashSet;

use nvptx_builder::ptx::{
    Function, Instruction, Item as TreeItem, Module, Operand, Statement, Variable,
};

use super::draft::{Builder, DraftEnd};
use super::error::{LoadError, Refusal};
use super::types::Ty;
use super::values::{Param, Place, Values};
use super::{assemble, refuse, select};
use crate::fault::Space;
use crate::launch::LIMITS;
use crate::program::{Kernel, SourceLocation};

/// What a GPU gives a thread at most.
const LOCAL_LIMIT: u64 = 512 << 10;
/// What a kernel's parameters may take.
const PARAM_LIMIT: u64 = 32_764;

/// Bytes handed out in a state space.
#[derive(Default)]
struct Layout {
    used: u64,
}

impl Layout {
    /// Room for so many bytes.
    fn place(&mut self, size: u64, align: u64) -> u64 {
        // Sizes and alignments come from the text, so anything may overflow; the limits are far
        // below where saturation sets in.
        let at = self.used.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
        self.used = at.saturating_add(size);
        at
    }
}

struct Decoder<'a> {
    text: &'a str,
    module: &'a Module,
    entry: &'a Function,
    builder: Builder,
    shared: Layout,
    local: Layout,
    /// Names of unsized shared arrays with their alignments: they follow the sized ones.
    dynamic: Vec<(&'a str, u64)>,
    locations: Vec<Option<SourceLocation>>,
    last_location: (u32, u32, u32),
}

pub(super) fn decode(text: &str, module: &Module, entry: &Function) -> Result<Kernel, LoadError> {
    let decoder = Decoder {
        text,
        module,
        entry,
        builder: Builder::new(Values::new()),
        shared: Layout::default(),
        local: Layout::default(),
        dynamic: Vec::new(),
        locations: vec![None],
        last_location: (0, 0, 0),
    };
    decoder.run()
}

impl<'a> Decoder<'a> {
    fn run(mut self) -> Result<Kernel, LoadError> {
        let entry = self.entry;
        let at_kernel = |reason| LoadError::Kernel { kernel: entry.name.clone(), reason };
        let param_bytes = self.params().map_err(at_kernel)?;
        let body = entry.body.as_deref().unwrap_or_default();
        self.module_variables(body).map_err(at_kernel)?;
        self.body_variables(body).map_err(at_kernel)?;
        let static_shared = self.shared.used;
        self.dynamic_shared().map_err(at_kernel)?;
        let dynamic_shared_at = self.shared.used;
        for (space, bytes, limit) in [
            ("shared", static_shared, LIMITS.static_shared.into()),
            ("shared", dynamic_shared_at, LIMITS.shared.into()),
            ("local", self.local.used, LOCAL_LIMIT),
        ] {
            if bytes > limit {
                return Err(at_kernel(Refusal::TooLarge { space, bytes, limit }));
            }
        }
        self.statements(body)?;
        self.builder.guard = None;
        self.builder.end(DraftEnd::Exit { guard: None }, false);
        let mut kernel = assemble::assemble(self.builder).map_err(at_kernel)?;
        kernel.name = entry.name.clone();
        kernel.param_bytes = param_bytes;
        kernel.static_shared = static_shared as u32;
        kernel.dynamic_shared_at = dynamic_shared_at as u32;
        kernel.local_bytes = self.local.used.next_multiple_of(4) as u32;
        kernel.locations = self.locations;
        Ok(kernel)
    }

    /// Lays out the parameter block; its length.
    fn params(&mut self) -> Result<u32, Refusal> {
        let mut layout = Layout::default();
        for param in &self.entry.params {
            let (size, align) = size_and_align(param)?;
            let offset = layout.place(size, align);
            if layout.used > PARAM_LIMIT {
                let (space, bytes, limit) = ("param", layout.used, PARAM_LIMIT);
                return Err(Refusal::TooLarge { space, bytes, limit });
            }
            let place = Param { offset: offset as u32, bytes: size as u32 };
            self.builder.values.declare_param(&param.name, place)?;
        }
        Ok(layout.used as u32)
    }

    /// Places the module's shared variables that the body names.
    fn module_variables(&mut self, body: &'a [Statement]) -> Result<(), Refusal> {
        let mut named = HashSet::new();
        names_in(body, &mut named);
        for item in &self.module.items {
            if let TreeItem::Variable(variable) = item
                && named.contains(variable.name.as_str())
            {
                self.variable(variable)?;
            }
        }
        Ok(())
    }

    /// Places the body's shared and local variables, those between inner braces too.
    fn body_variables(&mut self, body: &'a [Statement]) -> Result<(), Refusal> {
        for statement in body {
            match statement {
                Statement::Variable(variable) if variable.space != "reg" => {
                    self.variable(variable)?;
                }
                Statement::Block(inner) => self.body_variables(inner)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn variable(&mut self, variable: &'a Variable) -> Result<(), Refusal> {
        let (layout, space) = match variable.space.as_str() {
            "shared" => (&mut self.shared, Space::Shared),
            "local" => (&mut self.local, Space::Local),
            "reg" => {
                return self.builder.values.declare_registers(&variable.ty, &variable.name, None);
            }
            space => {
                let (name, what) = (variable.name.clone(), format!("a .{space} variable"));
                return Err(Refusal::Declaration { name, what });
            }
        };
        if variable.dims.contains(&None) && space == Space::Shared {
            let (_, align) = size_and_align(variable)?;
            self.dynamic.push((&variable.name, align));
            return Ok(());
        }
        let (size, align) = size_and_align(variable)?;
        let offset = layout.place(size, align);
        let offset = u32::try_from(offset).map_err(|_| Refusal::TooLarge {
            space: "shared or local",
            bytes: offset,
            limit: u32::MAX.into(),
        })?;
        self.builder.values.declare_place(&variable.name, Place { space, offset })
    }

    /// All unsized arrays start at the same address, after the sized ones.
    fn dynamic_shared(&mut self) -> Result<(), Refusal> {
        let Some(align) = self.dynamic.iter().map(|(_, align)| *align).max() else {
            return Ok(());
        };
        let offset = self.shared.place(0, align) as u32;
        for (name, _) in std::mem::take(&mut self.dynamic) {
            self.builder.values.declare_place(name, Place { space: Space::Shared, offset })?;
        }
        Ok(())
    }

    fn statements(&mut self, statements: &'a [Statement]) -> Result<(), LoadError> {
        let at_kernel =
            |entry: &Function, reason| LoadError::Kernel { kernel: entry.name.clone(), reason };
        for statement in statements {
            if let Statement::Label(name) = statement {
                let declared = self.builder.values.declare_label(name);
                declared.map_err(|reason| at_kernel(self.entry, reason))?;
            }
        }
        for statement in statements {
            match statement {
                Statement::Label(name) => {
                    let label = self.builder.values.label(name);
                    let label = label.map_err(|reason| at_kernel(self.entry, reason))?;
                    self.builder.label(label);
                }
                Statement::Registers { ty, prefix, count } => {
                    let declared = self.builder.values.declare_registers(ty, prefix, *count);
                    declared.map_err(|reason| at_kernel(self.entry, reason))?;
                }
                Statement::Variable(variable) if variable.space == "reg" => {
                    let declared = self.variable(variable);
                    declared.map_err(|reason| at_kernel(self.entry, reason))?;
                }
                // All others are placed already.
                Statement::Variable(_) | Statement::Pragma(_) => {}
                Statement::Loc { file, line, column } => self.locate(*file, *line, *column),
                Statement::Instruction(instruction) => self.instruction(instruction)?,
                Statement::Block(inner) => {
                    self.builder.values.enter();
                    self.statements(inner)?;
                    self.builder.values.leave();
                }
            }
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), LoadError> {
        let selected = select::instruction(&mut self.builder, instruction);
        selected.map_err(|reason| refuse(self.text, self.entry, instruction, reason))
    }

    fn locate(&mut self, file: u32, line: u32, column: u32) {
        if (file, line, column) == self.last_location {
            return;
        }
        self.last_location = (file, line, column);
        let location = self.module.file(file).filter(|_| line > 0).map(|name| SourceLocation {
            file: name.to_owned(),
            line,
            column,
        });
        self.builder.location = if location.is_some() { self.locations.len() as u32 } else { 0 };
        self.locations.extend(location.map(Some));
    }
}

/// Names that instructions mention, in any position.
fn names_in<'a>(statements: &'a [Statement], names: &mut HashSet<&'a str>) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) => {
                for operand in &instruction.operands {
                    operand_names(operand, names);
                }
            }
            Statement::Block(inner) => names_in(inner, names),
            _ => {}
        }
    }
}

fn operand_names<'a>(operand: &'a Operand, names: &mut HashSet<&'a str>) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => {
            names.insert(name);
        }
        Operand::Address { base: Some(name), .. } => {
            names.insert(name);
        }
        Operand::Vector(parts) | Operand::List(parts) => {
            parts.iter().for_each(|part| operand_names(part, names));
        }
        Operand::Pair(a, b) => {
            operand_names(a, names);
            operand_names(b, names);
        }
        Operand::Address { base: None, .. }
        | Operand::Int(_)
        | Operand::F32(_)
        | Operand::F64(_) => {}
    }
}

/// Of a variable or parameter, in bytes. An unsized array has the size 0.
fn size_and_align(variable: &Variable) -> Result<(u64, u64), Refusal> {
    let unknown = || Refusal::Declaration {
        name: variable.name.clone(),
        what: format!("a .{}", variable.ty),
    };
    let (lanes, element) = match variable.ty.split_once('.') {
        Some(("v2", element)) => (2, element),
        Some(("v4", element)) => (4, element),
        Some(_) => return Err(unknown()),
        None => (1, variable.ty.as_str()),
    };
    let element = match element {
        "f16" | "bf16" => 2,
        "f16x2" | "bf16x2" => 4,
        "b128" => 16,
        _ => match Ty::parse(element) {
            Some(Ty::Pred) | None => return Err(unknown()),
            Some(ty) => u64::from(ty.bits() / 8),
        },
    };
    let count = variable.dims.iter().fold(1u64, |n, dim| n.saturating_mul(dim.unwrap_or(0)));
    let natural = element * lanes;
    let align = variable.align.map_or(natural, u64::from);
    if !align.is_power_of_two() {
        return Err(unknown());
    }
    Ok((natural.saturating_mul(count), align))
}
