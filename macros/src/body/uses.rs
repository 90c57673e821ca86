//! Where the statements of a body use a name.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;
use syn::ext::IdentExt;

use crate::printf::captured;

/// The tokens before and after a use of a name, or `None` for a use in a text: `printf!("{x:?}")`.
pub(super) type Beside<'a> = Option<(&'a [TokenTree], &'a [TokenTree])>;

/// Calls `found` for each use of `name`, which is not raw.
pub(super) fn each_use(tokens: TokenStream, name: &Ident, found: &mut dyn FnMut(Beside<'_>)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => each_use(group.stream(), name, found),
            // `r#x` and `x` are one name.
            TokenTree::Ident(ident) if ident.unraw() == *name && !is_member(&tokens[..i]) => {
                found(Some((&tokens[..i], &tokens[i + 1..])));
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

/// How a name is used, as far as the tokens beside it show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// An operator with `=` changes it.
    Assigned,
    /// It, or what a method of it returns, is an operand of an arithmetic operator.
    Operand,
    /// A method or a field of it follows.
    Receiver,
    Other,
}

impl Use {
    /// The use of what is between these tokens.
    pub(super) fn between(before: &[TokenTree], after: &[TokenTree]) -> Self {
        if is_assigned(after) {
            Self::Assigned
        } else if is_operand(before, after) {
            Self::Operand
        } else if is_receiver(after) {
            Self::Receiver
        } else {
            Self::Other
        }
    }
}

/// Whether an operator with `=` follows.
fn is_assigned(after: &[TokenTree]) -> bool {
    match after {
        [first, second, equals, ..]
            if is(first, '<') && is(second, '<') || is(first, '>') && is(second, '>') =>
        {
            is(equals, '=')
        }
        [operator, equals, ..] => is_one_of(operator, "+-*/%&|^") && is(equals, '='),
        _ => false,
    }
}

/// Whether a method or a field of what is before these tokens follows.
fn is_receiver(after: &[TokenTree]) -> bool {
    match after {
        // The start of a range.
        [dot, range, ..] if is(dot, '.') && is(range, '.') => false,
        [dot, ..] => is(dot, '.'),
        [] => false,
    }
}

/// Whether what is between these tokens is an operand of an arithmetic operator without `=` behind it.
fn is_operand(before: &[TokenTree], after: &[TokenTree]) -> bool {
    // `&` and `|` may stand before a reference and the parameter of a closure.
    let follows = match before {
        [.., operator, assigned] if is(assigned, '=') => is_one_of(operator, "+-*/%&|^"),
        [.., operator] => is_one_of(operator, "+-*/%^"),
        [] => false,
    };
    let precedes = match after {
        [operator, next, ..] if is_one_of(operator, "&|<>") => match is(operator, '&') || is(operator, '|') {
            true => !is(next, '&') && !is(next, '|'),
            false => {
                matches!((operator, next), (TokenTree::Punct(a), TokenTree::Punct(b)) if a.as_char() == b.as_char())
            }
        },
        [operator, ..] => is_one_of(operator, "+-*/%^"),
        [] => false,
    };
    follows || precedes
}

fn is_one_of(token: &TokenTree, puncts: &str) -> bool {
    matches!(token, TokenTree::Punct(found) if puncts.contains(found.as_char()))
}

/// Whether a token is this character.
pub(super) fn is(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}
