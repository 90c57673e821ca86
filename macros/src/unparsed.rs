//! Tokens that syn does not parse again with what is around them. Its parser is recursive: deep code would overflow the stack of
//! rustc.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use syn::Expr;

/// A macro that nobody calls: syn keeps its tokens as they are.
const NAME: &str = "__cm_unparsed";

/// Tokens as an expression.
pub(crate) fn unparsed(span: Span, tokens: &TokenStream) -> Expr {
    let name = syn::Ident::new(NAME, span);
    syn::parse_quote_spanned!(span=> #name! { #tokens })
}

/// The output of the macros, with these tokens in their places.
pub(crate) fn in_place(tokens: TokenStream) -> TokenStream {
    let mut found = Vec::new();
    let mut rest = tokens.into_iter();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Ident(name) if name == NAME => {
                // Behind the `!`.
                if let Some(TokenTree::Group(inside)) = rest.nth(1) {
                    found.extend(in_place(inside.stream()));
                }
            }
            // Another one would not have the spans of its delimiters.
            TokenTree::Group(group) if is_in(group.stream()) => {
                let mut filled = Group::new(group.delimiter(), in_place(group.stream()));
                filled.set_span(group.span());
                found.push(TokenTree::Group(filled));
            }
            token => found.push(token),
        }
    }
    found.into_iter().collect()
}

/// Whether there are such tokens.
fn is_in(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == NAME,
        TokenTree::Group(group) => is_in(group.stream()),
        _ => false,
    })
}
