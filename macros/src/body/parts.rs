//! Parts of variables: the elements of an array, `x[i]`, and the fields of a structure or tuple, `x.f`. Each is a variable.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprIndex, ExprMethodCall, Ident, Pat, Stmt, Type, UnOp};

use super::built_ins::comparison;
use super::contains::contains;
use super::stager::{Name, Nested, Stager};
use crate::messages;
use crate::model::{Referent, ends, is_register_type};

/// The variable that an expression is a part of.
pub(super) enum Whole {
    /// A variable, or the referent of a `&mut`. Holds the name of its mark.
    Mutable(Ident),
    /// The referent of a `&`.
    Shared,
}

/// A name that a `for` loop gives to elements of an array.
pub(super) struct Element {
    name: Ident,
    /// The variable that it refers to.
    referent: Option<Whole>,
    /// If the elements are registers, or arrays of them.
    registers: Option<Nested>,
    /// Whether the iterator gives references.
    by_reference: bool,
}

impl Element {
    /// A name for copies of elements.
    fn copy(name: &Ident) -> Self {
        Self { name: name.clone(), referent: None, registers: None, by_reference: false }
    }
}

impl Stager<'_> {
    /// The variable, if an expression is a part of one.
    pub(super) fn whole(&self, part: &Expr) -> Option<Whole> {
        let name = match part {
            Expr::Paren(paren) => return self.whole(&paren.expr),
            Expr::Index(index) => match &*index.expr {
                // An element of a register is no part: rustc says what to write.
                Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.names_register(name)) => {
                    return None;
                }
                _ if matches!(&*index.index, Expr::Tuple(_)) => return None,
                _ => object(&index.expr)?,
            },
            Expr::Field(field) => object(&field.base)?,
            _ => return None,
        };
        match self.lookup(name)? {
            Name::Variable(mark) | Name::Exclusive(mark) => Some(Whole::Mutable(mark.clone())),
            Name::Shared(Referent::Other) => Some(Whole::Shared),
            _ => None,
        }
    }

    /// The indices of a part.
    pub(super) fn part(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.part(&mut paren.expr),
            Expr::Field(field) => self.part(&mut field.base),
            Expr::Index(index) => {
                self.part(&mut index.expr);
                self.index(index);
            }
            _ => {}
        }
    }

    /// Binds the indices of a variable's part that is evaluated several times, unless this makes no difference.
    pub(super) fn indices_once(&mut self, part: &mut Expr) -> Vec<Stmt> {
        let mut lets = Vec::new();
        if let Some(Whole::Mutable(_)) = self.whole(part) {
            self.bind_indices(part, &mut lets);
        }
        lets
    }

    fn bind_indices(&mut self, part: &mut Expr, lets: &mut Vec<Stmt>) {
        match part {
            Expr::Paren(paren) => self.bind_indices(&mut paren.expr, lets),
            Expr::Field(field) => self.bind_indices(&mut field.base, lets),
            Expr::Index(index) => {
                self.bind_indices(&mut index.expr, lets);
                if is_repeatable(&index.index) {
                    return;
                }
                let (span, number) = (ends(&index.index).0, self.new_number());
                let name = self.internal(span, &format!("__index{number}"));
                self.value(&mut index.index);
                let value = &index.index;
                lets.push(syn::parse_quote_spanned!(span=> let #name = #value;));
                *index.index = syn::parse_quote_spanned!(span=> #name);
            }
            _ => {}
        }
    }

    fn index(&mut self, index: &mut ExprIndex) {
        if matches!(&*index.index, Expr::Range(_)) {
            *index.index = self.errors.in_place(ends(&index.index).0, messages::ARRAY_SLICE);
            return;
        }
        let span = ends(&index.index).0;
        let mut cast = false;
        // Any host integer is an index, and a staged number is refused as one.
        while let Expr::Cast(found) = &*index.index
            && matches!(&*found.ty, Type::Path(ty) if ty.path.is_ident("usize"))
        {
            index.index = found.expr.clone();
            cast = true;
        }
        match inner(&index.index) {
            // A constant, or a variant of an `enum`: what a cast takes, and nothing staged.
            Expr::Path(path) if cast && path.path.segments.len() > 1 => {
                *index.index = syn::parse_quote_spanned!(span=> #path as usize);
            }
            condition if cast && is_comparison(condition) => {
                self.value(&mut index.index);
                let condition = &index.index;
                *index.index = syn::parse_quote_spanned!(span=> usize::from(#condition));
            }
            _ => self.value(&mut index.index),
        }
        let (element, backend) = (self.library(span, "element"), self.backend(span));
        let (array, number) = (&index.expr, &index.index);
        *index.index = syn::parse_quote_spanned!(span=> #element::<#backend, _, _>(&#array, #number));
    }

    /// The value of a part.
    pub(super) fn read_part(&mut self, expr: &mut Expr, whole: &Whole) {
        let (span, _) = ends(expr);
        let by_reference =
            matches!(whole, Whole::Shared) || object(expr).is_some_and(|name| !self.is_variable(name));
        self.part(expr);
        let backend = self.backend(span);
        // Structures by reference may be those of arguments, with references to memory.
        *expr = if by_reference && matches!(expr, Expr::Field(_)) {
            let part = self.library(span, "part");
            syn::parse_quote_spanned!(span=> #part::<#backend, _, _>(&#expr))
        } else {
            let load = self.library(span, "load");
            syn::parse_quote_spanned!(span=> #load::<#backend, _>(&#expr))
        };
    }

    /// A variable, or a part of one, that an assignment changes, with the name of its mark; or the
    /// mistake, with its span.
    pub(super) fn target(&mut self, target: &mut Expr) -> Result<Ident, (Span, &'static str)> {
        Err(match target {
            Expr::Paren(paren) => return self.target(&mut paren.expr),
            Expr::Path(path) => {
                let found = path.path.get_ident().map(|name| (name.span(), self.lookup(name)));
                match found {
                    Some((_, Some(Name::Variable(mark)))) => return Ok(mark.clone()),
                    Some((span, Some(Name::Place))) => (span, messages::ASSIGN_PLACE),
                    Some((span, Some(_))) => (span, messages::NOT_MUTABLE),
                    _ => (path.span(), messages::ASSIGN_TARGET),
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                match self.exclusive_mark(&unary.expr) {
                    Some(mark) => return Ok(mark.clone()),
                    None => (unary.span(), messages::ASSIGN_TARGET),
                }
            }
            Expr::Index(_) | Expr::Field(_) => match self.whole(target) {
                Some(Whole::Mutable(mark)) => {
                    self.part(target);
                    return Ok(mark);
                }
                Some(Whole::Shared) => (ends(target).0, messages::SHARED_PART),
                None => self.refused_part(target),
            },
            Expr::Call(call) => (call.span(), messages::assigned_call(call.args.len())),
            other => (other.span(), messages::ASSIGN_TARGET),
        })
    }

    fn refused_part(&self, target: &Expr) -> (Span, &'static str) {
        let name = object(target).map(|name| (name.span(), self.lookup(name)));
        match (target, name) {
            (_, Some((span, Some(Name::Plain)))) if !self.is_element(target) => (span, messages::NOT_MUTABLE),
            (Expr::Index(index), _) => (index.span(), messages::ASSIGN_ELEMENT),
            (other, _) => (other.span(), messages::ASSIGN_TARGET),
        }
    }

    /// Whether it is `m[i]` of a register.
    fn is_element(&self, target: &Expr) -> bool {
        let Expr::Index(index) = target else { return false };
        self.is_register(&index.expr) || matches!(&*index.index, Expr::Tuple(_))
    }

    /// Whether a method of arrays reads one, which is a variable.
    pub(super) fn reads_array(&self, receiver: &Expr, method: &Ident) -> bool {
        ARRAY_READS.iter().any(|name| method == name) && self.is_array_variable(receiver)
    }

    /// Whether a method of arrays exchanges or replaces the elements of one, which is a variable, or lends them to code that
    /// the macro does not see. Of a variable that may be something else, the first ones are refused: they are of arrays.
    pub(super) fn refuses_method(&self, receiver: &Expr, method: &Ident) -> bool {
        if !self.is_array_variable(receiver) {
            return false;
        }
        let is_in = |list: &[&str]| list.iter().any(|name| method == name);
        if self.is_array(receiver) {
            return !is_in(&ARRAY_READS) && !is_in(&ARRAY_ALLOWED);
        }
        is_in(&ARRAY_CHANGES) && !self.is_register(receiver)
    }

    /// The mistake in a method of an iterator over an array of registers, or in the method that gives it.
    pub(super) fn refused_iteration(&self, call: &ExprMethodCall) -> Option<&'static str> {
        if call.method == "iter_mut" && self.is_array(&call.receiver) {
            // `for` loops are rewritten elsewhere.
            return Some(messages::ARRAY_ITERATOR);
        }
        let sums = ["sum", "product", "min", "max"].iter().any(|name| call.method == name);
        let array = iterated_array(&call.receiver).filter(|array| sums && self.is_array(array));
        array.map(|_| messages::ARRAY_SUM)
    }

    /// Whether an expression is the name of an array of registers, as far as syntax shows.
    fn is_array(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_array(&paren.expr),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_elements(name).is_some()),
            _ => false,
        }
    }

    fn is_array_variable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_array_variable(&paren.expr),
            Expr::Path(path) => {
                path.path.get_ident().and_then(|name| self.lookup(name)).is_some_and(|name| {
                    matches!(name, Name::Variable(_) | Name::Exclusive(_) | Name::Shared(Referent::Other))
                })
            }
            part => self.whole(part).is_some(),
        }
    }

    /// The iterator of a `for` loop: references to the elements of arrays stay references.
    pub(super) fn iterated(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.iterated(&mut paren.expr),
            Expr::MethodCall(call) if is_adaptor(&call.method) => {
                self.iterated(&mut call.receiver);
                call.args.iter_mut().for_each(|arg| self.iterated(arg));
            }
            Expr::MethodCall(call)
                if is_iteration(&call.method) && self.is_array_variable(&call.receiver) =>
            {
                self.part(&mut call.receiver);
            }
            // Elsewhere in SIMD control flow a `&mut` is refused.
            Expr::Reference(reference)
                if !self.lanes.is_empty() && self.is_array_variable(&reference.expr) =>
            {
                self.part(&mut reference.expr);
            }
            other => self.value(other),
        }
    }

    /// The names that a `for` loop gives to elements of arrays by reference. The iterator is outside of the names.
    pub(super) fn elements_by_reference(&self, pat: &Pat, iterator: &Expr, found: &mut Vec<Element>) {
        match (pat, iterator) {
            (Pat::Paren(paren), _) => self.elements_by_reference(&paren.pat, iterator, found),
            (_, Expr::Paren(paren)) => self.elements_by_reference(pat, &paren.expr, found),
            (Pat::Tuple(tuple), Expr::MethodCall(call)) if tuple.elems.len() == 2 => {
                if call.method == "zip" && call.args.len() == 1 {
                    self.elements_by_reference(&tuple.elems[0], &call.receiver, found);
                    self.elements_by_reference(&tuple.elems[1], &call.args[0], found);
                } else if call.method == "enumerate" {
                    self.elements_by_reference(&tuple.elems[1], &call.receiver, found);
                } else if is_adaptor(&call.method) {
                    self.elements_by_reference(pat, &call.receiver, found);
                }
            }
            (_, Expr::MethodCall(call)) if is_adaptor(&call.method) => {
                self.elements_by_reference(pat, &call.receiver, found);
            }
            (Pat::Reference(reference), _) => {
                if let (Pat::Ident(name), Some(_)) = (&*reference.pat, self.referents(iterator)) {
                    found.push(Element::copy(&name.ident));
                }
            }
            (Pat::Ident(name), _) => {
                let (referent, registers) = (self.referents(iterator), self.elements_of(iterator));
                if referent.is_some() || registers.is_some() {
                    let by_reference = is_by_reference(iterator);
                    found.push(Element { referent, registers, by_reference, ..Element::copy(&name.ident) });
                }
            }
            _ => {}
        }
    }

    /// Binds these names. Those of `&pattern` are collected: they are copies of elements.
    pub(super) fn bind_elements(&mut self, found: Vec<Element>, copies: &mut Vec<Ident>) {
        for Element { name, referent, registers, by_reference } in found {
            let plain = referent.is_none();
            match referent {
                Some(Whole::Mutable(mark)) => self.exclusive_of(&name, mark),
                Some(Whole::Shared) => self.shared(&name, Referent::Other),
                None if registers.is_some() => self.plain(&name),
                None => {
                    copies.push(name);
                    continue;
                }
            }
            if by_reference && plain {
                // A reference is an operand of Rust's own operators.
                continue;
            }
            match registers {
                Some(Nested { depth: ..=1, typed }) => self.bound_register(typed),
                Some(Nested { depth, typed }) => self.bound_elements(Nested { depth: depth - 1, typed }),
                None => {}
            }
        }
    }

    /// Whether an iterator goes through references to the elements of an array that is a variable.
    fn referents(&self, iterator: &Expr) -> Option<Whole> {
        let (array, mutable) = match iterator {
            Expr::Reference(reference) => (&*reference.expr, reference.mutability.is_some()),
            Expr::MethodCall(call) if is_iteration(&call.method) => {
                (&*call.receiver, call.method == "iter_mut")
            }
            // A reference by its name.
            Expr::Path(path) => {
                return match self.lookup(path.path.get_ident()?)? {
                    Name::Exclusive(mark) => Some(Whole::Mutable(mark.clone())),
                    Name::Shared(Referent::Other) => Some(Whole::Shared),
                    _ => None,
                };
            }
            _ => return None,
        };
        let whole = match array {
            Expr::Path(path) => match self.lookup(path.path.get_ident()?)? {
                Name::Variable(mark) | Name::Exclusive(mark) => Whole::Mutable(mark.clone()),
                Name::Shared(Referent::Other) => Whole::Shared,
                _ => return None,
            },
            part => self.whole(part)?,
        };
        Some(if mutable { whole } else { Whole::Shared })
    }

    /// Whether an iterator goes through the registers of an array.
    fn elements_of(&self, iterator: &Expr) -> Option<Nested> {
        match iterator {
            Expr::Paren(paren) => self.elements_of(&paren.expr),
            Expr::Reference(reference) => self.elements_of(&reference.expr),
            Expr::MethodCall(call) if is_iteration(&call.method) || call.method == "into_iter" => {
                self.elements_of(&call.receiver)
            }
            Expr::Path(path) => self.names_elements(path.path.get_ident()?),
            _ => None,
        }
    }

    /// The number of indices of a register, if syntax shows that an expression, as written, is an array of registers, or of
    /// arrays of them.
    pub(super) fn array_of_registers(&self, expr: &Expr) -> Option<usize> {
        let with_elements = |elem: &Expr| match self.is_register(elem) {
            true => Some(1),
            false => Some(self.array_of_registers(elem)? + 1),
        };
        match expr {
            Expr::Paren(paren) => self.array_of_registers(&paren.expr),
            Expr::Repeat(repeat) => with_elements(&repeat.expr),
            Expr::Array(array) => with_elements(array.elems.first()?),
            Expr::Index(_) => {
                let outer = self.names_elements(object(expr)?)?.depth;
                outer.checked_sub(indices(expr)).filter(|depth| *depth > 0)
            }
            _ => None,
        }
    }
}

/// The name at the start of a chain of fields and indices: `x` in `x.f[i]` and in `(*x)[i]`.
pub(super) fn object(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Paren(paren) => object(&paren.expr),
        Expr::Index(index) => object(&index.expr),
        Expr::Field(field) => object(&field.base),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => object(&unary.expr),
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// Whether an index can be evaluated several times, or is a range, which is refused where it is.
fn is_repeatable(index: &Expr) -> bool {
    match index {
        Expr::Lit(_) | Expr::Path(_) | Expr::Range(_) => true,
        Expr::Paren(paren) => is_repeatable(&paren.expr),
        Expr::Cast(cast) => is_repeatable(&cast.expr),
        Expr::Field(field) => is_repeatable(&field.base),
        Expr::Unary(unary) => is_repeatable(&unary.expr),
        Expr::Index(index) => is_repeatable(&index.expr) && is_repeatable(&index.index),
        Expr::Binary(binary) => {
            is_arithmetic(&binary.op) && is_repeatable(&binary.left) && is_repeatable(&binary.right)
        }
        // Refused where it is.
        Expr::Tuple(_) => true,
        _ => false,
    }
}

/// Whether it is one of the comparisons, as written.
fn is_comparison(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(binary) => comparison(&binary.op).is_some(),
        Expr::MethodCall(call) => contains(call).is_some(),
        _ => false,
    }
}

fn inner(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) => inner(&paren.expr),
        other => other,
    }
}

fn is_arithmetic(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

/// The number of indices in a chain of fields and indices.
pub(super) fn indices(expr: &Expr) -> usize {
    match expr {
        Expr::Paren(paren) => indices(&paren.expr),
        Expr::Index(index) => 1 + indices(&index.expr),
        Expr::Field(field) => indices(&field.base),
        Expr::Unary(unary) => indices(&unary.expr),
        _ => 0,
    }
}

/// The number of indices of a register, if a type is an array of registers, or of arrays of them.
pub(crate) fn depth_of_array(ty: &Type) -> Option<usize> {
    let Type::Array(array) = ty else { return None };
    match &*array.elem {
        elem if is_register_type(elem) => Some(1),
        elem => Some(depth_of_array(elem)? + 1),
    }
}

/// Methods of arrays and slices that read their elements.
const ARRAY_READS: [&str; 14] = [
    "iter",
    "into_iter",
    "map",
    "each_ref",
    "first",
    "last",
    "as_slice",
    "to_vec",
    "concat",
    "windows",
    "chunks",
    "chunks_exact",
    "split_at",
    "clone",
];

/// Methods of arrays and slices that neither read nor replace elements, or that loops use.
const ARRAY_ALLOWED: [&str; 3] = ["len", "is_empty", "iter_mut"];

/// Methods of arrays and slices that exchange or replace elements.
const ARRAY_CHANGES: [&str; 14] = [
    "swap",
    "reverse",
    "rotate_left",
    "rotate_right",
    "fill",
    "fill_with",
    "copy_from_slice",
    "clone_from_slice",
    "copy_within",
    "swap_with_slice",
    "first_mut",
    "last_mut",
    "split_at_mut",
    "each_mut",
];

/// Whether a method goes through the elements of an array by reference.
fn is_iteration(method: &Ident) -> bool {
    method == "iter" || method == "iter_mut"
}

/// What a chain of methods of iterators goes through.
fn iterated_array(iterator: &Expr) -> Option<&Expr> {
    match iterator {
        Expr::Paren(paren) => iterated_array(&paren.expr),
        Expr::MethodCall(call) if is_iteration(&call.method) || call.method == "into_iter" => {
            Some(&call.receiver)
        }
        Expr::MethodCall(call) => iterated_array(&call.receiver),
        _ => None,
    }
}

/// Whether an iterator goes through references, as written.
fn is_by_reference(iterator: &Expr) -> bool {
    match iterator {
        Expr::Paren(paren) => is_by_reference(&paren.expr),
        Expr::Reference(_) => true,
        Expr::MethodCall(call) => is_iteration(&call.method) || is_by_reference(&call.receiver),
        _ => false,
    }
}

/// Whether a method of iterators gives the same elements in another order, fewer of them, or others beside them.
fn is_adaptor(method: &Ident) -> bool {
    ["enumerate", "zip", "rev", "skip", "take", "step_by", "chain"].iter().any(|name| method == name)
}
