//! Calls of functions: built-ins get the backend, and constructors their sizes.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{
    AngleBracketedGenericArguments, Expr, ExprCall, ExprPath, GenericArgument, Ident, Lit, LitInt,
    PathArguments, PathSegment, Type,
};

use super::alone::{is_of_math, names_type, starts_large};
use super::built_in::{BuiltIn, Generics, Literals};
use super::built_ins::{looks_across, of_constructor, reduces};
use super::lent::{is_place, refused_arguments};
use super::literals::{has_suffix, is_literal, literal, suffix_as, suffix_large, suffix_with};
use super::stager::{Name, Stager};
use crate::messages;
use crate::model::{Model, Param, ends, of_register_type};

impl Stager<'_> {
    /// The replacement of a refused call, or `None`.
    pub(super) fn call(&mut self, call: &mut ExprCall) -> Option<Expr> {
        if let Expr::Path(function) = &*call.func
            && let Some(name) = function.path.get_ident()
            && self.names_no_function(name)
        {
            // The element `m(i, j)` of CM.
            return Some(self.errors.in_place(name.span(), messages::called(call.args.len())));
        }
        if let Some(message) = self.refused_closure(call) {
            return Some(self.errors.in_place(ends(&call.func).0, message));
        }
        if !self.lanes.is_empty()
            && let Expr::Path(function) = &*call.func
            && let Some(last) = function.path.segments.last()
            && looks_across(&last.ident.to_string())
            && !self.calls_local(call)
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
        let mut refused = refused_arguments(&call.args);
        if self.takes_memory(call) {
            refused.extend(self.memory_in_lanes(&call.args));
        }
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

    /// Whether a name is that of a register or a reference, which cannot be called.
    fn names_no_function(&self, name: &Ident) -> bool {
        match self.lookup(name) {
            Some(Name::Variable(_) | Name::Exclusive(_) | Name::Shared(_) | Name::Place) => true,
            Some(Name::InPlace { .. } | Name::InStackSlot | Name::Pending(_)) => true,
            Some(Name::Plain) => self.names_register(name),
            _ => false,
        }
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
            if !self.casts_staged_number(element) && !self.may_be_staged(element) {
                self.field_value(element);
                continue;
            }
            let (span, _) = ends(element);
            self.value(element);
            let (element_value, backend) = (self.library(span, "element_value"), self.backend(span));
            *element = syn::parse_quote_spanned!(span=> #element_value::<#backend, _, _>(#element));
        }
    }

    /// A literal among the operands of a function of `math` has a type that the function takes.
    fn literal_operand(&self, arg: &mut Expr, literals: Literals) {
        let follows = match literals {
            Literals::OfOperands => is_literal(arg),
            Literals::OfIntegers => matches!(literal(&mut arg.clone()), Some(Lit::Int(_))),
            Literals::Single | Literals::Own => false,
        };
        match literals {
            _ if follows && !has_suffix(arg) => {
                let (span, _) = ends(arg);
                let (operand, backend) = (self.library(span, "literal_operand"), self.backend(span));
                *arg = syn::parse_quote_spanned!(span=> #operand::<#backend, _, _>(#arg));
            }
            Literals::Single => _ = suffix_with(arg, ["", "f32"]),
            Literals::OfOperands | Literals::OfIntegers | Literals::Own => {}
        }
    }

    /// A reduction inside SIMD control flow covers the active lanes.
    fn reduce_lanes(&self, call: &mut ExprCall) {
        let (Some(lanes), Expr::Path(function), 1) = (self.lanes.last(), &*call.func, call.args.len()) else {
            return;
        };
        let Some(last) = function.path.segments.last().filter(|_| !self.calls_local(call)) else { return };
        let Some(operand) = reduces(&last.ident.to_string()) else { return };
        let span = last.ident.span();
        let (operand, backend) = (self.library(span, operand), self.backend(span));
        let (mask, x) = (self.mask(lanes, span), &call.args[0]);
        call.args[0] = syn::parse_quote_spanned!(span=> #operand::<#backend, _, _>(#x, #mask));
    }

    fn staged_call(&mut self, call: &mut ExprCall) {
        let known = self.known_function(call);
        self.staged_arguments(call, known);
        let Expr::Path(function) = &mut *call.func else {
            self.receiver(&mut call.func);
            return;
        };
        // `&mut x` of a variable has become a block.
        if known.exchanges && call.args.iter().any(|arg| matches!(arg, Expr::Block(_)) || is_place(arg)) {
            self.refuse_exchange(&mut call.func);
            return;
        }
        let backend = self.backend(call.paren_token.span.open());
        self.staged_function(function, known, &backend);
    }

    fn staged_arguments(&mut self, call: &mut ExprCall, known: &BuiltIn) {
        let masks =
            if self.calls_function(call) && !is_of_math(call) { self.masks(&call.args) } else { Vec::new() };
        let of_register = matches!(&*call.func, Expr::Path(function) if of_register_type(&function.path));
        // The argument of `splat`, and the operands of functions of numbers.
        if of_register || is_of_math(call) {
            call.args.iter_mut().for_each(suffix_large);
        }
        self.arguments(&mut call.args, known);
        if is_of_math(call) {
            call.args.iter_mut().skip(1).for_each(|arg| self.literal_operand(arg, known.literals));
        }
        for n in masks {
            self.pass_mask(&mut call.args[n]);
        }
        self.operand_tree(call);
        if matches!(&*call.func, Expr::Path(function) if is_of(function, "cmp", &["min", "max"])) {
            // One is enough: both have the same type, and that of a literal follows from the other.
            if let Some(arg) = call.args.iter_mut().find(|arg| !matches!(arg, Expr::Lit(_))) {
                let (first, _) = ends(arg);
                let ordered = self.library(first, "ordered");
                *arg = syn::parse_quote_spanned!(first=> #ordered(#arg));
            }
        }
    }

    /// The path of a function, with the parameters that the macros and the library add after the user's.
    fn staged_function(&mut self, function: &mut ExprPath, known: &BuiltIn, backend: &Ident) {
        let count = function.path.segments.len();
        let of_type = names_type(&function.path);
        // No function of the standard library has the backend: what is in capitals is a type there, `size_of::<V>()`.
        let of_std = of_std(&function.path);
        let Some(last) = function.path.segments.last_mut() else { return };
        if of_std && !last.arguments.is_none() {
            return;
        }
        last.ident = self.checked(last.ident.clone(), known);
        match self.added_generics(last, known, backend) {
            Added::Backend => return,
            // A function of a type may be a constructor.
            Added::Inferred if !of_type => return,
            Added::Inferred | Added::Nothing => {}
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

    /// Adds parameters after the user's: the backend where no argument shows it, and after constants what rustc infers.
    fn added_generics(&self, last: &mut PathSegment, known: &BuiltIn, backend: &Ident) -> Added {
        let span = last.ident.span();
        match (known.generics, &mut last.arguments) {
            (Generics::FromBackend, arguments @ PathArguments::None) => {
                *arguments = PathArguments::AngleBracketed(syn::parse_quote_spanned!(span=> ::<#backend>));
                Added::Backend
            }
            (Generics::FromSize, written) => {
                let size = match written {
                    PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => {
                        arguments.args[0].clone()
                    }
                    PathArguments::None => GenericArgument::Type(Type::Infer(syn::parse_quote!(_))),
                    _ => return Added::Backend,
                };
                *written =
                    PathArguments::AngleBracketed(syn::parse_quote_spanned!(span=> ::<#size, #backend>));
                Added::Backend
            }
            (generics, PathArguments::AngleBracketed(arguments))
                if arguments.args.iter().any(|arg| is_const(arg, self.model)) =>
            {
                if generics == Generics::FromBackend {
                    // No argument need name it.
                    arguments.args.push(syn::parse_quote_spanned!(span=> #backend));
                    return Added::Backend;
                }
                let inferred = if generics == Generics::Block { 2 } else { 1 };
                for _ in 0..inferred {
                    arguments.args.push(GenericArgument::Type(Type::Infer(syn::parse_quote!(_))));
                }
                Added::Inferred
            }
            _ => Added::Nothing,
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
    pub(super) fn checked(&self, name: Ident, known: &BuiltIn) -> Ident {
        if self.model.generic && known.checked { any_form(name) } else { name }
    }

    /// The name and the generic arguments of the form for the register file that the kernel declares, if it declares one
    /// and the result must fit it.
    pub(super) fn in_file(
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
}

/// The parameters that a path of a function gets.
enum Added {
    /// The backend: nothing else changes.
    Backend,
    /// Parameters that rustc infers.
    Inferred,
    Nothing,
}

/// The name of the form that is checked when recorded.
fn any_form(name: Ident) -> Ident {
    match name.to_string() {
        text if text.ends_with("_any") => name,
        text => Ident::new(&format!("{text}_any"), name.span()),
    }
}

/// Whether it is a function of the standard library: its whole path is written, or it is one of the prelude.
fn of_std(path: &syn::Path) -> bool {
    let names = |segment: Option<&PathSegment>, names: &[&str]| {
        segment.is_some_and(|segment| names.iter().any(|name| segment.ident == name))
    };
    let mut last = path.segments.iter().rev();
    // A user's module may be called `alloc`.
    let crates = if path.leading_colon.is_some() { &["std", "core", "alloc"][..] } else { &["std", "core"] };
    path.segments.len() > 1 && names(path.segments.first(), crates)
        || names(last.next(), &["size_of", "align_of"]) && last.next().is_none_or(|of| of.ident == "mem")
}

/// Whether it is a function of this module of the standard library.
pub(super) fn is_of(function: &ExprPath, module: &str, names: &[&str]) -> bool {
    let mut last = function.path.segments.iter().rev().map(|segment| &segment.ident);
    last.next().is_some_and(|name| names.iter().any(|known| name == known))
        && last.next().is_some_and(|of| of == module)
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
