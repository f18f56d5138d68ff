//! A kernel's parameters: their names as the user wrote them, their types as the compiler, or
//! failing that the signature, knows them.

use nvptx_builder::metadata::{Metadata, ParamType, Scalar};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{FnArg, Pat, Signature, Type};

/// A parameter of the generated functions.
pub(crate) struct Param {
    /// The user's identifier, or a new one where the user has a pattern.
    pub(crate) name: Ident,
    /// As the compiler understood it.
    pub(crate) ty: ParamType,
}

/// Name and type of every parameter of a compiled kernel.
pub(crate) fn compiled(signature: &Signature, metadata: &Metadata) -> Vec<Param> {
    let types = metadata.params.iter().map(|param| param.ty.clone());
    names(signature).into_iter().zip(types).map(|(name, ty)| Param { name, ty }).collect()
}

/// The types that the signature spells out, if it spells out all of them.
pub(crate) fn written(signature: &Signature) -> Option<Vec<ParamType>> {
    signature.inputs.iter().map(|argument| param_type(argument_type(argument)?)).collect()
}

/// The parameters' names: the user's, or new ones where the user has a pattern.
///
/// They have the hygiene of the macro's own locals, so that a parameter called as the kernel is
/// does not hide the kernel, nor one called `grid` the generated parameter.
pub(crate) fn names(signature: &Signature) -> Vec<Ident> {
    let name = |(index, argument): (usize, &FnArg)| {
        if let FnArg::Typed(typed) = argument
            && let Pat::Ident(pattern) = &*typed.pat
        {
            let mut name = pattern.ident.clone();
            name.set_span(name.span().resolved_at(Span::mixed_site()));
            return name;
        }
        Ident::new(&format!("argument_{index}"), Span::mixed_site())
    };
    signature.inputs.iter().enumerate().map(name).collect()
}

/// The type as written.
pub(crate) fn argument_type(argument: &FnArg) -> Option<&Type> {
    match argument {
        FnArg::Typed(typed) => Some(&typed.ty),
        FnArg::Receiver(_) => None,
    }
}

fn param_type(ty: &Type) -> Option<ParamType> {
    match ty {
        // A type that came through a `macro_rules` variable is in an invisible group.
        Type::Group(group) => param_type(&group.elem),
        Type::Paren(paren) => param_type(&paren.elem),
        Type::Path(_) => scalar(ty).map(ParamType::Scalar),
        Type::Reference(reference) => {
            let Type::Slice(slice) = without_groups(&reference.elem) else { return None };
            let mutable = reference.mutability.is_some();
            Some(ParamType::Slice { element: scalar(&slice.elem)?, mutable })
        }
        _ => None,
    }
}

fn without_groups(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => without_groups(&group.elem),
        Type::Paren(paren) => without_groups(&paren.elem),
        _ => ty,
    }
}

fn scalar(ty: &Type) -> Option<Scalar> {
    let Type::Path(path) = without_groups(ty) else { return None };
    let name = path.path.get_ident()?;
    ALL.iter().find(|(_, text)| name == text).map(|(scalar, _)| *scalar)
}

const ALL: [(Scalar, &str); 13] = [
    (Scalar::Bool, "bool"),
    (Scalar::I8, "i8"),
    (Scalar::I16, "i16"),
    (Scalar::I32, "i32"),
    (Scalar::I64, "i64"),
    (Scalar::Isize, "isize"),
    (Scalar::U8, "u8"),
    (Scalar::U16, "u16"),
    (Scalar::U32, "u32"),
    (Scalar::U64, "u64"),
    (Scalar::Usize, "usize"),
    (Scalar::F32, "f32"),
    (Scalar::F64, "f64"),
];

fn scalar_name(scalar: Scalar) -> Ident {
    let name = ALL.iter().find(|(of, _)| *of == scalar).map_or("bool", |(_, name)| name);
    Ident::new(name, Span::mixed_site())
}

/// The type in Rust, safe from a user's type of the same name.
///
/// The generated `on_host` has these types and hands its parameters to the user's function: should
/// the user have renamed a type (`type f32 = f64;`), rustc finds the contradiction there.
pub(crate) fn rust_type(ty: &ParamType) -> TokenStream {
    match ty {
        ParamType::Scalar(scalar) => {
            let name = scalar_name(*scalar);
            quote!(::core::primitive::#name)
        }
        ParamType::Slice { element, mutable } => {
            let name = scalar_name(*element);
            let mutable = mutable.then(|| quote!(mut));
            quote!(&#mutable [::core::primitive::#name])
        }
    }
}

/// The facade's marker type for a parameter: what a launch is checked against.
pub(crate) fn marker(ty: &ParamType, facade: &TokenStream) -> TokenStream {
    match ty {
        ParamType::Scalar(scalar) => {
            let name = scalar_name(*scalar);
            quote!(#facade::param::Scalar<::core::primitive::#name>)
        }
        ParamType::Slice { element, mutable } => {
            let name = scalar_name(*element);
            let marker = if *mutable { quote!(SliceMut) } else { quote!(Slice) };
            quote!(#facade::param::#marker<::core::primitive::#name>)
        }
    }
}

/// The signature's parameters as the user wrote them, on one line, for the documentation.
pub(crate) fn text(signature: &Signature) -> String {
    let params: Vec<String> = names(signature)
        .iter()
        .zip(&signature.inputs)
        .map(|(name, argument)| {
            let ty = argument_type(argument).map(type_text).unwrap_or_default();
            format!("`{name}: {ty}`")
        })
        .collect();
    if params.is_empty() { "none".to_owned() } else { params.join(", ") }
}

/// A type as people write it; the tokens' own text has spaces everywhere.
fn type_text(ty: &Type) -> String {
    match param_type(ty) {
        Some(ParamType::Scalar(scalar)) => scalar_name(scalar).to_string(),
        Some(ParamType::Slice { element, mutable }) => {
            let mutable = if mutable { "mut " } else { "" };
            format!("&{mutable}[{}]", scalar_name(element))
        }
        None => ty.to_token_stream().to_string(),
    }
}
