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
            handler!(@version plain [$($decl)*] = $body [$($arg)*]);
            plain::<$($arg)*>
        }
    };
    ($(#[$doc:meta])* $name:ident [$($decl:tt)*] [$($arg:tt)*] = $body:ident, by processor) => {
        handler!(@two $(#[$doc])* $name [$($decl)*] [$($arg)*] = $body [true,] [false,]);
    };
    ($(#[$doc:meta])* $name:ident [$($decl:tt)*] [$($arg:tt)*] = $body:ident) => {
        handler!(@two $(#[$doc])* $name [$($decl)*] [$($arg)*] = $body [] []);
    };
    (
        @two $(#[$doc:meta])* $name:ident [$($decl:tt)*] [$($arg:tt)*] = $body:ident
        [$($for_avx2:tt)*] [$($for_plain:tt)*]
    ) => {
        $(#[$doc])*
        pub(crate) fn $name<$($decl)*>() -> $crate::program::Handler {
            #[cfg(target_arch = "x86_64")]
            {
                handler!(
                    @version #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
                    avx2 [$($decl)*] = $body [$($for_avx2)* $($arg)*]
                );
                if $crate::exec::isa::has_avx2() {
                    return avx2::<$($arg)*>;
                }
            }
            handler!(@version plain [$($decl)*] = $body [$($for_plain)* $($arg)*]);
            plain::<$($arg)*>
        }
    };
    (
        @version $(#[$attribute:meta])* $version:ident [$($decl:tt)*] = $body:ident [$($arg:tt)*]
    ) => {
        $(#[$attribute])*
        unsafe fn $version<$($decl)*>(
            cx: &mut $crate::exec::Context,
            op: &$crate::program::Op,
            mask: u32,
        ) -> bool {
            // SAFETY: the caller's, by `Handler`'s contract.
            unsafe { $body::<$($arg)*>(cx, op, mask) }
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
