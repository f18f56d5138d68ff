//! PTX's types, and an instruction's modifiers.

use super::error::Refusal;

/// A type at the end of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum Ty {
    Pred,
    B8,
    U8,
    S8,
    B16,
    U16,
    S16,
    B32,
    U32,
    S32,
    F32,
    B64,
    U64,
    S64,
    F64,
}

impl Ty {
    pub(super) fn parse(word: &str) -> Option<Ty> {
        Some(match word {
            "pred" => Ty::Pred,
            "b8" => Ty::B8,
            "u8" => Ty::U8,
            "s8" => Ty::S8,
            "b16" => Ty::B16,
            "u16" => Ty::U16,
            "s16" => Ty::S16,
            "b32" => Ty::B32,
            "u32" => Ty::U32,
            "s32" => Ty::S32,
            "f32" => Ty::F32,
            "b64" => Ty::B64,
            "u64" => Ty::U64,
            "s64" => Ty::S64,
            "f64" => Ty::F64,
            _ => return None,
        })
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Ty::Pred => 1,
            Ty::B8 | Ty::U8 | Ty::S8 => 8,
            Ty::B16 | Ty::U16 | Ty::S16 => 16,
            Ty::B32 | Ty::U32 | Ty::S32 | Ty::F32 => 32,
            Ty::B64 | Ty::U64 | Ty::S64 | Ty::F64 => 64,
        }
    }

    /// How it is stored.
    pub(super) fn width(self) -> Width {
        match self.bits() {
            1 => Width::Predicate,
            64 => Width::Bits64,
            _ => Width::Bits32,
        }
    }

    pub(super) fn signed(self) -> bool {
        matches!(self, Ty::S8 | Ty::S16 | Ty::S32 | Ty::S64)
    }

    pub(super) fn float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }
}

/// How a register is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Width {
    Predicate,
    Bits32,
    Bits64,
}

/// The modifiers of an instruction that have not been understood yet. All must be: a modifier that
/// is ignored is a wrong result.
pub(super) struct Modifiers<'a>(Vec<&'a str>);

impl<'a> Modifiers<'a> {
    pub(super) fn new(modifiers: &'a [String]) -> Modifiers<'a> {
        Modifiers(modifiers.iter().map(String::as_str).collect())
    }

    /// Whether it was there.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let at = self.0.iter().position(|w| *w == word);
        at.map(|at| self.0.remove(at)).is_some()
    }

    /// The index of the first of the words that was there.
    pub(super) fn take_one_of(&mut self, words: &[&str]) -> Option<usize> {
        words.iter().position(|word| self.take(word))
    }

    /// Drops the words for which the predicate holds.
    pub(super) fn drop_if(&mut self, unneeded: impl Fn(&str) -> bool) {
        self.0.retain(|word| !unneeded(word));
    }

    /// The last word, as a type.
    pub(super) fn take_type(&mut self) -> Result<Ty, Refusal> {
        let ty = self.0.last().and_then(|word| Ty::parse(word));
        let ty = ty.ok_or(Refusal::UnknownInstruction)?;
        self.0.pop();
        Ok(ty)
    }

    /// Nothing is left.
    pub(super) fn finish(self) -> Result<(), Refusal> {
        if self.0.is_empty() { Ok(()) } else { Err(Refusal::UnknownInstruction) }
    }
}
