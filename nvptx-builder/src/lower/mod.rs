//! From the typed tree to SSA.
//!
//! Scalars, references and slices (an address and a length) become SSA values; arrays become slots
//! in local memory, `block::shared` objects slots in shared memory. What Rust checks, a bounds or
//! division check with its panic, is spelled out here; what it does silently, masked shift counts
//! or saturating casts, too.

mod arith;
mod array;
mod control;
mod expr;
mod intrinsic;
mod locate;
mod place;
mod ssa;

pub use locate::Locator;

use crate::hir::{FloatTy, IntTy, Kernel, LocalId, LoopId, Space, Ty};
use crate::ir::{self, Block, Function, Loc, Op, Slot, SlotData, Type, Value};
use crate::metadata::PanicSite;
use place::Memory;
use ssa::{Ssa, Var};

/// Lowers a kernel. Positions come from `locator`, which knows the files afterwards.
pub fn lower(kernel: &Kernel, locator: &mut Locator) -> Function {
    let ssa = Ssa::new(&kernel.name);
    let homes = kernel.locals.iter().map(|_| Home::Vars(Vec::new())).collect();
    let mut lowerer = Lowerer { kernel, locator, ssa, homes, loops: Vec::new(), hint: None };
    lowerer.parameters();
    lowerer.block(&kernel.body);
    lowerer.ssa.ret();
    lowerer.ssa.finish()
}

/// What an expression evaluates to: no value for `()` and `!`, one for a scalar or a reference,
/// address and length for a slice. Arrays are never values: they are written where they belong.
type Values = Vec<Value>;

/// Where a local lives.
enum Home {
    /// One variable for each of its [`Values`].
    Vars(Vec<Var>),
    /// An array.
    Memory(Slot),
}

/// A loop or a labelled block around the code that is being lowered.
struct Target {
    id: LoopId,
    /// Where `break` goes.
    exit: Block,
    /// Where `continue` goes; a labelled block has no such place.
    next: Option<Block>,
    /// What `break value` assigns.
    result: Vec<Var>,
    /// Where `break array` writes.
    memory: Option<Memory>,
}

struct Lowerer<'a> {
    kernel: &'a Kernel,
    locator: &'a mut Locator,
    ssa: Ssa,
    homes: Vec<Home>,
    loops: Vec<Target>,
    /// The local that a shared object is being bound to, for its name.
    hint: Option<LocalId>,
}

impl Lowerer<'_> {
    fn parameters(&mut self) {
        self.at(self.kernel.span);
        for &id in &self.kernel.params {
            let Some(local) = self.kernel.locals.get(id.0 as usize) else { continue };
            let mut values = Vec::new();
            for (i, ty) in value_types(&local.ty).into_iter().enumerate() {
                let name = if i == 0 { local.name.clone() } else { format!("{}$len", local.name) };
                let memory = if ty == Type::I1 { Type::I8 } else { ty };
                let number = self.ssa.function.add_param(name, memory);
                let value = self.ssa.push(Op::Param(number), memory);
                values.push(if ty == Type::I1 { self.truth_of(value) } else { value });
            }
            self.declare(id);
            self.assign_local(id, &values);
        }
    }

    /// Makes room for a local.
    fn declare(&mut self, id: LocalId) {
        let local = &self.kernel.locals[id.0 as usize];
        let home = match &local.ty {
            Ty::Array(..) => {
                Home::Memory(self.slot(ir::Space::Local, &local.name.clone(), &local.ty))
            }
            ty => Home::Vars(self.vars(ty)),
        };
        self.homes[id.0 as usize] = home;
    }

    fn assign_local(&mut self, id: LocalId, values: &[Value]) {
        if let Home::Vars(vars) = &self.homes[id.0 as usize] {
            let vars = vars.clone();
            self.write(&vars, values);
        }
    }

    /// Fresh variables for a value of this type.
    fn vars(&mut self, ty: &Ty) -> Vec<Var> {
        value_types(ty).into_iter().map(|ty| self.ssa.var(ty)).collect()
    }

    fn write(&mut self, vars: &[Var], values: &[Value]) {
        for (&var, &value) in vars.iter().zip(values) {
            self.ssa.write(var, value);
        }
    }

    fn read(&mut self, vars: &[Var]) -> Values {
        vars.iter().map(|&var| self.ssa.read(var)).collect()
    }

    fn slot(&mut self, space: ir::Space, name: &str, ty: &Ty) -> Slot {
        self.ssa.function.add_slot(SlotData {
            name: name.to_owned(),
            space,
            size: ty.size().unwrap_or(0),
            align: ty.align().unwrap_or(1),
        })
    }

    /// Instructions come from here until the next call. Returns what to restore.
    fn at(&mut self, span: proc_macro2::Span) -> Loc {
        let loc = self.locator.locate(span);
        self.set_loc(loc)
    }

    fn set_loc(&mut self, loc: Loc) -> Loc {
        std::mem::replace(&mut self.ssa.loc, loc)
    }

    /// Goes on where `holds` is true; elsewhere the thread panics at the current position.
    fn panic_unless(&mut self, holds: Value, message: &str, values: Vec<Value>) {
        let Loc { file, line, column } = self.ssa.loc;
        let site = PanicSite { file, line, column, message: message.to_owned() };
        let sites = &self.ssa.function.sites;
        let number = match sites.iter().position(|known| *known == site) {
            Some(number) => number as u32,
            None => self.ssa.function.add_site(site),
        };
        self.ssa.panic_unless(holds, number, values);
    }

    /// An `i8` from memory as a truth value.
    fn truth_of(&mut self, byte: Value) -> Value {
        let zero = self.ssa.constant(Type::I8, 0);
        self.ssa.push(Op::Compare(ir::Compare::Ne, byte, zero), Type::I1)
    }
}

/// The types of the values that a value of this type consists of.
fn value_types(ty: &Ty) -> Vec<Type> {
    match ty {
        Ty::Unit | Ty::Never | Ty::Array(..) => Vec::new(),
        Ty::Bool | Ty::Int(_) | Ty::Float(_) => vec![scalar_type(ty)],
        Ty::Slice { space, .. } => vec![state_space(*space).address_type(), Type::I64],
        Ty::Ref { space, .. } => vec![state_space(*space).address_type()],
    }
}

/// The SSA type of a scalar.
fn scalar_type(ty: &Ty) -> Type {
    match ty {
        Ty::Bool => Type::I1,
        Ty::Int(int) => int_type(*int),
        Ty::Float(FloatTy::F32) => Type::F32,
        Ty::Float(FloatTy::F64) => Type::F64,
        // Only a divergent expression gets here, and what consumes it is dead.
        _ => Type::I32,
    }
}

fn int_type(int: IntTy) -> Type {
    match int.bits() {
        8 => Type::I8,
        16 => Type::I16,
        32 => Type::I32,
        _ => Type::I64,
    }
}

fn state_space(space: Space) -> ir::Space {
    match space {
        Space::Global => ir::Space::Global,
        Space::Shared => ir::Space::Shared,
        Space::Local => ir::Space::Local,
    }
}
