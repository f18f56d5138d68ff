//! What operands name: registers, constants, parameters, special registers, memory.

use std::collections::HashMap;

use super::error::Refusal;
use super::types::{Ty, Width};
use crate::fault::Space;
use crate::program::{PresetSource, Special};

/// A register, or a value that is in a register before the kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Value(pub(super) u32);

impl Value {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ValueData {
    pub(super) width: Width,
    /// `None` for a register.
    pub(super) preset: Option<PresetSource>,
}

/// Where a named piece of memory is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) space: Space,
    pub(super) offset: u32,
}

/// A kernel parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    pub(super) offset: u32,
    pub(super) bytes: u32,
}

/// `.reg` of one class.
struct Declaration {
    prefix: String,
    count: Option<u32>,
    bits: u32,
}

/// Names declared between a pair of braces.
#[derive(Default)]
struct Scope {
    registers: Vec<Declaration>,
    known: HashMap<String, (Value, u32)>,
    places: HashMap<String, Place>,
    labels: HashMap<String, u32>,
}

/// All that a kernel's operands can name.
pub(super) struct Values {
    pub(super) data: Vec<ValueData>,
    presets: HashMap<(Width, PresetSource), Value>,
    scopes: Vec<Scope>,
    params: HashMap<String, Param>,
    labels: u32,
}

impl Values {
    pub(super) fn new() -> Values {
        Values {
            data: Vec::new(),
            presets: HashMap::new(),
            scopes: vec![Scope::default()],
            params: HashMap::new(),
            labels: 0,
        }
    }

    pub(super) fn enter(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// The innermost scope; there is always one.
    fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub(super) fn declare_registers(
        &mut self,
        ty: &str,
        prefix: &str,
        count: Option<u32>,
    ) -> Result<(), Refusal> {
        // Registers are bits: a packed pair of halves is 32 of them.
        let bits = match ty {
            "f16" => 16,
            "f16x2" | "bf16x2" => 32,
            _ => match Ty::parse(ty) {
                Some(ty) => ty.bits(),
                None => {
                    let name = prefix.to_owned();
                    return Err(Refusal::Declaration { name, what: format!("a .{ty} register") });
                }
            },
        };
        self.scope().registers.push(Declaration { prefix: prefix.to_owned(), count, bits });
        Ok(())
    }

    pub(super) fn declare_param(&mut self, name: &str, param: Param) -> Result<(), Refusal> {
        match self.params.insert(name.to_owned(), param) {
            None => Ok(()),
            Some(_) => Err(Refusal::DeclaredTwice { name: name.to_owned() }),
        }
    }

    pub(super) fn param(&self, name: &str) -> Option<Param> {
        self.params.get(name).copied()
    }

    pub(super) fn declare_place(&mut self, name: &str, place: Place) -> Result<(), Refusal> {
        match self.scope().places.insert(name.to_owned(), place) {
            None => Ok(()),
            Some(_) => Err(Refusal::DeclaredTwice { name: name.to_owned() }),
        }
    }

    pub(super) fn place(&self, name: &str) -> Option<Place> {
        self.scopes.iter().rev().find_map(|scope| scope.places.get(name).copied())
    }

    /// A label that no name leads to.
    pub(super) fn fresh_label(&mut self) -> u32 {
        self.labels += 1;
        self.labels - 1
    }

    pub(super) fn label_count(&self) -> usize {
        self.labels as usize
    }

    pub(super) fn declare_label(&mut self, name: &str) -> Result<(), Refusal> {
        let label = self.fresh_label();
        match self.scope().labels.insert(name.to_owned(), label) {
            None => Ok(()),
            Some(_) => Err(Refusal::DeclaredTwice { name: name.to_owned() }),
        }
    }

    pub(super) fn label(&self, name: &str) -> Result<u32, Refusal> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.labels.get(name).copied());
        found.ok_or_else(|| Refusal::NoLabel { name: name.to_owned() })
    }

    /// A register of its own.
    pub(super) fn temporary(&mut self, width: Width) -> Value {
        self.data.push(ValueData { width, preset: None });
        Value(self.data.len() as u32 - 1)
    }

    /// A value that is there before the kernel starts.
    pub(super) fn preset(&mut self, width: Width, source: PresetSource) -> Value {
        if let Some(value) = self.presets.get(&(width, source)) {
            return *value;
        }
        self.data.push(ValueData { width, preset: Some(source) });
        let value = Value(self.data.len() as u32 - 1);
        self.presets.insert((width, source), value);
        value
    }

    pub(super) fn constant(&mut self, width: Width, bits: u64) -> Value {
        self.preset(width, PresetSource::Constant(bits))
    }

    /// A declared register and its width in bits.
    pub(super) fn register(&mut self, name: &str) -> Option<(Value, u32)> {
        for scope in (0..self.scopes.len()).rev() {
            if let Some(known) = self.scopes[scope].known.get(name) {
                return Some(*known);
            }
            let declared = self.scopes[scope].registers.iter().find(|d| d.declares(name));
            if let Some(bits) = declared.map(|d| d.bits) {
                let width = match bits {
                    1 => Width::Predicate,
                    64 => Width::Bits64,
                    _ => Width::Bits32,
                };
                let known = (self.temporary(width), bits);
                self.scopes[scope].known.insert(name.to_owned(), known);
                return Some(known);
            }
        }
        None
    }
}

impl Declaration {
    fn declares(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(self.prefix.as_str()) else { return false };
        match self.count {
            None => rest.is_empty(),
            Some(count) => {
                let canonical = rest == "0" || !rest.starts_with('0');
                let digits = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
                canonical && digits && rest.parse::<u32>().is_ok_and(|number| number < count)
            }
        }
    }
}

/// A special register that does not change while a thread runs.
pub(super) fn special(name: &str) -> Option<Special> {
    let axis = |suffix: &str| match suffix {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    type OfAxis = fn(u8) -> Special;
    let geometry: [(&str, OfAxis); 4] = [
        ("%tid.", Special::Tid),
        ("%ntid.", Special::Ntid),
        ("%ctaid.", Special::Ctaid),
        ("%nctaid.", Special::Nctaid),
    ];
    for (prefix, make) in geometry {
        if let Some(suffix) = name.strip_prefix(prefix) {
            return axis(suffix).map(make);
        }
    }
    Some(match name {
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::WarpCount,
        "%smid" | "%gridid" => Special::Zero,
        "%nsmid" => Special::One,
        "%lanemask_eq" => Special::LaneMaskEq,
        "%lanemask_le" => Special::LaneMaskLe,
        "%lanemask_lt" => Special::LaneMaskLt,
        "%lanemask_ge" => Special::LaneMaskGe,
        "%lanemask_gt" => Special::LaneMaskGt,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        _ => return None,
    })
}
