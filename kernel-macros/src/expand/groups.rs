//! The invisible groups that `macro_rules!` puts around what its variables stand for.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens, with every invisible group that holds a single token replaced by that token.
///
/// Such a group changes nothing for rustc, but syn takes it for an expression, and a block that
/// came through a `$body:block` is no statement to it any more. Groups of several tokens keep
/// operands together and stay.
pub(super) fn without_needless(tokens: TokenStream) -> TokenStream {
    if !has_needless(&tokens) {
        // The same tokens, and not equal ones: a rebuilt group loses the spans of its delimiters.
        return tokens;
    }
    tokens.into_iter().map(rebuilt).collect()
}

fn rebuilt(token: TokenTree) -> TokenTree {
    let TokenTree::Group(group) = token else { return token };
    let inside = without_needless(group.stream());
    if group.delimiter() == Delimiter::None
        && let Some(single) = single(&inside)
    {
        return single;
    }
    if !has_needless(&group.stream()) {
        return TokenTree::Group(group);
    }
    let mut rebuilt = Group::new(group.delimiter(), inside);
    rebuilt.set_span(group.span());
    TokenTree::Group(rebuilt)
}

fn has_needless(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => {
            let inside = group.stream();
            has_needless(&inside)
                || group.delimiter() == Delimiter::None && single(&inside).is_some()
        }
        _ => false,
    })
}

fn single(tokens: &TokenStream) -> Option<TokenTree> {
    let mut tokens = tokens.clone().into_iter();
    let first = tokens.next()?;
    tokens.next().is_none().then_some(first)
}
