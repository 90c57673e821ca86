//! `let`: annotated types, variables, patterns.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, ExprUnary, FieldPat, Ident, Local, LocalInit, Pat, PatIdent, Path, Stmt, Type, UnOp,
};

use super::elements::Elements;
use super::following::Following;
use super::in_place::InPlace;
use super::lent::ends_in_place;
use super::let_else::let_else;
use super::literals::{literal, suffix_as, suffix_elements};
use super::memory::Owner;
use super::parts::{Whole, depth_of_array};
use super::stager::{Name, Nested, PendingTree, Stager};
use super::types::OfMasks;
use super::uses::count_uses;
use crate::messages;
use crate::model::{Referent, ends, is_register_type, of_register_type};
use crate::names::mentions;

/// A `let` whose value is staged.
struct Binding {
    attrs: Vec<Attribute>,
    /// The value as written.
    init: Expr,
    /// `: T`, on the backend.
    annotation: Option<TokenStream>,
    value: TokenStream,
    shown: Shown,
}

impl Binding {
    /// Declares a Rust variable: the kernel's own variables are of the backend.
    fn of_mutable(&self, ident: &Ident) -> Stmt {
        let Self { attrs, annotation, value, .. } = self;
        syn::parse_quote!(#(#attrs)* #[allow(unused_mut)] let mut #ident #annotation = #value;)
    }
}

/// What syntax shows of the value of a `let`.
struct Shown {
    register: bool,
    /// The number of indices of a register, if it is an array of them.
    elements: Option<usize>,
    /// Whether rustc knows the type where it is declared.
    typed: bool,
    /// Whether rustc knows the shape.
    shaped: bool,
    /// Whether its elements are masks.
    masks: OfMasks,
    /// Whether it is a structure of registers.
    structure: bool,
    /// Whether it is a structure or a constant array, whose methods are its own.
    own_methods: bool,
    /// Whether it is shared memory.
    shared_memory: bool,
}

impl Stager<'_> {
    /// Stages a `let`. `rest` are the statements after it.
    pub(super) fn local(&mut self, local: Local, rest: Following<'_>, out: &mut Vec<Stmt>) {
        if let Some(chosen) = let_else(&local) {
            return self.local(chosen, rest, out);
        }
        // Before anything is rewritten: these read the user's source.
        if let Some((read, how, convert)) = self.apart(&local, rest).filter(|_| !self.is_conditional()) {
            self.local_used(read, Some(how), None, out);
            return self.local(convert, rest, out);
        }
        if let Some(fields) = self.fields_of_arguments(&local) {
            fields.into_iter().for_each(|field| self.local(field, rest, out));
            return;
        }
        // Without the statement the name is another value.
        let certain = !self.is_conditional();
        let in_place = if certain { self.in_place(&local, rest) } else { None };
        let pending = if certain { self.stays_pending(&local, rest) } else { None };
        self.local_used(local, in_place, pending, out);
    }

    /// Stages a `let` whose value is used in place, or only by trees.
    fn local_used(
        &mut self,
        mut local: Local,
        mut in_place: Option<InPlace>,
        pending: Option<PendingTree>,
        out: &mut Vec<Stmt>,
    ) {
        let written = local.clone();
        let shaped = self.declares_shape(&local);
        let is_place = local.init.as_ref().is_some_and(|init| ends_in_place(&init.expr));
        let Some(init) = local.init.take() else { return self.uninitialised(local, out) };
        let (pat, mut annotation) = match local.pat {
            Pat::Type(typed) => (*typed.pat, Some(*typed.ty)),
            pat => (pat, None),
        };
        let mut value = (*init.expr).clone();
        let mut shown = self.shown(annotation.as_ref(), &value, shaped);
        let how = self.how_known(&value);
        match &annotation {
            Some(_) => {
                self.refuse_untyped_format(&mut value);
                self.value_for(&mut value, annotation.as_ref());
            }
            None => self.typed_value(&mut value),
        }
        let annotated = annotation.as_ref().is_some_and(|ty| !mentions(ty.to_token_stream(), "_"));
        shown.typed = annotated || self.is_typed_register(&value);
        if let Some(mut pending) = pending
            && let Pat::Ident(name) = &pat
            && let Some((tree, depth)) = self.pending(&value, out)
        {
            pending.depth = depth;
            self.pending_tree(&name.ident, pending, shown.typed);
            self.bound_masks(shown.masks);
            if shown.shaped {
                self.bound_shape();
            }
            out.push(syn::parse_quote!(let #pat = #tree;));
            return;
        }
        if let Some((token, _)) = init.diverge {
            let message =
                if annotation.take().is_some() { messages::LET_ELSE_TYPE } else { messages::LET_ELSE };
            value = self.errors.in_place(token.span(), message);
        }
        in_place = in_place.filter(|how| self.value_in_place(&mut value, how, out));
        if let Some(InPlace::Converted { .. } | InPlace::StackSlot(_)) = in_place {
            // `annotated` reports another shape.
            annotation = None;
        }
        if let Some(ty) = &annotation {
            suffix_as(&mut value, ty);
        }
        let value = match &annotation {
            Some(Type::Infer(_)) | None => quote!(#value),
            Some(ty) => self.entered(ty, &value, how),
        };
        let annotation = annotation.map(|ty| {
            let ty = self.model.staged(&ty);
            quote!(: #ty)
        });
        let binding = Binding { attrs: local.attrs, init: *init.expr, annotation, value, shown };
        if is_place
            && let Pat::Ident(name) = &pat
            && binding.annotation.is_none()
        {
            // Assignments to the place change it.
            self.place(&name.ident);
            out.push(binding.of_mutable(&name.ident));
            return;
        }
        self.bind_local(pat, in_place.as_ref(), binding, &written, out);
    }

    /// Stages a value whose elements are used where they are; returns whether they can be.
    fn value_in_place(&mut self, value: &mut Expr, how: &InPlace, out: &mut Vec<Stmt>) -> bool {
        match how {
            InPlace::Read { .. } => self.read_in_place(value, out),
            InPlace::Converted { to, vector } => self.convert_in_place(value, to, *vector),
            InPlace::StackSlot(slot) => return self.in_stack_slot(value, slot, out),
        }
        true
    }

    /// Binds the names of a `let`: a closure, a variable, or values.
    fn bind_local(
        &mut self,
        pat: Pat,
        in_place: Option<&InPlace>,
        binding: Binding,
        written: &Local,
        out: &mut Vec<Stmt>,
    ) {
        match (&pat, &binding.init) {
            (Pat::Ident(name), Expr::Closure(closure)) => {
                // It is no variable of the kernel, and it may change some.
                self.closure_name(&name.ident, closure);
                out.push(binding.of_mutable(&name.ident));
            }
            (Pat::Ident(name), _) if name.mutability.is_some() => {
                self.bind_variable(name, binding, out);
            }
            _ => self.bind_values(pat, in_place, binding, written, out),
        }
    }

    /// The names in `let (a, b) = (x, y)` whose values are such.
    fn of_tuple(pat: &Pat, value: &Expr, such: impl Fn(&Expr) -> bool) -> Vec<Ident> {
        let (Pat::Tuple(names), Expr::Tuple(values)) = (pat, value) else { return Vec::new() };
        if names.elems.len() != values.elems.len() {
            return Vec::new();
        }
        let pairs = names.elems.iter().zip(&values.elems);
        pairs.filter(|(_, value)| such(value)).filter_map(|(name, _)| declared_name(name)).collect()
    }

    /// Refuses a `let` without a value.
    fn uninitialised(&mut self, mut local: Local, out: &mut Vec<Stmt>) {
        let refused = self.errors.in_place(local.pat.span(), messages::UNINITIALISED);
        let mut names = Vec::new();
        self.pattern(&mut local.pat, &mut names);
        let pat = &local.pat;
        out.push(syn::parse_quote!(let #pat = #refused;));
        // Later assignments to it must not be another mistake.
        if let Some(name) = declared_name(pat) {
            self.declare(&name, out);
        }
    }

    /// What syntax shows of a value before it is staged.
    fn shown(&self, annotation: Option<&Type>, value: &Expr, shaped: bool) -> Shown {
        let register = match annotation {
            Some(Type::Path(ty)) => of_register_type(&ty.path),
            _ => self.is_register(value),
        };
        let elements = match annotation {
            Some(ty) => depth_of_array(ty),
            None => self.array_of_registers(value),
        };
        let masks = match annotation {
            Some(ty) => OfMasks::of_type(ty),
            None => self.of_masks(value),
        };
        let structure = self.owner(value) == Owner::Registers;
        let own_methods = annotation.is_none() && self.has_own_methods(value);
        let shared_memory = self.is_shared_memory(value);
        Shown { register, elements, typed: false, shaped, masks, structure, own_methods, shared_memory }
    }

    /// The last name bound is that of a value with these properties.
    fn bound_as(&mut self, shown: &Shown) {
        if shown.register {
            self.bound_register(shown.typed);
        }
        if let Some(depth) = shown.elements {
            self.bound_elements(Nested { depth, typed: shown.typed });
        }
        if shown.shaped {
            self.bound_shape();
        }
        self.bound_masks(shown.masks);
        if shown.structure {
            self.bound_structure();
        }
        if shown.own_methods {
            self.bound_own_methods();
        }
        if shown.shared_memory {
            self.bound_shared_memory();
        }
    }

    /// `let mut name = ..`: a variable of the backend.
    fn bind_variable(&mut self, name: &PatIdent, binding: Binding, out: &mut Vec<Stmt>) {
        let Binding { attrs, mut init, annotation, mut value, shown } = binding;
        let (ident, span) = (&name.ident, ends(&init).0);
        if annotation.is_none() && suffix_elements(&mut init) {
            value = quote!(#init);
        }
        let (variable, backend) = (self.library(span, "variable"), self.backend(name.span()));
        self.variable(ident, out);
        self.bound_as(&shown);
        let value = quote_spanned!(span=> #variable::<#backend, _>(#value));
        out.push(syn::parse_quote!(#(#attrs)* let mut #ident #annotation = #value;));
    }

    /// A `let` of values. The names that are `mut` in a larger pattern become variables after it.
    fn bind_values(
        &mut self,
        mut pat: Pat,
        in_place: Option<&InPlace>,
        binding: Binding,
        written: &Local,
        out: &mut Vec<Stmt>,
    ) {
        let Binding { attrs, mut init, annotation, value, shown } = binding;
        let mut variables = Vec::new();
        // Before the names are bound, which may be those of values in it.
        let registers = Self::of_tuple(&pat, &init, |value| self.is_register(value));
        let masks = [OfMasks::No, OfMasks::Yes]
            .map(|masks| (masks, Self::of_tuple(&pat, &init, |value| self.of_masks(value) == masks)));
        let rows = if self.is_conditional() { Vec::new() } else { self.rows_in_place(written) };
        let (memories, referent) = (self.lists_memory(&init), self.refers_to_variable(&init));
        self.pattern(&mut pat, &mut variables);
        if let Pat::Ident(name) = &pat {
            if let Some(in_place) = in_place {
                self.bind_in_place(&name.ident, in_place);
            } else if literal(&mut init).is_some() {
                self.number(&name.ident, true);
            } else if memories {
                self.memories(&name.ident);
            } else if let Some(mark) = &referent {
                self.references(&pat, mark.as_ref());
            }
            self.bound_as(&shown);
        } else if let Some(mark) = &referent {
            self.references(&pat, mark.as_ref());
        }
        for (name, row) in rows {
            self.bind(&name, row);
            self.bound_register(true);
        }
        out.push(syn::parse_quote!(#(#attrs)* let #pat #annotation = #value;));
        for ident in variables {
            self.declare(&ident, out);
        }
        registers.iter().for_each(|name| self.bound_register_of_tuple(name));
        for (masks, names) in masks {
            names.iter().for_each(|name| self.bound_masks_of(name, masks));
        }
    }

    /// `let P { x, y: z } = p` as a `let` for each field: in a kernel a structure of arguments has another type.
    fn fields_of_arguments(&self, local: &Local) -> Option<Vec<Local>> {
        let (Pat::Struct(pattern), Some(init)) = (&local.pat, &local.init) else { return None };
        if !self.is_of_arguments(&init.expr, &pattern.path) || init.diverge.is_some() {
            return None;
        }
        let field = |field: &FieldPat| {
            let (pat, member, object) = (&field.pat, &field.member, &init.expr);
            let mut local = local.clone();
            local.init = Some(LocalInit { expr: syn::parse_quote!(#object.#member), ..init.clone() });
            local.pat = (**pat).clone();
            local
        };
        // A name that hides the structure is bound last.
        let (last, first): (Vec<_>, Vec<_>) = pattern
            .fields
            .iter()
            .partition(|field| root(&init.expr).is_some_and(|name| binds(&field.pat, name)));
        Some(first.into_iter().chain(last).map(field).collect())
    }

    /// Whether an expression is a parameter of type `ty`, another name of the kernel, or a field.
    fn is_of_arguments(&self, expr: &Expr, ty: &Path) -> bool {
        let Expr::Path(path) = expr else { return matches!(expr, Expr::Field(_)) };
        let name = |path: &Path| path.segments.last().map(|last| last.ident.clone());
        let param = self.model.params.iter().find(|param| path.path.is_ident(&param.name));
        match param.map(|param| &param.full) {
            Some(Type::Path(full)) => name(&full.path) == name(ty),
            Some(_) => false,
            None => path.path.get_ident().is_some_and(|name| self.lookup(name).is_some()),
        }
    }

    /// Whether rustc knows the shape of the register that a `let` declares.
    fn declares_shape(&self, local: &Local) -> bool {
        match &local.pat {
            Pat::Type(typed) => match &*typed.ty {
                Type::Path(ty) => of_register_type(&ty.path) && !mentions(ty.to_token_stream(), "_"),
                _ => false,
            },
            Pat::Ident(_) => local.init.as_ref().is_some_and(|init| self.is_shaped(&init.expr)),
            _ => false,
        }
    }

    /// The mark of a variable, or of one that it is a part of, if an expression is `&mut` of it, or nothing for `&`.
    fn refers_to_variable(&self, expr: &Expr) -> Option<Option<Ident>> {
        let reference = match expr {
            Expr::Reference(reference) => reference,
            // Another name for a reference.
            Expr::Path(path) => {
                return match self.lookup(path.path.get_ident()?)? {
                    Name::Exclusive(mark) => Some(Some(mark.clone())),
                    Name::Shared(Referent::Other) => Some(None),
                    _ => None,
                };
            }
            _ => return None,
        };
        // What a reference refers to.
        if let Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) = &*reference.expr {
            return self.refers_to_variable(expr).map(|mark| mark.filter(|_| reference.mutability.is_some()));
        }
        let whole = match &*reference.expr {
            Expr::Path(path) => match self.lookup(path.path.get_ident()?)? {
                Name::Variable(mark) => Whole::Mutable(mark.clone()),
                _ => return None,
            },
            part => self.whole(part)?,
        };
        match whole {
            Whole::Mutable(mark) if reference.mutability.is_some() => Some(Some(mark)),
            _ => Some(None),
        }
    }

    /// The names that a pattern gives to parts of a variable, of a reference with this mark: they are references, too.
    fn references(&mut self, pat: &Pat, mark: Option<&Ident>) {
        match pat {
            Pat::Ident(name) => match mark {
                Some(mark) => self.exclusive_of(&name.ident, mark.clone()),
                None => self.shared(&name.ident, Referent::Other),
            },
            Pat::Paren(paren) => self.references(&paren.pat, mark),
            Pat::Tuple(tuple) => tuple.elems.iter().for_each(|p| self.references(p, mark)),
            Pat::Slice(slice) => slice.elems.iter().for_each(|p| self.references(p, mark)),
            Pat::Struct(fields) => fields.fields.iter().for_each(|f| self.references(&f.pat, mark)),
            // `&x` is a copy.
            _ => {}
        }
    }

    /// A parameter of a closure, if it is a reference by its type: it is one as in a function.
    pub(super) fn reference_parameter(&mut self, pat: &Pat, out: &mut Vec<Stmt>) {
        let Pat::Type(typed) = pat else { return };
        let (Pat::Ident(name), Type::Reference(reference)) = (&*typed.pat, &*typed.ty) else { return };
        if reference.mutability.is_some() {
            let (mark, backend) = (self.exclusive(&name.ident), self.backend(name.ident.span()));
            if is_register_type(&reference.elem) {
                self.mark_is_staged(&mark);
            }
            let new = self.library(name.ident.span(), "mark");
            out.push(syn::parse_quote!(let #mark = #new::<#backend>();));
        } else {
            self.shared(&name.ident, Referent::of(&reference.elem));
        }
        if is_register_type(&reference.elem) {
            self.bound_shape();
        }
        if let Some(depth) = depth_of_array(&reference.elem) {
            self.bound_elements(Nested { depth, typed: true });
        }
    }

    /// `let mut name = name` as a variable, for names that were bound as values.
    pub(crate) fn declare(&mut self, ident: &Ident, out: &mut Vec<Stmt>) {
        let backend = self.backend(ident.span());
        let variable = self.library(ident.span(), "variable");
        self.variable(ident, out);
        out.push(
            syn::parse_quote_spanned!(ident.span()=> let mut #ident = #variable::<#backend, _>(#ident);),
        );
    }

    /// `value` converted for the annotated type.
    pub(crate) fn entered(&self, ty: &Type, value: &Expr, how: Elements) -> TokenStream {
        let enter = self.library(value.span(), "enter");
        let (backend, how) = (self.backend(value.span()), self.library(value.span(), how.name()));
        quote_spanned!(value.span()=> #enter::<#backend, #how, #ty, _>(#value))
    }

    /// Binds the names of a pattern; those that are `mut` are collected to be declared as variables.
    pub(super) fn pattern(&mut self, pat: &mut Pat, variables: &mut Vec<Ident>) {
        match pat {
            Pat::Ident(name) => {
                if name.by_ref.is_some() {
                    self.errors.add(name.span(), messages::REF_BINDING);
                    name.by_ref = None;
                }
                // Bound as a value; `declare` makes a variable of it.
                if name.mutability.take().is_some() {
                    variables.push(name.ident.clone());
                }
                self.plain(&name.ident);
                if let Some((_, sub)) = &mut name.subpat {
                    self.pattern(sub, variables);
                }
            }
            Pat::Tuple(tuple) => tuple.elems.iter_mut().for_each(|p| self.pattern(p, variables)),
            Pat::Slice(slice) => slice.elems.iter_mut().for_each(|p| self.pattern(p, variables)),
            Pat::TupleStruct(tuple) => tuple.elems.iter_mut().for_each(|p| self.pattern(p, variables)),
            Pat::Struct(fields) => {
                // The value says them.
                self.without_constants(&mut fields.path);
                fields.fields.iter_mut().for_each(|f| self.pattern(&mut f.pat, variables));
            }
            Pat::Or(or) => or.cases.iter_mut().for_each(|p| self.pattern(p, variables)),
            Pat::Paren(paren) => self.pattern(&mut paren.pat, variables),
            Pat::Reference(reference) => self.pattern(&mut reference.pat, variables),
            Pat::Type(typed) => {
                self.pattern(&mut typed.pat, variables);
                if matches!(&*typed.pat, Pat::Ident(_)) {
                    self.bound_masks(OfMasks::of_type(&typed.ty));
                }
                *typed.ty = self.model.staged(&typed.ty);
            }
            Pat::Guard(guard) => {
                self.pattern(&mut guard.pat, variables);
                self.value(&mut guard.guard);
                self.host_choice(&mut guard.guard, "host_matched");
            }
            Pat::Macro(found) => {
                let (span, message) = messages::macro_call(&found.mac);
                self.errors.add(span, message);
                *pat = syn::parse_quote!(_);
            }
            _ => {}
        }
    }
}

/// The name that a `let` declares, if it is one.
fn declared_name(pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(name) => Some(name.ident.clone()),
        Pat::Type(typed) => declared_name(&typed.pat),
        _ => None,
    }
}

/// The name that an expression is, or is a field of.
fn root(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Field(field) => root(&field.base),
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// Whether a pattern binds this name.
fn binds(pat: &Pat, name: &Ident) -> bool {
    count_uses(pat.to_token_stream(), &name.unraw()) > 0
}
