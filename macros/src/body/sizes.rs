//! Sizes that are missing or no constants, and constructors that registers lack.

use proc_macro2::Span;
use syn::{
    AngleBracketedGenericArguments, Expr, ExprArray, ExprCall, ExprMethodCall, ExprPath, GenericArgument,
    Local, Pat, PathArguments, Type,
};

use super::alone::starts_small;
use super::built_ins::of_method;
use super::calls::is_of;
use super::following::Following;
use super::literals::is_literal;
use super::memory::Owner;
use super::stager::{Name, Stager};
use super::uses::Use;
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    /// `.format()` without its elements: an annotation or a variable does not show them, because other registers enter it, too.
    pub(super) fn refuse_untyped_format(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.refuse_untyped_format(&mut paren.expr),
            Expr::MethodCall(call)
                if call.method == "format" && call.turbofish.is_none() && call.args.is_empty() =>
            {
                *expr = self.errors.in_place(call.method.span(), messages::UNTYPED_FORMAT);
            }
            _ => {}
        }
    }

    /// The mistake in the path of a function, with its span: a size that is no constant, or a constructor that registers lack.
    pub(super) fn refused_constructor(&self, function: &ExprPath) -> Option<(Span, &'static str)> {
        let segments = &function.path.segments;
        let arguments = segments.iter().filter_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => Some(arguments),
            _ => None,
        });
        if let Some(span) = arguments.into_iter().find_map(|arguments| self.variable_as_size(arguments)) {
            return Some((span, messages::VARIABLE_AS_SIZE));
        }
        let method = &segments.last()?.ident;
        let owner = &segments.iter().nth_back(1)?.ident;
        let register = owner == "Matrix" || owner == "Vector";
        let absent = ["new", "default", "zero", "zeros", "zeroed", "ones", "from_slice", "from_vec"];
        (register && absent.iter().any(|name| method == name))
            .then(|| (method.span(), messages::NEW_REGISTER))
    }

    /// A list of elements where a matrix is made of rows.
    pub(super) fn refused_rows(&self, call: &ExprCall) -> Option<Span> {
        let (function, rows) = of_list(call)?;
        let of_matrix = is_of(function, "Matrix", &["from_array"]);
        let element = rows.elems.first()?;
        let is_number = is_literal(element) || self.is_number(element) || self.is_staged_number(element);
        (of_matrix && is_number).then(|| ends(rows).0)
    }

    /// Whether some elements of a vector in `Vector::from_array([..])` are staged numbers, as far as syntax shows.
    pub(super) fn has_staged_elements(&self, call: &ExprCall) -> bool {
        let Some((function, elements)) = of_list(call) else { return false };
        // The elements of a matrix are arrays, and another name may be that of a matrix.
        let of_vector = is_of(function, "Vector", &["from_array"]);
        function.path.segments.len() > 1
            && function.path.segments.last().is_some_and(|last| last.ident == "from_array")
            && elements
                .elems
                .iter()
                .any(|element| self.is_staged_number(element) || (of_vector && self.may_be_staged(element)))
    }

    /// Whether an expression, as written, may be a staged number: syntax does not show where its names come from.
    pub(super) fn may_be_staged(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.may_be_staged(&paren.expr),
            Expr::Cast(cast) => self.may_be_staged(&cast.expr),
            Expr::Unary(unary) => self.may_be_staged(&unary.expr),
            Expr::Binary(binary) => self.may_be_staged(&binary.left) || self.may_be_staged(&binary.right),
            Expr::Field(field) => self.may_be_staged(&field.base),
            Expr::Index(index) => self.may_be_staged(&index.expr),
            Expr::MethodCall(call) => {
                self.may_be_staged(&call.receiver) || self.is_staged_number(&call.receiver)
            }
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| matches!(self.lookup(name), Some(Name::Plain)))
            }
            Expr::Call(call) => self.calls_function(call) && names_no_type(&call.func),
            _ => false,
        }
    }

    /// Whether an expression is a cast of a number, which is staged if its name is that of a variable.
    pub(super) fn casts_staged_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.casts_staged_number(&paren.expr),
            Expr::Cast(cast) => self.is_staged_number(&cast.expr),
            _ => false,
        }
    }

    /// Whether an expression is made of a staged number, if it is a number.
    fn is_staged_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_staged_number(&paren.expr),
            Expr::Cast(cast) => self.is_staged_number(&cast.expr),
            Expr::Unary(unary) => self.is_staged_number(&unary.expr),
            Expr::Binary(binary) => {
                self.is_staged_number(&binary.left) || self.is_staged_number(&binary.right)
            }
            other => self.is_scalar(other) || self.is_variable_name(other) || self.whole(other).is_some(),
        }
    }

    /// A read whose sizes nothing shows: rustc's errors would be about the arithmetic that checks them.
    pub(super) fn unsized_read<'e>(&self, expr: &'e Expr) -> Option<(&'e ExprMethodCall, &'static str)> {
        match expr {
            Expr::Paren(paren) => self.unsized_read(&paren.expr),
            Expr::Reference(reference) => self.unsized_read(&reference.expr),
            // Values of the user's own types have other methods with these names.
            Expr::MethodCall(call)
                if call.turbofish.is_none() && self.owner(&call.receiver) == Owner::Memory =>
            {
                Some((call, of_method(&call.method.to_string()).sizes_of(call.args.len())?))
            }
            _ => None,
        }
    }

    /// Refuses a read without sizes where any register can be.
    pub(super) fn refuse_unsized_read(&mut self, expr: &mut Expr) {
        if let Some((call, sizes)) = self.unsized_read(expr) {
            *expr = self.errors.in_place(call.method.span(), messages::unsized_read(&call.method, sizes));
        }
    }

    /// Refuses `let v = input.read(0)` if the next use of `v` needs its type, or if there is none.
    pub(super) fn refuse_unsized(&mut self, local: &mut Local, rest: Following<'_>) {
        let (Pat::Ident(name), Some(init)) = (&local.pat, &mut local.init) else { return };
        // The statements are many, and most values are no reads.
        if self.unsized_read(&init.expr).is_none() {
            return;
        }
        let first = rest.uses_of(&name.ident).all().next();
        if first.is_none_or(|first| first.how != Some(Use::Other)) {
            self.refuse_unsized_read(&mut init.expr);
        }
    }

    /// A constant argument that is the name of a variable, not of a constant.
    pub(super) fn variable_as_size(&self, arguments: &AngleBracketedGenericArguments) -> Option<Span> {
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(Type::Path(ty)) if ty.qself.is_none() => {
                let name = ty.path.get_ident()?;
                self.lookup(name).map(|_| name.span())
            }
            _ => None,
        })
    }
}

/// Whether a function is not one of a type, by Rust's naming conventions. Types of the host have such functions.
fn names_no_type(function: &Expr) -> bool {
    let Expr::Path(function) = function else { return false };
    function.path.segments.iter().all(|segment| starts_small(&segment.ident.to_string()))
}

/// The function and the list of a call such as `Vector::from_array([..])`.
fn of_list(call: &ExprCall) -> Option<(&ExprPath, &ExprArray)> {
    match (&*call.func, call.args.first()) {
        (Expr::Path(function), Some(Expr::Array(list))) => Some((function, list)),
        _ => None,
    }
}
