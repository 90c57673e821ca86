//! `=` and the compound assignments.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprArray, ExprAssign, ExprBinary, ExprMethodCall, Ident, Stmt, UnOp};

use super::arms::{Leaves, bind_name_of, each_leaf, has_arms};
use super::built_ins::of_method;
use super::elements::Elements;
use super::lent;
use super::literals::suffix_large;
use super::parts::{Whole, object};
use super::stager::{Name, Stager};
use super::strips::shifts_by_number;
use super::trees::operator;
use super::uses::count_uses;
use crate::messages;
use crate::model::ends;

/// One of the targets of an assignment.
struct Target {
    place: Expr,
    /// The name of its value.
    name: Ident,
    how: Elements,
    /// Where a value of a wrong type is shown.
    value: Span,
}

impl Stager<'_> {
    pub(super) fn assign(&mut self, assign: &mut ExprAssign) -> Expr {
        if self.lanes.is_empty()
            && has_arms(&assign.right)
            && self.takes_type_of_variable(&assign.right)
            && !bind_name_of(&assign.right, &assign.left)
        {
            // In each arm, where a number, or a combination of masks, has the type of the variable.
            let (attrs, left, eq_token) = (assign.attrs.clone(), assign.left.clone(), assign.eq_token);
            let mut arms = (*assign.right).clone();
            each_leaf(&mut arms, &mut |leaf| {
                let (attrs, left, right) = (attrs.clone(), left.clone(), Box::new(leaf.clone()));
                *leaf = Expr::Assign(ExprAssign { attrs, left, eq_token, right });
            });
            self.statement(&mut arms, false);
            return arms;
        }
        if let Expr::Tuple(_) | Expr::Array(_) = &*assign.left {
            return self.assign_each(assign);
        }
        let how = self.how_known(&assign.right);
        self.refuse_untyped_format(&mut assign.right);
        self.assigned_value(&mut assign.right);
        // `_ = e` stores nothing.
        if let Expr::Infer(_) = &*assign.left {
            return Expr::Assign(assign.clone());
        }
        let span = assign.eq_token.span;
        // Evaluated before the variable is borrowed, because it may read the variable.
        let rhs = self.temporary(span, 0);
        let value = &assign.right;
        match self.stored(span, &mut assign.left, &rhs, how, value.span()) {
            Ok(store) => syn::parse_quote_spanned!(span=> { let #rhs = #value; #store }),
            Err((span, message)) => self.errors.in_place(span, message),
        }
    }

    /// Whether an arm is a number without a type, or a combination of masks.
    fn takes_type_of_variable(&self, arms: &Expr) -> bool {
        let masks = |leaf: &&Expr| self.how_known(leaf) == Elements::Masks;
        Leaves::of(arms).has_numbers() || Leaves::each(arms).iter().any(masks)
    }

    /// `(a, b) = (b, a)` and `[a, b] = ..`: the right side is evaluated first, then each target is assigned.
    fn assign_each(&mut self, assign: &mut ExprAssign) -> Expr {
        let span = assign.eq_token.span;
        let mut targets = Vec::new();
        let names = self.targets(&assign.left, &assign.right, true, &mut targets);
        self.assigned_value(&mut assign.right);
        let mut stores = Vec::new();
        for Target { mut place, name, how, value } in targets {
            let mut indices = Vec::new();
            let mut kept = None;
            if !self.lanes.is_empty() {
                indices = self.indices_once(&mut place);
                kept = self.changed_variable(&place);
            }
            let store = match self.stored(span, &mut place, &name, how, value) {
                Ok(store) => store,
                Err((span, message)) => self.errors.in_place(span, message),
            };
            stores.push(match kept {
                Some(target) => self.keeping(span, &indices, &target, &store),
                None => store,
            });
        }
        let value = &assign.right;
        syn::parse_quote_spanned!(span=> { let #names = #value; #(#stores;)* })
    }

    /// The pattern that gives names to the values of what a tuple or an array assigns. `apart`: `right` is the value of `left`;
    /// otherwise that is a part of it.
    fn targets(&self, left: &Expr, right: &Expr, apart: bool, found: &mut Vec<Target>) -> TokenStream {
        let elements = |expr: &Expr| match expr {
            Expr::Tuple(tuple) => Some(tuple.elems.iter().cloned().collect::<Vec<_>>()),
            Expr::Array(array) => Some(array.elems.iter().cloned().collect()),
            _ => None,
        };
        if let Some(places) = elements(left) {
            let values = elements(right).filter(|values| apart && values.len() == places.len());
            let names: Vec<_> = places
                .iter()
                .enumerate()
                .map(|(n, place)| match &values {
                    Some(values) => self.targets(place, &values[n], true, found),
                    None => self.targets(place, right, false, found),
                })
                .collect();
            return match left {
                Expr::Array(_) => quote!([#(#names),*]),
                _ => quote!((#(#names,)*)),
            };
        }
        match left {
            Expr::Infer(_) => quote!(_),
            // The elements between, which stay.
            Expr::Range(rest) if rest.start.is_none() && rest.end.is_none() => quote!(..),
            Expr::Paren(paren) => self.targets(&paren.expr, right, apart, found),
            place => {
                let name = self.temporary(ends(place).0, found.len());
                let how = if apart { self.how_known(right) } else { Elements::Open };
                let value = if apart { right.span() } else { ends(right).0 };
                found.push(Target { place: place.clone(), name: name.clone(), how, value });
                name.into_token_stream()
            }
        }
    }

    /// The value of an assignment.
    fn assigned_value(&mut self, value: &mut Expr) {
        match value {
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|value| self.assigned_value(value)),
            value if self.is_mixed(value) => self.field_value(value),
            value => {
                suffix_large(value);
                self.value(value);
            }
        }
    }

    /// Stores a value that has a name, or the mistake in the target. A wrong type is shown at `shown`.
    fn stored(
        &mut self,
        span: Span,
        target: &mut Expr,
        name: &Ident,
        how: Elements,
        shown: Span,
    ) -> Result<Expr, (Span, &'static str)> {
        if let Expr::MethodCall(call) = target {
            return Err((call.method.span(), messages::ASSIGN_PLACE));
        }
        let mark = self.assigned(target)?;
        let backend = self.backend(span);
        let [store, how] = ["store", how.name()].map(|item| self.library(shown, item));
        Ok(syn::parse_quote_spanned!(span=> #store::<#backend, #how, _, _>(&mut #target, #name, #mark)))
    }

    /// The mark of what an assignment changes, or the mistake, with its span.
    fn assigned(&mut self, target: &mut Expr) -> Result<Ident, (Span, &'static str)> {
        match target {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) && lent::ends_in_place(&unary.expr) => {
                Err((unary.span(), messages::ASSIGN_STAR))
            }
            target => self.target(target),
        }
    }

    /// Whether an expression is an array of numbers and other values: the numbers take the type of these.
    fn is_mixed(&self, expr: &Expr) -> bool {
        let Expr::Array(array) = expr else { return false };
        let numbers = array.elems.iter().filter(|elem| self.is_number(elem)).count();
        (1..array.elems.len()).contains(&numbers)
    }

    /// Whether an array has numbers of the host and of the kernel: the first take the type of the others.
    pub(super) fn mixes_numbers(&self, array: &ExprArray) -> bool {
        array.elems.iter().any(|elem| self.is_number(elem))
            && array.elems.iter().any(|elem| self.is_scalar(elem))
    }

    /// `x += e`; the right side is evaluated first.
    pub(super) fn op_assign(&mut self, binary: &mut ExprBinary) -> Expr {
        // Before the right side is rewritten: errors are shown at the tokens that the user wrote.
        let (shown, _) = ends(&binary.right);
        let indices = self.indices_once(&mut binary.left);
        // The right side is evaluated before these indices.
        let mut changed = self.changed_in_place(binary, self.strip.is_some()).filter(|_| indices.is_empty());
        if !self.is_variable_name(&binary.left)
            || self.is_scalar(&binary.left)
            || self.is_register(&binary.left)
        {
            self.suffix_large_beside(&mut binary.right, &binary.left);
        }
        self.value(&mut binary.right);
        let span = binary.op.span();
        if let (Some((target, mark)), Some(operator)) = (&mut changed, operator(&binary.op)) {
            self.part(target);
            self.operand(&mut binary.right);
            let function = if self.strip.is_some() { "compound_in" } else { "compound" };
            let (touch, compound) = (self.library(span, "touch"), self.library(target.span(), function));
            let (krate, backend) = (self.model.krate(span), self.backend(span));
            let (op, right) = (Ident::new(operator, span), &binary.right);
            let strip = self.strip.iter().map(|strip| quote_spanned!(span=> &mut #strip));
            let touched = quote_spanned!(span=> #touch::<#backend, _>(&#target, #mark););
            // Mistakes are shown at the operator.
            let by_reference = quote_spanned!(span=> &mut);
            let combined = quote_spanned!(target.span()=>
                #compound::<#backend, #krate::__private::ops::#op, _, _>(#by_reference #target, &#right #(, #strip)*));
            return syn::parse_quote!({ #touched #combined; });
        }
        self.computed_tree(&mut binary.right);
        let rhs = self.temporary(shown, 0);
        match &*binary.left {
            Expr::MethodCall(call) if of_method(&call.method.to_string()).gives_value => {
                return self.errors.in_place(call.method.span(), messages::VALUE);
            }
            Expr::MethodCall(_) => {
                self.receiver(&mut binary.left);
                let (place, op, value) = (&binary.left, &binary.op, &binary.right);
                let target = self.temporary(span, 1);
                return syn::parse_quote_spanned!(span=> {
                    let #rhs = #value;
                    let mut #target = #place;
                    #target #op #rhs;
                });
            }
            name if self.names_place(name) => {
                let (op, value) = (&binary.op, &binary.right);
                return syn::parse_quote_spanned!(span=> { let #rhs = #value; #name #op #rhs; });
            }
            _ => {}
        }
        let mark = match self.assigned(&mut binary.left) {
            Ok(mark) => mark,
            Err((span, message)) => return self.errors.in_place(span, message),
        };
        // The operator traits of registers store; only the depth must be checked.
        let (touch, backend) = (self.library(span, "touch"), self.backend(span));
        let (target, op, value) = (&binary.left, &binary.op, &binary.right);
        syn::parse_quote_spanned!(span=> {
            let #rhs = #value;
            #(#indices)*
            #touch::<#backend, _>(&#target, #mark);
            #target #op #rhs;
        })
    }

    /// The variable, or the part of one, that `x += e` changes element by element, and its mark: `e` is a register, as
    /// written, and does not read it. In strips, where all statements change one register, `e` may be a number by which it is
    /// shifted.
    pub(super) fn changed_in_place(&self, binary: &ExprBinary, in_strips: bool) -> Option<(Expr, Ident)> {
        let name = object(&binary.left)?;
        let mark = match &*binary.left {
            Expr::Path(_) => match self.lookup(name)? {
                Name::Variable(mark) => mark.clone(),
                _ => return None,
            },
            part => match self.whole(part)? {
                Whole::Mutable(mark) => mark,
                Whole::Shared => return None,
            },
        };
        let unread = count_uses(binary.right.to_token_stream(), &name.unraw()) == 0;
        let register = self.is_register(&binary.right) || (in_strips && shifts_by_number(binary));
        let in_place = is_assignment(&binary.op) && unread && register;
        in_place.then(|| ((*binary.left).clone(), mark))
    }

    /// Whether a call assigns a tree of operators that does not read the object, as written.
    pub(super) fn is_assigned_tree(&self, call: &ExprMethodCall) -> bool {
        let (Some(object), Some(value)) = (lent::object(&call.receiver), call.args.first()) else {
            return false;
        };
        self.is_register(value) && count_uses(value.to_token_stream(), &object.unraw()) == 0
    }

    /// `m.row_mut(i).assign(..)`: the arguments are evaluated before the place is taken.
    pub(super) fn hoisted(&mut self, call: &ExprMethodCall) -> Expr {
        let mut call = call.clone();
        let mut lets = Vec::new();
        for (i, arg) in call.args.iter_mut().enumerate() {
            self.operands_apart(arg, &mut lets);
            lets.push(self.evaluated(arg, i));
        }
        syn::parse_quote_spanned!(call.method.span()=> { #(#lets)* #call })
    }

    /// `s.format_mut::<u32>().write(0, &s.format::<u32>().read::<8>(0))`: these arguments are evaluated before `s` is borrowed.
    pub(super) fn arguments_first(&mut self, call: &ExprMethodCall, first: &[bool]) -> Expr {
        let mut call = call.clone();
        let mut lets: Vec<Stmt> = Vec::new();
        for (i, arg) in call.args.iter_mut().enumerate() {
            if first.get(i) == Some(&true) {
                lets.push(self.evaluated(arg, i));
            }
        }
        syn::parse_quote_spanned!(call.method.span()=> { #(#lets)* #call })
    }

    /// Binds an argument to a name, which takes its place in the call.
    fn evaluated(&self, arg: &mut Expr, i: usize) -> Stmt {
        let name = self.temporary(ends(arg).0, i);
        let binding = syn::parse_quote_spanned!(name.span()=> let #name = #arg;);
        *arg = syn::parse_quote!(#name);
        binding
    }
}

/// Which arguments of a method are computed, if one of them reads what the receiver changes through a `_mut` method.
pub(super) fn reads_what_it_changes(call: &ExprMethodCall) -> Vec<bool> {
    let through = match &*call.receiver {
        Expr::MethodCall(inner) => lent::object(&inner.receiver).filter(|_| lent::gives_place(&inner.method)),
        _ => None,
    };
    let reads =
        |arg: &Expr| through.is_some_and(|object| count_uses(arg.to_token_stream(), &object.unraw()) > 0);
    if !call.args.iter().any(reads) {
        return Vec::new();
    }
    call.args.iter().map(|arg| !matches!(arg, Expr::Lit(_) | Expr::Path(_))).collect()
}

/// Whether it is the operator of a compound assignment.
pub(super) fn is_assignment(op: &BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
