//! Expressions.

use proc_macro2::Span;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    BinOp, Expr, ExprBinary, ExprCast, ExprClosure, ExprIndex, ExprLit, ExprReference, ExprStruct, ExprUnary,
    Ident, Lit, LitInt, Pat, ReturnType, Type, UnOp,
};

use super::around::{Around, has_value};
use super::assign::is_assignment;
use super::built_ins::comparison;
use super::calls::names_constant;
use super::contains::contains;
use super::elements::Elements;
use super::lanes::refused_in_lanes;
use super::lent::borrowed_again;
use super::literals::{is_literal, is_row_of_literals, suffix_as, suffix_default, suffix_large};
use super::numbers::cast_literals;
use super::parts::Whole;
use super::printing::is_printf;
use super::stager::{Name, Stager};
use super::statements::block_of;
use super::trees::operator;
use super::types::{OfMasks, is_number_type};
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    /// An expression whose value is used.
    pub(super) fn value(&mut self, expr: &mut Expr) {
        if !self.lanes.is_empty()
            && let Some((span, message)) = refused_in_lanes(expr)
        {
            *expr = self.errors.in_place(span, message);
            return;
        }
        match expr {
            Expr::Path(path) => {
                if let Some(loaded) = path.path.get_ident().and_then(|name| self.loaded(name)) {
                    *expr = loaded;
                }
            }
            Expr::Macro(found) if is_printf(&found.mac) => *expr = self.printf(&found.mac),
            Expr::Lit(_) | Expr::Const(_) | Expr::Infer(_) => {}
            Expr::Verbatim(refused) if messages::is_mistake(refused) => {}
            Expr::Paren(paren) => self.value(&mut paren.expr),
            Expr::Group(group) => self.value(&mut group.expr),
            Expr::Array(array) if self.mixes_numbers(array) => self.field_value(expr),
            Expr::Array(array) => {
                // The numbers of some rows have the type of the others.
                let mixed = !array.elems.iter().all(is_row_of_literals);
                // So have `true` and `false` that of the other conditions.
                let decides = array.elems.iter().any(is_condition);
                for elem in &mut array.elems {
                    let follows = mixed && is_row_of_literals(elem) || decides && is_truth(elem);
                    if follows { self.field_value(elem) } else { self.value(elem) }
                }
            }
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|e| self.value(e)),
            Expr::Repeat(repeat) => self.value(&mut repeat.expr),
            Expr::Struct(fields) => {
                if let Some(named) = self.structure(fields) {
                    *expr = named;
                }
            }
            Expr::Reference(reference) => {
                if let Some(touched) = self.reference(reference) {
                    *expr = touched;
                }
            }
            Expr::Field(_) | Expr::Index(_) if let Some(whole) = self.whole(expr) => {
                self.read_part(expr, &whole);
            }
            Expr::Field(field) => self.value(&mut field.base),
            Expr::Index(index) => {
                if let Some(element) = self.indexed(index) {
                    *expr = element;
                }
            }
            Expr::Range(range) => {
                [&mut range.start, &mut range.end].into_iter().flatten().for_each(|e| self.value(e));
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                if let Some(loaded) = self.dereferenced(unary) {
                    *expr = loaded;
                }
            }
            Expr::Unary(unary) => self.value(&mut unary.expr),
            Expr::Binary(binary) => *expr = self.binary(binary),
            Expr::Assign(assign) => *expr = self.assign(assign),
            // A literal is a host number, for which Rust's own cast is correct, if Rust has the type.
            Expr::Cast(cast) if matches!(in_parentheses(&cast.expr), Expr::Lit(_)) && !is_own(&cast.ty) => {}
            Expr::Cast(cast) => *expr = self.cast(cast),
            Expr::Call(call) => {
                if let Some(refused) = self.call(call) {
                    *expr = refused;
                }
            }
            Expr::MethodCall(call) => {
                if let Some(other) = self.method(call) {
                    *expr = other;
                }
            }
            Expr::Block(block) => match &block.label {
                Some(label) => *expr = self.labelled(&label.clone(), &mut block.block, None),
                None => self.block(&mut block.block),
            },
            Expr::If(branch) => {
                *expr = if branch.else_branch.is_some() && has_value(branch) {
                    let numbers = self.numbers(&Expr::If(branch.clone()), None);
                    self.if_value(branch, &numbers)
                } else {
                    self.if_statement(branch)
                }
            }
            Expr::While(looped) => *expr = self.while_loop(looped),
            Expr::ForLoop(looped) => *expr = self.for_loop(looped),
            Expr::Match(matched) => {
                let numbers = self.numbers(&Expr::Match(matched.clone()), None);
                *expr = self.matching(matched, Some(&numbers));
            }
            Expr::Loop(looped) => *expr = self.endless_loop(looped, None),
            Expr::Closure(closure) => self.closure(closure),
            other => {
                let (span, message) = refusal(other);
                *other = self.errors.in_place(span, message);
            }
        }
    }

    /// The value of a name of the kernel.
    fn loaded(&self, name: &Ident) -> Option<Expr> {
        let span = name.span();
        match self.lookup(name)? {
            Name::Variable(_) => {
                let (load, backend) = (self.library(span, "load"), self.backend(span));
                Some(syn::parse_quote_spanned!(span=> #load::<#backend, _>(&#name)))
            }
            Name::Place => Some(syn::parse_quote_spanned!(span=> #name.value())),
            Name::InPlace { .. } | Name::InStackSlot => {
                let views = self.library(span, "views");
                Some(syn::parse_quote_spanned!(span=> #views(&#name).loaded()))
            }
            _ => None,
        }
    }

    /// A new structure. Where its constants are left to rustc, the expression that takes its place.
    fn structure(&mut self, fields: &mut ExprStruct) -> Option<Expr> {
        let written = self.without_constants(&mut fields.path);
        for field in &mut fields.fields {
            // A field by its own name is read like any other value.
            field.colon_token.get_or_insert_default();
            self.field_value(&mut field.expr);
        }
        if let Some(rest) = &mut fields.rest {
            self.value(rest);
        }
        let structure = written?;
        let span = ends(&structure).0;
        let (named, backend) = (self.library(span, "named"), self.backend(span));
        Some(syn::parse_quote_spanned!(span=> #named::<#structure, #backend, _>(#fields)))
    }

    /// The value of a field of a new structure. Numbers take the type of the field, or of the elements of a field.
    pub(super) fn field_value(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.field_value(&mut paren.expr),
            Expr::Array(array) => array.elems.iter_mut().for_each(|elem| self.field_value(elem)),
            Expr::Repeat(repeat) => self.field_value(&mut repeat.expr),
            value => {
                let number = is_literal(value) || self.is_number(value);
                let how = self.how_known(value);
                let operated = match how {
                    Elements::Open => false,
                    Elements::Masks => !self.may_be_number_as_written(value),
                    Elements::Settled => self.compares_any_register(value),
                };
                suffix_large(value);
                self.value(value);
                if operated {
                    // Else rustc would look for the type of a literal in that of the field, and report an associated type.
                    let (span, _) = ends(value);
                    let [function, how] = ["field_result", how.name()].map(|item| self.library(span, item));
                    let backend = self.backend(span);
                    *value =
                        syn::parse_quote_spanned!(value.span()=> #function::<#backend, #how, _, _>(#value));
                } else if number {
                    let (span, _) = ends(value);
                    let (field, backend) = (self.library(span, "field"), self.backend(span));
                    *value = syn::parse_quote_spanned!(span=> #field::<#backend, _, _, _>(#value));
                }
            }
        }
    }

    /// A reference. To a variable that the callee may change, the expression that takes its place.
    fn reference(&mut self, reference: &mut ExprReference) -> Option<Expr> {
        let touched = self.touched(reference);
        if touched.is_none() {
            if reference.mutability.is_some() && self.names_place(&reference.expr) {
                *reference.expr = borrowed_again(&reference.expr);
            } else {
                self.receiver(&mut reference.expr);
            }
        }
        touched
    }

    /// `&mut x` of a variable, a part of it, or what a reference refers to: the callee may change it.
    fn touched(&mut self, reference: &mut ExprReference) -> Option<Expr> {
        reference.mutability?;
        if let Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) = in_parentheses(&reference.expr) {
            return self.passed_on(expr);
        }
        let mark = match &*reference.expr {
            Expr::Path(path) => match self.lookup(path.path.get_ident()?)? {
                Name::Variable(mark) => mark.clone(),
                _ => return None,
            },
            part => match self.whole(part)? {
                Whole::Mutable(mark) => mark,
                Whole::Shared => return None,
            },
        };
        let indices = self.indices_once(&mut reference.expr);
        self.part(&mut reference.expr);
        let (span, _) = ends(&reference.expr);
        let (touch, backend, changed) = (self.library(span, "touch"), self.backend(span), &reference.expr);
        Some(syn::parse_quote_spanned!(span=> {
            #(#indices)*
            #touch::<#backend, _>(&#changed, #mark);
            #reference
        }))
    }

    /// The name of a `&mut` reference as an argument: the callee may change what it refers to, as with `&mut x`.
    pub(super) fn passed_on(&self, argument: &Expr) -> Option<Expr> {
        let name = in_parentheses(argument);
        let mark = self.exclusive_mark(name).filter(|mark| !self.is_staged_mark(mark))?;
        let (span, _) = ends(name);
        let ([passed_on, untouched], backend) =
            (["PassedOn", "Untouched"].map(|item| self.library(span, item)), self.backend(span));
        Some(syn::parse_quote_spanned!(span=> {
            #[allow(unused_imports)]
            use #untouched as _;
            #passed_on::<#backend, _>::new(&*#name).touch(#mark);
            &mut *#name
        }))
    }

    /// The receiver of a method or the operand of a reference: a variable stays a variable.
    pub(super) fn receiver(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(_) => {}
            Expr::Paren(paren) => self.receiver(&mut paren.expr),
            Expr::Field(_) | Expr::Index(_) if self.whole(expr).is_some() => self.part(expr),
            Expr::Field(field) => self.receiver(&mut field.base),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.receiver(&mut unary.expr),
            other => self.value(other),
        }
    }

    /// An element by its number. Of a constant array, the expression that takes its place.
    fn indexed(&mut self, index: &mut ExprIndex) -> Option<Expr> {
        let table = self.is_table(&index.expr) && !matches!(&*index.index, Expr::Range(_));
        self.receiver(&mut index.expr);
        self.value(&mut index.index);
        let (shown, _) = ends(&index.index);
        let (constant, number, backend) = (&index.expr, &index.index, self.backend(shown));
        if table {
            let (of_table, table) = (self.library(shown, "of_table"), self.internal(shown, "__table"));
            // The table is evaluated once: it may be an element of another one.
            return Some(syn::parse_quote_spanned!(shown=> (*{
                let #table = &#constant;
                &#table[#of_table::<#backend, _, _>(#table, #number)]
            })));
        }
        if let Expr::Path(array) = &**constant
            && let Some(name) = array.path.get_ident()
            && matches!(self.lookup(name), Some(Name::Memories))
        {
            let chosen = self.library(shown, "chosen");
            *index.index = syn::parse_quote_spanned!(shown=> #chosen::<#backend, _, _>(&#name, #number));
        }
        None
    }

    /// What a reference refers to. For a variable that was passed by reference, the expression that takes its place.
    fn dereferenced(&mut self, unary: &mut ExprUnary) -> Option<Expr> {
        self.receiver(&mut unary.expr);
        let Expr::Path(path) = &*unary.expr else { return None };
        let name = path.path.get_ident()?;
        let (Name::Exclusive(_) | Name::Shared(_)) = self.lookup(name)? else { return None };
        let (load, backend) = (self.library(name.span(), "load"), self.backend(name.span()));
        Some(syn::parse_quote_spanned!(name.span()=> #load::<#backend, _>(&*#name)))
    }

    /// A conversion by `as`, of anything but a literal.
    fn cast(&mut self, cast: &mut ExprCast) -> Expr {
        let number = self.is_number(&cast.expr);
        if !number && let Some(mut truth) = condition_as_number(cast) {
            self.value(&mut truth);
            return truth;
        }
        if matches!(&*cast.ty, Type::Path(ty) if ty.path.is_ident("i64")) {
            // A negative literal may be too large for the type that it has by itself.
            suffix_as(&mut cast.expr, &cast.ty);
        }
        self.value(&mut cast.expr);
        // Only host numbers are of these types, and operators after the cast need the type at once.
        let host =
            matches!(&*cast.ty, Type::Path(ty) if ty.path.is_ident("usize") || ty.path.is_ident("isize"));
        let span = cast.as_token.span;
        let function = self.library(span, if host || number { "cast_host" } else { "cast" });
        let (backend, value, ty) = (self.backend(span), &cast.expr, &cast.ty);
        syn::parse_quote_spanned!(span=> #function::<#backend, #ty, _>(#value))
    }

    /// Whether it is a constant array, or an element of one that is an array, as far as the name shows.
    pub(super) fn is_table(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_table(&paren.expr),
            Expr::Index(index) => self.is_table(&index.expr),
            Expr::Path(path) => {
                let of_kernel = path.path.get_ident().is_some_and(|name| self.lookup(name).is_some());
                let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                !of_kernel && names_constant(&name)
            }
            _ => false,
        }
    }

    fn binary(&mut self, binary: &mut ExprBinary) -> Expr {
        if is_assignment(&binary.op) {
            return self.op_assign(binary);
        }
        if let Some((condition, holds)) = compared_with_bool(binary) {
            let mut condition = condition.clone();
            self.value(&mut condition);
            let (shown, _) = ends(&condition);
            let (decided, backend) = (self.library(shown, "decided"), self.backend(shown));
            let not = (!holds).then(|| quote_spanned!(shown=> !));
            return syn::parse_quote_spanned!(shown=> #not #decided::<#backend, _>(#condition));
        }
        let register = self.is_register(&binary.left) || self.is_register(&binary.right);
        cast_literals(binary);
        if operator(&binary.op).is_some() {
            // Rust gives literals this type only at the end of the function: methods of the result need it before, and so do
            // the messages about it.
            let staged = |side: &Expr| self.is_scalar(side) || self.is_of_tuple(side);
            if staged(&binary.right) {
                suffix_default(&mut binary.left);
            } else if staged(&binary.left) {
                suffix_default(&mut binary.right);
            }
        }
        self.suffix_large_beside(&mut binary.left, &binary.right);
        self.suffix_large_beside(&mut binary.right, &binary.left);
        // Operators take registers of any elements, so that neither operand's can follow.
        self.refuse_unsized_read(&mut binary.left);
        self.refuse_unsized_read(&mut binary.right);
        self.typed_value(&mut binary.left);
        if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) {
            self.enclosed(Around::Condition, |s| s.typed_value(&mut binary.right));
        } else {
            self.typed_value(&mut binary.right);
        }
        let span = binary.op.span();
        let (left, right) = (&binary.left, &binary.right);
        let backend = self.backend(span);
        let of_tree = register && (comparison(&binary.op).is_none() || self.compares_registers(binary));
        if let Some(name) = comparison(&binary.op).filter(|_| !of_tree) {
            let compare = self.library(span, "compare");
            let krate = self.model.krate(span);
            let name = Ident::new(name, span);
            let op = quote_spanned!(span=> #krate::__private::ops::#name);
            return syn::parse_quote_spanned!(span=> #compare::<#backend, #op, _, _>(#left, #right));
        }
        let logical = match binary.op {
            BinOp::And(_) => "and",
            BinOp::Or(_) => "or",
            _ => {
                let mut operator = Expr::Binary(binary.clone());
                if of_tree {
                    self.computed_tree(&mut operator);
                }
                return operator;
            }
        };
        let function = self.library(span, logical);
        // The right side as a closure, so that host conditions short-circuit.
        syn::parse_quote_spanned!(span=> #function::<#backend, _, _>(#left, || #right))
    }

    /// A closure is a helper inside the kernel: its parameters and its result are staged types.
    fn closure(&mut self, closure: &mut ExprClosure) {
        if let Some(token) = closure.asyncness.take() {
            self.errors.add(token.span, messages::ASYNC);
        }
        self.scoped(|s| {
            let (mut variables, mut stmts) = (Vec::new(), Vec::new());
            let masks: Vec<_> = closure.inputs.iter().filter_map(named_masks).collect();
            for input in &mut closure.inputs {
                let written = input.clone();
                s.pattern(input, &mut variables);
                s.reference_parameter(&written, &mut stmts);
            }
            for ident in variables {
                s.declare(&ident, &mut stmts);
            }
            masks.iter().for_each(|(name, masks)| s.bound_masks_of(name, *masks));
            let how = s.how_known(&closure.body);
            let result = match &closure.output {
                ReturnType::Type(_, ty) => Some((**ty).clone()),
                ReturnType::Default => None,
            };
            s.enclosed(Around::Closure, |s| s.value_for(&mut closure.body, result.as_ref()));
            if let ReturnType::Type(_, ty) = &mut closure.output {
                let body = s.entered(ty, &closure.body, how);
                **ty = s.model.staged(ty);
                *closure.body = block_of(stmts, Expr::Verbatim(body));
            } else if !stmts.is_empty() {
                *closure.body = block_of(stmts, (*closure.body).clone());
            }
        });
    }
}

/// The name of a parameter with a type, and whether its elements are masks.
fn named_masks(input: &Pat) -> Option<(Ident, OfMasks)> {
    let Pat::Type(typed) = input else { return None };
    match &*typed.pat {
        Pat::Ident(name) => Some((name.ident.clone(), OfMasks::of_type(&typed.ty))),
        _ => None,
    }
}

/// What is in parentheses, or the expression itself.
fn in_parentheses(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) => in_parentheses(&paren.expr),
        Expr::Group(group) => in_parentheses(&group.expr),
        expr => expr,
    }
}

/// The condition in `c == true` and `c != false`, and whether it must hold.
fn compared_with_bool(binary: &ExprBinary) -> Option<(&Expr, bool)> {
    let equal = match binary.op {
        BinOp::Eq(_) => true,
        BinOp::Ne(_) => false,
        _ => return None,
    };
    let truth = |expr: &Expr| match expr {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value),
        _ => None,
    };
    match (truth(&binary.left), truth(&binary.right)) {
        (None, Some(value)) => Some((&*binary.left, value == equal)),
        (Some(value), None) => Some((&*binary.right, value == equal)),
        _ => None,
    }
}

/// `(a < b) as i32` as the choice of a number. Conditions are no numbers of the backend.
fn condition_as_number(cast: &ExprCast) -> Option<Expr> {
    if !is_condition(&cast.expr) || !is_number_type(&cast.ty) {
        return None;
    }
    let (condition, ty, span) = (&cast.expr, &cast.ty, cast.as_token.span);
    // Rust has no literals of these types.
    let other =
        ["f16", "bf16", "tf32"].iter().any(|name| matches!(&**ty, Type::Path(ty) if ty.path.is_ident(name)));
    let suffix = if other { "i32".into() } else { ty.to_token_stream().to_string() };
    let number = |value: u8| LitInt::new(&format!("{value}{suffix}"), span);
    let (one, zero) = (number(1), number(0));
    let chosen: Expr = syn::parse_quote_spanned!(span=> if #condition { #one } else { #zero });
    Some(if other { syn::parse_quote_spanned!(span=> (#chosen) as #ty) } else { chosen })
}

/// Whether a type of numbers is the library's and not Rust's.
fn is_own(ty: &Type) -> bool {
    let Type::Path(ty) = ty else { return false };
    ty.path.segments.last().is_some_and(|last| ["f16", "bf16", "tf32"].iter().any(|name| last.ident == name))
}

/// Whether it is `true` or `false`.
fn is_truth(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit: Lit::Bool(_), .. }))
}

/// Whether syntax shows that an expression is a condition.
fn is_condition(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_condition(&paren.expr),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)) && is_condition(&unary.expr),
        Expr::Binary(binary) => {
            comparison(&binary.op).is_some() || matches!(binary.op, BinOp::And(_) | BinOp::Or(_))
        }
        Expr::MethodCall(call) if contains(call).is_some() => true,
        Expr::MethodCall(call) => call.args.is_empty() && (call.method == "any" || call.method == "all"),
        _ => false,
    }
}

/// The mistake in an expression that cannot be staged, with its span.
fn refusal(expr: &Expr) -> (Span, &'static str) {
    match expr {
        Expr::Let(found) => (found.let_token.span, messages::LET_CHAIN),
        Expr::Return(found) => (found.return_token.span, messages::LEAVES),
        Expr::Break(found) => (found.break_token.span, messages::LEAVES),
        Expr::Continue(found) => (found.continue_token.span, messages::LEAVES),
        Expr::Try(found) => (found.question_token.span, messages::QUESTION),
        Expr::Unsafe(found) => (found.unsafe_token.span, messages::UNSAFE),
        Expr::Async(found) => (found.async_token.span, messages::ASYNC),
        Expr::Await(found) => (found.await_token.span, messages::ASYNC),
        Expr::Macro(found) => messages::macro_call(&found.mac),
        other => (other.span(), messages::UNSUPPORTED),
    }
}
