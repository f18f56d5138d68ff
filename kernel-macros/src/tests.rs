//! The expansion on token streams, with a stand-in for the compiler.

use nvptx_builder::diagnostics::{Diagnostic, Diagnostics};
use nvptx_builder::metadata::{Metadata, Param, ParamType};
use nvptx_builder::{Compiled, Options};
use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{File, Item, ItemFn};

use crate::expand::kernel;
use crate::signature;

/// A compiler that accepts every body.
fn accept(function: &ItemFn, _: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let types: Vec<ParamType> = signature::written(&function.sig).unwrap_or_default();
    let named = |(index, ty)| Param { name: format!("p{index}"), ty };
    let metadata = Metadata {
        kernel: function.sig.ident.to_string(),
        params: types.into_iter().enumerate().map(named).collect(),
        files: Vec::new(),
        panics: None,
    };
    Ok(Compiled {
        ptx: "the text".to_owned(),
        ir: nvptx_builder::ir::Function::new("kernel"),
        metadata,
    })
}

fn reject(unsupported: &[&str], invalid: &[&str]) -> impl Fn(&ItemFn) -> Vec<Diagnostic> {
    let mut list = Diagnostics::default();
    for message in unsupported {
        list.unsupported(Span::call_site(), *message);
    }
    for message in invalid {
        list.invalid(Span::call_site(), *message);
    }
    let errors = list.finish::<()>(None).err().unwrap_or_default();
    move |_| errors.clone()
}

fn accepted(arguments: TokenStream, item: TokenStream) -> TokenStream {
    kernel(arguments, item, &accept)
}

fn rejected(unsupported: &[&str], invalid: &[&str], item: TokenStream) -> TokenStream {
    let errors = reject(unsupported, invalid);
    kernel(TokenStream::new(), item, &move |function, _| Err(errors(function)))
}

/// The expansion as text without spaces, once it has been seen to be Rust.
fn text(expansion: &TokenStream) -> String {
    if let Err(error) = syn::parse2::<File>(expansion.clone()) {
        panic!("{error} in {expansion}");
    }
    expansion.to_string().replace([' ', '\n'], "")
}

fn items(expansion: TokenStream) -> Vec<Item> {
    syn::parse2::<File>(expansion).map(|file| file.items).unwrap_or_default()
}

fn saxpy() -> TokenStream {
    quote! {
        /// a x + y
        #[cfg(feature = "x")]
        #[allow(clippy::all)]
        #[inline]
        pub(crate) fn saxpy(a: f32, x: &[f32], mut y: &mut [f32]) { y[0] += a * x[0]; }
    }
}

#[test]
fn a_kernel_becomes_a_type_a_value_and_an_anonymous_constant() {
    let items = items(accepted(TokenStream::new(), saxpy()));
    let [Item::Enum(ty), Item::Static(value), Item::Const(scope)] = &items[..] else {
        panic!("{items:?}");
    };
    assert_eq!(ty.ident, "saxpy");
    assert_eq!(value.ident, "saxpy");
    assert_eq!(scope.ident, "_");
    assert_eq!(ty.vis.to_token_stream().to_string(), "pub (crate)");
    assert_eq!(value.vis, ty.vis);
}

#[test]
fn parameters_have_the_types_that_the_compiler_saw() {
    let text = text(&accepted(TokenStream::new(), saxpy()));
    assert!(text.contains(
        "typeParams=(::gridlaunch::param::Scalar<::core::primitive::f32>,\
         ::gridlaunch::param::Slice<::core::primitive::f32>,\
         ::gridlaunch::param::SliceMut<::core::primitive::f32>,);"
    ));
    assert!(text.contains("a:::core::primitive::f32,x:&[::core::primitive::f32]"));
    assert!(text.contains("||saxpy(a,x,y)"));
}

#[test]
fn the_users_function_is_there_as_written() {
    let text = text(&accepted(TokenStream::new(), saxpy()));
    assert!(text.contains("fnsaxpy(a:f32,x:&[f32],muty:&mut[f32]){y[0]+=a*x[0];}"));
}

#[test]
fn attributes_go_where_they_belong() {
    let items = items(accepted(TokenStream::new(), saxpy()));
    let attributes = |item: &Item| match item {
        Item::Enum(item) => item.attrs.clone(),
        Item::Static(item) => item.attrs.clone(),
        Item::Const(item) => item.attrs.clone(),
        _ => Vec::new(),
    };
    for item in &items {
        let names: Vec<String> =
            attributes(item).iter().map(|a| a.path().to_token_stream().to_string()).collect();
        assert!(names.contains(&"cfg".to_owned()), "{names:?}");
        assert!(!names.contains(&"inline".to_owned()), "{names:?}");
        let is_scope = matches!(item, Item::Const(_));
        assert_eq!(names.contains(&"doc".to_owned()), !is_scope, "{names:?}");
    }
    let docs = quote!(#(#items)*).to_string();
    assert!(docs.contains("a x + y"));
    assert!(docs.contains("Parameters: `a: f32`, `x: &[f32]`, `y: &mut [f32]`."), "{docs}");
}

#[test]
fn a_raw_name_loses_its_prefix_where_it_is_text() {
    let text = text(&accepted(
        TokenStream::new(),
        quote!(
            fn r#match(r#type: u32) {}
        ),
    ));
    assert!(text.contains("enumr#match{}"));
    assert!(text.contains("embedded(\"match\",\"thetext\")"));
    assert!(text.contains("r#type:::core::primitive::u32"));
}

#[test]
fn the_crate_can_have_another_name() {
    let text = text(&accepted(quote!(crate = crate::gpu), saxpy()));
    assert!(text.contains("crate::gpu::Dispatcher<saxpy>"));
    assert!(!text.contains("::gridlaunch"));
}

#[test]
fn contraction_can_be_turned_off() {
    let seen = std::cell::Cell::new(true);
    let compile = |function: &ItemFn, options: &Options| {
        seen.set(options.contract);
        accept(function, options)
    };
    kernel(quote!(contract = false), saxpy(), &compile);
    assert!(!seen.get());
}

#[test]
fn types_from_macro_variables_are_recognised() {
    let ty = Group::new(Delimiter::None, quote!(u8));
    let item = quote!(fn f(x: &[#ty], n: #ty) {});
    let text = text(&accepted(TokenStream::new(), item));
    assert!(text.contains("param::Slice<::core::primitive::u8>"));
    assert!(text.contains("param::Scalar<::core::primitive::u8>"));
}

#[test]
fn a_block_from_a_macro_variable_is_a_statement() {
    let block = Group::new(
        Delimiter::None,
        quote!({
            x[0] = 1;
        }),
    );
    let operand = Group::new(Delimiter::None, quote!(1 + 2));
    let item = quote!(fn f(x: &mut [u8]) { #block x[1] = #operand * 3; });
    let compile = |function: &ItemFn, options: &Options| {
        assert_eq!(function.block.stmts.len(), 2);
        accept(function, options)
    };
    let text = text(&kernel(TokenStream::new(), item, &compile));
    assert!(text.contains("{x[0]=1;}x[1]=1+2*3;"), "{text}");
}

#[test]
fn an_unsupported_kernel_has_its_errors_its_twin_and_its_items() {
    let text = text(&rejected(&["no closures", "no calls"], &["wrong type"], saxpy()));
    assert!(text.contains("typeParams=[();::core::compile_error!(\"noclosures\")];"));
    assert!(text.contains("::core::compile_error!(\"nocalls\");"));
    assert!(!text.contains("wrongtype"));
    assert!(text.contains("fnsaxpy(a:f32,x:&[f32],muty:&mut[f32]){y[0]"));
    assert!(text.contains("embedded(\"saxpy\",\"\")"));
    assert!(text.contains("pubfnon_host"));
}

#[test]
fn an_invalid_kernel_is_left_to_rustc_with_a_panic_behind_it() {
    let text = text(&rejected(&[], &["{f32} is not u32"], saxpy()));
    assert!(!text.contains("compile_error"));
    assert!(text.contains("let_twin=|a:f32,x:&[f32],muty:&mut[f32]|->(){y[0]+=a*x[0];};"));
    assert!(text.contains("panic!(\"gridlaunchcouldnotcompilethiskernel:{{f32}}isnotu32\")"));
    assert!(text.contains("param::SliceMut<::core::primitive::f32>"));
}

#[test]
fn a_wrong_argument_is_one_error_beside_a_whole_kernel() {
    let wrong = [
        (quote!(fast), "`fast`isnotknownhere"),
        (quote!(contract), "`contract`takesavalue,asin`contract=false`"),
        (quote!(crate =), "`crate`takesavalue,asin`crate=path`"),
        (quote!(contract = 1), "expectedbooleanliteral"),
        (quote!(contract = true, contract = true), "`contract`isheretwice"),
        (quote!(crate = "x"), "expectedidentifier"),
        (quote!(3), "theargumentsof`#[kernel]`are"),
        (quote!(contract = true contract), "expected`,`"),
    ];
    for (arguments, message) in wrong {
        let text = text(&accepted(arguments.clone(), saxpy()));
        assert_eq!(text.matches("compile_error").count(), 1, "{arguments}: {text}");
        assert!(text.contains(message), "{arguments}: {text}");
        assert!(text.contains("thetext"));
    }
}

#[test]
fn what_is_not_a_function_is_one_error_and_stays() {
    let not_functions = [
        quote!(
            struct S;
        ),
        quote!(
            #[derive(Debug)]
            enum E {
                A,
            }
        ),
        quote!(impl S {}),
        quote!(
            mod m {
                fn f() {}
            }
        ),
        quote!(
            const N: usize = 3;
        ),
        quote!(
            trait T {
                fn f(&self);
            }
        ),
        quote!(
            use a::b;
        ),
        quote!(
            macro_rules! m {
                () => {};
            }
        ),
    ];
    for item in not_functions {
        let text = text(&accepted(TokenStream::new(), item.clone()));
        let unchanged = item.to_string().replace(' ', "");
        assert_eq!(text.matches("compile_error").count(), 1, "{text}");
        assert!(text.contains("`#[kernel]`goesonafunction"), "{text}");
        assert!(text.ends_with(&unchanged), "{text}");
    }
}

#[test]
fn no_input_makes_the_macro_panic() {
    let odd = [
        quote!(),
        quote!(;),
        quote!(fn),
        quote!(fn f),
        quote!(
            fn f(x: f32);
        ),
        quote!(let x = 1;),
        quote!(1 + 1),
        quote!(#[a] #[b]),
        quote!(
            fn f(self) {}
        ),
        quote!(
            async unsafe extern "C" fn f<T>((a, b): (T, T), ...) -> T
            where
                T: Copy,
            {
                a
            }
        ),
        quote!(
            #[kernel]
            fn f() {}
        ),
        quote!(
            fn thread() {}
        ),
    ];
    for item in odd {
        for compiler in [rejected(&["no"], &[], item.clone()), rejected(&[], &[], item.clone())] {
            assert!(!compiler.is_empty() || item.is_empty());
        }
        accepted(TokenStream::new(), item);
    }
}

#[test]
fn a_kernel_may_not_hide_the_device_modules() {
    for name in ["thread", "block", "grid"] {
        let name = proc_macro2::Ident::new(name, Span::call_site());
        let text = text(&accepted(TokenStream::new(), quote!(fn #name() {})));
        assert!(text.contains("::core::compile_error"), "{text}");
    }
}
