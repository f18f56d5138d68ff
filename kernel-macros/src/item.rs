//! What the attribute stands on, and which of the item's other attributes go where.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Error, Item, ItemFn, Meta, Result};

/// Device modules that a kernel's type would hide from its own body.
const MODULES: [&str; 3] = ["thread", "block", "grid"];

/// The function that the attribute stands on.
///
/// # Errors
/// If it is something else, or a function that could never be a kernel, whatever its body.
pub(crate) fn parse(tokens: &TokenStream) -> Result<ItemFn> {
    const WRONG: &str = "`#[kernel]` goes on a function";
    let function = match syn::parse2::<Item>(tokens.clone()) {
        Ok(Item::Fn(function)) => function,
        Ok(_) => return Err(Error::new_spanned(first_line(tokens), WRONG)),
        // A function that syn cannot read gets syn's reason; in anything else the reason is that
        // it is no function.
        Err(error) => {
            return Err(match syn::parse2::<ItemFn>(tokens.clone()) {
                Ok(function) => return Ok(function),
                Err(_) if tokens.is_empty() => Error::new(error.span(), WRONG),
                Err(_) if !mentions_fn(tokens) => Error::new_spanned(first_line(tokens), WRONG),
                Err(error) => error,
            });
        }
    };
    if let Some(receiver) = function.sig.receiver() {
        let message = "a kernel is a free function: it has no `self`; pass what it needs as \
                       scalars and slices";
        return Err(Error::new_spanned(receiver, message));
    }
    if let Some(second) = function.attrs.iter().find(|attribute| is(attribute, "kernel")) {
        return Err(Error::new_spanned(second, "`#[kernel]` is here twice"));
    }
    let name = &function.sig.ident;
    if MODULES.iter().any(|module| name == module) {
        let message = format!(
            "a kernel cannot be called `{name}`: its type would hide the module `{name}` of the \
             device functions"
        );
        return Err(Error::new(name.span(), message));
    }
    Ok(function)
}

/// The item up to its body: enough to underline.
fn first_line(tokens: &TokenStream) -> TokenStream {
    let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(_));
    let is_hash = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == '#');
    let mut rest = tokens.clone().into_iter().peekable();
    // Attributes in front are not what is wrong.
    while rest.peek().is_some_and(is_hash) {
        rest.next();
        rest.next();
    }
    let line: TokenStream = rest.take_while(|token| !is_body(token)).collect();
    if line.is_empty() { tokens.clone() } else { line }
}

fn mentions_fn(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(name) if name == "fn"))
}

fn is(attribute: &Attribute, name: &str) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == name)
}

/// The user's attributes, by where they belong once the function has become several items.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// `#[cfg]`: all items come and go together.
    pub(crate) on_all: Vec<Attribute>,
    /// Documentation: for the type and the value.
    pub(crate) docs: Vec<Attribute>,
    /// Lint levels: for the type and the value.
    pub(crate) on_outer: Vec<Attribute>,
    /// What is said of the kernel's use, which begins at the value.
    pub(crate) on_value: Vec<Attribute>,
    /// Whatever can be said of a function's body.
    pub(crate) on_twin: Vec<Attribute>,
}

impl Attributes {
    /// Sorts `attributes`.
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let mut sorted = Attributes::default();
        for attribute in attributes {
            let name = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
            let attribute = attribute.clone();
            match name.as_str() {
                "cfg" | "cfg_attr" => sorted.on_all.push(attribute),
                "doc" => sorted.docs.push(attribute),
                "allow" | "warn" | "deny" | "forbid" => {
                    sorted.on_outer.push(attribute.clone());
                    sorted.on_twin.push(attribute);
                }
                // An expectation can be met only once: whether the kernel is used shows at the
                // value, all else in the body.
                "expect" if mentions(&attribute.meta, "dead_code") => {
                    sorted.on_value.push(attribute);
                }
                "deprecated" => sorted.on_value.push(attribute),
                _ => sorted.on_twin.push(attribute),
            }
        }
        sorted
    }
}

fn mentions(meta: &Meta, name: &str) -> bool {
    let Meta::List(list) = meta else { return false };
    let mut tokens = list.tokens.to_token_stream().into_iter();
    tokens.any(|token| matches!(token, TokenTree::Ident(ident) if ident == name))
}
