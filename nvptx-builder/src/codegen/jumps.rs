//! How blocks end: jumps, and the copies that pass their arguments.

use super::copies::{self, Copy};
use super::emit::Emitter;
use super::flow::{Hoisted, Plan};
use super::names::{label, mov, mov_type};
use super::narrow::register;
use super::panic::Report;
use crate::ir::{Target, Terminator, Value};
use crate::ptx::Operand;

impl Emitter<'_> {
    pub(super) fn end(
        &mut self,
        end: &Terminator,
        plan: Option<&(Plan, Hoisted)>,
        report: Option<&Report>,
    ) {
        match (end, plan, report) {
            (Terminator::Jump(target), ..) => {
                self.copies(target);
                self.go_to(target.block);
            }
            (Terminator::Branch { condition, then, otherwise }, Some(&(plan, hoisted)), _) => {
                self.branch(*condition, (then, otherwise), plan, hoisted);
            }
            (Terminator::Return, ..) => self.instruction("ret", Vec::new()),
            (Terminator::Panic { site, values }, _, Some(report)) => {
                let last = self.next.is_none();
                self.panic(report, *site, values, last);
            }
            // Nobody gets here.
            _ => self.instruction("exit", Vec::new()),
        }
    }

    fn branch(
        &mut self,
        condition: Value,
        (then, otherwise): (&Target, &Target),
        plan: Plan,
        hoisted: Hoisted,
    ) {
        if let Some(bits) = self.selection.constant(condition) {
            let target = if bits == 1 { then } else { otherwise };
            self.copies(target);
            return self.go_to(target.block);
        }
        let predicate = self.predicate(condition, plan == Plan::Otherwise);
        let Operand::Name(predicate) = predicate else { return };
        for (target, hoisted) in [(then, hoisted.then), (otherwise, hoisted.otherwise)] {
            if hoisted {
                self.copies(target);
            }
        }
        let not_yet = |target: &Target, hoisted: bool| {
            if hoisted { Target::to(target.block) } else { target.clone() }
        };
        let (then, otherwise) =
            (not_yet(then, hoisted.then), not_yet(otherwise, hoisted.otherwise));
        match plan {
            Plan::Then => {
                self.jump_if(&predicate, &label(then.block));
                self.copies(&otherwise);
                self.go_to(otherwise.block);
            }
            Plan::Otherwise => {
                self.jump_if(&predicate, &label(otherwise.block));
                self.copies(&then);
                self.go_to(then.block);
            }
            Plan::Both => {
                let here = format!("{}_then", label(self.block));
                self.jump_if(&predicate, &here);
                self.copies(&otherwise);
                self.jump(&label(otherwise.block));
                self.label(&here);
                self.copies(&then);
                self.go_to(then.block);
            }
        }
    }

    /// Arguments into the registers of the parameters.
    fn copies(&mut self, target: &Target) {
        let params = &self.function.block(target.block).params;
        let mut copies = Vec::new();
        for (&param, &arg) in params.iter().zip(&target.args) {
            let ty = self.ty(param);
            let from = self.read(arg);
            copies.push(Copy { to: self.registers.of(param, ty), from, class: mov(ty) });
        }
        let registers = &mut self.registers;
        let sequence = copies::in_sequence(copies, |class| registers.temporary(mov_type(class)));
        for Copy { to, from, class } in sequence {
            self.instruction(class, vec![register(&to), from]);
        }
    }
}
