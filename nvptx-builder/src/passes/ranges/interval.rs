//! Intervals of one integer type, unsigned and signed at once.

use crate::ir::{Compare, Type, evaluate};

/// All integers `x` of a type with `low <= x <= high` unsigned and `least <= x <= most` signed.
/// Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::passes) struct Interval {
    ty: Type,
    pub(in crate::passes) low: u64,
    pub(in crate::passes) high: u64,
    pub(in crate::passes) least: i64,
    pub(in crate::passes) most: i64,
}

impl Interval {
    pub(in crate::passes) fn full(ty: Type) -> Interval {
        let sign = evaluate::sign_bit(ty);
        let (least, most) = (evaluate::sign_extend(ty, sign), evaluate::sign_extend(ty, sign - 1));
        Interval { ty, low: 0, high: ty.mask(), least, most }
    }

    pub(super) fn constant(ty: Type, bits: u64) -> Interval {
        let signed = evaluate::sign_extend(ty, bits);
        Interval { ty, low: bits, high: bits, least: signed, most: signed }
    }

    /// From unsigned bounds; everything if they do not fit the type.
    pub(super) fn unsigned(ty: Type, low: u128, high: u128) -> Interval {
        let full = Interval::full(ty);
        if low > high || high > u128::from(ty.mask()) {
            return full;
        }
        Interval { low: low as u64, high: high as u64, ..full }.reduced().unwrap_or(full)
    }

    /// From signed bounds; everything if they do not fit the type.
    pub(super) fn signed(ty: Type, least: i128, most: i128) -> Interval {
        let full = Interval::full(ty);
        if least > most || least < full.least.into() || most > full.most.into() {
            return full;
        }
        Interval { least: least as i64, most: most as i64, ..full }.reduced().unwrap_or(full)
    }

    pub(super) fn ty(self) -> Type {
        self.ty
    }

    pub(in crate::passes) fn as_constant(self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    /// It has no sign bit: the unsigned and the signed number are the same.
    pub(in crate::passes) fn is_non_negative(self) -> bool {
        self.least >= 0
    }

    /// Lets the unsigned and the signed bounds sharpen each other; `None` if nothing is left.
    fn reduced(mut self) -> Option<Interval> {
        let ty = self.ty;
        let sign = evaluate::sign_bit(ty);
        for _ in 0..2 {
            if self.high < sign || self.low >= sign {
                self.least = self.least.max(evaluate::sign_extend(ty, self.low));
                self.most = self.most.min(evaluate::sign_extend(ty, self.high));
            }
            if self.least >= 0 || self.most < 0 {
                self.low = self.low.max(self.least as u64 & ty.mask());
                self.high = self.high.min(self.most as u64 & ty.mask());
            }
        }
        (self.low <= self.high && self.least <= self.most).then_some(self)
    }

    /// What is in both; `None` if nothing is.
    pub(super) fn meet(self, other: Interval) -> Option<Interval> {
        Interval {
            ty: self.ty,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        }
        .reduced()
    }

    /// The smallest that has both.
    pub(super) fn join(self, other: Interval) -> Interval {
        Interval {
            ty: self.ty,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Moves each bound that has grown since `old` out to the next threshold.
    pub(super) fn widen(self, old: Interval, thresholds: &[u64]) -> Interval {
        let full = Interval::full(self.ty);
        let mask = self.ty.mask();
        let mut wide = self;
        if self.high > old.high {
            let above = thresholds.iter().copied().filter(|&t| t >= self.high && t <= mask).min();
            wide.high = above.unwrap_or(full.high);
        }
        if self.low < old.low {
            let below = thresholds.iter().copied().filter(|&t| t <= self.low).max();
            wide.low = below.unwrap_or(0);
        }
        let signed = || thresholds.iter().map(|&t| evaluate::sign_extend(self.ty, t & mask));
        if self.most > old.most {
            wide.most = signed().filter(|&t| t >= self.most).min().unwrap_or(full.most);
        }
        if self.least < old.least {
            wide.least = signed().filter(|&t| t <= self.least).max().unwrap_or(full.least);
        }
        wide
    }

    /// What is left if `self compare other` holds; `None` if it cannot.
    pub(super) fn assume(mut self, compare: Compare, other: Interval) -> Option<Interval> {
        match compare {
            Compare::Eq => return self.meet(other),
            Compare::Ne => {
                // Only the ends can go.
                if let Some(bits) = other.as_constant() {
                    let signed = evaluate::sign_extend(self.ty, bits);
                    if self.low == self.high {
                        return (self.low != bits).then_some(self);
                    }
                    self.low += u64::from(self.low == bits);
                    self.high -= u64::from(self.high == bits);
                    if self.least < self.most {
                        self.least += i64::from(self.least == signed);
                        self.most -= i64::from(self.most == signed);
                    }
                }
            }
            Compare::Ult => self.high = self.high.min(other.high.checked_sub(1)?),
            Compare::Ule => self.high = self.high.min(other.high),
            Compare::Ugt => self.low = self.low.max(other.low.checked_add(1)?),
            Compare::Uge => self.low = self.low.max(other.low),
            Compare::Slt => self.most = self.most.min(other.most.checked_sub(1)?),
            Compare::Sle => self.most = self.most.min(other.most),
            Compare::Sgt => self.least = self.least.max(other.least.checked_add(1)?),
            Compare::Sge => self.least = self.least.max(other.least),
            _ => {}
        }
        self.reduced()
    }

    /// What `x`, in `self`, is if `x + c` is in `sum`. `None` if the addition may wrap, and
    /// nothing follows.
    pub(super) fn minuend(self, sum: Interval, c: u64) -> Option<Interval> {
        let ty = self.ty;
        let signed = i128::from(evaluate::sign_extend(ty, c));
        let full = Interval::full(ty);
        let fits = if signed >= 0 {
            u128::from(self.high) + signed as u128 <= u128::from(ty.mask())
        } else {
            i128::from(self.low) + signed >= 0
        };
        let signed_fits = i128::from(self.least) + signed >= full.least.into()
            && i128::from(self.most) + signed <= full.most.into();
        let mut found = None;
        if fits {
            let low = (i128::from(sum.low) - signed).max(0);
            let high = i128::from(sum.high) - signed;
            found = Some(Interval::unsigned(ty, low as u128, high.max(0) as u128));
        }
        if signed_fits {
            let least = (i128::from(sum.least) - signed).max(full.least.into());
            let most = (i128::from(sum.most) - signed).min(full.most.into());
            let by_sign = Interval::signed(ty, least, most);
            found = match found {
                Some(found) => found.meet(by_sign),
                None => Some(by_sign),
            };
        }
        found
    }

    /// The part that a zero extension from `narrow` can be, as that.
    pub(super) fn unsigned_part(self, narrow: Type) -> Interval {
        let mask = narrow.mask();
        if self.low > mask {
            return Interval::full(narrow);
        }
        Interval::unsigned(narrow, self.low.into(), self.high.min(mask).into())
    }

    /// The part that a sign extension from `narrow` can be, as that.
    pub(super) fn signed_part(self, narrow: Type) -> Interval {
        let full = Interval::full(narrow);
        Interval::signed(narrow, self.least.max(full.least).into(), self.most.min(full.most).into())
    }

    /// Whether `self compare other` always or never holds.
    pub(super) fn decide(self, compare: Compare, other: Interval) -> Option<bool> {
        let (always, never) = match compare {
            Compare::Ult => (self.high < other.low, self.low >= other.high),
            Compare::Ule => (self.high <= other.low, self.low > other.high),
            Compare::Slt => (self.most < other.least, self.least >= other.most),
            Compare::Sle => (self.most <= other.least, self.least > other.most),
            Compare::Ugt | Compare::Uge | Compare::Sgt | Compare::Sge => {
                return other.decide(compare.swapped(), self);
            }
            Compare::Eq => (
                self.as_constant().is_some() && self.as_constant() == other.as_constant(),
                self.meet(other).is_none(),
            ),
            Compare::Ne => return self.decide(Compare::Eq, other).map(|holds| !holds),
            _ => (false, false),
        };
        if always {
            Some(true)
        } else if never {
            Some(false)
        } else {
            None
        }
    }
}
