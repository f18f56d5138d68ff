//! The expansion of a kernel that compiled.

use nvptx_builder::Compiled;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Source;
use crate::signature::{self, Param};

/// ```text
/// pub enum saxpy {}
/// pub static saxpy: Dispatcher<saxpy> = …;
/// const _: () = {
///     fn saxpy(…) { the user's code }       // the host twin
///     impl Kernel for saxpy { … }
///     impl saxpy { pub fn on_host(…) { … } }
/// };
/// ```
/// The anonymous constant gives the twin a scope of its own, where its name hides the value's.
pub(super) fn expand(source: &Source, compiled: &Compiled) -> TokenStream {
    let on_all = &source.attributes.on_all;
    let params = signature::compiled(&source.function.sig, &compiled.metadata);
    let public_items = source.public_items();
    let twin = twin(source);
    let markers = params.iter().map(|param| signature::marker(&param.ty, &source.facade));
    let kernel_impl = source.kernel_impl(&quote!((#(#markers,)*)), &compiled.ptx);
    let on_host = on_host(source, &params);
    let stand_ins = stand_ins(source);
    quote! {
        #public_items
        #(#on_all)*
        const _: () = {
            #stand_ins
            #twin
            #kernel_impl
            #on_host
        };
    }
}

/// Lets parameters be called as other kernels are, as they could if kernels were functions.
///
/// A kernel's value is a `static`, and rustc lets no parameter have the name of a `static` in
/// scope; that of a function it does. So a function of the same name goes in between. It is never
/// seen: the parameter itself is in scope in all of the twin.
pub(super) fn stand_ins(source: &Source) -> TokenStream {
    let signature = &source.function.sig;
    let mut names: Vec<Ident> = signature::names(signature);
    names.sort();
    names.dedup();
    names.retain(|name| *name != signature.ident);
    names.iter().map(stand_in).collect()
}

/// A function that only has a name.
pub(super) fn stand_in(name: &Ident) -> TokenStream {
    quote! {
        #[allow(dead_code, non_snake_case)]
        fn #name() {}
    }
}

/// The user's function, tokens and spans unchanged: rustc and rust-analyzer check it, and it can
/// be called on the host.
pub(super) fn twin(source: &Source) -> TokenStream {
    let function = source.function;
    let attributes = &source.attributes.on_twin;
    let (signature, block) = (&function.sig, &function.block);
    let lints = lints();
    quote! {
        #lints
        #(#attributes)*
        #signature #block
    }
}

/// Silences what is no fault in a kernel: a kernel has as many parameters as it needs, and clippy's
/// better ways to write a loop or a formula are library calls that do not exist on a GPU.
pub(super) fn lints() -> TokenStream {
    quote! {
        #[allow(
            dead_code,
            unreachable_pub,
            clippy::too_many_arguments,
            clippy::too_many_lines,
            clippy::needless_range_loop,
            clippy::explicit_counter_loop,
            clippy::manual_memcpy,
            clippy::manual_fill,
            clippy::manual_swap,
            clippy::manual_clamp,
            clippy::manual_div_ceil,
            clippy::manual_is_multiple_of,
            clippy::manual_midpoint,
            clippy::manual_abs_diff,
            clippy::manual_rotate,
            clippy::manual_range_contains,
            clippy::manual_slice_fill,
            clippy::implicit_saturating_sub,
            clippy::suboptimal_flops,
            clippy::imprecise_flops,
            clippy::missing_const_for_fn,
            clippy::many_single_char_names,
            clippy::similar_names
        )]
    }
}

/// The function that runs the twin for every thread of a grid.
fn on_host(source: &Source, params: &[Param]) -> TokenStream {
    let facade = &source.facade;
    let name = &source.function.sig.ident;
    let names: Vec<_> = params.iter().map(|param| &param.name).collect();
    let types = params.iter().map(|param| signature::rust_type(&param.ty));
    quote! {
        #[allow(dead_code, clippy::too_many_arguments)]
        impl #name {
            /// Runs the kernel's Rust code on the CPU, once for every thread of the grid: the
            /// reference for tests.
            ///
            /// # Panics
            /// Where the kernel's code panics.
            pub fn on_host(
                grid: impl ::core::convert::Into<#facade::Grid>,
                block: impl ::core::convert::Into<#facade::Block>,
                #(#names: #types),*
            ) {
                #facade::__private::host::run(
                    ::core::convert::Into::into(grid),
                    ::core::convert::Into::into(block),
                    || #name(#(#names),*),
                );
            }
        }
    }
}
