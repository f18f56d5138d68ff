//! Integer arithmetic.
//!
//! Where PTX leaves a result open, this is what NVIDIA's GPUs give: a quotient by zero is all
//! ones, its remainder the dividend; `MIN / -1` wraps.

use std::marker::PhantomData;

use super::shapes::{Binary, Relation, Ternary, Unary};

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident [$($ty:ty)*] $kind:tt;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<T>(PhantomData<T>);
        $( operations!(@each $name, $ty, $kind); )*
    )*};
    (@each $name:ident, $ty:ty, (|$a:ident: $at:ty| -> $dt:ty { $e:expr })) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $ty;
            impl Unary for $name<$ty> {
                type A = $at;
                type D = $dt;
                #[inline(always)]
                fn apply($a: $at) -> $dt {
                    $e
                }
            }
        };
    };
    (@each $name:ident, $ty:ty, (|$a:ident: $at:ty, $b:ident: $bt:ty| -> bool { $e:expr })) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $ty;
            impl Relation for $name<$ty> {
                type A = $at;
                #[inline(always)]
                fn holds($a: $at, $b: $bt) -> bool {
                    $e
                }
            }
        };
    };
    (@each $name:ident, $ty:ty, (|$a:ident: $at:ty, $b:ident: $bt:ty| -> $dt:ty { $e:expr })) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $ty;
            impl Binary for $name<$ty> {
                type A = $at;
                type B = $bt;
                type D = $dt;
                #[inline(always)]
                fn apply($a: $at, $b: $bt) -> $dt {
                    $e
                }
            }
        };
    };
    (@each $name:ident, $ty:ty,
        (|$a:ident: $at:ty, $b:ident: $bt:ty, $c:ident: $ct:ty| -> $dt:ty { $e:expr })) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $ty;
            impl Ternary for $name<$ty> {
                type A = $at;
                type B = $bt;
                type C = $ct;
                type D = $dt;
                #[inline(always)]
                fn apply($a: $at, $b: $bt, $c: $ct) -> $dt {
                    $e
                }
            }
        };
    };
}

pub(crate) use operations;

/// Twice as wide.
pub(crate) trait Widen: Copy {
    /// The wide type.
    type Wide;
    /// With the value.
    fn widen(self) -> Self::Wide;
    /// The upper half of a product.
    fn multiply_high(self, other: Self) -> Self;
    /// The whole product.
    fn multiply_wide(self, other: Self) -> Self::Wide;
}

macro_rules! widen {
    ($($ty:ty: $wide:ty),*) => {$(
        impl Widen for $ty {
            type Wide = $wide;
            #[inline(always)]
            fn widen(self) -> $wide {
                self as $wide
            }
            #[inline(always)]
            fn multiply_high(self, other: Self) -> Self {
                (self.multiply_wide(other) >> <$ty>::BITS) as $ty
            }
            #[inline(always)]
            fn multiply_wide(self, other: Self) -> $wide {
                self.widen() * other.widen()
            }
        }
    )*};
}

widen!(u16: u32, i16: i32, u32: u64, i32: i64, u64: u128, i64: i128);

type Wide<T> = <T as Widen>::Wide;

operations! {
    Add [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> T { a.wrapping_add(b) });
    AddSaturating [i32] (|a: T, b: T| -> T { a.saturating_add(b) });
    Sub [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> T { a.wrapping_sub(b) });
    SubSaturating [i32] (|a: T, b: T| -> T { a.saturating_sub(b) });
    MulLow [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> T { a.wrapping_mul(b) });
    MulHigh [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> T { a.multiply_high(b) });
    MulWide [u16 i16 u32 i32] (|a: T, b: T| -> Wide<T> { a.multiply_wide(b) });
    MadLow [u16 i16 u32 i32 u64 i64]
        (|a: T, b: T, c: T| -> T { a.wrapping_mul(b).wrapping_add(c) });
    MadHigh [u16 i16 u32 i32 u64 i64]
        (|a: T, b: T, c: T| -> T { a.multiply_high(b).wrapping_add(c) });
    MadWide [u16 i16 u32 i32]
        (|a: T, b: T, c: Wide<T>| -> Wide<T> { a.multiply_wide(b).wrapping_add(c) });
    SumOfDifferences [u16 i16 u32 i32 u64 i64]
        (|a: T, b: T, c: T| -> T { c.wrapping_add(a.abs_diff(b) as T) });
    Div [u16 i16 u32 i32 u64 i64]
        (|a: T, b: T| -> T { if b == 0 { !0 } else { a.wrapping_div(b) } });
    Rem [u16 i16 u32 i32 u64 i64]
        (|a: T, b: T| -> T { if b == 0 { a } else { a.wrapping_rem(b) } });
    Neg [i16 i32 i64] (|a: T| -> T { a.wrapping_neg() });
    Abs [i16 i32 i64] (|a: T| -> T { a.wrapping_abs() });
    Min [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> T { a.min(b) });
    Max [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> T { a.max(b) });
    Equal [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> bool { a == b });
    NotEqual [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> bool { a != b });
    Less [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> bool { a < b });
    LessEqual [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> bool { a <= b });
    Greater [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> bool { a > b });
    GreaterEqual [u16 i16 u32 i32 u64 i64] (|a: T, b: T| -> bool { a >= b });
}
