//! The whole pipeline, one call.

use std::path::PathBuf;

use crate::codegen::{self, Interface};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::hir::{self, FloatTy, IntTy, Kernel, Ty};
use crate::ir::{self, Function, Space};
use crate::lower::{self, Locator};
use crate::metadata::{Metadata, Param, ParamType, Scalar};
use crate::passes;

/// What the caller of the compiler can choose: the arguments of `#[kernel(…)]`.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether `a * b + c` may become one fma. On by default.
    pub contract: bool,
    /// Whether the optimising passes run. Off only to compare.
    pub optimize: bool,
    /// The name of the source file, where the tokens do not know it: outside of a macro they never
    /// do. `kernel.rs` by default.
    pub file: String,
    /// The directory of the package that is being built, of which no more than its name gets into
    /// the PTX. Matters where the tokens name their file by an absolute path, as those of packages
    /// from a registry do.
    pub package: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let file = "kernel.rs".to_owned();
        Options { contract: true, optimize: true, file, package: None }
    }
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The PTX text, metadata included.
    pub ptx: String,
    /// The IR that it was generated from, for tests and for the curious.
    pub ir: Function,
    /// What the PTX says of itself.
    pub metadata: Metadata,
}

/// What a kernel can have in shared memory without asking the driver for more.
const SHARED_BYTES: u64 = 48 * 1024;

/// What a thread can have in local memory, on any GPU.
const LOCAL_BYTES: u64 = 512 * 1024;

/// What a kernel's parameters can take, on any GPU.
const PARAM_BYTES: u32 = 4096;

/// Compiles one kernel.
///
/// # Errors
/// Every error found, each at the user's token.
pub fn compile(item: &syn::ItemFn, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let kernel = hir::build(item)?;
    let mut locator = Locator::new(&options.file).package(options.package.clone());
    let mut function = lower::lower(&kernel, &mut locator);
    let mut diagnostics = Diagnostics::default();
    if let Err(message) = optimize(&mut function, options) {
        diagnostics.unsupported(kernel.span, message);
        return diagnostics.finish(None);
    }
    let interface = Interface { params: params(&kernel), files: locator.into_files() };
    let module = codegen::generate(&function, &interface);
    let ptx = module.to_string();
    let compiled = module.metadata.map(|metadata| {
        check_sizes(&kernel, &function, &metadata, &mut diagnostics);
        Compiled { ptx, ir: function, metadata }
    });
    diagnostics.finish(compiled)
}

/// Optimises, and checks what comes in and what goes out.
fn optimize(function: &mut Function, options: &Options) -> Result<(), String> {
    let report = |error: &dyn std::fmt::Display| {
        format!("{error}: this is a bug in the compiler, please report it")
    };
    if options.optimize {
        passes::run(function, options).map_err(|error| report(&error))
    } else {
        ir::verify(function).map_err(|error| report(&passes::Error::Input(error)))
    }
}

/// The parameters as the metadata has them.
fn params(kernel: &Kernel) -> Vec<Param> {
    let locals = kernel.params.iter().filter_map(|id| kernel.locals.get(id.0 as usize));
    let params = locals.filter_map(|local| {
        let ty = match &local.ty {
            Ty::Slice { element, mutable, .. } => {
                ParamType::Slice { element: scalar(element)?, mutable: *mutable }
            }
            ty => ParamType::Scalar(scalar(ty)?),
        };
        Some(Param { name: local.name.clone(), ty })
    });
    params.collect()
}

fn scalar(ty: &Ty) -> Option<Scalar> {
    Some(match ty {
        Ty::Bool => Scalar::Bool,
        Ty::Float(FloatTy::F32) => Scalar::F32,
        Ty::Float(FloatTy::F64) => Scalar::F64,
        Ty::Int(int) => match int {
            IntTy::I8 => Scalar::I8,
            IntTy::I16 => Scalar::I16,
            IntTy::I32 => Scalar::I32,
            IntTy::I64 => Scalar::I64,
            IntTy::Isize => Scalar::Isize,
            IntTy::U8 => Scalar::U8,
            IntTy::U16 => Scalar::U16,
            IntTy::U32 => Scalar::U32,
            IntTy::U64 => Scalar::U64,
            IntTy::Usize => Scalar::Usize,
        },
        _ => return None,
    })
}

/// Limits that the hardware sets, and that ptxas or the driver would report without a line.
fn check_sizes(
    kernel: &Kernel,
    function: &Function,
    metadata: &Metadata,
    diagnostics: &mut Diagnostics,
) {
    for (space, limit, what) in
        [(Space::Shared, SHARED_BYTES, "block"), (Space::Local, LOCAL_BYTES, "thread")]
    {
        let slots = || function.slots.iter().filter(|slot| slot.space == space);
        let total = slots().fold(0u64, |sum, slot| sum.saturating_add(slot.size));
        if total > limit {
            let each: Vec<String> =
                slots().map(|slot| format!("`{}` {}", slot.name, slot.size)).collect();
            diagnostics.unsupported(
                kernel.span,
                format!(
                    "this kernel needs {total} bytes of {space} memory, a {what} has {limit}: {}",
                    each.join(", ")
                ),
            );
        }
    }
    let layout = metadata.layout();
    if layout.size > PARAM_BYTES {
        let each: Vec<String> = metadata
            .params
            .iter()
            .enumerate()
            .map(|(i, param)| {
                let slots = layout.slots.iter().filter(|slot| slot.param == Some(i));
                format!("`{}` {}", param.name, slots.map(|slot| slot.size).sum::<u32>())
            })
            .collect();
        diagnostics.unsupported(
            kernel.span,
            format!(
                "the parameters take {} bytes, a kernel can have {PARAM_BYTES}: {}",
                layout.size,
                each.join(", ")
            ),
        );
    }
}
