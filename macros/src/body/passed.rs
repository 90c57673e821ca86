//! Arguments that the library converts for the parameters of functions and closures.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, Pat, Token, Type};

use super::alone::starts_small;
use super::built_ins::of_constructor;
use super::elements::Elements;
use super::literals::{is_literal, suffix_as, suffix_with};
use super::stager::{Name, Stager};
use super::types::{OfMasks, is_number_type};
use crate::model::{ends, mask_type};

impl Stager<'_> {
    /// The arguments of a call of a closure that are literals or numbers: with the types of its parameters, which host numbers
    /// and staged numbers enter, and how their elements are found.
    pub(super) fn closure_arguments(&self, call: &ExprCall) -> Vec<(usize, Type, Elements)> {
        let Expr::Path(closure) = &*call.func else { return Vec::new() };
        let Some(Name::Closure { parameters: types, .. }) =
            closure.path.get_ident().and_then(|name| self.lookup(name))
        else {
            return Vec::new();
        };
        let entered = call.args.iter().zip(types).enumerate().filter_map(|(n, (arg, ty))| {
            let ty = ty.as_ref()?;
            let how = self.how_known(arg);
            let mask = how == Elements::Masks && mask_type(ty);
            (is_literal(arg) || is_number_type(ty) || mask).then(|| (n, ty.clone(), how))
        });
        entered.collect()
    }

    /// `[0, 1, 2].map(|i: u32| ..)`: the parameter of a closure that gets host numbers is one. The type goes to the numbers.
    pub(super) fn closure_of_host_numbers(&self, call: &mut ExprMethodCall) {
        let gets_elements = ["map", "for_each", "flat_map"].iter().any(|name| call.method == name);
        let Some(Expr::Closure(closure)) = call.args.first_mut().filter(|_| gets_elements) else { return };
        if let Some(Pat::Type(typed)) = closure.inputs.first_mut()
            && is_number_type(&typed.ty)
            && self.gives_host_numbers(&mut call.receiver, &typed.ty)
        {
            // rustc compares the types: this one stays as it is.
            *typed.ty = Type::Verbatim(typed.ty.to_token_stream());
        }
    }

    /// Whether an expression, as written, is an array, a range or a table of host numbers. Its literals get the type.
    fn gives_host_numbers(&self, expr: &mut Expr, ty: &Type) -> bool {
        match expr {
            Expr::Paren(paren) => self.gives_host_numbers(&mut paren.expr, ty),
            Expr::Array(array) if array.elems.iter().all(|elem| self.is_number(elem)) => {
                array.elems.iter_mut().for_each(|elem| suffix_as(elem, ty));
                true
            }
            Expr::Range(range) => {
                let ends = [&mut range.start, &mut range.end].map(Option::as_deref_mut);
                let all = ends.iter().flatten().all(|end| self.is_number(end));
                ends.into_iter().flatten().filter(|_| all).for_each(|end| suffix_as(end, ty));
                all
            }
            Expr::MethodCall(call)
                if ["into_iter", "rev", "skip", "step_by", "take"].iter().any(|name| call.method == name) =>
            {
                self.gives_host_numbers(&mut call.receiver, ty)
            }
            other => self.is_table(other),
        }
    }

    /// `numbers.iter().fold(0, |sum, n| ..)` of staged numbers: a number without a type has theirs.
    pub(super) fn fold_from_number(&mut self, call: &ExprMethodCall) -> Option<Expr> {
        let [first, Expr::Closure(_)] = call.args.iter().collect::<Vec<_>>()[..] else { return None };
        let mut first = first.clone();
        if call.method != "fold"
            || !self.lanes.is_empty()
            || !suffix_with(&mut first, ["i64", "f64"])
            || !self.gives_staged_numbers(&call.receiver)
        {
            return None;
        }
        let (mut items, mut closure) = ((*call.receiver).clone(), call.args[1].clone());
        self.value(&mut items);
        self.value(&mut closure);
        let span = call.method.span();
        let (fold, backend) = (self.library(span, "fold"), self.backend(span));
        Some(syn::parse_quote_spanned!(span=> #fold::<#backend, _, _, _>(#items, #first, #closure)))
    }

    /// Whether an expression, as written, is an iterator over staged numbers: elements of an array, or results of a closure.
    fn gives_staged_numbers(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.gives_staged_numbers(&paren.expr),
            Expr::Array(array) => array.elems.iter().any(|elem| self.is_scalar(elem)),
            Expr::MethodCall(call) if call.method == "map" => match call.args.first() {
                Some(Expr::Closure(closure)) => self.is_scalar(&closure.body),
                _ => false,
            },
            Expr::MethodCall(call)
                if ["into_iter", "iter", "copied", "cloned", "rev", "skip", "step_by", "take"]
                    .iter()
                    .any(|name| call.method == name) =>
            {
                self.gives_staged_numbers(&call.receiver)
            }
            _ => false,
        }
    }

    /// Whether it is a call of a function that is not known, as far as its name shows.
    pub(super) fn calls_function(&self, call: &ExprCall) -> bool {
        let Expr::Path(function) = &*call.func else { return false };
        let Some(last) = function.path.segments.last() else { return false };
        let name = last.ident.to_string();
        self.known_function(call).is_other()
            && of_constructor(&name).is_none()
            && starts_small(&name)
            && function.qself.is_none()
            && !self.calls_local(call)
    }

    /// The arguments that are combinations of comparisons with registers, as written.
    pub(super) fn masks(&self, args: &Punctuated<Expr, Token![,]>) -> Vec<usize> {
        let is_mask = |arg: &Expr| {
            let value = match arg {
                Expr::Reference(reference) if reference.mutability.is_none() => &reference.expr,
                arg => arg,
            };
            self.how_known(value) == Elements::Masks
                && self.of_masks(value) == OfMasks::Yes
                && self.compares_any_register(value)
        };
        (0..args.len()).filter(|n| is_mask(&args[*n])).collect()
    }

    /// Whether an operand, as written, is known to be a register.
    pub(super) fn compares_any_register(&self, value: &Expr) -> bool {
        match value {
            Expr::Paren(paren) => self.compares_any_register(&paren.expr),
            Expr::Unary(unary) => self.compares_any_register(&unary.expr),
            Expr::Binary(binary) => {
                self.compares_any_register(&binary.left) || self.compares_any_register(&binary.right)
            }
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_any_register(name)),
            value => self.is_register(value),
        }
    }

    /// A combination of comparisons as an argument, which may be a mask.
    pub(super) fn pass_mask(&self, arg: &mut Expr) {
        let value = match arg {
            Expr::Reference(reference) => &mut *reference.expr,
            arg => arg,
        };
        let (span, _) = ends(value);
        let passed = self.library(span, "passed");
        // rustc gives the literal the elements of the parameter, or `i32` if nothing says them.
        *value = syn::parse_quote_spanned!(value.span()=> #passed(#value, 0));
    }
}
