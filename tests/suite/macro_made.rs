//! Kernels that a `macro_rules!` writes: types, names, expressions, operators and whole blocks come
//! through its variables.

use gridlaunch::prelude::*;

use crate::support::stream;

macro_rules! elementwise {
    ($name:ident, $t:ty, $operation:tt, $constant:expr, $extra:block) => {
        #[kernel]
        fn $name(x: &[$t], y: &mut [$t]) {
            let i = thread::global_x();
            let constant: $t = $constant;
            if i < y.len() {
                $extra
                y[i] = x[i] $operation constant * 2 as $t;
            }
        }
    };
}

elementwise!(add_f32, f32, +, 1.0 + 0.5, {});
elementwise!(sub_i64, i64, -, 1 + 2, { let i = 1; let _ = i; });
elementwise!(xor_u8, u8, ^, 3 << 1, {});

macro_rules! with_body {
    ($name:ident ($($param:ident: $t:ty),*) $body:block) => {
        #[kernel]
        fn $name($($param: $t),*) $body
    };
}

with_body!(whole (n: u32, out: &mut [u32]) { out[0] = n * 3; });

macro_rules! repeated {
    ($($name:ident: $value:literal),*) => {
        $(#[kernel]
        fn $name(out: &mut [i32]) {
            out[0] = $value;
        })*
    };
}

repeated!(one: 1, two: 2, minus_three: -3);

#[test]
fn types_names_and_expressions_come_from_macro_variables() -> gridlaunch::Result<()> {
    let stream = stream();
    let x = stream.upload(&[1.0f32, 2.0, 3.0])?;
    let mut y = stream.zeros::<f32>(3)?;
    add_f32.configure(1, 32).on(&stream).launch((&x, &mut y))?;
    assert_eq!(stream.download(&y)?, [4.0, 5.0, 6.0]);

    let x = stream.upload(&[1i64, 2, 3])?;
    let mut y = stream.zeros::<i64>(3)?;
    sub_i64.configure(1, 32).on(&stream).launch((&x, &mut y))?;
    assert_eq!(stream.download(&y)?, [-5, -4, -3]);

    let x = stream.upload(&[1u8, 2, 255])?;
    let mut y = stream.zeros::<u8>(3)?;
    xor_u8.configure(1, 32).on(&stream).launch((&x, &mut y))?;
    assert_eq!(stream.download(&y)?, [1 ^ 12, 2 ^ 12, 255 ^ 12]);
    Ok(())
}

#[test]
fn whole_bodies_come_from_macro_variables() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut out = stream.zeros::<u32>(1)?;
    whole.configure(1, 1).on(&stream).launch((7, &mut out))?;
    assert_eq!(stream.download(&out)?, [21]);

    let mut out = stream.zeros::<i32>(1)?;
    one.configure(1, 1).on(&stream).launch((&mut out,))?;
    assert_eq!(stream.download(&out)?, [1]);
    two.configure(1, 1).on(&stream).launch((&mut out,))?;
    assert_eq!(stream.download(&out)?, [2]);
    minus_three.configure(1, 1).on(&stream).launch((&mut out,))?;
    assert_eq!(stream.download(&out)?, [-3]);
    Ok(())
}
