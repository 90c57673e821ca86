//! How tokens use a name.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;
use syn::ext::IdentExt;

use crate::printf::captured;

/// The column strides that are as fast from memory as from registers, or faster.
const STRIDES: [&str; 3] = ["1", "2", "4"];

/// The number of uses of `name`, which is not raw.
pub(super) fn count_uses(tokens: TokenStream, name: &Ident) -> usize {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let uses = tokens.iter().enumerate().map(|(i, token)| match token {
        TokenTree::Group(group) => count_uses(group.stream(), name),
        // `r#x` and `x` are one name.
        TokenTree::Ident(ident) => usize::from(ident.unraw() == *name && !is_member(&tokens[..i])),
        TokenTree::Literal(literal) => {
            usize::from(captured_in(literal).iter().any(|used| used.unraw() == *name))
        }
        TokenTree::Punct(_) => 0,
    });
    uses.sum()
}

/// The names that a text uses: `printf!("{x:?}")`.
pub(super) fn captured_in(literal: &Literal) -> Vec<Ident> {
    // The literals are many, and most are numbers.
    if !literal.to_string().contains('{') {
        return Vec::new();
    }
    let text = syn::parse2::<LitStr>(literal.to_token_stream());
    text.map(|text| captured(&text)).unwrap_or_default()
}

/// Whether the token after these is a field or a method, not the end of a range.
pub(super) fn is_member(before: &[TokenTree]) -> bool {
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

/// What a region is one of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Matrix,
    Vector,
}

/// `.select::<R, VS, C, HS>(..)`, `.row(..).select::<N, HS>(..)`, or of a row with a name `.select::<N, HS>(..)`.
pub(super) fn region(after: &[TokenTree]) -> Option<Of> {
    match after {
        [dot, TokenTree::Ident(select), rest @ ..] if is(dot, '.') && select == "select" => strided(rest),
        [dot, TokenTree::Ident(row), TokenTree::Group(_), next, TokenTree::Ident(select), rest @ ..]
            if is(dot, '.') && row == "row" && is(next, '.') && select == "select" =>
        {
            strided(rest).map(|_| Of::Matrix)
        }
        _ => None,
    }
}

/// The block or `.row(..)` of it, between these tokens, is an operand of an operator.
pub(super) fn is_part_of_tree(before: &[TokenTree], after: &[TokenTree]) -> bool {
    match after {
        [dot, TokenTree::Ident(row), TokenTree::Group(_), after @ ..] if is(dot, '.') && row == "row" => {
            Use::between(before, after) == Use::Operand
        }
        // A field or another method.
        [dot, ..] if is(dot, '.') => false,
        _ => Use::between(before, after) == Use::Operand,
    }
}

/// `::<..>` with two or four arguments, the last of which is one of [`STRIDES`].
fn strided(tokens: &[TokenTree]) -> Option<Of> {
    let [first, second, open, rest @ ..] = tokens else { return None };
    if !(is(first, ':') && is(second, ':') && is(open, '<')) {
        return None;
    }
    let end = rest.iter().position(|token| is(token, '>'))?;
    let sizes: Vec<_> = rest[..end].split(|token| is(token, ',')).collect();
    let nested = rest[..end].iter().any(|token| is(token, '<'));
    // A named constant with this value is not recognised, and its block is loaded into registers.
    let stride =
        matches!(sizes.last(), Some([TokenTree::Literal(last)]) if STRIDES.contains(&&*last.to_string()));
    match sizes.len() {
        2 if !nested && stride => Some(Of::Vector),
        4 if !nested && stride => Some(Of::Matrix),
        _ => None,
    }
}
