//! Numbers, as far as syntax shows: host numbers, which are literals, names for them, and names from outside; and staged
//! numbers.

use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprMethodCall, ExprPath, Ident, Local, Pat, Type, UnOp};

use super::alone::is_of_math;
use super::built_in::Generics;
use super::literals::{is_literal, suffix_as, suffix_default, suffix_large};
use super::stager::{Name, Stager};
use super::trees::{call_of, operator};
use super::types::is_number_type;
use crate::messages;

/// Whether an expression has the form of a number: literals, and others that `leaf` takes, combined by operators.
pub(super) fn is_made_of(expr: &Expr, leaf: &dyn Fn(&Expr) -> bool) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Paren(paren) => is_made_of(&paren.expr, leaf),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_made_of(&unary.expr, leaf),
        Expr::Binary(binary) => is_made_of(&binary.left, leaf) && is_made_of(&binary.right, leaf),
        other => leaf(other),
    }
}

/// What an expression certainly is, as written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A host number.
    Host,
    /// A staged number.
    Staged,
    /// Something else, or not known.
    Other,
}

impl Stager<'_> {
    /// Whether an expression, with its casts rewritten, may be a host number: its names may be host numbers, or are
    /// from outside.
    pub(super) fn may_be_number(&self, expr: &Expr) -> bool {
        is_made_of(expr, &|leaf| match leaf {
            Expr::Path(path) => self.names_number(path, false),
            leaf => call_of(leaf, "cast_host").is_some(),
        })
    }

    /// Whether an expression, as written, is certainly a host number.
    pub(super) fn is_number(&self, expr: &Expr) -> bool {
        self.kind(expr) == Kind::Host
    }

    /// Whether an expression, as written, is certainly a staged number.
    pub(super) fn is_scalar(&self, expr: &Expr) -> bool {
        self.kind(expr) == Kind::Staged
    }

    /// Whether an expression is the name of a register that a tuple declares.
    pub(super) fn is_of_tuple(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Path(path)
            if path.path.get_ident().is_some_and(|name| !self.names_register(name) && self.names_any_register(name)))
    }

    fn kind(&self, expr: &Expr) -> Kind {
        match expr {
            Expr::Lit(_) => Kind::Host,
            Expr::Paren(paren) => self.kind(&paren.expr),
            Expr::Unary(unary) => match self.kind(&unary.expr) {
                Kind::Host if !matches!(unary.op, UnOp::Neg(_)) => Kind::Other,
                kind => kind,
            },
            Expr::Binary(binary) => match [&binary.left, &binary.right].map(|side| self.kind(side)) {
                [Kind::Host, Kind::Host] => Kind::Host,
                [Kind::Other, _] | [_, Kind::Other] => Kind::Other,
                _ if operator(&binary.op).is_some() => Kind::Staged,
                _ => Kind::Other,
            },
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.names_scalar(name) => Kind::Staged,
                _ if self.names_number(path, true) => Kind::Host,
                _ => Kind::Other,
            },
            Expr::Cast(cast) => match self.kind(&cast.expr) {
                Kind::Staged if !is_number_type(&cast.ty) => Kind::Other,
                kind => kind,
            },
            Expr::Call(call) if self.gives_scalar(call) => Kind::Staged,
            // An element of a register.
            Expr::MethodCall(call) if call.method == "get" && self.is_register(&call.receiver) => {
                Kind::Staged
            }
            _ => Kind::Other,
        }
    }

    /// The mistake in a method of host numbers that is called with a staged number, or of one. The user's own types may have
    /// methods with these names.
    pub(super) fn refused_for_numbers(&self, call: &ExprMethodCall) -> Option<&'static str> {
        let ordered = ["min", "max", "clamp"].iter().any(|name| call.method == name);
        if ordered && self.is_number(&call.receiver) && call.args.iter().any(|arg| self.is_scalar(arg)) {
            return Some(messages::ORDER_OF_NUMBERS);
        }
        (call.method == "into" && call.args.is_empty() && self.is_scalar(&call.receiver))
            .then_some(messages::INTO_OF_NUMBERS)
    }

    /// The names that a `let` declares as staged numbers.
    pub(super) fn declared_scalars(&self, local: &Local) -> Vec<Ident> {
        let Some(init) = &local.init else { return Vec::new() };
        match (&local.pat, &*init.expr) {
            (Pat::Tuple(names), Expr::Tuple(values)) if names.elems.len() == values.elems.len() => {
                let pairs = names.elems.iter().zip(&values.elems);
                pairs.filter_map(|(name, value)| self.declared_scalar(name, value)).collect()
            }
            (name, value) => self.declared_scalar(name, value).into_iter().collect(),
        }
    }

    fn declared_scalar(&self, name: &Pat, value: &Expr) -> Option<Ident> {
        match name {
            Pat::Ident(name) => self.is_scalar(value).then(|| name.ident.clone()),
            Pat::Type(typed) => match &*typed.pat {
                Pat::Ident(name) => is_number_type(&typed.ty).then(|| name.ident.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is a call of a function of the library that returns a staged number. The functions of `math` are called by
    /// this name, because the user's own may have theirs.
    fn gives_scalar(&self, call: &ExprCall) -> bool {
        let known = self.known_function(call);
        known.gives_scalar && (known.generics == Generics::FromBackend || is_of_math(call))
    }

    /// Types for the literals in an expression, as written, that is certainly a register or a staged number: methods of it
    /// need them at once. The other side of a literal is what is staged, unless it may be a host number.
    pub(super) fn suffix_in_register(&self, expr: &mut Expr) {
        let binary = match expr {
            Expr::Paren(paren) => return self.suffix_in_register(&mut paren.expr),
            Expr::Binary(binary) if operator(&binary.op).is_some() => binary,
            _ => return,
        };
        let (left, right) = (&mut *binary.left, &mut *binary.right);
        let (literal, other) = if is_literal(left) { (left, right) } else { (right, left) };
        if is_literal(literal) && !self.may_be_number_as_written(other) {
            suffix_default(literal);
            self.suffix_in_register(other);
        }
    }

    /// Whether an expression, as written, may be a host number.
    pub(super) fn may_be_number_as_written(&self, expr: &Expr) -> bool {
        is_made_of(expr, &|leaf| match leaf {
            Expr::Path(path) => self.names_number(path, false),
            leaf => matches!(leaf, Expr::Cast(_)) || self.is_table(leaf),
        })
    }

    /// A type for an integer that is too large for `i32`, if `other`, as written, is staged. Beside host numbers, it has theirs.
    pub(super) fn suffix_large_beside(&self, expr: &mut Expr, other: &Expr) {
        if self.is_register(other)
            || self.is_scalar(other)
            || self.is_of_tuple(other)
            || is_made_of(other, &|leaf| self.is_own_field(leaf)) && !is_made_of(other, &|_| false)
        {
            suffix_large(expr);
        }
    }

    /// Whether it is a field of `self` or of a variable, as `mut self` is: of a structure of registers.
    fn is_own_field(&self, expr: &Expr) -> bool {
        let Expr::Field(field) = expr else { return false };
        let Expr::Path(base) = &*field.base else { return false };
        base.path.get_ident().is_some_and(|name| name == "self" || self.is_variable(name))
    }

    /// Whether a path is from outside, or the name of a number: of one that is `certain`, or of any.
    fn names_number(&self, path: &ExprPath, only_certain: bool) -> bool {
        match path.path.get_ident().and_then(|name| self.lookup(name)) {
            None => true,
            Some(Name::Number { certain }) => *certain || !only_certain,
            Some(_) => false,
        }
    }
}

/// A literal next to `x as T` has this type. If both are host numbers, it must.
pub(super) fn cast_literals(binary: &mut ExprBinary) {
    if !matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_)) {
        cast_beside(&mut binary.left, &mut binary.right);
    }
}

/// The same for two operands.
pub(super) fn cast_beside(left: &mut Expr, right: &mut Expr) {
    fn cast(expr: &Expr) -> Option<&Type> {
        match expr {
            Expr::Paren(paren) => cast(&paren.expr),
            Expr::Cast(cast) => Some(&cast.ty),
            _ => None,
        }
    }
    let (of_left, of_right) = (cast(left).cloned(), cast(right).cloned());
    // Products of narrower types have the promoted type, to which their literals belong.
    let wide = |ty: &Type| matches!(ty, Type::Path(ty) if ["u32", "u64", "i64"].iter().any(|name| ty.path.is_ident(name)));
    for (ty, other) in [(of_left, right), (of_right, left)] {
        if let Some(ty) = ty.filter(wide) {
            suffix_as(other, &ty);
        }
    }
}
