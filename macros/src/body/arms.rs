//! The arms of an `if` or `match` with a value. Each arm sets the slot of the value; a number without a type takes that of
//! the other arms.

use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, ExprIf, ExprTuple, Ident, Lit, LitFloat, Stmt, Type};

use super::around::{Numbers, block_diverges, diverges, has_value};
use super::conditions::{count_last, values_of};
use super::elements::Elements;
use super::literals::{literal, suffix_as, suffix_with};
use super::stager::Stager;
use super::types::OfMasks;
use super::uses::count_uses;
use crate::model::ends;
use crate::names::BoundNames;

/// The values of arms.
pub(super) struct Leaves {
    all: usize,
    /// Numbers without a type.
    numbers: usize,
    /// Whether one of these is a float.
    pub(super) floats: bool,
    /// Whether the type of another one is known at once.
    settled: bool,
}

impl Leaves {
    /// The values.
    pub(super) fn each(value: &Expr) -> Vec<&Expr> {
        let mut all = Vec::new();
        leaves(value, &mut all);
        all
    }

    /// What is known of them.
    pub(super) fn of(value: &Expr) -> Self {
        Self::known(&Self::each(value))
    }

    fn known(all: &[&Expr]) -> Self {
        let numbers: Vec<Lit> = all.iter().filter_map(|leaf| number(leaf)).collect();
        let floats = numbers.iter().any(|lit| matches!(lit, Lit::Float(_)));
        let settled = all.iter().any(|leaf| number(leaf).is_none() && !is_open(leaf));
        Self { all: all.len(), numbers: numbers.len(), floats, settled }
    }

    /// Whether some of them are numbers without a type.
    pub(super) fn has_numbers(&self) -> bool {
        self.numbers > 0
    }

    /// Whether some of them are numbers without a type, and others are not.
    pub(super) fn are_mixed(&self) -> bool {
        self.numbers > 0 && self.numbers < self.all
    }
}

/// Whether an expression is an `if` or `match` whose arms the kernel decides on, and that has a value.
pub(super) fn has_arms(expr: &Expr) -> bool {
    match expr {
        Expr::If(branch) => has_value(branch),
        Expr::Match(_) => !diverges(expr),
        _ => false,
    }
}

/// Whether what follows an `else` is an `if` with arms, if the one around it has some: else it leaves.
pub(super) fn is_else_if(other: &Expr) -> bool {
    matches!(other, Expr::If(_)) && !diverges(other)
}

/// Whether a value is one of several, which take the type of the destination: those of arms, of a `loop`, or of a block with a label.
pub(super) fn is_chosen(expr: &Expr) -> bool {
    match expr {
        Expr::Loop(_) => true,
        Expr::Block(block) => block.label.is_some(),
        expr => has_arms(expr),
    }
}

/// The values of the arms, also of arms inside of arms; those of arms that leave are none.
fn leaves<'e>(value: &'e Expr, found: &mut Vec<&'e Expr>) {
    match value {
        _ if diverges(value) => {}
        Expr::Paren(paren) => leaves(&paren.expr, found),
        Expr::Block(block) if block.label.is_none() && has_tail(&block.block) => {
            tail_leaves(&block.block, found);
        }
        Expr::If(branch) if has_arms(value) => {
            let mut branch = branch;
            loop {
                if !block_diverges(&branch.then_branch) {
                    tail_leaves(&branch.then_branch, found);
                }
                let Some((_, other)) = &branch.else_branch else { return };
                match &**other {
                    Expr::If(next) if is_else_if(other) => branch = next,
                    other => return leaves(other, found),
                }
            }
        }
        Expr::Match(matched) => matched.arms.iter().for_each(|arm| leaves(&arm.body, found)),
        value => found.push(value),
    }
}

fn tail_leaves<'e>(block: &'e Block, found: &mut Vec<&'e Expr>) {
    values_of(block).into_iter().for_each(|value| leaves(value, found));
}

fn tuple(expr: &Expr) -> Option<&ExprTuple> {
    match expr {
        Expr::Paren(paren) => tuple(&paren.expr),
        Expr::Tuple(tuple) => Some(tuple),
        _ => None,
    }
}

/// Replaces the values of the arms, which then have none.
pub(super) fn each_leaf(value: &mut Expr, replace: &mut impl FnMut(&mut Expr)) {
    match value {
        _ if diverges(value) => {}
        Expr::Paren(paren) => each_leaf(&mut paren.expr, replace),
        Expr::Block(block) if block.label.is_none() && has_tail(&block.block) => {
            each_tail(&mut block.block, replace);
        }
        Expr::If(_) if !has_arms(value) => replace(value),
        Expr::If(branch) => {
            let mut branch = branch;
            loop {
                each_tail(&mut branch.then_branch, replace);
                let Some((_, other)) = &mut branch.else_branch else { return };
                if !is_else_if(other) {
                    return each_leaf(other, replace);
                }
                let Expr::If(next) = &mut **other else { return };
                branch = next;
            }
        }
        Expr::Match(matched) => matched.arms.iter_mut().for_each(|arm| each_leaf(&mut arm.body, replace)),
        value => replace(value),
    }
}

/// Whether arms bind a name that is used in an expression, which has another meaning in these arms.
pub(super) fn bind_name_of(arms: &Expr, expr: &Expr) -> bool {
    let mut names = BoundNames::default();
    names.visit_expr_mut(&mut arms.clone());
    names.0.iter().any(|name| count_uses(expr.to_token_stream(), &name.unraw()) > 0)
}

fn each_tail(block: &mut Block, replace: &mut impl FnMut(&mut Expr)) {
    if block_diverges(block) || !has_tail(block) {
        return;
    }
    let first = block.stmts.len() - count_last(block);
    for stmt in &mut block.stmts[first..] {
        if let Stmt::Expr(value, semi) = stmt {
            each_leaf(value, replace);
            *semi = Some(Default::default());
        }
    }
}

pub(super) fn has_tail(block: &Block) -> bool {
    !values_of(block).is_empty()
}

/// The literal of a number without a type.
fn number(expr: &Expr) -> Option<Lit> {
    let mut expr = expr.clone();
    let lit = literal(&mut expr)?;
    let untyped = match lit {
        Lit::Int(int) => int.suffix().is_empty(),
        Lit::Float(float) => float.suffix().is_empty(),
        _ => false,
    };
    untyped.then(|| lit.clone())
}

/// Whether a number without a type is an operand, so that the type of the result is not known at once.
fn is_open(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_open(&paren.expr),
        Expr::Unary(unary) => is_open(&unary.expr),
        Expr::Binary(binary) => {
            [&binary.left, &binary.right].into_iter().any(|side| number(side).is_some() || is_open(side))
        }
        _ => false,
    }
}

/// An integer literal as a float.
pub(super) fn into_float(expr: &mut Expr) {
    if let Some(lit) = literal(expr)
        && let Lit::Int(int) = lit
    {
        *lit = Lit::Float(LitFloat::new(&format!("{}.0", int.base10_digits()), int.span()));
    }
}

impl Stager<'_> {
    /// The types of the numbers of an expression with this annotation.
    pub(super) fn numbers(&self, value: &Expr, annotation: Option<&Type>) -> Numbers {
        if let Some(annotated) = annotated(annotation) {
            return annotated;
        }
        // The type of `n + 1` is known only at the end of the kernel, so the result could not be used.
        if matches!(value, Expr::If(_)) && Leaves::of(value).are_mixed() {
            return Numbers::Others;
        }
        self.at_place(&Leaves::each(value))
    }

    /// The types of the numbers among the values with which a loop or a block with a label is left.
    pub(super) fn numbers_of_exits(&self, values: &[Expr], annotation: Option<&Type>) -> Numbers {
        let unknown = || self.at_place(&values.iter().flat_map(Leaves::each).collect::<Vec<_>>());
        annotated(annotation).unwrap_or_else(unknown)
    }

    /// The types of the numbers at a place of arms that are tuples: those of other arms where their types are known at once.
    fn at_place(&self, values: &[&Expr]) -> Numbers {
        self.at_place_where(values, &|found| found.settled)
    }

    /// The same, of a `match` that stays Rust's.
    pub(super) fn at_place_of_host(&self, values: &[&Expr]) -> Numbers {
        self.at_place_where(values, &|_| true)
    }

    fn at_place_where(&self, values: &[&Expr], takes_others: &dyn Fn(&Leaves) -> bool) -> Numbers {
        let tuples: Vec<_> = values.iter().filter_map(|value| tuple(value)).collect();
        if let Some(first) = tuples.first()
            && tuples.len() == values.len()
            && tuples.iter().all(|tuple| tuple.elems.len() == first.elems.len())
        {
            let place = |n: usize| {
                self.at_place_where(
                    &tuples.iter().map(|tuple| &tuple.elems[n]).collect::<Vec<_>>(),
                    takes_others,
                )
            };
            let places: Vec<_> = (0..first.elems.len()).map(place).collect();
            let alone = places.iter().all(|place| matches!(place, Numbers::Alone { floats: false }));
            return if alone { Numbers::Alone { floats: false } } else { Numbers::InTuples(places) };
        }
        let found = Leaves::known(values);
        if !found.has_numbers() && self.combine_masks(values) {
            return Numbers::Masks;
        }
        if found.are_mixed() && takes_others(&found) {
            Numbers::Others
        } else {
            Numbers::Alone { floats: found.floats }
        }
    }

    /// Whether some of the values are combinations of masks, whose elements are promoted, and others may be masks.
    fn combine_masks(&self, values: &[&Expr]) -> bool {
        let (combined, others): (Vec<&Expr>, Vec<&Expr>) =
            values.iter().partition(|value| self.how_known(value) == Elements::Masks);
        !combined.is_empty() && others.iter().any(|value| self.of_masks(value) != OfMasks::No)
    }

    /// An `if` that chooses a surface or buffer is Rust's.
    pub(super) fn if_of_memory(&mut self, branch: &mut ExprIf) -> Expr {
        self.value(&mut branch.cond);
        self.host_choice(&mut branch.cond, "host_condition");
        self.block(&mut branch.then_branch);
        if let Some((_, other)) = &mut branch.else_branch {
            self.value(other);
        }
        Expr::If(branch.clone())
    }

    /// A staged condition or number, which must be a host value.
    pub(super) fn host_choice(&self, choice: &mut Expr, function: &str) {
        let (shown, _) = ends(choice);
        let host = self.library(shown, function);
        *choice = syn::parse_quote_spanned!(shown=> #host(#choice));
    }

    /// Whether the arms choose a surface or buffer.
    pub(super) fn chooses_memory(&self, value: &Expr) -> bool {
        let all = Leaves::each(value);
        !all.is_empty() && all.into_iter().all(|leaf| self.names_memory(leaf))
    }

    /// Whether an expression is an array of names of surfaces or buffers.
    pub(super) fn lists_memory(&self, expr: &Expr) -> bool {
        let Expr::Array(array) = expr else { return false };
        !array.elems.is_empty() && array.elems.iter().all(|elem| self.names_memory(elem))
    }

    /// A value for this annotated type.
    pub(super) fn value_for(&mut self, value: &mut Expr, annotation: Option<&Type>) {
        if !self.lanes.is_empty() {
            // All of these are refused there.
            return self.value(value);
        }
        if has_arms(value) {
            let numbers = self.numbers(value, annotation);
            *value = self.arms(value, &numbers);
            return;
        }
        match value {
            Expr::Loop(looped) => *value = self.endless_loop(looped, annotation),
            Expr::Block(inner) if let Some(label) = inner.label.clone() => {
                *value = self.labelled(&label, &mut inner.block, annotation);
            }
            Expr::Block(inner) if values_of(&inner.block).into_iter().any(is_chosen) => {
                self.block_with(&mut inner.block, |s, value| {
                    s.value_for(value, annotation);
                    vec![Stmt::Expr(value.clone(), None)]
                });
            }
            value => self.value(value),
        }
    }

    /// An `if` or `match` with a value.
    fn arms(&mut self, value: &mut Expr, numbers: &Numbers) -> Expr {
        match value {
            Expr::If(branch) => self.if_value(branch, numbers),
            Expr::Match(matched) => self.matching(matched, Some(numbers)),
            other => {
                self.value(other);
                other.clone()
            }
        }
    }

    /// An arm that sets the slot, unless it leaves.
    pub(super) fn arm(&mut self, slot: &Ident, block: &mut Block, numbers: &Numbers) -> Block {
        if block_diverges(block) || !has_tail(block) {
            self.block(block);
        } else {
            self.block_with(block, |s, value| s.set_arm(slot, value, numbers));
        }
        block.clone()
    }

    /// The statements that set the slot to the value of an arm.
    pub(super) fn set_arm(&mut self, slot: &Ident, value: &mut Expr, numbers: &Numbers) -> Vec<Stmt> {
        match value {
            Expr::Paren(paren) => return self.set_arm(slot, &mut paren.expr, numbers),
            Expr::Block(block) if block.label.is_none() && has_tail(&block.block) => {
                let block = self.arm(slot, &mut block.block, numbers);
                return vec![syn::parse_quote!(#block)];
            }
            value if has_arms(value) => {
                let span = value.span();
                let inside = self.arms(value, numbers);
                let (slot, own) = (in_scope(slot), self.internal(span, "__value"));
                let set: Block = syn::parse_quote_spanned!(span=> { let #own = #inside; #slot.set(#own); });
                return set.stmts;
            }
            _ => {}
        }
        if let (Numbers::InTuples(_), Expr::Tuple(_)) = (numbers, &*value) {
            return self.set_tuple(slot, value, numbers);
        }
        if number(value).is_some() {
            match numbers {
                Numbers::Others => {
                    let (span, slot) = (value.span(), in_scope(slot));
                    suffix_with(value, ["i64", "f64"]);
                    return vec![syn::parse_quote_spanned!(span=> #slot.set_number(#value);)];
                }
                Numbers::Annotated(ty) => {
                    suffix_as(value, ty);
                    let value = Expr::Verbatim(self.entered(ty, value, Elements::Open));
                    return self.set(slot, &value).stmts;
                }
                Numbers::InTuples(_) | Numbers::Masks => {}
                Numbers::Alone { .. } => alone(value, numbers),
            }
        }
        let how = self.how_known(value);
        let annotation = match numbers {
            Numbers::Annotated(ty) => Some(&**ty),
            _ => None,
        };
        self.value_for(value, annotation);
        // A mistake is shown at this arm, with its remedy.
        if let Some(ty) = annotation {
            *value = Expr::Verbatim(self.entered(ty, value, how));
        }
        if let (Numbers::Masks, Elements::Masks) = (numbers, how) {
            let (span, slot) = (value.span(), in_scope(slot));
            let own = self.internal(span, "__value");
            let set: Block =
                syn::parse_quote_spanned!(span=> { let #own = #value; #slot.set_combined(#own); });
            return set.stmts;
        }
        self.set(slot, value).stmts
    }

    /// The value of an arm of a `match` that stays Rust's.
    pub(super) fn host_arm(&mut self, value: &mut Expr, numbers: &Numbers) {
        match value {
            _ if diverges(value) => return self.value(value),
            Expr::Paren(paren) => return self.host_arm(&mut paren.expr, numbers),
            Expr::Block(block) if block.label.is_none() && has_tail(&block.block) => {
                return self.block_with(&mut block.block, |s, value| {
                    s.host_arm(value, numbers);
                    vec![Stmt::Expr(value.clone(), None)]
                });
            }
            Expr::Tuple(_) if matches!(numbers, Numbers::InTuples(_)) => {
                return self.host_places(value, numbers);
            }
            value if has_arms(value) => {
                *value = self.arms(value, numbers);
                return;
            }
            _ => {}
        }
        match numbers {
            Numbers::Others if number(value).is_some() => self.number_of_others(value),
            Numbers::Annotated(ty) => {
                if number(value).is_some() {
                    suffix_as(value, ty);
                }
                let how = self.how_known(value);
                self.value_for(value, Some(ty));
                *value = Expr::Verbatim(self.entered(ty, value, how));
            }
            Numbers::Alone { floats: true } => {
                into_float(value);
                self.value(value);
            }
            _ => self.value(value),
        }
    }

    /// The values at the places of a tuple.
    fn host_places(&mut self, value: &mut Expr, numbers: &Numbers) {
        if let (Numbers::InTuples(places), Expr::Tuple(tuple)) = (numbers, &mut *value) {
            let places = tuple.elems.iter_mut().zip(places);
            return places.for_each(|(elem, numbers)| self.host_places(elem, numbers));
        }
        if matches!(numbers, Numbers::Others) && number(value).is_some() {
            return self.number_of_others(value);
        }
        self.value(value);
    }

    /// A number without a type beside arms that have one.
    fn number_of_others(&self, number: &mut Expr) {
        let (span, _) = ends(number);
        let (backend, of_others) = (self.backend(span), self.library(span, "number_of_others"));
        suffix_with(number, ["i64", "f64"]);
        *number = syn::parse_quote_spanned!(span=> #of_others::<#backend, _, _>(#number));
    }

    /// The same for a tuple.
    fn set_tuple(&mut self, slot: &Ident, value: &mut Expr, numbers: &Numbers) -> Vec<Stmt> {
        let (whole, slot) = (value.span(), in_scope(slot));
        self.set_place(value, numbers);
        let own = self.internal(whole, "__value");
        let set: Block = syn::parse_quote_spanned!(whole=> { let #own = #value; #slot.set(#own); });
        set.stmts
    }

    /// The value at a place of a tuple.
    fn set_place(&mut self, value: &mut Expr, numbers: &Numbers) {
        match (numbers, &mut *value) {
            (Numbers::InTuples(_), Expr::Paren(paren)) => return self.set_place(&mut paren.expr, numbers),
            (Numbers::InTuples(places), Expr::Tuple(tuple)) => {
                let places = tuple.elems.iter_mut().zip(places);
                return places.for_each(|(elem, numbers)| self.set_place(elem, numbers));
            }
            _ => {}
        }
        let (span, _) = ends(value);
        let backend = self.backend(span);
        if number(value).is_some() {
            match numbers {
                Numbers::Others => return self.number_of_others(value),
                numbers => alone(value, numbers),
            }
        }
        let combined = matches!(numbers, Numbers::Masks) && self.how_known(value) == Elements::Masks;
        self.value(value);
        let function = self.library(span, if combined { "combined" } else { "stage" });
        let of_others = combined.then(|| quote_spanned!(span=> , _));
        *value = syn::parse_quote_spanned!(span=> #function::<#backend, _ #of_others>(#value));
    }
}

/// Numbers that take the annotated type, unless that is `_`.
fn annotated(annotation: Option<&Type>) -> Option<Numbers> {
    let ty = annotation.filter(|ty| !matches!(ty, Type::Infer(_)))?;
    Some(Numbers::Annotated(Box::new(ty.clone())))
}

/// A number without a type takes the default one.
fn alone(number: &mut Expr, numbers: &Numbers) {
    if matches!(numbers, Numbers::Alone { floats: true }) {
        into_float(number);
    }
    suffix_with(number, ["i32", "f64"]);
}

/// The slot is declared outside of the arms.
fn in_scope(slot: &Ident) -> Ident {
    Ident::new(&slot.to_string(), slot.span())
}
