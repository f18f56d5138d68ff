//! Which processor features handlers are compiled for.

/// Defines `fn name<…>() -> Handler`, which gives the handler with the given body in the version
/// that this processor runs best. Lane loops are written so that LLVM vectorises them, and
/// `mul_add` is one instruction with the `fma` feature but a slow library call without it.
///
/// `by processor`: the body's first argument says whether it is compiled for AVX2.
macro_rules! handler {
    ($(#[$doc:meta])* $name:ident [$($decl:tt)*] [$($arg:tt)*] = $body:ident, no vectors) => {
        $(#[$doc])*
        pub(crate) fn $name<$($decl)*>() -> $crate::program::Handler {
            use $crate::exec::Context;
            use $crate::program::Op;

            unsafe fn plain<$($decl)*>(cx: &mut Context, op: &Op, mask: u32) -> bool {
                // SAFETY: the caller's, by `Handler`'s contract.
                unsafe { $body::<$($arg)*>(cx, op, mask) }
            }
            plain::<$($arg)*>
        }
    };
    ($(#[$doc:meta])* $name:ident [$($decl:tt)*] [$($arg:tt)*] = $body:ident, by processor) => {
        $(#[$doc])*
        pub(crate) fn $name<$($decl)*>() -> $crate::program::Handler {
            use $crate::exec::Context;
            use $crate::program::Op;

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
                unsafe fn avx2<$($decl)*>(cx: &mut Context, op: &Op, mask: u32) -> bool {
                    // SAFETY: the caller's, by `Handler`'s contract.
                    unsafe { $body::<true, $($arg)*>(cx, op, mask) }
                }
                if $crate::exec::isa::has_avx2() {
                    return avx2::<$($arg)*>;
                }
            }
            unsafe fn plain<$($decl)*>(cx: &mut Context, op: &Op, mask: u32) -> bool {
                // SAFETY: the caller's, by `Handler`'s contract.
                unsafe { $body::<false, $($arg)*>(cx, op, mask) }
            }
            plain::<$($arg)*>
        }
    };
    ($(#[$doc:meta])* $name:ident [$($decl:tt)*] [$($arg:tt)*] = $body:ident) => {
        $(#[$doc])*
        pub(crate) fn $name<$($decl)*>() -> $crate::program::Handler {
            use $crate::exec::Context;
            use $crate::program::Op;

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
                unsafe fn avx2<$($decl)*>(cx: &mut Context, op: &Op, mask: u32) -> bool {
                    // SAFETY: the caller's, by `Handler`'s contract.
                    unsafe { $body::<$($arg)*>(cx, op, mask) }
                }
                if $crate::exec::isa::has_avx2() {
                    return avx2::<$($arg)*>;
                }
            }
            unsafe fn plain<$($decl)*>(cx: &mut Context, op: &Op, mask: u32) -> bool {
                // SAFETY: the caller's, by `Handler`'s contract.
                unsafe { $body::<$($arg)*>(cx, op, mask) }
            }
            plain::<$($arg)*>
        }
    };
}

pub(crate) use handler;

/// Whether the `avx2` versions can run.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")
}
