//! From IR to the PTX tree.
//!
//! Every value has a register of its own; ptxas allocates the real ones and removes copies. What is
//! done here is what ptxas does not do: state spaces, offsets in addresses, widening
//! multiplications, jumps without negated predicates, and exactly Rust's results from conversions
//! whose PTX results differ.

mod arith;
mod convert;
mod copies;
mod demand;
mod emit;
mod expand_remainder;
mod flow;
mod jumps;
mod liveness;
mod names;
mod narrow;
mod panic;
mod registers;
mod select;

use crate::ir::{Function, Terminator};
use crate::metadata::{Metadata, Panics, Param, ptx_name};
use crate::ptx;

/// What is known of a kernel besides its code.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The parameters as Rust has them; the function's are these, flattened.
    pub params: Vec<Param>,
    /// Source files, with the numbers that stand for them in locations.
    pub files: Vec<(u32, String)>,
}

/// The lowest target with all that the generated code uses: scoped atomics and fences.
const TARGET: &str = "sm_70";
/// The PTX ISA version that introduced it.
const VERSION: (u32, u32) = (6, 0);

/// Generates the PTX of a verified function.
pub fn generate(function: &Function, interface: &Interface) -> ptx::Module {
    let mut function = function.clone();
    expand_remainder::expand_remainder(&mut function);
    drop_unused_sites(&mut function);

    let panics = (!function.sites.is_empty())
        .then(|| Panics::new(&function.name, &interface.files, function.sites.clone()));
    let metadata = Metadata {
        kernel: function.name.clone(),
        params: interface.params.clone(),
        files: interface.files.clone(),
        panics,
    };
    let entry = entry(&function, &metadata);
    let files = interface.files.iter();
    let files = files.map(|(index, name)| ptx::Item::File { index: *index, name: name.clone() });
    ptx::Module {
        version: VERSION,
        target: TARGET.to_owned(),
        target_options: Vec::new(),
        address_size: 64,
        items: files.chain([ptx::Item::Function(entry)]).collect(),
        metadata: Some(metadata),
    }
}

fn entry(function: &Function, metadata: &Metadata) -> ptx::Function {
    let name = ptx_name(&function.name);
    let names = function.params.iter().map(|param| param_name(&name, &param.name));
    let record = metadata.panics.iter().map(|_| panic::record_param(&name));
    let types = metadata.layout().slots;
    let params = names.chain(record).zip(types).map(|(name, slot)| ptx::Variable {
        linkage: None,
        space: "param".to_owned(),
        align: None,
        ty: slot.ptx.to_owned(),
        name,
        dims: Vec::new(),
        attributes: Vec::new(),
        init: Vec::new(),
    });
    ptx::Function {
        entry: true,
        linkage: Some("visible".to_owned()),
        returns: None,
        params: params.collect(),
        directives: Vec::new(),
        body: Some(emit::body(function, &name, metadata.panics.as_ref())),
        name,
    }
}

/// The name of a kernel parameter; both are Rust's.
fn param_name(kernel: &str, param: &str) -> String {
    format!("{kernel}_{}", ptx_name(param))
}

/// Panic sites that no code refers to any more are not worth a line, and without any the kernel
/// needs no record.
fn drop_unused_sites(function: &mut Function) {
    let mut numbers: Vec<Option<u32>> = vec![None; function.sites.len()];
    let mut used = Vec::new();
    for &block in &function.layout {
        if let Terminator::Panic { site, .. } = &mut function.blocks[block.index()].end {
            used.push(*site as usize);
        }
    }
    used.sort_unstable();
    used.dedup();
    for (new, &old) in used.iter().enumerate() {
        numbers[old] = Some(new as u32);
    }
    function.sites = used.iter().map(|&old| function.sites[old].clone()).collect();
    for &block in &function.layout {
        if let Terminator::Panic { site, .. } = &mut function.blocks[block.index()].end {
            *site = numbers[*site as usize].unwrap_or(*site);
        }
    }
}
