//! From the attribute's input to the items that replace it.

mod fallback;
mod groups;
mod kernel;

use std::path::PathBuf;

use nvptx_builder::diagnostics::Diagnostic;
use nvptx_builder::{Compiled, Options};
use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ItemFn;

use crate::attr::Arguments;
use crate::item::{self, Attributes};

/// The compiler, as a parameter so that tests can stand in for it.
pub(crate) type Compile<'a> = &'a dyn Fn(&ItemFn, &Options) -> Result<Compiled, Vec<Diagnostic>>;

/// `#[kernel(arguments)] item`
pub(crate) fn kernel(arguments: TokenStream, item: TokenStream, compile: Compile) -> TokenStream {
    let item = groups::without_needless(item);
    let function = match item::parse(&item) {
        Ok(function) => function,
        // The item stays as it is, so that uses of its name do not fail as well.
        Err(error) => {
            let error = error.into_compile_error();
            return quote!(#error #item);
        }
    };
    // A wrong argument is reported beside the finished kernel, for the same reason.
    let (arguments, error) = match syn::parse2::<Arguments>(arguments) {
        Ok(arguments) => (arguments, None),
        Err(error) => (Arguments::default(), Some(error.into_compile_error())),
    };
    let facade = match &arguments.facade {
        Some(path) => quote!(#path),
        None => quote!(::gridlaunch),
    };
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let options = Options { contract: arguments.contract, package, ..Options::default() };
    let source =
        Source { function: &function, attributes: Attributes::of(&function.attrs), facade };
    let items = match compile(&function, &options) {
        Ok(compiled) => kernel::expand(&source, &compiled),
        Err(diagnostics) => fallback::expand(&source, &diagnostics),
    };
    quote!(#error #items)
}

/// What all ways of expanding start from.
struct Source<'a> {
    function: &'a ItemFn,
    attributes: Attributes,
    /// Path of the facade crate.
    facade: TokenStream,
}

impl Source<'_> {
    /// The kernel's name without a raw identifier's `r#`.
    fn name(&self) -> String {
        use syn::ext::IdentExt;
        self.function.sig.ident.unraw().to_string()
    }

    /// The type and the value, which users see.
    ///
    /// ```text
    /// pub enum saxpy {}
    /// pub static saxpy: Dispatcher<saxpy> = Dispatcher::embedded(saxpy::__program());
    /// ```
    fn public_items(&self) -> TokenStream {
        let Source { function, attributes, facade } = self;
        let Attributes { on_all, docs, on_outer, on_value, .. } = attributes;
        let (visibility, name) = (&function.vis, &function.sig.ident);
        let parameters = format!("Parameters: {}.", crate::signature::text(&function.sig));
        let of_the_type = format!("This is the kernel's type, as in `Dispatcher<{name}>`.");
        let of_the_value =
            "This is the kernel's dispatcher: `configure` it with a grid and a block.";
        // Spanned as the user's, so that rustc says of an unused kernel what it says of an unused
        // function: about an item that is all a macro's it is silent.
        let value = quote_spanned! {name.span()=>
            #visibility static #name: #facade::Dispatcher<#name> =
                #facade::Dispatcher::embedded(#name::__program());
        };
        quote! {
            #(#on_all)*
            #(#docs)*
            #[doc = ""]
            #[doc = #parameters]
            #[doc = ""]
            #[doc = #of_the_type]
            #[allow(non_camel_case_types, dead_code)]
            #(#on_outer)*
            #visibility enum #name {}

            #(#on_all)*
            #(#docs)*
            #[doc = ""]
            #[doc = #parameters]
            #[doc = ""]
            #[doc = #of_the_value]
            #[allow(non_upper_case_globals)]
            #(#on_outer)*
            #(#on_value)*
            #value
        }
    }

    /// `impl Kernel`, and the one place where the program is.
    ///
    /// The program is in a `const fn`, not in a constant, because a constant cannot refer to a
    /// `static` with interior mutability, and not beside the value, because the expansion may add
    /// no names to the user's scope.
    fn kernel_impl(&self, params: &TokenStream, ptx: &str) -> TokenStream {
        let Source { function, facade, .. } = self;
        let ident = &function.sig.ident;
        let name = self.name();
        quote! {
            impl #facade::Kernel for #ident {
                const NAME: &'static ::core::primitive::str = #name;
                type Params = #params;
                fn program() -> &'static #facade::__private::Program {
                    Self::__program()
                }
            }

            #[allow(dead_code)]
            impl #ident {
                const fn __program() -> &'static #facade::__private::Program {
                    static PROGRAM: #facade::__private::Program =
                        #facade::__private::Program::embedded(#name, #ptx);
                    &PROGRAM
                }
            }
        }
    }
}

/// `compile_error!("message")` where the diagnostic points; an expression, an item or a type.
fn compile_error(diagnostic: &Diagnostic) -> TokenStream {
    let mut message = Literal::string(&diagnostic.message);
    message.set_span(diagnostic.span);
    quote_spanned!(diagnostic.span=> ::core::compile_error!(#message))
}
