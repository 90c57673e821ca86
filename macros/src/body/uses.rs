//! Where the statements of a body use a name.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;
use syn::ext::IdentExt;

use crate::printf::captured;

/// Calls `found` with the tokens after each use of `name`, which is not raw, or with `None` for a use in a text:
/// `printf!("{x:?}")`.
pub(super) fn each_use(tokens: TokenStream, name: &Ident, found: &mut dyn FnMut(Option<&[TokenTree]>)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => each_use(group.stream(), name, found),
            // `r#x` and `x` are one name.
            TokenTree::Ident(ident) if ident.unraw() == *name && !is_member(&tokens[..i]) => {
                found(Some(&tokens[i + 1..]));
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse2::<LitStr>(literal.to_token_stream())
                    && captured(&text).iter().any(|used| used.unraw() == *name)
                {
                    found(None);
                }
            }
            _ => {}
        }
    }
}

/// The number of uses of `name`.
pub(super) fn count_uses(tokens: TokenStream, name: &Ident) -> usize {
    let mut count = 0;
    each_use(tokens, name, &mut |_| count += 1);
    count
}

/// Whether the token after these is a field or a method, not the end of a range.
fn is_member(before: &[TokenTree]) -> bool {
    match before {
        // In `0..x` the name is a use, in `a.x` it is not.
        [.., range, dot] if is(range, '.') && is(dot, '.') => false,
        [.., dot] => is(dot, '.'),
        [] => false,
    }
}

/// Whether a token is this character.
pub(super) fn is(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}
