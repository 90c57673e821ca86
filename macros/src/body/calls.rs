//! Calls: built-ins get the backend, literal offsets become types, CM's overloads get their names.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    AngleBracketedGenericArguments, Expr, ExprCall, ExprLit, ExprMethodCall, ExprPath, ExprUnary,
    GenericArgument, Ident, Lit, LitInt, PathArguments, Token, Type, UnOp,
};

use super::alone::{is_of_math, names_type, starts_large};
use super::assign::reads_what_it_changes;
use super::built_ins::{
    Argument, BuiltIn, Generics, looks_across, of_constructor, of_function, of_method, reduces,
};
use super::lent::{borrowed_again, gives_place, is_place, refused_arguments};
use super::locals::{suffix_as, suffix_default};
use super::parts::Whole;
use super::stager::{Name, Stager};
use crate::messages;
use crate::model::{Model, Param, ends};

impl Stager<'_> {
    /// The replacement of a refused call, or `None`.
    pub(super) fn call(&mut self, call: &mut ExprCall) -> Option<Expr> {
        if let Expr::Path(function) = &*call.func
            && let Some(name) = function.path.get_ident()
            && matches!(
                self.lookup(name),
                Some(Name::Variable(_) | Name::Exclusive(_) | Name::Shared(_) | Name::Place)
            )
        {
            // The element `m(i, j)` of CM.
            return Some(self.errors.in_place(name.span(), messages::CALLED));
        }
        if !self.lanes.is_empty()
            && let Expr::Path(function) = &*call.func
            && let Some(last) = function.path.segments.last()
            && looks_across(&last.ident.to_string())
        {
            return Some(self.errors.in_place(last.ident.span(), messages::SIMD_ACROSS));
        }
        if let Expr::Path(function) = &*call.func
            && let Some((span, message)) = self.refused_constructor(function)
        {
            return Some(self.errors.in_place(span, message));
        }
        if let Some(span) = self.calls_itself(call) {
            return Some(self.errors.in_place(span, messages::RECURSION));
        }
        if let Some(span) = self.refused_rows(call) {
            call.args[0] = self.errors.in_place(span, messages::MATRIX_ROWS);
        }
        if self.has_staged_elements(call) {
            self.of_elements(call);
            return None;
        }
        let refused = refused_arguments(&call.args);
        let elements = self.changed_elements(call);
        let entered = self.closure_arguments(call);
        for (n, ty, _) in &entered {
            suffix_as(&mut call.args[*n], ty);
        }
        let alone = self.is_called_alone(call);
        self.staged_call(call);
        if alone {
            self.call_alone(call);
        }
        for (n, ty, how) in entered {
            call.args[n] = Expr::Verbatim(self.entered(&ty, &call.args[n], how));
        }
        self.refuse_arguments(&mut call.args, refused);
        self.reduce_lanes(call);
        self.lending(call, &elements)
    }

    /// Where a function calls itself by its name, unless a host condition may end the recursion: none of its parameters is
    /// a host value.
    fn calls_itself(&self, call: &ExprCall) -> Option<Span> {
        let Expr::Path(function) = &*call.func else { return None };
        let is_staged = |param: &Param| param.is_number() || param.is_register() || param.is_memory();
        if self.model.generic || !self.model.params.iter().all(is_staged) {
            return None;
        }
        let name = &function.path.segments.last()?.ident;
        let own = function.path.segments.len() == 1
            && *name == self.model.item.sig.ident
            && self.model.owner.is_none();
        (own && function.qself.is_none() && self.lookup(name).is_none()).then(|| name.span())
    }

    /// `Vector::from_array([..])` of which some elements are staged.
    fn of_elements(&mut self, call: &mut ExprCall) {
        if let Expr::Path(function) = &mut *call.func
            && let Some(last) = function.path.segments.last_mut()
        {
            last.ident = Ident::new("of_elements", last.ident.span());
        }
        let mut elements = std::mem::take(&mut call.args);
        elements.iter_mut().for_each(|elements| self.element_values(elements));
        self.staged_call(call);
        call.args = elements;
    }

    fn element_values(&mut self, elements: &mut Expr) {
        let Expr::Array(array) = elements else { return self.field_value(elements) };
        for element in &mut array.elems {
            if !self.may_be_staged(element) {
                self.field_value(element);
                continue;
            }
            let (span, _) = ends(element);
            self.value(element);
            let (element_value, backend) = (self.library(span, "element_value"), self.backend(span));
            *element = syn::parse_quote_spanned!(span=> #element_value::<#backend, _, _>(#element));
        }
    }

    /// A reduction inside SIMD control flow covers the active lanes.
    fn reduce_lanes(&self, call: &mut ExprCall) {
        let (Some(lanes), Expr::Path(function), 1) = (self.lanes.last(), &*call.func, call.args.len()) else {
            return;
        };
        let Some(last) = function.path.segments.last() else { return };
        let Some(operand) = reduces(&last.ident.to_string()) else { return };
        let span = last.ident.span();
        let (operand, backend) = (self.library(span, operand), self.backend(span));
        let (mask, x) = (self.mask(lanes, span), &call.args[0]);
        call.args[0] = syn::parse_quote_spanned!(span=> #operand::<#backend, _, _>(#x, #mask));
    }

    fn staged_call(&mut self, call: &mut ExprCall) {
        let known = match &*call.func {
            Expr::Path(function) => function.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        let known = of_function(known.as_deref().unwrap_or_default());
        let masks =
            if self.calls_function(call) && !is_of_math(call) { self.masks(&call.args) } else { Vec::new() };
        self.arguments(&mut call.args, known);
        for n in masks {
            self.pass_mask(&mut call.args[n]);
        }
        self.operand_tree(call);
        let Expr::Path(function) = &mut *call.func else {
            self.receiver(&mut call.func);
            return;
        };
        if is_of(function, "cmp", &["min", "max"]) {
            // One is enough: both have the same type, and that of a literal follows from the other.
            if let Some(arg) = call.args.iter_mut().find(|arg| !matches!(arg, Expr::Lit(_))) {
                let (first, _) = ends(arg);
                let ordered = self.library(first, "ordered");
                *arg = syn::parse_quote_spanned!(first=> #ordered(#arg));
            }
        }
        // `&mut x` of a variable has become a block.
        if known.exchanges && call.args.iter().any(|arg| matches!(arg, Expr::Block(_)) || is_place(arg)) {
            self.refuse_exchange(&mut call.func);
            return;
        }
        let backend = self.backend(call.paren_token.span.open());
        let count = function.path.segments.len();
        let of_type = names_type(&function.path);
        let Some(last) = function.path.segments.last_mut() else { return };
        let span = last.ident.span();
        match (known.generics, &last.arguments) {
            (Generics::FromBackend, PathArguments::None) => {
                let arguments = syn::parse_quote_spanned!(span=> ::<#backend>);
                last.arguments = PathArguments::AngleBracketed(arguments);
                return;
            }
            (Generics::FromSize, written) => {
                let size = match written {
                    PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => {
                        arguments.args[0].clone()
                    }
                    PathArguments::None => GenericArgument::Type(Type::Infer(syn::parse_quote!(_))),
                    _ => return,
                };
                let arguments = syn::parse_quote_spanned!(span=> ::<#size, #backend>);
                last.arguments = PathArguments::AngleBracketed(arguments);
                return;
            }
            _ => {}
        }
        last.ident = self.checked(last.ident.clone(), known);
        if let PathArguments::AngleBracketed(arguments) = &mut last.arguments
            && arguments.args.iter().any(|arg| is_const(arg, self.model))
        {
            let inferred = if known.generics == Generics::Block { 2 } else { 1 };
            if known.generics == Generics::FromBackend {
                // No argument need name it.
                arguments.args.push(syn::parse_quote_spanned!(span=> #backend));
                return;
            }
            // The parameters that the macros and the library add after the user's.
            for _ in 0..inferred {
                arguments.args.push(GenericArgument::Type(Type::Infer(syn::parse_quote!(_))));
            }
            if !of_type {
                return;
            }
        }
        // `Type::name(..)`; a path of one segment is a plain function.
        if count >= 2
            && function.qself.is_none()
            && let Some(known) = of_constructor(&last.ident.to_string()).filter(|_| of_type)
        {
            return self.constructor(function, known);
        }
        if of_type && function.qself.is_none() {
            self.of_structure(function);
        }
    }

    /// `Lines::<4>::zero()` of a structure with constants: its type says whether it is one of registers, on the backend.
    fn of_structure(&self, function: &mut ExprPath) {
        let mut owner = function.path.clone();
        let Some(method) = owner.segments.pop() else { return };
        owner.segments.pop_punct();
        let Some(span) = self.constants_at(&owner) else { return };
        let (named, backend, method) = (self.library(span, "Named"), self.backend(span), method);
        *function = syn::parse_quote_spanned!(span=> <<#owner as #named<#backend, _>>::Ty>::#method);
    }

    /// The path of a structure in an expression or pattern without its constants, if it has some; the path as it was.
    pub(super) fn without_constants(&self, path: &mut syn::Path) -> Option<syn::Path> {
        self.constants_at(path)?;
        let written = path.clone();
        if let Some(structure) = path.segments.last_mut() {
            structure.arguments = PathArguments::None;
        }
        Some(written)
    }

    /// Where a path names a structure, if constants of it are written.
    fn constants_at(&self, path: &syn::Path) -> Option<Span> {
        let structure = path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &structure.arguments else { return None };
        let constants = arguments.args.iter().any(|arg| is_const(arg, self.model));
        (constants && starts_large(&structure.ident)).then(|| structure.ident.span())
    }

    /// `mem::swap` and its like. Other functions may have their names, and the recording finds out.
    fn refuse_exchange(&mut self, function: &mut Expr) {
        let span = function.span();
        match function {
            Expr::Path(path) if path.path.get_ident().is_some() => {
                let (own, backend) = (self.library(span, "own_function"), self.backend(span));
                *function = syn::parse_quote_spanned!(span=> #own::<#backend, _>(#path));
            }
            Expr::Path(path) if is_of(path, "mem", &["swap", "replace", "take"]) => {
                self.errors.add(span, messages::EXCHANGE);
            }
            _ => {}
        }
    }

    /// The arguments of a call or a method.
    fn arguments(&mut self, args: &mut Punctuated<Expr, Token![,]>, known: &BuiltIn) {
        let count = args.len();
        for (n, arg) in args.iter_mut().enumerate() {
            match (known.argument(n, count), arg) {
                (Argument::Start { aligned }, Expr::Tuple(at)) => {
                    for (n, coordinate) in at.elems.iter_mut().enumerate() {
                        match coordinate {
                            Expr::Lit(_) if n == 0 && aligned => self.byte_offset(coordinate),
                            _ => self.value(coordinate),
                        }
                    }
                }
                (Argument::Value, arg) if !self.lanes.is_empty() && self.is_exclusive(arg) => {
                    *arg = self.errors.in_place(ends(arg).0, messages::SIMD_REFERENCE);
                }
                (Argument::Value, arg) => self.value(arg),
                (Argument::Lanes, arg) => {
                    suffix_default(arg);
                    self.value(arg);
                }
                (Argument::Offset, arg) => self.offset(arg),
                (Argument::Bytes | Argument::Start { .. }, arg) => self.byte_offset(arg),
                (Argument::Column, arg) => self.column(arg),
            }
        }
    }

    /// Whether it passes on a `&mut` parameter.
    fn is_exclusive(&self, arg: &Expr) -> bool {
        match arg {
            Expr::Paren(paren) => self.is_exclusive(&paren.expr),
            arg => self.exclusive_mark(arg).is_some(),
        }
    }

    /// `Matrix::<T, R, C>::splat(..)`, `Matrix::splat(..)` and `Tile::splat(..)` are registers of the
    /// backend.
    fn constructor(&mut self, function: &mut ExprPath, known: &BuiltIn) {
        let mut owner = function.path.clone();
        let Some(method) = owner.segments.pop() else { return };
        owner.segments.pop_punct();
        let method = match known.renamed {
            Some(name) => Ident::new(name, method.ident.span()),
            None => method.ident,
        };
        let method = self.checked(method, known);
        let Some(last) = owner.segments.last_mut() else { return };
        let span = last.ident.span();
        let backend = self.backend(span);
        if last.arguments.is_none() && (last.ident == "Matrix" || last.ident == "Vector") {
            last.arguments = PathArguments::AngleBracketed(match last.ident == "Matrix" {
                true => syn::parse_quote_spanned!(span=> ::<_, _, _, #backend>),
                false => syn::parse_quote_spanned!(span=> ::<_, _, #backend>),
            });
            *function = syn::parse_quote_spanned!(span=> #owner::#method);
            if let (Some(in_file), Some(last)) =
                (self.in_file(&method, known, None), function.path.segments.last_mut())
            {
                (last.ident, last.arguments) = (in_file.0, PathArguments::AngleBracketed(in_file.1));
            }
            return;
        }
        let owner = Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: owner });
        let owner = self.model.staged(&owner);
        // If sizes are known, the type is already checked; the bound of the method would report it again.
        let method = any_form(method);
        *function = syn::parse_quote_spanned!(span=> <#owner>::#method);
    }

    /// The name of the method or function, or of the form that is checked when recorded where sizes are
    /// generic.
    fn checked(&self, name: Ident, known: &BuiltIn) -> Ident {
        if self.model.generic && known.checked { any_form(name) } else { name }
    }

    /// The name and the generic arguments of the form for the register file that the kernel declares, if it declares one
    /// and the result must fit it.
    fn in_file(
        &self,
        name: &Ident,
        known: &BuiltIn,
        written: Option<&AngleBracketedGenericArguments>,
    ) -> Option<(Ident, AngleBracketedGenericArguments)> {
        let (file, count) = (self.model.register_file()?, known.of_file?);
        if name.to_string().ends_with("_any") {
            return None;
        }
        let span = name.span();
        let own: Vec<GenericArgument> = match written {
            Some(written) => written.args.iter().cloned().collect(),
            None => (0..count).map(|_| syn::parse_quote_spanned!(span=> _)).collect(),
        };
        let file = LitInt::new(&file.to_string(), span);
        let generics = syn::parse_quote_spanned!(span=> ::<#file, #(#own),*>);
        Some((Ident::new(&format!("{name}_in"), span), generics))
    }

    /// The replacement of a call of a method, or `None`.
    pub(super) fn method(&mut self, call: &mut ExprMethodCall) -> Option<Expr> {
        self.method_on(call, false)
    }

    /// The same, if the other lanes get their values back after the call.
    pub(super) fn method_on(&mut self, call: &mut ExprMethodCall, kept: bool) -> Option<Expr> {
        let first = reads_what_it_changes(call);
        let other = self.staged_method(call, kept);
        match other {
            None if first.iter().any(|first| *first) => Some(self.arguments_first(call, &first)),
            other => other,
        }
    }

    fn staged_method(&mut self, call: &mut ExprMethodCall, kept: bool) -> Option<Expr> {
        if call.method == "merge" && call.args.len() == 3 {
            return Some(self.errors.in_place(call.method.span(), messages::MERGE_OF_TWO));
        }
        if let Some(span) = call.turbofish.as_ref().and_then(|arguments| self.variable_as_size(arguments)) {
            return Some(self.errors.in_place(span, messages::VARIABLE_AS_SIZE));
        }
        if let Some(message) = self.refused_for_numbers(call) {
            return Some(self.errors.in_place(call.method.span(), message));
        }
        if let Some(message) = self.refused_iteration(call) {
            return Some(self.errors.in_place(call.method.span(), message));
        }
        if self.refuses_method(&call.receiver, &call.method) {
            return Some(self.errors.in_place(call.method.span(), messages::ARRAY_CHANGE));
        }
        if self.reads_array(&call.receiver, &call.method) {
            if matches!(&*call.receiver, Expr::Path(_)) && !self.is_variable_name(&call.receiver) {
                let reference = &call.receiver;
                *call.receiver = syn::parse_quote_spanned!(ends(reference).0=> (*#reference));
            }
            self.value(&mut call.receiver);
            call.args.iter_mut().for_each(|arg| self.value(arg));
            return None;
        }
        let known = self.known_method(call);
        let changed = !kept && known.is_other() && self.is_changeable(&call.receiver);
        let tree = known.converts_trees && self.is_assigned_tree(call);
        // Else its shape may follow from that of the receiver.
        let shaped = known.converts_trees && call.args.first().is_some_and(|arg| self.is_shaped(arg));
        let untyped = call.args.last().filter(|_| known.takes_any_elements(call.args.len()));
        let untyped = untyped.and_then(untyped_conversion);
        if known.assigns
            && let [arg] = call.args.iter_mut().collect::<Vec<_>>().as_mut_slice()
            && self.unsized_read(arg).is_some_and(|(read, _)| read.args.len() > 1)
        {
            // Its elements could have any type; those of a buffer have one.
            self.refuse_unsized_read(arg);
        }
        self.refuse_unsized_read(&mut call.receiver);
        let refused = if known.is_other() { refused_arguments(&call.args) } else { vec![] };
        let masks = if known.is_other() { self.masks(&call.args) } else { Vec::new() };
        self.arguments(&mut call.args, known);
        for n in masks {
            self.pass_mask(&mut call.args[n]);
        }
        self.refuse_arguments(&mut call.args, refused);
        if let Some(last) = call.args.last_mut() {
            self.refuse_untyped(last, untyped);
        }
        let untyped = untyped_conversion(&call.receiver);
        if !self.names_place(&call.receiver) {
            self.receiver(&mut call.receiver);
        } else if known.gives_value || known.of_registers {
            self.value(&mut call.receiver);
        } else if gives_place(&call.method) && call.method != "select_all_mut" {
            *call.receiver = borrowed_again(&call.receiver);
        }
        self.refuse_untyped(&mut call.receiver, untyped);
        if known.converts {
            self.converted_tree(&mut call.receiver);
        } else if known.of_registers && self.left_number(&call.receiver) {
            self.computed_tree(&mut call.receiver);
        }
        if !self.lanes.is_empty() && changed {
            // A method that changes it would change all lanes.
            let (receiver, span) = (&call.receiver, ends(&call.receiver).0);
            let only_read = self.library(span, "simd_read");
            *call.receiver = syn::parse_quote_spanned!(span=> #only_read(&#receiver));
        }
        if let Some(other) = self.in_lanes(call, known) {
            return Some(other);
        }
        if known.is_other()
            && let Some(lent) = self.lending_to_method(call)
        {
            return Some(lent);
        }
        self.overload(call, known);
        // The form for this number of constants has its own row.
        let form = if known.is_other() { known } else { of_method(&call.method.to_string()) };
        call.method = self.checked(call.method.clone(), form);
        if let Some((name, generics)) = self.in_file(&call.method, form, call.turbofish.as_ref()) {
            (call.method, call.turbofish) = (name, Some(generics));
        }
        if !known.assigns {
            return None;
        }
        if known.takes_mask
            && let Some(last) = call.args.last_mut()
        {
            self.merge_mask(last);
        }
        let mut method = call.method.to_string();
        if tree && let Some(tree) = self.assigned_tree(&call.args[0]) {
            call.args[0] = tree;
            method += "_tree";
        } else {
            call.args.iter_mut().for_each(|arg| self.computed_tree(arg));
        }
        if known.converts_trees && !shaped {
            method += "_alike";
        }
        call.method = Ident::new(&method, call.method.span());
        if let Expr::MethodCall(receiver) = &*call.receiver
            && of_method(&receiver.method.to_string()).gives_value
        {
            return Some(self.errors.in_place(receiver.method.span(), messages::VALUE));
        }
        let place = matches!(&*call.receiver, Expr::MethodCall(_) | Expr::Block(_));
        (place && chain_is_place(&call.receiver)).then(|| self.hoisted(call))
    }

    fn refuse_arguments(
        &mut self,
        args: &mut Punctuated<Expr, Token![,]>,
        refused: Vec<(usize, Span, &'static str)>,
    ) {
        for (n, span, message) in refused {
            args[n] = self.errors.in_place(span, message);
        }
    }

    /// Whether it is a variable, or a part of one, which a method may change.
    pub(super) fn is_changeable(&self, receiver: &Expr) -> bool {
        match receiver {
            Expr::Paren(paren) => self.is_changeable(&paren.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.is_changeable(&unary.expr),
            Expr::Path(_) => self.is_variable_name(receiver) || self.exclusive_mark(receiver).is_some(),
            part => matches!(self.whole(part), Some(Whole::Mutable(_))),
        }
    }

    /// A value for a place that accepts any type: a conversion must name its type.
    pub(super) fn typed_value(&mut self, expr: &mut Expr) {
        let untyped = untyped_conversion(expr);
        self.value(expr);
        self.refuse_untyped(expr, untyped);
    }

    fn refuse_untyped(&mut self, expr: &mut Expr, untyped: Option<Ident>) {
        if let Some(name) = untyped {
            *expr = self.errors.in_place(name.span(), messages::untyped(&name));
        }
    }

    /// The method's name for its number of constants.
    fn overload(&mut self, call: &mut ExprMethodCall, known: &BuiltIn) {
        let Some(turbofish) = &call.turbofish else { return };
        match known.overload(turbofish.args.len()) {
            Some(Ok(name)) => call.method = Ident::new(name, call.method.span()),
            // rustc does not look up methods of unknown types.
            Some(Err(message)) => *call.receiver = self.errors.in_place(call.method.span(), message),
            None => {}
        }
    }

    /// A literal offset in bytes becomes a type with its remainder, so that `cargo check` can check the
    /// alignment.
    fn byte_offset(&mut self, arg: &mut Expr) {
        match self.literal_bytes(arg) {
            Some(literal) => *arg = literal,
            None => self.offset(arg),
        }
    }

    /// The same for a byte column, which may be negative.
    fn column(&mut self, arg: &mut Expr) {
        match self.literal_bytes(arg) {
            Some(literal) => *arg = literal,
            None => self.value(arg),
        }
    }

    fn literal_bytes(&self, arg: &Expr) -> Option<Expr> {
        let Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) = arg else { return None };
        // The forms without bounds, which are called there, take numbers.
        if self.model.generic {
            return None;
        }
        let span = int.span();
        let lit = self.library(span, "LitBytes");
        let value = LitInt::new(int.base10_digits(), span);
        // A literal that is not a `u128` is not a constant either, which rustc reports.
        let remainder = value.base10_parse::<u128>().map_or(0, |value| value % 16);
        let remainder = LitInt::new(&remainder.to_string(), span);
        Some(syn::parse_quote_spanned!(span=> #lit::<#value, #remainder>))
    }

    /// A literal offset becomes a type, so that `cargo check` can check it.
    fn offset(&mut self, arg: &mut Expr) {
        match arg {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if !self.model.generic => {
                let lit = self.library(int.span(), "Lit");
                let value = LitInt::new(int.base10_digits(), int.span());
                *arg = syn::parse_quote_spanned!(int.span()=> #lit::<#value>);
            }
            Expr::Unary(ExprUnary { op: UnOp::Neg(minus), expr, .. })
                if matches!(&**expr, Expr::Lit(ExprLit { lit: Lit::Int(_), .. })) =>
            {
                *arg = self.errors.in_place(minus.span(), messages::NEGATIVE_OFFSET);
            }
            other => self.value(other),
        }
    }
}

/// The name of the form that is checked when recorded.
fn any_form(name: Ident) -> Ident {
    match name.to_string() {
        text if text.ends_with("_any") => name,
        text => Ident::new(&format!("{text}_any"), name.span()),
    }
}

/// Whether it is a function of this module of the standard library.
pub(super) fn is_of(function: &ExprPath, module: &str, names: &[&str]) -> bool {
    let mut last = function.path.segments.iter().rev().map(|segment| &segment.ident);
    last.next().is_some_and(|name| names.iter().any(|known| name == known))
        && last.next().is_some_and(|of| of == module)
}

/// The method of `&x.convert()`, where its type is missing.
fn untyped_conversion(arg: &Expr) -> Option<Ident> {
    match arg {
        Expr::Reference(reference) => untyped_conversion(&reference.expr),
        Expr::Paren(paren) => untyped_conversion(&paren.expr),
        Expr::MethodCall(call) if of_method(&call.method.to_string()).converts => {
            call.turbofish.is_none().then(|| call.method.clone())
        }
        _ => None,
    }
}

/// Whether a receiver goes through a `_mut` method, so that it borrows its object.
fn chain_is_place(receiver: &Expr) -> bool {
    match receiver {
        Expr::MethodCall(call) => gives_place(&call.method) || chain_is_place(&call.receiver),
        Expr::Paren(paren) => chain_is_place(&paren.expr),
        _ => false,
    }
}

/// Whether a name is in capitals, as those of constants are.
pub(super) fn names_constant(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
}

/// Whether a generic argument is a constant: a literal, a block, a const parameter, or a name in capitals.
fn is_const(arg: &GenericArgument, model: &Model) -> bool {
    match arg {
        GenericArgument::Const(_) => true,
        GenericArgument::Type(Type::Path(path)) => path.path.get_ident().is_some_and(|ident| {
            let name = ident.to_string();
            // A constant from outside can be distinguished from a type only by Rust's naming conventions.
            let capitals = names_constant(&name);
            let is_type = model.item.sig.generics.type_params().any(|param| param.ident == *ident);
            model.consts.contains(ident) || (capitals && !is_type && *ident != model.backend)
        }),
        _ => false,
    }
}
