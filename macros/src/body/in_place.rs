//! Blocks of surfaces and buffers of which only regions are used: these are read in place.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{
    Expr, ExprLit, ExprMethodCall, GenericArgument, Lit, Local, Pat, PatIdent, PathArguments, Stmt, Token,
    Type,
};

use super::following::{Following, Mention, Uses};
use super::stager::{Name, Stager};
use super::uses::{Of, region};
use crate::model::{NUMBERS, Referent};

/// `cm_dsl::cpu::LARGEST_READ`; a test checks that it is the same.
const LARGEST_READ: usize = 1024;

/// The element types whose conversion costs less than registers in memory, and the types that they are converted to.
const CONVERTED: [&[&str]; 2] = [&["u8", "i8", "u16", "i16"], &["i16", "u16", "i32", "u32", "f32"]];

/// Elements of the shortest rows of parts of blocks that are converted wherever they are read, by measurement.
const LONG_ROW: usize = 16;

/// How a `let` uses a block in place.
pub(super) enum InPlace {
    /// It reads a block, whose elements may be converted at no cost: a vector if it is one of a buffer.
    Read { cheap: bool, vector: bool },
    /// It converts a block that is read in place, or a part of one: a vector if the block is one.
    Converted { to: Converted, vector: bool },
    /// It names a matrix that is the result of a tree, which gets a stack slot.
    StackSlot(StackSlot),
}

/// The stack slot of the result of a tree.
pub(super) struct StackSlot {
    /// The type of the elements, if they are converted.
    pub(super) elem: Option<TokenStream>,
    pub(super) annotation: Option<Box<Type>>,
}

/// What a block is converted to.
pub(super) struct Converted {
    /// The type of the elements.
    elem: TokenStream,
    /// The matrix or vector, if it is annotated; otherwise it has the shape of the block.
    register: Option<Register>,
}

/// An annotation of a matrix or vector.
struct Register {
    ty: Box<Type>,
    vector: bool,
}

/// A call that reads a block of a read-only surface or buffer.
struct Read<'e> {
    call: &'e ExprMethodCall,
    /// The type of its elements.
    elem: TokenStream,
    /// It reads a buffer.
    vector: bool,
}

impl Stager<'_> {
    /// How a `let` uses a block of a read-only surface or buffer, if `rest`, the following statements, only selects rows and
    /// regions of it, or converts it for that: `let name = surface.read::<T, R, C>(x, y)`, or `read_block`, or
    /// `buffer.read::<N>(offset)`, or `read_dwaligned`, or `read_linear`, or `let name: Matrix<T, R, C> = block.convert()`.
    pub(super) fn in_place(&self, local: &Local, rest: Following<'_>) -> Option<InPlace> {
        if let Some((source, name, to)) = converted(local) {
            let of = match source {
                Source::Block(block) | Source::Part(block) => self.lookup(block),
            };
            let Some(&Name::InPlace { cheap, vector }) = of else { return None };
            let same = to.register.as_ref().is_none_or(|register| register.vector == vector);
            let known = match source {
                Source::Block(_) => same,
                Source::Part(_) => cheap && !vector && same && is_wide(&to.elem),
            };
            return (known && are_regions(rest.uses_of(name))).then_some(InPlace::Converted { to, vector });
        }
        if let Some(slot) = self.stack_slot(local, rest) {
            return Some(InPlace::StackSlot(slot));
        }
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return None };
        let Read { elem, vector, .. } = self.read(&init.expr)?;
        if !is_plain(name) || init.diverge.is_some() {
            return None;
        }
        let uses = rest.uses_of(&name.ident);
        let block = name.ident.unraw();
        let regions = are_regions_or(uses, |mention| {
            let place = uses.place_of(mention);
            let stmt = rest.stmts().get(place);
            stmt.is_some_and(|stmt| is_conversion(stmt, &block, &elem, rest.skip(place + 1)))
        });
        // The compiler keeps vectors of which no regions are used in registers, where loops use them again.
        let kept = vector && uses.all().all(|mention| mention.operand && mention.region.is_none());
        (regions && !kept).then_some(InPlace::Read { cheap: is_cheap(&elem), vector })
    }

    /// The call, if it is one that reads a block of a read-only surface or buffer.
    fn read<'e>(&self, expr: &'e Expr) -> Option<Read<'e>> {
        let Expr::MethodCall(call) = expr else { return None };
        let Expr::Path(memory) = &*call.receiver else { return None };
        let Some(Name::Shared(referent)) = self.lookup(memory.path.get_ident()?) else { return None };
        let args = &call.turbofish.as_ref()?.args;
        let method = call.method.to_string();
        match referent {
            Referent::Surface => {
                let read = match &*method {
                    "read" => no_holes(args, 3),
                    "read_block" => fits(args),
                    _ => false,
                };
                let elem = args.first()?.to_token_stream();
                (read && call.args.len() == 2).then_some(Read { call, elem, vector: false })
            }
            Referent::Buffer(elem) => {
                let read = match &*method {
                    "read" | "read_dwaligned" => no_holes(args, 1),
                    "read_linear" => args.len() == 1 && at_once(elem, [literal_size(&args[0])]),
                    _ => false,
                };
                (read && call.args.len() == 1).then(|| Read { call, elem: elem.clone(), vector: true })
            }
            Referent::Other => None,
        }
    }

    /// `let name: Matrix<T, R, C> = surface.read::<..>(x, y).convert()`, or a row or region, or the like of a buffer, as two
    /// statements, if the block can then be read in place, and how.
    pub(super) fn apart(&mut self, local: &Local, rest: Following<'_>) -> Option<(Local, InPlace, Local)> {
        let Expr::MethodCall(call) = &*local.init.as_ref()?.expr else { return None };
        let Read { call: read, elem, vector } = self.read(&call.receiver)?;
        let block = self.internal(call.method.span(), &format!("__block{}", self.next_number()));
        let first: Stmt = syn::parse_quote!(let #block = #read;);
        let Stmt::Local(first) = first else { return None };
        let mut second = local.clone();
        let Expr::MethodCall(call) = &mut *second.init.as_mut()?.expr else { return None };
        *call.receiver = syn::parse_quote!(#block);
        let of_regions = |(name, value): (&Ident, &Expr)| {
            let tokens: Vec<TokenTree> = value.to_token_stream().into_iter().collect();
            let is_row = row_of(value).is_some_and(|of| *of == block) && are_regions(rest.uses_of(name));
            is_row || region(tokens.get(1..).unwrap_or_default()).is_some()
        };
        let is_region = bound(&second).into_iter().any(of_regions);
        let second = Stmt::Local(second);
        if !is_region && !is_conversion(&second, &block, &elem, rest) {
            return None;
        }
        let Stmt::Local(second) = second else { return None };
        self.new_number();
        Some((first, InPlace::Read { cheap: is_cheap(&elem), vector }, second))
    }

    /// The names of rows of a block that is read in place, before they are bound: one may be that of the block.
    pub(super) fn rows_in_place(&self, local: &Local) -> Vec<(Ident, Name)> {
        let row = |(name, value): (&Ident, &Expr)| {
            let row = match self.lookup(row_of(value)?)? {
                Name::InPlace { .. } => Name::InPlace { cheap: false, vector: true },
                Name::InStackSlot => Name::InStackSlot,
                _ => return None,
            };
            Some((name.clone(), row))
        };
        bound(local).into_iter().filter_map(row).collect()
    }

    /// A name whose elements are used in place.
    pub(super) fn bind_in_place(&mut self, name: &Ident, how: &InPlace) {
        let what = match how {
            InPlace::Read { cheap, vector } => Name::InPlace { cheap: *cheap, vector: *vector },
            InPlace::Converted { vector, .. } => Name::InPlace { cheap: false, vector: *vector },
            InPlace::StackSlot(_) => Name::InStackSlot,
        };
        self.bind(name, what);
    }

    /// `block.convert()` of a block that is read in place, staged.
    pub(super) fn convert_in_place(&self, value: &mut Expr, to: &Converted, vector: bool) {
        let Expr::MethodCall(call) = value else { return };
        if let Expr::MethodCall(select) = &mut *call.receiver {
            let span = select.method.span();
            let part = if select.method == "select_any" { "part_any" } else { "part" };
            let (views, block) = (self.library(span, "views"), &select.receiver);
            *select.receiver = syn::parse_quote_spanned!(span=> #views(&#block));
            select.method = Ident::new(part, span);
        }
        let span = call.method.span();
        let convert = self.library(span, if vector { "convert_vector" } else { "convert" });
        let (backend, block, elem) = (self.backend(span), &call.receiver, &to.elem);
        let sizes = if vector { quote!(_) } else { quote!(_, _) };
        *value = syn::parse_quote_spanned!(span=> #convert::<#elem, _, #sizes, #backend>(&#block));
        if let Some(Register { ty, .. }) = &to.register {
            let (annotated, staged) = (self.library(span, "annotated"), self.model.staged(ty));
            *value = syn::parse_quote_spanned!(span=> #annotated::<#backend, #ty, #staged, _>(#value));
        }
    }

    /// `value`, the staged call, on a reader of its surface or buffer, after the statement that creates scratch space for
    /// the block.
    pub(super) fn read_in_place(&mut self, value: &mut Expr, out: &mut Vec<Stmt>) {
        let Expr::MethodCall(call) = value else { return };
        // Not the method's, where an editor would show the reader's documentation first.
        let span = call.dot_token.span;
        let (backend, krate) = (self.backend(span), self.model.krate(span));
        let scratch = self.new_number();
        let scratch = self.internal(span, &format!("__scratch{scratch}"));
        out.push(syn::parse_quote_spanned!(span=> let mut #scratch = <#backend as #krate::__private::Backend>::scratch();));
        let (reader, memory) = (self.library(span, "reader"), &call.receiver);
        *call.receiver = syn::parse_quote_spanned!(span=> #reader::<#backend, _>(#memory, &mut #scratch));
    }
}

/// What is converted: a block, or neighbouring rows and columns of it.
enum Source<'a> {
    Block(&'a Ident),
    Part(&'a Ident),
}

/// The source, the name and the result of `let name: Matrix<T, R, C> = block.convert()`, also of vectors, or
/// `let name = block.convert::<T>()`.
fn converted(local: &Local) -> Option<(Source<'_>, &Ident, Converted)> {
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let Expr::MethodCall(call) = &*init.expr else { return None };
    if call.method != "convert" || !call.args.is_empty() {
        return None;
    }
    let source = match &*call.receiver {
        Expr::Path(block) => Source::Block(block.path.get_ident()?),
        Expr::MethodCall(select) if is_part(select) => match &*select.receiver {
            Expr::Path(block) => Source::Part(block.path.get_ident()?),
            _ => return None,
        },
        _ => return None,
    };
    let (name, annotation) = match &local.pat {
        Pat::Ident(name) => (name, None),
        Pat::Type(typed) => match &*typed.pat {
            Pat::Ident(name) => (name, Some(&*typed.ty)),
            _ => return None,
        },
        _ => return None,
    };
    let to = match (annotation, &call.turbofish) {
        (None, Some(turbofish)) if turbofish.args.len() == 1 => {
            Converted { elem: turbofish.args[0].to_token_stream(), register: None }
        }
        (Some(ty @ Type::Path(path)), None) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
            let vector = last.ident == "Vector";
            let register = vector || last.ident == "Matrix";
            if !register || !no_holes(&args.args, if vector { 2 } else { 3 }) {
                return None;
            }
            let elem = args.args.first()?.to_token_stream();
            Converted { elem, register: Some(Register { ty: Box::new(ty.clone()), vector }) }
        }
        _ => return None,
    };
    is_plain(name).then_some((source, &name.ident, to))
}

/// Whether it is `.select::<R, 1, C, 1>(..)`, with rows of at least [`LONG_ROW`] elements.
fn is_part(select: &ExprMethodCall) -> bool {
    let Some(sizes) = &select.turbofish else { return false };
    let size = |n: usize| sizes.args.get(n).and_then(literal_size);
    select.method == "select"
        && sizes.args.len() == 4
        && size(1) == Some(1)
        && size(2) >= Some(LONG_ROW)
        && size(3) == Some(1)
}

/// Whether elements of this type are converted at no cost to [wide](is_wide) ones.
fn is_cheap(elem: &TokenStream) -> bool {
    CONVERTED[0].contains(&&*elem.to_string())
}

fn is_wide(elem: &TokenStream) -> bool {
    CONVERTED[1].contains(&&*elem.to_string())
}

/// Whether a name is bound directly; a `let mut` is a variable, which can be stored.
pub(super) fn is_plain(name: &PatIdent) -> bool {
    name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none()
}

/// Whether these are uses, all of which select rows and regions, or combine these.
fn are_regions(uses: Uses<'_>) -> bool {
    are_regions_or(uses, |_| false)
}

/// The same, or uses of another kind.
fn are_regions_or(uses: Uses<'_>, other: impl Fn(&Mention) -> bool) -> bool {
    let of_row = |row| are_regions(uses.of_row(row));
    let region = |mention: &Mention| {
        let here = mention.region.is_some() || mention.operand;
        !mention.kept && here || mention.row.is_some_and(of_row) || other(mention)
    };
    !uses.is_hidden() && uses.all().next().is_some() && uses.all().all(region)
}

/// Whether the statements only select rows and regions of a matrix.
pub(super) fn are_regions_of_matrix(uses: Uses<'_>) -> bool {
    are_regions(uses) && uses.all().any(|mention| mention.region == Some(Of::Matrix))
}

/// Whether a statement converts `block`, with elements `from`, where that is cheap, and only regions of the result are used.
fn is_conversion(stmt: &Stmt, block: &Ident, from: &TokenStream, rest: Following<'_>) -> bool {
    let Stmt::Local(local) = stmt else { return false };
    let Some((Source::Block(of), to, Converted { elem, .. })) = converted(local) else { return false };
    of.unraw() == *block && is_cheap(from) && is_wide(&elem) && are_regions(rest.uses_of(to))
}

/// The names and values of `let name = value` and `let (name, other) = (value, another)`.
fn bound(local: &Local) -> Vec<(&Ident, &Expr)> {
    let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) else { return Vec::new() };
    let both = match (&local.pat, &*init.expr) {
        (Pat::Tuple(names), Expr::Tuple(values)) if names.elems.len() == values.elems.len() => {
            names.elems.iter().zip(&values.elems).collect()
        }
        (name, value) => vec![(name, value)],
    };
    both.into_iter()
        .filter_map(|(pat, value)| match pat {
            Pat::Ident(name) if is_plain(name) => Some((&name.ident, value)),
            _ => None,
        })
        .collect()
}

/// The block, if a value is `block.row(..)`.
fn row_of(value: &Expr) -> Option<&Ident> {
    let Expr::MethodCall(call) = value else { return None };
    let Expr::Path(block) = &*call.receiver else { return None };
    block.path.get_ident().filter(|_| call.method == "row" && call.turbofish.is_none())
}

/// Whether these are so many, none of which is `_`.
pub(super) fn no_holes(args: &Punctuated<GenericArgument, Token![,]>, count: usize) -> bool {
    args.len() == count && !args.iter().any(|arg| matches!(arg, GenericArgument::Type(Type::Infer(_))))
}

/// A size that is a literal.
fn literal_size(arg: &GenericArgument) -> Option<usize> {
    match arg {
        GenericArgument::Const(Expr::Lit(ExprLit { lit: Lit::Int(size), .. })) => size.base10_parse().ok(),
        _ => None,
    }
}

/// Whether the CPU reads a block of this type and these sizes at once.
fn fits(args: &Punctuated<GenericArgument, Token![,]>) -> bool {
    args.len() == 3 && at_once(&args[0].to_token_stream(), [1, 2].map(|n| literal_size(&args[n])))
}

/// Whether the CPU reads so many elements at once. Sizes that are not literals do not count, nor do other names of types.
fn at_once<const N: usize>(elem: &TokenStream, sizes: [Option<usize>; N]) -> bool {
    let elem = elem.to_string();
    let bits =
        NUMBERS.contains(&&*elem).then(|| elem.trim_start_matches(char::is_alphabetic).parse::<usize>());
    let bytes = bits.and_then(Result::ok).map(|bits| bits / 8);
    let all = sizes.into_iter().fold(bytes, |all, size| all?.checked_mul(size?));
    all.is_some_and(|bytes| bytes <= LARGEST_READ)
}

#[cfg(test)]
mod tests;
