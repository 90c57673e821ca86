//! Blocks of surfaces of which only regions are used: these are read in place.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{
    Block, Expr, ExprLit, ExprMethodCall, GenericArgument, Lit, Local, Pat, PatIdent, PathArguments, Stmt,
    Token, Type,
};

use super::stager::{Name, Stager};
use super::uses::{each_use, is, is_operand};
use crate::model::mentions;

/// The column strides that are as fast from memory as from registers, or faster.
const STRIDES: [&str; 3] = ["1", "2", "4"];

/// `cm_dsl::cpu::LARGEST_READ`; a test checks that it is the same.
const LARGEST_READ: usize = 1024;

/// The element types whose conversion costs less than registers in memory, and the types that they are converted to.
const CONVERTED: [&[&str]; 2] = [&["u8", "i8", "u16", "i16"], &["i16", "u16", "i32", "u32", "f32"]];

/// Elements of the shortest rows of parts of blocks that are converted wherever they are read, by measurement.
const LONG_ROW: usize = 16;

/// How a `let` uses a block in place.
pub(super) enum InPlace {
    /// It reads a block, whose elements may be converted at no cost.
    Read { cheap: bool },
    /// It converts a block that is read in place, or a part of one, to this matrix.
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
        if let Some((source, name, matrix)) = converted(local) {
            let known = match source {
                Source::Block(block) => matches!(self.lookup(block), Some(Name::InPlace { .. })),
                Source::Part(block) => {
                    matches!(self.lookup(block), Some(Name::InPlace { cheap: true })) && is_wide(&matrix.elem)
                }
            };
            return (known && of_regions(rest, name, None)).then_some(InPlace::Converted(matrix));
        }
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return None };
        let call = self.read(&init.expr)?;
        if !is_plain(name) || init.diverge.is_some() {
            return None;
        }
        let elem = call.turbofish.as_ref().and_then(|sizes| sizes.args.first());
        let cheap = elem.is_some_and(is_cheap);
        of_regions(rest, &name.ident, elem).then_some(InPlace::Read { cheap })
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

    /// The names of rows of a block that is read in place.
    pub(super) fn rows_in_place(&mut self, local: &Local) {
        for (name, value) in bound(local) {
            if row_of(value).is_some_and(|block| matches!(self.lookup(block), Some(Name::InPlace { .. }))) {
                self.block_in_place(name, false);
                self.bound_register(true);
            }
        }
    }

    /// `block.convert()` of a block that is read in place, staged.
    pub(super) fn convert_in_place(&self, value: &mut Expr, Matrix { elem, sizes }: &Matrix) {
        let Expr::MethodCall(call) = value else { return };
        if let Expr::MethodCall(select) = &mut *call.receiver {
            let span = select.method.span();
            let part = if select.method == "select_any" { "part_any" } else { "part" };
            let (views, block) = (self.library(span, "views"), &select.receiver);
            *select.receiver = syn::parse_quote_spanned!(span=> #views(&#block));
            select.method = Ident::new(part, span);
        }
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

/// What is converted: a block, or neighbouring rows and columns of it.
enum Source<'a> {
    Block(&'a Ident),
    Part(&'a Ident),
}

/// The source, the name and the matrix of `let name: Matrix<T, R, C> = block.convert()`, or
/// `let name = block.convert::<T>()`.
fn converted(local: &Local) -> Option<(Source<'_>, &Ident, Matrix)> {
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
    is_plain(name).then_some((source, &name.ident, matrix))
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
fn is_cheap(elem: &GenericArgument) -> bool {
    CONVERTED[0].contains(&&*elem.to_token_stream().to_string())
}

fn is_wide(elem: &TokenStream) -> bool {
    CONVERTED[1].contains(&&*elem.to_string())
}

/// The name to which a statement converts `block`, with elements `from`, if that is cheap.
fn conversion<'s>(stmt: &'s Stmt, block: &Ident, from: Option<&GenericArgument>) -> Option<&'s Ident> {
    let Stmt::Local(local) = stmt else { return None };
    let (Source::Block(of), to, Matrix { elem, .. }) = converted(local)? else { return None };
    (of.unraw() == *block && is_cheap(from?) && is_wide(&elem)).then_some(to)
}

/// Whether a name is bound directly; a `let mut` is a variable, which can be stored.
fn is_plain(name: &PatIdent) -> bool {
    name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none()
}

/// Whether these statements only select rows and regions of `name`, or convert it, with elements `from`, for that.
fn of_regions(stmts: &[Stmt], name: &Ident, from: Option<&GenericArgument>) -> bool {
    let mut uses = Uses { name: &name.unraw(), from, all: 0, regions: 0 };
    uses.statements(stmts);
    uses.all > 0 && uses.all == uses.regions
}

/// Counts the uses of a block. (It only reads; syn is built without the read-only visitors.)
struct Uses<'a> {
    name: &'a Ident,
    from: Option<&'a GenericArgument>,
    all: usize,
    /// Those that select a row or region, or convert the block for that.
    regions: usize,
}

impl Uses<'_> {
    fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let tokens = stmt.to_token_stream();
            // It may be called after the launch.
            let kept = mentions(tokens.clone(), "move");
            each_use(tokens, self.name, &mut |around| {
                self.all += 1;
                let read =
                    around.is_some_and(|(before, after)| is_region(after) || is_part_of_tree(before, after));
                self.regions += usize::from(!kept && read);
            });
        }
        for (i, stmt) in stmts.iter().enumerate() {
            let converts = conversion(stmt, self.name, self.from);
            self.regions += usize::from(converts.is_some_and(|to| of_regions(&stmts[i + 1..], to, None)));
        }
        self.rows(stmts);
    }

    /// Counts rows with names of which only regions are used, in these statements and those inside of them.
    fn rows(&mut self, stmts: &[Stmt]) {
        for (i, stmt) in stmts.iter().enumerate() {
            if let Stmt::Local(local) = stmt {
                let of_block = |value| row_of(value).is_some_and(|block| block.unraw() == *self.name);
                let rows = bound(local).into_iter().filter(|(_, value)| of_block(value));
                self.regions += rows.filter(|(row, _)| of_regions(&stmts[i + 1..], row, None)).count();
            }
            self.visit_stmt_mut(&mut stmt.clone());
        }
    }
}

impl VisitMut for Uses<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        self.rows(&block.stmts);
    }
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

/// Whether these are the element type and both sizes, and no `_`.
fn all_three(args: &Punctuated<GenericArgument, Token![,]>) -> bool {
    args.len() == 3 && !args.iter().any(|arg| matches!(arg, GenericArgument::Type(Type::Infer(_))))
}

/// A size that is a literal.
fn literal_size(arg: &GenericArgument) -> Option<usize> {
    match arg {
        GenericArgument::Const(Expr::Lit(ExprLit { lit: Lit::Int(size), .. })) => size.base10_parse().ok(),
        _ => None,
    }
}

/// Whether the CPU reads a block of this type and these sizes at once. Sizes that are not literals do not count.
fn fits(args: &Punctuated<GenericArgument, Token![,]>) -> bool {
    let mut args = args.iter();
    let Some(GenericArgument::Type(Type::Path(elem))) = args.next() else { return false };
    // `u8`, `f32`: the number is that of the bits.
    let bits = elem.path.get_ident().and_then(|elem| elem.to_string().get(1..)?.parse::<usize>().ok());
    let (rows, columns) = (args.next().and_then(literal_size), args.next().and_then(literal_size));
    let (Some(bits), Some(rows), Some(columns), None) = (bits, rows, columns, args.next()) else {
        return false;
    };
    rows.checked_mul(columns)
        .and_then(|count| count.checked_mul(bits / 8))
        .is_some_and(|bytes| bytes <= LARGEST_READ)
}

/// `.select::<R, VS, C, HS>(..)`, `.row(..).select::<N, HS>(..)`, or of a row with a name `.select::<N, HS>(..)`.
fn is_region(after: &[TokenTree]) -> bool {
    match after {
        [dot, TokenTree::Ident(select), rest @ ..] if is(dot, '.') && select == "select" => strided(rest),
        [dot, TokenTree::Ident(row), TokenTree::Group(_), next, TokenTree::Ident(select), rest @ ..]
            if is(dot, '.') && row == "row" && is(next, '.') && select == "select" =>
        {
            strided(rest)
        }
        _ => false,
    }
}

/// The block or `.row(..)` of it, between these tokens, is an operand of an operator.
fn is_part_of_tree(before: &[TokenTree], after: &[TokenTree]) -> bool {
    match after {
        [dot, TokenTree::Ident(row), TokenTree::Group(_), after @ ..] if is(dot, '.') && row == "row" => {
            is_operand(before, after)
        }
        // A field or another method.
        [dot, ..] if is(dot, '.') => false,
        _ => is_operand(before, after),
    }
}

/// `::<..>` with two or four arguments, the last of which is one of [`STRIDES`].
fn strided(tokens: &[TokenTree]) -> bool {
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
    !nested && stride && matches!(sizes.len(), 2 | 4)
}
