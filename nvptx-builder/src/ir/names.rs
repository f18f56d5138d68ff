//! The words of the IR's text, one table a kind, for printing and for parsing.

use super::{Binary, Compare, Convert, Space, Special, Unary};

macro_rules! words {
    ($kind:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $kind {
            /// As the IR's text has it.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $word,)*
                }
            }

            /// The inverse of [`name`](Self::name).
            pub(super) fn from_name(name: &str) -> Option<$kind> {
                match name {
                    $($word => Some($kind::$variant),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

words!(Space { Global = "global", Shared = "shared", Local = "local" });

words!(Special {
    TidX = "tid.x",
    TidY = "tid.y",
    TidZ = "tid.z",
    CtaidX = "ctaid.x",
    CtaidY = "ctaid.y",
    CtaidZ = "ctaid.z",
    NtidX = "ntid.x",
    NtidY = "ntid.y",
    NtidZ = "ntid.z",
    NctaidX = "nctaid.x",
    NctaidY = "nctaid.y",
    NctaidZ = "nctaid.z",
    LaneId = "laneid",
});

words!(Unary {
    Ineg = "ineg",
    Inot = "inot",
    Iabs = "iabs",
    Fneg = "fneg",
    Fabs = "fabs",
    Fsqrt = "fsqrt",
});

words!(Binary {
    Iadd = "iadd",
    Isub = "isub",
    Imul = "imul",
    Sdiv = "sdiv",
    Udiv = "udiv",
    Srem = "srem",
    Urem = "urem",
    Smin = "smin",
    Smax = "smax",
    Umin = "umin",
    Umax = "umax",
    And = "and",
    Or = "or",
    Xor = "xor",
    Shl = "shl",
    Lshr = "lshr",
    Ashr = "ashr",
    Fadd = "fadd",
    Fsub = "fsub",
    Fmul = "fmul",
    Fdiv = "fdiv",
    Frem = "frem",
    Fmin = "fmin",
    Fmax = "fmax",
});

words!(Compare {
    Eq = "eq",
    Ne = "ne",
    Slt = "slt",
    Sle = "sle",
    Sgt = "sgt",
    Sge = "sge",
    Ult = "ult",
    Ule = "ule",
    Ugt = "ugt",
    Uge = "uge",
    Feq = "feq",
    Fne = "fne",
    Flt = "flt",
    Fle = "fle",
    Fgt = "fgt",
    Fge = "fge",
    Fult = "fult",
    Fule = "fule",
    Fugt = "fugt",
    Fuge = "fuge",
});

words!(Convert {
    Zext = "zext",
    Sext = "sext",
    Trunc = "trunc",
    SintToFloat = "sint_to_float",
    UintToFloat = "uint_to_float",
    FloatToSint = "float_to_sint",
    FloatToUint = "float_to_uint",
    Fext = "fext",
    Ftrunc = "ftrunc",
    Bitcast = "bitcast",
});
