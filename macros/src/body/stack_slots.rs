//! Stack slots: named matrices that are the results of trees, and of which only regions are used. The CPU writes the results where
//! the regions are read.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Local, Pat, PathArguments, Stmt, Type};

use super::following::Following;
use super::in_place::{StackSlot, are_regions_of_matrix, is_plain, no_holes};
use super::literals::is_literal;
use super::stager::Stager;
use super::trees::{call_of, operator, operator_call};
use super::uses::count_uses;

impl Stager<'_> {
    /// The stack slot of a `let` of a tree, if `rest`, the following statements, only selects rows and regions of the matrix, or
    /// combines these: `let name: Matrix<T, R, C> = (a + b).convert()`, `let name = (a + b).convert::<T>()`, or `let name = a + b`.
    pub(super) fn stack_slot(&self, local: &Local, rest: Following<'_>) -> Option<StackSlot> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let (name, annotation) = match &local.pat {
            Pat::Ident(name) => (name, None),
            Pat::Type(typed) => match &*typed.pat {
                Pat::Ident(name) => (name, Some(typed.ty.clone())),
                _ => return None,
            },
            _ => return None,
        };
        let annotated = match annotation.as_deref() {
            Some(ty) => Some(elements_of_matrix(ty)?),
            None => None,
        };
        let (tree, elem) = match &*init.expr {
            Expr::MethodCall(call) if is_conversion(&call.method) && call.args.is_empty() => {
                let elem = match (annotated, &call.turbofish) {
                    (Some(elem), None) => elem,
                    (None, Some(elem)) if no_holes(&elem.args, 1) => elem.args[0].to_token_stream(),
                    _ => return None,
                };
                (&*call.receiver, Some(elem))
            }
            tree => (tree, None),
        };
        let takes = self.lanes.is_empty()
            && is_plain(name)
            && computes(tree)
            && self.is_register(tree)
            && are_regions_of_matrix(rest.uses_of(&name.ident));
        takes.then_some(StackSlot { elem, annotation })
    }

    /// `let mut name = Matrix::<T, R, C>::splat(0); name.assign(a + b);` as one `let` of the converted tree, if it then has a
    /// stack slot, because nothing changes the matrix again.
    pub(super) fn declared_by_assignment(&self, stmts: Following<'_>) -> Option<Local> {
        let [Stmt::Local(local), Stmt::Expr(Expr::MethodCall(assign), Some(_)), ..] = stmts.stmts() else {
            return None;
        };
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return None };
        let (Expr::Call(call), Expr::Path(place)) = (&*init.expr, &*assign.receiver) else { return None };
        let Expr::Path(function) = &*call.func else { return None };
        let mut ty = function.clone();
        let splat = ty.path.segments.pop()?;
        ty.path.segments.pop_punct();
        let value = assign.args.first()?;
        let ident = name.ident.unraw();
        let declares = name.mutability.is_some()
            && name.by_ref.is_none()
            && name.subpat.is_none()
            && init.diverge.is_none();
        let assigns = place.path.get_ident().is_some_and(|place| place.unraw() == ident)
            && assign.method == "assign"
            && assign.args.len() == 1
            && count_uses(value.to_token_stream(), &ident) == 0;
        let plain = splat.ident == "splat"
            && call.args.iter().all(is_literal)
            && local.attrs.is_empty()
            && assign.attrs.is_empty()
            && !self.is_conditional();
        let PathArguments::AngleBracketed(sizes) = &ty.path.segments.last()?.arguments else { return None };
        let [_, rows, columns] = &sizes.args.iter().collect::<Vec<_>>()[..] else { return None };
        let same_shape = is_of_shape(value, rows, columns);
        if !(declares && assigns && plain && same_shape) {
            return None;
        }
        let span = assign.span();
        let name = &name.ident;
        let declared = syn::parse_quote_spanned!(span=> let #name: #ty = (#value).convert(););
        let Stmt::Local(declared) = declared else { return None };
        self.stack_slot(&declared, stmts.skip(2)).is_some().then_some(declared)
    }

    /// `value`, staged, in its stack slot, after the statement that declares the stack slot; returns whether it is a tree.
    pub(super) fn in_stack_slot(&mut self, value: &mut Expr, to: &StackSlot, out: &mut Vec<Stmt>) -> bool {
        let (tree, saturates) = match &*value {
            Expr::MethodCall(call) if to.elem.is_some() => {
                (Some((*call.receiver).clone()), call.method == "saturate")
            }
            other => (call_of(other, "value").cloned(), false),
        };
        let Some(mut tree) = tree else { return false };
        let Some(tree) = operator_call(&mut tree) else { return false };
        let span = value.span();
        let number = self.new_number();
        let (name, slot) =
            (self.internal(span, &format!("__slot{number}")), self.library(span, "stack_slot"));
        out.push(syn::parse_quote_spanned!(span=> let mut #name = #slot();));
        *value = match &to.elem {
            Some(elem) => {
                syn::parse_quote_spanned!(span=> #tree.convert_in::<#elem, #saturates>(&mut #name))
            }
            None => syn::parse_quote_spanned!(span=> #tree.value_in(&mut #name)),
        };
        if let Some(ty) = &to.annotation {
            let (annotated, staged) = (self.library(span, "annotated"), self.model.staged(ty));
            let backend = self.backend(span);
            *value = syn::parse_quote_spanned!(span=> #annotated::<#backend, #ty, #staged, _>(#value));
        }
        true
    }
}

/// Whether a region in a tree shows that the result has this shape: `assign` takes others with as many elements.
fn is_of_shape(tree: &Expr, rows: &GenericArgument, columns: &GenericArgument) -> bool {
    match tree {
        Expr::Paren(paren) => is_of_shape(&paren.expr, rows, columns),
        Expr::Binary(binary) => {
            is_of_shape(&binary.left, rows, columns) || is_of_shape(&binary.right, rows, columns)
        }
        Expr::MethodCall(call) if call.method == "select" => {
            let sizes: Vec<_> = call.turbofish.iter().flat_map(|sizes| &sizes.args).collect();
            let same = |a: &GenericArgument, b: &GenericArgument| {
                a.to_token_stream().to_string() == b.to_token_stream().to_string()
            };
            matches!(sizes[..], [r, _, c, _] if same(r, rows) && same(c, columns))
        }
        _ => false,
    }
}

fn is_conversion(method: &syn::Ident) -> bool {
    method == "convert" || method == "saturate"
}

/// The elements of `Matrix<T, R, C>`.
fn elements_of_matrix(ty: &Type) -> Option<TokenStream> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Matrix")?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        GenericArgument::Type(elem) if no_holes(&args.args, 3) => Some(elem.to_token_stream()),
        _ => None,
    }
}

/// Whether an arithmetic operator is its root.
fn computes(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => computes(&paren.expr),
        Expr::Binary(binary) => operator(&binary.op).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
