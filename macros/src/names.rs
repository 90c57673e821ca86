//! Names: in tokens that are not parsed, where they are replaced and looked for, and those that patterns bind.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::PatIdent;
use syn::visit_mut::{VisitMut, visit_pat_ident_mut};

/// The tokens, with those identifiers replaced for which there is something else. It may depend on the next token.
pub(crate) fn each_ident(
    tokens: TokenStream,
    replaced: &dyn Fn(&Ident, Option<&TokenTree>) -> Option<TokenStream>,
) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let each = std::iter::from_fn(|| tokens.next().map(|token| (token, tokens.peek().cloned())));
    let tokens = each.map(|(token, next)| match token {
        TokenTree::Ident(ident) => {
            replaced(&ident, next.as_ref()).unwrap_or_else(|| ident.into_token_stream())
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), each_ident(group.stream(), replaced));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        other => other.into(),
    });
    tokens.collect()
}

/// A name for the value of `self`, and the tokens that use it instead.
pub(crate) fn without_self(tokens: TokenStream) -> (Ident, TokenStream) {
    let own = unused(&tokens, ["own", "own_self"]);
    let tokens = each_ident(tokens, &|ident, next| {
        // `self::` is the module.
        let is_path = matches!(next, Some(TokenTree::Punct(next)) if next.as_char() == ':');
        let is_own = ident == "self" && !is_path;
        is_own.then(|| Ident::new(&own.to_string(), ident.span()).into_token_stream())
    });
    (own, tokens)
}

/// Whether a name occurs anywhere in the tokens.
pub(crate) fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}

/// A name for a parameter. Messages show it, so it is the short one, unless the item uses that: types have no hygiene.
pub(crate) fn unused(item: &TokenStream, [short, long]: [&str; 2]) -> Ident {
    let mut name = short.to_owned();
    while mentions(item.clone(), &name) {
        name = if name == short { long.to_owned() } else { name + "_" };
    }
    Ident::new(&name, Span::call_site())
}

/// The names that the visited patterns bind. (It only reads; syn is built without the read-only visitors.)
#[derive(Default)]
pub(crate) struct BoundNames(pub(crate) Vec<Ident>);

impl VisitMut for BoundNames {
    fn visit_pat_ident_mut(&mut self, name: &mut PatIdent) {
        self.0.push(name.ident.clone());
        visit_pat_ident_mut(self, name);
    }
}
