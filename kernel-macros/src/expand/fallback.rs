//! The expansion of a kernel that did not compile: its errors, and items that keep uses of its name
//! from failing too. One mistake gives one error.

use nvptx_builder::diagnostics::{Diagnostic, Kind};
use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};

use super::{Source, compile_error, kernel};
use crate::signature;

/// The items of [`kernel::expand`] with an empty program, and the errors.
pub(super) fn expand(source: &Source, diagnostics: &[Diagnostic]) -> TokenStream {
    let mut unsupported = diagnostics.iter().filter(|d| d.kind == Kind::Unsupported);
    let (checked, params) = match unsupported.next() {
        Some(first) => {
            let others = unsupported.map(compile_error);
            let twin = kernel::twin(source);
            (quote!(#twin #(#others;)*), unknown_params(first))
        }
        None => (left_to_rustc(source, diagnostics.first()), written_params(source)),
    };
    let on_all = &source.attributes.on_all;
    let stand_ins = kernel::stand_ins(source);
    let public_items = source.public_items();
    let kernel_impl = source.kernel_impl(&params, "");
    let on_host = on_host(source);
    quote! {
        #public_items
        #(#on_all)*
        const _: () = {
            #stand_ins
            #kernel_impl
            #on_host
            #checked
        };
    }
}

/// The error itself, inside of the parameters' type: to rustc that is then a type in error, about
/// which it says nothing more, so no launch of this kernel is wrong as well.
///
/// It is an array's length because `compile_error!` alone, in the place of a type, stands for `()`.
fn unknown_params(first: &Diagnostic) -> TokenStream {
    let error = compile_error(first);
    quote!([(); #error])
}

/// The parameters by the signature alone.
fn written_params(source: &Source) -> TokenStream {
    let types = signature::written(&source.function.sig).unwrap_or_default();
    let markers = types.iter().map(|ty| signature::marker(ty, &source.facade));
    quote!((#(#markers,)*))
}

/// The user's code where rustc reports what is wrong with it, and a panic in case it does not.
///
/// rustc checks a closure together with the constant around it and evaluates no constant that has
/// an error in it. So the panic shows exactly when rustc has accepted the code.
fn left_to_rustc(source: &Source, first: Option<&Diagnostic>) -> TokenStream {
    let function = source.function;
    let name = &function.sig.ident;
    let attributes = &source.attributes.on_twin;
    let lints = kernel::lints();
    let (inputs, block) = (&function.sig.inputs, &function.block);
    let (span, why) = match first {
        Some(diagnostic) => (diagnostic.span, diagnostic.message.as_str()),
        None => (name.span(), "no reason is known"),
    };
    let mut message =
        Literal::string(&format!("gridlaunch could not compile this kernel: {}", braces(why)));
    message.set_span(span);
    let panic = quote_spanned!(span=> ::core::panic!(#message));
    let stand_in = kernel::stand_in(name);
    quote! {
        #stand_in
        #lints
        #(#attributes)*
        let _twin = |#inputs| -> () #block;
        #panic
    }
}

/// `panic!` takes a format string.
fn braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// `on_host` with the types as written, and nothing in it.
fn on_host(source: &Source) -> TokenStream {
    let facade = &source.facade;
    let signature = &source.function.sig;
    let name = &signature.ident;
    let names = signature::names(signature);
    let types = signature.inputs.iter().filter_map(signature::argument_type);
    let (generics, _, clause) = signature.generics.split_for_impl();
    quote! {
        #[allow(dead_code, unused_variables, missing_docs, clippy::too_many_arguments)]
        impl #name {
            pub fn on_host #generics (
                grid: impl ::core::convert::Into<#facade::Grid>,
                block: impl ::core::convert::Into<#facade::Block>,
                #(#names: #types),*
            ) #clause {}
        }
    }
}
