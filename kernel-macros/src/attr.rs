//! The arguments of `#[kernel(…)]`.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitBool, Path, Result, Token};

/// What an error about an argument ends with.
const KNOWN: &str = "the arguments of `#[kernel]` are `contract = false` and `crate = path`";

/// The arguments, with defaults where the user gave none.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// Whether `a * b + c` may become one fma.
    pub(crate) contract: bool,
    /// Where the facade crate is.
    pub(crate) facade: Option<Path>,
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments { contract: true, facade: None }
    }
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut contract = None;
        let mut facade = None;
        while !input.is_empty() {
            // `crate` is a keyword, hence `parse_any`.
            let Ok(name) = input.call(Ident::parse_any) else {
                return Err(input.error(KNOWN));
            };
            match name.to_string().as_str() {
                "contract" => {
                    expect_equals(input, &name, "contract = false")?;
                    let value: LitBool = input.parse()?;
                    once(&mut contract, value.value, &name)?;
                }
                "crate" => {
                    expect_equals(input, &name, "crate = path")?;
                    once(&mut facade, input.call(Path::parse_mod_style)?, &name)?;
                }
                other => {
                    let message = format!("`{other}` is not known here: {KNOWN}");
                    return Err(Error::new(name.span(), message));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Arguments { contract: contract.unwrap_or(true), facade })
    }
}

fn expect_equals(input: ParseStream, name: &Ident, example: &str) -> Result<()> {
    match input.parse::<Option<Token![=]>>()? {
        Some(_) if !input.is_empty() => Ok(()),
        _ => Err(Error::new(name.span(), format!("`{name}` takes a value, as in `{example}`"))),
    }
}

fn once<T>(slot: &mut Option<T>, value: T, name: &Ident) -> Result<()> {
    if slot.replace(value).is_some() {
        return Err(Error::new(name.span(), format!("`{name}` is here twice")));
    }
    Ok(())
}
