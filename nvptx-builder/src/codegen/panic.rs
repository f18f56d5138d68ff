//! The end of a thread that panics.
//!
//! Every site puts its number and its values into registers and jumps to one shared end. That end
//! claims the record with a compare-and-swap; who loses has nothing to say and exits. The record's
//! address is loaded here, and nowhere else, so that it costs the rest of the kernel no register.

use super::emit::Emitter;
use super::narrow::register;
use crate::ir::{Type, Value};
use crate::metadata::{PanicRecord, Panics};
use crate::ptx::Operand;
use std::mem::offset_of;

/// Where the shared end begins.
const REPORT: &str = "$panic";
/// Where it ends.
const EXIT: &str = "$exit";

/// The name of the parameter with the record's address.
pub(super) fn record_param(kernel: &str) -> String {
    format!("{kernel}$panic")
}

/// The registers that a site fills in for the shared end.
pub(super) struct Report {
    site: String,
    values: Vec<String>,
}

impl Emitter<'_> {
    /// Registers for as many values as the most talkative site has.
    pub(super) fn prepare_report(&mut self, values: usize) -> Report {
        Report {
            site: self.registers.temporary(Type::I32),
            values: (0..values).map(|_| self.registers.temporary(Type::I64)).collect(),
        }
    }

    /// The end of a block that panics.
    pub(super) fn panic(&mut self, report: &Report, site: u32, values: &[Value], last: bool) {
        self.instruction("mov.u32", vec![register(&report.site), Operand::Int(site.into())]);
        for (i, to) in report.values.iter().enumerate() {
            match values.get(i) {
                Some(&value) => self.widen(to, value),
                None => self.instruction("mov.u64", vec![register(to), Operand::Int(0)]),
            }
        }
        if !last {
            self.jump(REPORT);
        }
    }

    /// A value in the low bits of a 64-bit register.
    fn widen(&mut self, to: &str, value: Value) {
        let ty = self.ty(value);
        match ty {
            Type::I64 => {
                let from = self.read(value);
                self.instruction("mov.u64", vec![register(to), from]);
            }
            Type::F64 => {
                let from = self.read(value);
                self.instruction("mov.b64", vec![register(to), from]);
            }
            Type::F32 => {
                let from = self.read(value);
                let bits = self.registers.temporary(Type::I32);
                self.instruction("mov.b32", vec![register(&bits), from]);
                self.instruction("cvt.u64.u32", vec![register(to), register(&bits)]);
            }
            Type::I1 => {
                let from = self.read(value);
                let operands = vec![register(to), Operand::Int(1), Operand::Int(0), from];
                self.instruction("selp.u64", operands);
            }
            Type::I8 | Type::I16 | Type::I32 => {
                let from = self.read_unsigned(value);
                self.instruction("cvt.u64.u32", vec![register(to), from]);
            }
        }
    }

    /// The shared end.
    pub(super) fn report(&mut self, kernel: &str, panics: &Panics, report: &Report) {
        self.label(REPORT);
        let record = self.registers.temporary(Type::I64);
        let at =
            |offset: usize| Operand::Address { base: Some(record.clone()), offset: offset as i64 };
        let param = Operand::Address { base: Some(record_param(kernel)), offset: 0 };
        self.instruction("ld.param.u64", vec![register(&record), param]);

        let state = self.registers.temporary(Type::I32);
        let claim = vec![
            register(&state),
            at(offset_of!(PanicRecord, state)),
            Operand::Int(PanicRecord::EMPTY.into()),
            Operand::Int(PanicRecord::WRITING.into()),
        ];
        self.instruction("atom.global.gpu.cas.b32", claim);
        let lost = self.registers.temporary(Type::I1);
        let empty = Operand::Int(PanicRecord::EMPTY.into());
        self.instruction("setp.ne.u32", vec![register(&lost), register(&state), empty]);
        self.jump_if(&lost, EXIT);

        let site = vec![at(offset_of!(PanicRecord, site)), register(&report.site)];
        self.instruction("st.global.u32", site);
        let id = vec![at(offset_of!(PanicRecord, kernel)), Operand::Int(panics.id.into())];
        self.instruction("st.global.u64", id);
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let of = [
                ("ctaid", offset_of!(PanicRecord, block)),
                ("tid", offset_of!(PanicRecord, thread)),
            ];
            for (special, offset) in of {
                let index = self.registers.temporary(Type::I32);
                let special = register(&format!("%{special}.{axis}"));
                self.instruction("mov.u32", vec![register(&index), special]);
                self.instruction("st.global.u32", vec![at(offset + 4 * i), register(&index)]);
            }
        }
        for (i, value) in report.values.iter().enumerate() {
            let to = at(offset_of!(PanicRecord, values) + 8 * i);
            self.instruction("st.global.u64", vec![to, register(value)]);
        }
        // The host reads the record once it sees the state.
        self.instruction("fence.sc.sys", Vec::new());
        let complete = Operand::Int(PanicRecord::COMPLETE.into());
        let state = at(offset_of!(PanicRecord, state));
        self.instruction("st.release.sys.global.u32", vec![state, complete]);
        self.label(EXIT);
        self.instruction("exit", Vec::new());
    }
}
