//! Kernels as `#[kernel]` would make them, with PTX written by hand.

#![allow(dead_code, unreachable_pub, non_camel_case_types, non_upper_case_globals)] // each test uses its part

use gridlaunch_runtime::__private::Program;
use gridlaunch_runtime::{Dispatcher, Kernel, param};

/// What the macro expands to, less the host twin.
macro_rules! kernel {
    ($name:ident: ($($param:ty),*), $ptx:expr) => {
        pub enum $name {}

        pub static $name: Dispatcher<$name> = Dispatcher::embedded($name::embedded());

        impl $name {
            const fn embedded() -> &'static Program {
                static PROGRAM: Program = Program::embedded(stringify!($name), $ptx);
                &PROGRAM
            }
        }

        impl Kernel for $name {
            const NAME: &'static str = stringify!($name);
            type Params = ($($param,)*);
            fn program() -> &'static Program {
                Self::embedded()
            }
        }
    };
}

kernel!(saxpy: (param::Scalar<f32>, param::Slice<f32>, param::SliceMut<f32>), SAXPY);
kernel!(fail: (param::Scalar<u32>), FAIL);
kernel!(mixed: (
    param::Scalar<u8>, param::Scalar<bool>, param::Scalar<f64>, param::Scalar<u16>,
    param::SliceMut<u64>
), MIXED);
kernel!(nothing: (), NOTHING);

/// `y[i] += a * x[i]`
pub const SAXPY: &str = "\
//@ gridlaunch 1
//@ kernel saxpy
//@ param a f32
//@ param x &[f32]
//@ param y &mut [f32]
.version 6.0
.target sm_70
.address_size 64

.visible .entry saxpy(
    .param .f32 saxpy_a,
    .param .u64 saxpy_x,
    .param .u64 saxpy_x$len,
    .param .u64 saxpy_y,
    .param .u64 saxpy_y$len
)
{
    .reg .pred %p<2>;
    .reg .f32 %f<5>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<9>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd1, %r1, %r2;
    cvt.u64.u32 %rd2, %r3;
    add.u64 %rd1, %rd1, %rd2;
    ld.param.u64 %rd3, [saxpy_y$len];
    setp.ge.u64 %p1, %rd1, %rd3;
    @%p1 bra done;
    ld.param.u64 %rd4, [saxpy_x];
    ld.param.u64 %rd5, [saxpy_y];
    ld.param.f32 %f1, [saxpy_a];
    shl.b64 %rd6, %rd1, 2;
    add.u64 %rd7, %rd4, %rd6;
    add.u64 %rd8, %rd5, %rd6;
    ld.global.nc.f32 %f2, [%rd7];
    ld.global.f32 %f3, [%rd8];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd8], %f4;
done:
    ret;
}
//@ end
";

/// Panics with its argument, in the way that a record is filled, but for the lock.
pub const FAIL: &str = "\
//@ gridlaunch 1
//@ kernel fail
//@ param code u32
//@ file 1 src/fail.rs
//@ panics 00000000000000fa
//@ site 0 1:3:5 \"failed with {u32}\"
.version 6.0
.target sm_70
.address_size 64

.visible .entry fail(
    .param .u32 fail_code,
    .param .u64 fail$panic
)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u32 %r1, [fail_code];
    ld.param.u64 %rd1, [fail$panic];
    mov.u32 %r2, 0;
    st.global.u32 [%rd1+4], %r2;
    mov.u64 %rd2, 0xfa;
    st.global.u64 [%rd1+8], %rd2;
    mov.u32 %r3, %ctaid.x;
    st.global.u32 [%rd1+16], %r3;
    st.global.u32 [%rd1+20], %r2;
    st.global.u32 [%rd1+24], %r2;
    mov.u32 %r3, %tid.x;
    st.global.u32 [%rd1+28], %r3;
    st.global.u32 [%rd1+32], %r2;
    st.global.u32 [%rd1+36], %r2;
    cvt.u64.u32 %rd3, %r1;
    st.global.u64 [%rd1+40], %rd3;
    mov.u32 %r4, 2;
    st.global.u32 [%rd1], %r4;
    ret;
}
//@ end
";

/// Writes its scalars, and the length, into its slice.
pub const MIXED: &str = "\
//@ gridlaunch 1
//@ kernel mixed
//@ param a u8
//@ param b bool
//@ param c f64
//@ param d u16
//@ param out &mut [u64]
.version 6.0
.target sm_70
.address_size 64

.visible .entry mixed(
    .param .u8 mixed_a,
    .param .u8 mixed_b,
    .param .f64 mixed_c,
    .param .u16 mixed_d,
    .param .u64 mixed_out,
    .param .u64 mixed_out$len
)
{
    .reg .b16 %rs<4>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [mixed_out];
    ld.param.u8 %rs1, [mixed_a];
    cvt.u64.u16 %rd2, %rs1;
    st.global.u64 [%rd1], %rd2;
    ld.param.u8 %rs2, [mixed_b];
    cvt.u64.u16 %rd3, %rs2;
    st.global.u64 [%rd1+8], %rd3;
    ld.param.u64 %rd4, [mixed_c];
    st.global.u64 [%rd1+16], %rd4;
    ld.param.u16 %rs3, [mixed_d];
    cvt.u64.u16 %rd5, %rs3;
    st.global.u64 [%rd1+24], %rd5;
    ld.param.u64 %rd6, [mixed_out$len];
    st.global.u64 [%rd1+32], %rd6;
    ret;
}
//@ end
";

/// No parameters and nothing to do.
pub const NOTHING: &str = "\
//@ gridlaunch 1
//@ kernel nothing
.version 6.0
.target sm_70
.address_size 64

.visible .entry nothing()
{
    ret;
}
//@ end
";
