//! Blocks of surfaces of which only regions are used: these are read in place.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{
    Expr, ExprLit, ExprMethodCall, GenericArgument, Lit, Local, Pat, PatIdent, PathArguments, Stmt, Token,
    Type,
};

use super::stager::{Name, Stager};
use super::uses::{each_use, is};
use crate::model::mentions;

/// The column strides that are as fast from memory as from registers, or faster.
const STRIDES: [&str; 3] = ["1", "2", "4"];

/// `cm_dsl::cpu::LARGEST_READ`; a test checks that it is the same.
const LARGEST_READ: usize = 1024;

/// The element types whose conversion costs less than registers in memory, and the types that they are converted to.
const CONVERTED: [&[&str]; 2] = [&["u8", "i8", "u16", "i16"], &["i16", "u16", "i32", "u32", "f32"]];

/// How a `let` uses a block in place.
pub(super) enum InPlace {
    /// It reads a block.
    Read,
    /// It converts a block that is read in place to this matrix.
    Converted(Matrix),
}

/// The type arguments of a matrix.
pub(super) struct Matrix {
    elem: TokenStream,
    /// Both, or `_` for each.
    sizes: TokenStream,
}

impl Stager<'_> {
    /// How a `let` uses a block of a read-only surface, if `rest`, the following statements, only selects rows and
    /// regions of it, or converts it for that: `let name = surface.read::<T, R, C>(x, y)`, or `read_block`, or `let
    /// name: Matrix<T, R, C> = block.convert()`.
    pub(super) fn in_place(&self, local: &Local, rest: &[Stmt]) -> Option<InPlace> {
        if let Some((block, name, matrix)) = converted(local) {
            let known = matches!(self.lookup(block), Some(Name::InPlace));
            return (known && of_regions(rest, name)).then_some(InPlace::Converted(matrix));
        }
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return None };
        let call = self.read(&init.expr)?;
        if !is_plain(name) || init.diverge.is_some() {
            return None;
        }
        let name = name.ident.unraw();
        let elem = call.turbofish.as_ref().and_then(|sizes| sizes.args.first());
        let mut uses = 0;
        let all = rest.iter().enumerate().all(|(i, stmt)| {
            if let Some(to) = conversion(stmt, &name, elem)
                && of_regions(&rest[i + 1..], to)
            {
                uses += 1;
                return true;
            }
            only_regions(stmt.to_token_stream(), &name, &mut uses)
        });
        (all && uses > 0).then_some(InPlace::Read)
    }

    /// The call, if it is `surface.read::<T, R, C>(x, y)`, or `read_block`, of a read-only surface.
    fn read<'e>(&self, expr: &'e Expr) -> Option<&'e ExprMethodCall> {
        let Expr::MethodCall(call) = expr else { return None };
        let Expr::Path(surface) = &*call.receiver else { return None };
        let sizes = call.turbofish.as_ref().is_some_and(|turbofish| all_three(&turbofish.args));
        let one_message = call.method == "read" && sizes;
        let several =
            call.method == "read_block" && call.turbofish.as_ref().is_some_and(|sizes| fits(&sizes.args));
        let shared = surface
            .path
            .get_ident()
            .is_some_and(|name| matches!(self.lookup(name), Some(Name::Shared { surface: true })));
        ((one_message || several) && call.args.len() == 2 && shared).then_some(call)
    }

    /// `let name: Matrix<T, R, C> = surface.read::<..>(x, y).convert()` as two statements, if the block can then be
    /// read in place.
    pub(super) fn apart(&mut self, local: &Local, rest: &[Stmt]) -> Option<[Local; 2]> {
        let Expr::MethodCall(call) = &*local.init.as_ref()?.expr else { return None };
        let read = self.read(&call.receiver)?;
        let block = self.internal(call.method.span(), &format!("__block{}", self.next_number()));
        let first: Stmt = syn::parse_quote!(let #block = #read;);
        let Stmt::Local(first) = first else { return None };
        let mut second = local.clone();
        let Expr::MethodCall(call) = &mut *second.init.as_mut()?.expr else { return None };
        *call.receiver = syn::parse_quote!(#block);
        let follows: Vec<Stmt> =
            [Stmt::Local(second.clone())].into_iter().chain(rest.iter().cloned()).collect();
        self.in_place(&first, &follows)?;
        self.new_number();
        Some([first, second])
    }

    /// `block.convert()` of a block that is read in place, staged.
    pub(super) fn convert_in_place(&self, value: &mut Expr, Matrix { elem, sizes }: &Matrix) {
        let Expr::MethodCall(call) = value else { return };
        let span = call.method.span();
        let (backend, convert, block) = (self.backend(span), self.library(span, "convert"), &call.receiver);
        *value = syn::parse_quote_spanned!(span=> #convert::<#elem, _, #sizes, #backend>(&#block));
    }

    /// `value`, the staged call, on a reader of its surface, after the statement that creates scratch space
    /// for the block.
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

/// The block, the name and the matrix of `let name: Matrix<T, R, C> = block.convert()`, or
/// `let name = block.convert::<T>()`.
fn converted(local: &Local) -> Option<(&Ident, &Ident, Matrix)> {
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let Expr::MethodCall(call) = &*init.expr else { return None };
    let Expr::Path(block) = &*call.receiver else { return None };
    if call.method != "convert" || !call.args.is_empty() {
        return None;
    }
    let (name, annotation) = match &local.pat {
        Pat::Ident(name) => (name, None),
        Pat::Type(typed) => match &*typed.pat {
            Pat::Ident(name) => (name, Some(&*typed.ty)),
            _ => return None,
        },
        _ => return None,
    };
    let matrix = match (annotation, &call.turbofish) {
        (None, Some(turbofish)) if turbofish.args.len() == 1 => {
            Matrix { elem: turbofish.args[0].to_token_stream(), sizes: quote!(_, _) }
        }
        (Some(Type::Path(path)), None) => {
            let last = path.path.segments.last().filter(|last| last.ident == "Matrix")?;
            let PathArguments::AngleBracketed(sizes) = &last.arguments else { return None };
            if !all_three(&sizes.args) {
                return None;
            }
            let [elem, rows, columns] = [0, 1, 2].map(|n| sizes.args[n].to_token_stream());
            Matrix { elem, sizes: quote!(#rows, #columns) }
        }
        _ => return None,
    };
    is_plain(name).then_some((block.path.get_ident()?, &name.ident, matrix))
}

/// The name to which a statement converts `block`, with elements `from`, if that is cheap.
fn conversion<'s>(stmt: &'s Stmt, block: &Ident, from: Option<&GenericArgument>) -> Option<&'s Ident> {
    let Stmt::Local(local) = stmt else { return None };
    let (of, to, Matrix { elem, .. }) = converted(local)?;
    let (from, into) = (from?.to_token_stream().to_string(), elem.to_string());
    let [cheap, wide] = CONVERTED;
    (of.unraw() == *block && cheap.contains(&&*from) && wide.contains(&&*into)).then_some(to)
}

/// Whether a name is bound directly; a `let mut` is a variable, which can be stored.
fn is_plain(name: &PatIdent) -> bool {
    name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none()
}

/// Whether these statements only select rows and regions of `name`.
fn of_regions(stmts: &[Stmt], name: &Ident) -> bool {
    let (name, mut uses) = (name.unraw(), 0);
    stmts.iter().all(|stmt| only_regions(stmt.to_token_stream(), &name, &mut uses)) && uses > 0
}

/// Whether these are the element type and both sizes, and no `_`.
fn all_three(args: &Punctuated<GenericArgument, Token![,]>) -> bool {
    args.len() == 3 && !args.iter().any(|arg| matches!(arg, GenericArgument::Type(Type::Infer(_))))
}

/// Whether the CPU reads a block of this type and these sizes at once. Sizes that are not literals do not count.
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

/// Whether `name` is used only to select rows or regions, and no closure captures it; counts the uses.
fn only_regions(tokens: TokenStream, name: &Ident, uses: &mut usize) -> bool {
    let mut all = !mentions(tokens.clone(), "move");
    each_use(tokens, name, &mut |after| {
        *uses += 1;
        all &= after.is_some_and(is_region);
    });
    all
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
    // A named constant with this value is not recognised, and its block is loaded into registers.
    let stride =
        matches!(sizes.last(), Some([TokenTree::Literal(last)]) if STRIDES.contains(&&*last.to_string()));
    !nested && stride && sizes.len() == count
}
