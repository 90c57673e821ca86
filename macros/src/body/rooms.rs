//! Rooms: named matrices that are the results of trees, and of which only regions are used. The CPU writes the results where
//! the regions are read.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Local, Pat, PathArguments, Stmt, Type};

use super::in_place::{Room, is_plain, no_holes, of_regions_of_matrix};
use super::stager::Stager;
use super::trees::{call_of, operator, operator_call};

impl Stager<'_> {
    /// The room of a `let` of a tree, if `rest`, the following statements, only selects rows and regions of the matrix, or
    /// combines these: `let name: Matrix<T, R, C> = (a + b).convert()`, `let name = (a + b).convert::<T>()`, or `let name = a + b`.
    pub(super) fn room(&self, local: &Local, rest: &[Stmt]) -> Option<Room> {
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
            && of_regions_of_matrix(rest, &name.ident);
        takes.then_some(Room { elem, annotation })
    }

    /// `value`, staged, in its room, after the statement that declares the room; returns whether it is a tree.
    pub(super) fn in_room(&mut self, value: &mut Expr, to: &Room, out: &mut Vec<Stmt>) -> bool {
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
        let (name, room) = (self.internal(span, &format!("__room{number}")), self.library(span, "room"));
        out.push(syn::parse_quote_spanned!(span=> let mut #name = #room();));
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
