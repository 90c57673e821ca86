//! `f(&mut m.row_mut(i), ..)`: a function takes a place. As in CM, the elements are copied into a variable before the
//! call, and copied back after it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, ExprReference, Ident, Token};

use super::built_ins::of_method;
use super::parts;
use super::stager::Stager;
use super::uses::count_uses;
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    /// The arguments that are `&mut` of an element of an array, if other arguments read the array.
    pub(super) fn changed_elements(&self, call: &ExprCall) -> Vec<usize> {
        let changed = call.args.iter().enumerate().filter_map(|(n, arg)| {
            let Expr::Reference(ExprReference { mutability: Some(_), expr, .. }) = arg else { return None };
            let array = element_of(expr).filter(|_| self.whole(expr).is_some())?.unraw();
            let others = call.args.iter().enumerate().filter(|(other, _)| *other != n);
            let uses = others.map(|(_, other)| count_uses(other.to_token_stream(), &array)).sum::<usize>();
            (uses > 0).then_some(n)
        });
        changed.collect()
    }

    /// A call, if an argument is a place, or one of these elements of arrays. The other arguments are evaluated first: they
    /// may read its object.
    pub(super) fn lending(&mut self, call: &ExprCall, elements: &[usize]) -> Option<Expr> {
        if elements.is_empty() && !call.args.iter().any(is_place) {
            return None;
        }
        let mut call = call.clone();
        let (span, lent) = (call.func.span(), self.lent_arguments(&mut call.args, elements));
        Some(self.around_call(span, &lent, &Expr::Call(call)))
    }

    /// The same for a method.
    pub(super) fn lending_to_method(&mut self, call: &ExprMethodCall) -> Option<Expr> {
        if !call.args.iter().any(is_place) {
            return None;
        }
        let mut call = call.clone();
        let (span, lent) = (call.method.span(), self.lent_arguments(&mut call.args, &[]));
        Some(self.around_call(span, &lent, &Expr::MethodCall(call)))
    }

    /// What stands before and after the call.
    fn lent_arguments(&self, args: &mut Punctuated<Expr, Token![,]>, elements: &[usize]) -> Lent {
        let mut lent = Lent::default();
        for (i, arg) in args.iter_mut().enumerate() {
            let name = self.temporary(ends(arg).0, i);
            match arg {
                // The name is kept: a reference that is passed on is not moved.
                Expr::Path(_) | Expr::Lit(_) | Expr::Closure(_) => continue,
                _ if elements.contains(&i) => continue,
                Expr::Reference(reference)
                    if reference.mutability.is_some() && ends_in_place(&reference.expr) =>
                {
                    let (span, place) = (name.span(), &reference.expr);
                    let backend = self.backend(span);
                    let [lend, give_back] = ["lend", "give_back"].map(|name| self.library(span, name));
                    let variable = self.internal(span, &format!("__lent{i}"));
                    lent.places.extend(quote_spanned!(span=>
                        let mut #name = #place;
                        let mut #variable = #lend::<#backend, _>(&#name);
                    ));
                    lent.back
                        .extend(quote_spanned!(span=> #give_back::<#backend, _>(&mut #name, &#variable);));
                    reference.expr = syn::parse_quote_spanned!(span=> #variable);
                }
                value => {
                    lent.values.extend(quote_spanned!(name.span()=> let #name = #value;));
                    *value = syn::parse_quote!(#name);
                }
            }
        }
        lent
    }

    fn around_call(&self, span: Span, Lent { values, places, back }: &Lent, call: &Expr) -> Expr {
        let result = self.internal(span, "__result");
        syn::parse_quote_spanned!(span=> {
            #values
            #places
            let #result = #call;
            #back
            #result
        })
    }
}

/// The statements around a call that takes places.
#[derive(Default)]
struct Lent {
    /// The other arguments.
    values: TokenStream,
    /// The places, and variables with their elements.
    places: TokenStream,
    /// The elements back to the places.
    back: TokenStream,
}

/// The refused `&mut` arguments: `&mut x.row(i)`, where changes would be lost, and a second place of a register.
pub(super) fn refused_arguments(args: &Punctuated<Expr, Token![,]>) -> Vec<(usize, Span, &'static str)> {
    let mut objects: Vec<&Ident> = Vec::new();
    let (mut arrays, mut refused): (Vec<(&Ident, bool)>, _) = (Vec::new(), Vec::new());
    for (n, arg) in args.iter().enumerate() {
        let Expr::Reference(reference) = arg else { continue };
        let mutable = reference.mutability.is_some();
        if let Some(array) = element_of(&reference.expr) {
            if arrays.iter().any(|&(other, changed)| other == array && (mutable || changed)) {
                refused.push((n, array.span(), messages::TWO_ELEMENTS));
            }
            arrays.push((array, mutable));
        }
        if !mutable {
            continue;
        }
        if let Some(method) = value_method(&reference.expr) {
            refused.push((n, method.span(), messages::VALUE));
        } else if let (true, Some(object)) = (ends_in_place(&reference.expr), object(&reference.expr)) {
            if objects.contains(&object) {
                refused.push((n, object.span(), messages::TWO_PLACES));
            }
            objects.push(object);
        }
    }
    refused
}

/// The name at the start of a chain of methods: `m` in `m.row_mut(i)` and `m[i].row_mut(j)`.
pub(super) fn object(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Paren(paren) => object(&paren.expr),
        Expr::MethodCall(call) => object(&call.receiver),
        part => parts::object(part),
    }
}

/// The array, if an expression is an element of one.
fn element_of(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Paren(paren) => element_of(&paren.expr),
        Expr::Index(index) => parts::object(&index.expr),
        _ => None,
    }
}

/// A place by its name, as a place that can be used up: the name can be used again.
pub(super) fn borrowed_again(name: &Expr) -> Expr {
    let span = ends(name).0;
    syn::parse_quote_spanned!(span=> #name.select_all_mut())
}

/// Whether an argument is `&mut` of a place.
pub(super) fn is_place(arg: &Expr) -> bool {
    match arg {
        Expr::Reference(reference) => reference.mutability.is_some() && ends_in_place(&reference.expr),
        _ => false,
    }
}

/// Whether an expression is a call of a `_mut` method of registers.
pub(super) fn ends_in_place(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => ends_in_place(&paren.expr),
        Expr::MethodCall(call) => {
            gives_place(&call.method) && !of_method(&call.method.to_string()).gives_surface
        }
        _ => false,
    }
}

/// The method of an expression that returns a value.
fn value_method(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Paren(paren) => value_method(&paren.expr),
        Expr::MethodCall(call) => of_method(&call.method.to_string()).gives_value.then_some(&call.method),
        _ => None,
    }
}

/// Whether a method borrows a part of its object, by its name.
pub(super) fn gives_place(method: &Ident) -> bool {
    let name = method.to_string();
    name.ends_with("_mut") || name.ends_with("_mut_any")
}
