//! Blocks of surfaces of which only regions are used: these are read where they lie.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, GenericArgument, Lit, LitStr, Local, Pat, Stmt, Token, Type};

use super::stager::{Name, Stager};
use crate::printf::captured;

/// The distances of columns that are taken from memory as fast as from registers, or faster.
const STRIDES: [&str; 3] = ["1", "2", "4"];

/// `cm_dsl::cpu::LARGEST_READ`, which is tested to be the same.
const LARGEST_READ: usize = 1024;

impl Stager<'_> {
    /// Whether a `let` is `let name = surface.read::<T, R, C>(x, y)`, or `read_block`, of a surface that is only read, and all
    /// that follows, `rest`, does with the block is selecting rows and regions.
    pub(super) fn in_place(&self, local: &Local, rest: &[Stmt]) -> bool {
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return false };
        let Expr::MethodCall(call) = &*init.expr else { return false };
        let Expr::Path(surface) = &*call.receiver else { return false };
        // A `let mut` is a variable, which can be stored.
        let plain = name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none();
        let sizes = call.turbofish.as_ref().is_some_and(|turbofish| all_three(&turbofish.args));
        let one_message = call.method == "read" && sizes;
        let several =
            call.method == "read_block" && call.turbofish.as_ref().is_some_and(|sizes| fits(&sizes.args));
        let read = (one_message || several) && call.args.len() == 2;
        // Nothing may write the surface while the block is read there.
        let shared = surface
            .path
            .get_ident()
            .is_some_and(|name| matches!(self.lookup(name), Some(Name::Shared { surface: true })));
        if !(plain && read && shared && init.diverge.is_none()) {
            return false;
        }
        let (name, mut uses) = (name.ident.unraw(), 0);
        let all = rest.iter().all(|stmt| only_regions(stmt.to_token_stream(), &name, &mut uses));
        all && uses > 0
    }

    /// `value`, the staged call, on a reader of its surface, after the statement that makes scratch space for
    /// the block.
    pub(super) fn read_in_place(&mut self, value: &mut Expr, out: &mut Vec<Stmt>) {
        let Expr::MethodCall(call) = value else { return };
        // Not the method's, where an editor would show the reader's documentation first.
        let span = call.dot_token.span;
        let (backend, krate) = (self.backend(span), self.model.krate(span));
        let scratch = self.new_number();
        let scratch = self.internal(span, &format!("__scratch{scratch}"));
        out.push(syn::parse_quote_spanned!(span=> let mut #scratch = <#backend as #krate::__private::Backend>::scratch();));
        let surface = &call.receiver;
        *call.receiver = syn::parse_quote_spanned!(span=>
            #krate::__private::Reader::<#backend>::new(#surface, &mut #scratch)
        );
    }
}

/// Whether these are the element type and both sizes, and no `_`.
fn all_three(args: &Punctuated<GenericArgument, Token![,]>) -> bool {
    args.len() == 3 && !args.iter().any(|arg| matches!(arg, GenericArgument::Type(Type::Infer(_))))
}

/// Whether the CPU reads a block of this type and these sizes at once. What are no literals is not.
fn fits(args: &Punctuated<GenericArgument, Token![,]>) -> bool {
    let mut args = args.iter();
    let Some(GenericArgument::Type(Type::Path(elem))) = args.next() else { return false };
    // `u8`, `f32`: the number is that of the bits.
    let bits = elem.path.get_ident().and_then(|elem| elem.to_string().get(1..)?.parse::<usize>().ok());
    let size = |arg: Option<&GenericArgument>| match arg {
        Some(GenericArgument::Const(Expr::Lit(ExprLit { lit: Lit::Int(size), .. }))) => {
            size.base10_parse().ok()
        }
        _ => None,
    };
    let (rows, columns): (Option<usize>, Option<usize>) = (size(args.next()), size(args.next()));
    let (Some(bits), Some(rows), Some(columns), None) = (bits, rows, columns, args.next()) else {
        return false;
    };
    rows.checked_mul(columns)
        .and_then(|count| count.checked_mul(bits / 8))
        .is_some_and(|bytes| bytes <= LARGEST_READ)
}

/// Whether `name` stands only where rows or regions of it are selected, and no closure takes it
/// along; counts how often.
fn only_regions(tokens: TokenStream, name: &Ident, uses: &mut usize) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().all(|(i, token)| match token {
        TokenTree::Group(group) => only_regions(group.stream(), name, uses),
        TokenTree::Ident(ident) if ident == "move" => false,
        // `r#x` and `x` are one name.
        TokenTree::Ident(ident) if ident.unraw() == *name && !is_member(&tokens[..i]) => {
            *uses += 1;
            is_region(&tokens[i + 1..])
        }
        // `printf!("{x:?}")`
        TokenTree::Literal(literal) => match syn::parse2::<LitStr>(literal.to_token_stream()) {
            Ok(text) => !captured(&text).iter().any(|used| used.unraw() == *name),
            Err(_) => true,
        },
        _ => true,
    })
}

/// Whether what comes after these tokens is a field or a method, not the end of a range.
fn is_member(before: &[TokenTree]) -> bool {
    match before {
        // In `0..x` the name is a use, in `a.x` it is not.
        [.., range, dot] if is(range, '.') && is(dot, '.') => false,
        [.., dot] => is(dot, '.'),
        [] => false,
    }
}

/// `.select::<R, VS, C, HS>(..)` or `.row(..).select::<N, HS>(..)`.
fn is_region(after: &[TokenTree]) -> bool {
    match after {
        [dot, TokenTree::Ident(select), rest @ ..] if is(dot, '.') && select == "select" => strided(rest, 4),
        [dot, TokenTree::Ident(row), TokenTree::Group(_), next, TokenTree::Ident(select), rest @ ..]
            if is(dot, '.') && row == "row" && is(next, '.') && select == "select" =>
        {
            strided(rest, 2)
        }
        _ => false,
    }
}

/// `::<..>` with `count` arguments, the last of which is one of [`STRIDES`].
fn strided(tokens: &[TokenTree], count: usize) -> bool {
    let [first, second, open, rest @ ..] = tokens else { return false };
    if !(is(first, ':') && is(second, ':') && is(open, '<')) {
        return false;
    }
    let Some(end) = rest.iter().position(|token| is(token, '>')) else { return false };
    let sizes: Vec<_> = rest[..end].split(|token| is(token, ',')).collect();
    let nested = rest[..end].iter().any(|token| is(token, '<'));
    // A constant of this number under another name is not recognised, and its block is taken to registers.
    let stride =
        matches!(sizes.last(), Some([TokenTree::Literal(last)]) if STRIDES.contains(&&*last.to_string()));
    !nested && stride && sizes.len() == count
}

fn is(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}
