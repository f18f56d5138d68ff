//! Tuples of arguments, for tuples of parameters.

use nvptx_builder::metadata::ParamType;

use super::param::sealed::Sealed;
use super::{Argument, Packer, Parameter, Parameters};
use crate::error::Result;

/// The arguments of a launch: a tuple with one [`Argument`] for each of the kernel's parameters.
#[diagnostic::on_unimplemented(
    message = "these are not the arguments of this kernel: its parameters are `{Params}`",
    label = "expected a tuple with one argument for each of `{Params}`",
    note = "`Scalar<f32>` is `a: f32`, and takes an `f32`; `Slice<f32>` is `x: &[f32]`, and takes \
            `&x`; `SliceMut<f32>` is `y: &mut [f32]`, and takes `&mut y`",
    note = "a single argument is a tuple too, `launch((a,))`, and no argument is `launch(())`"
)]
pub trait Arguments<Params> {
    /// Appends them to the launch's parameters.
    ///
    /// # Errors
    /// As [`Argument`]'s.
    #[doc(hidden)]
    fn pack(self, packer: &mut Packer<'_>) -> Result<()>;
}

macro_rules! tuples {
    ($($A:ident $P:ident $a:ident),*) => {
        tuples!(@one $($A $P $a),*);
        tuples!(@shorter $($A $P $a),*);
    };
    (@shorter) => {};
    (@shorter $A:ident $P:ident $a:ident $(, $As:ident $Ps:ident $as:ident)*) => {
        tuples!($($As $Ps $as),*);
    };
    (@one $($A:ident $P:ident $a:ident),*) => {
        impl<$($P: Parameter),*> Sealed for ($($P,)*) {}

        impl<$($P: Parameter + 'static),*> Parameters for ($($P,)*) {
            const TYPES: &'static [ParamType] = &[$($P::TYPE),*];
        }

        impl<$($A: Argument<$P>, $P),*> Arguments<($($P,)*)> for ($($A,)*) {
            #[inline]
            #[allow(unused_variables)] // of the empty tuple
            fn pack(self, packer: &mut Packer<'_>) -> Result<()> {
                let ($($a,)*) = self;
                $(packer.argument::<$P>($a)?;)*
                Ok(())
            }
        }
    };
}

tuples!(
    A0 P0 a0, A1 P1 a1, A2 P2 a2, A3 P3 a3, A4 P4 a4, A5 P5 a5, A6 P6 a6, A7 P7 a7,
    A8 P8 a8, A9 P9 a9, A10 P10 a10, A11 P11 a11, A12 P12 a12, A13 P13 a13, A14 P14 a14,
    A15 P15 a15
);
