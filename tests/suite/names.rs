//! Kernels with odd names, in odd places.

#![deny(missing_docs, warnings, unreachable_pub)]

use gridlaunch::prelude::*;

use crate::support::stream;

#[kernel]
fn r#match(r#type: u32, out: &mut [u32]) {
    out[0] = r#type;
}

#[kernel]
fn min(max: u32, out: &mut [u32]) {
    out[0] = max.min(7);
}

// Named as its own parameter, and its parameters as other kernels and as what the macro generates.
#[kernel]
fn sum(sum: &mut [u32], min: u32, grid: u32, block: u32, stream: u32) {
    sum[0] = min + grid + block + stream;
}

#[kernel]
fn größe(länge: u32, out: &mut [u32]) {
    out[0] = länge * 2;
}

// Names that mean something in PTX.
macro_rules! keywords {
    ($($name:ident)*) => {
        $(
            #[kernel]
            #[allow(non_snake_case)]
            fn $name(reg: &[u32], param: u32, out: &mut [u32]) {
                let mad = reg[thread::x()];
                out[thread::x()] = mad + param;
            }
        )*

        #[test]
        fn a_kernel_can_be_called_as_ptx_instructions_and_directives_are() -> gridlaunch::Result<()> {
            let stream = stream();
            let input = stream.upload(&[1u32, 2])?;
            $(
                let mut out = stream.zeros::<u32>(2)?;
                $name.configure(1, 2).on(&stream).launch((&input, 10, &mut out))?;
                assert_eq!(stream.download(&out)?, [11, 12], "{}", stringify!($name));
            )*
            Ok(())
        }
    };
}

keywords! { abs add mov ld st bar ret exit entry func visible version target reg shared global b32
f32x param _ignored WARP_SZ tid ntid setp bra pred }

#[kernel]
#[allow(non_snake_case)]
fn CamelCase(_unused: u32, mut n: u32, OUT: &mut [u32]) {
    n += 1;
    OUT[0] = n;
}

#[kernel]
#[expect(dead_code)]
fn never_used(out: &mut [u32]) {
    out[0] = 1;
}

#[kernel]
#[cfg(any())]
fn not_even_there(out: &mut [u32]) -> ! {
    not_a_function(out)
}

#[kernel]
#[cfg_attr(all(), allow(unused_variables))]
#[inline]
#[expect(clippy::identity_op, reason = "an expectation that only the body meets")]
fn attributes(n: u32, out: &mut [u32]) {
    out[0] = 11 + 0;
}

pub(crate) mod inner {
    //! A module with its own kernel.

    use gridlaunch::prelude::*;

    /// Documented.
    #[kernel]
    pub(in crate::names) fn visible(out: &mut [u32]) {
        out[0] = 12;
    }

    pub(crate) mod deeper {
        //! Another one.

        /// Without the prelude.
        #[gridlaunch::kernel]
        pub(in crate::names) fn visible(out: &mut [u32]) {
            out[0] = 13;
        }
    }
}

#[test]
fn names_are_the_users() -> gridlaunch::Result<()> {
    let stream = stream();
    let mut out = stream.zeros::<u32>(1)?;
    r#match.configure(1, 1).on(&stream).launch((3, &mut out))?;
    assert_eq!(stream.download(&out)?, [3]);
    assert_eq!(r#match.name(), "match");
    min.configure(1, 1).on(&stream).launch((9, &mut out))?;
    assert_eq!(stream.download(&out)?, [7]);
    sum.configure(1, 1).on(&stream).launch((&mut out, 1, 20, 300, 4000))?;
    assert_eq!(stream.download(&out)?, [4321]);
    größe.configure(1, 1).on(&stream).launch((4, &mut out))?;
    assert_eq!(stream.download(&out)?, [8]);
    CamelCase.configure(1, 1).on(&stream).launch((0, 9, &mut out))?;
    assert_eq!(stream.download(&out)?, [10]);
    attributes.configure(1, 1).on(&stream).launch((0, &mut out))?;
    assert_eq!(stream.download(&out)?, [11]);
    inner::visible.configure(1, 1).on(&stream).launch((&mut out,))?;
    assert_eq!(stream.download(&out)?, [12]);
    inner::deeper::visible.configure(1, 1).on(&stream).launch((&mut out,))?;
    assert_eq!(stream.download(&out)?, [13]);

    let mut host = [0];
    sum::on_host(1, 1, &mut host, 1, 20, 300, 4000);
    assert_eq!(host, [4321]);
    Ok(())
}

#[test]
fn a_kernel_can_be_inside_a_function() -> gridlaunch::Result<()> {
    #[kernel]
    fn local(out: &mut [u32]) {
        out[0] = 77;
    }
    let stream = stream();
    let mut out = stream.zeros::<u32>(1)?;
    local.configure(1, 1).on(&stream).launch((&mut out,))?;
    assert_eq!(stream.download(&out)?, [77]);
    {
        #[kernel]
        fn local(out: &mut [u32]) {
            out[0] = 78;
        }
        local.configure(1, 1).on(&stream).launch((&mut out,))?;
        assert_eq!(stream.download(&out)?, [78]);
    }
    Ok(())
}

#[test]
fn the_type_and_the_value_are_imported_together() -> gridlaunch::Result<()> {
    use inner::visible as renamed;
    let dispatcher: Dispatcher<renamed> = renamed.configure(1, 1);
    let stream = stream();
    let mut out = stream.zeros::<u32>(1)?;
    dispatcher.on(&stream).launch((&mut out,))?;
    assert_eq!(stream.download(&out)?, [12]);
    Ok(())
}
