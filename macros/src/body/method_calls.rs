//! Calls of methods: literal offsets become types, CM's overloads get their names, and trees of operators go into the
//! methods that convert them.

use proc_macro2::Span;
use syn::{Expr, ExprMethodCall, Ident, UnOp};

use super::assign::reads_what_it_changes;
use super::built_in::BuiltIn;
use super::built_ins::of_method;
use super::call_arguments::untyped_conversion;
use super::lent::{borrowed_again, gives_place, refused_arguments};
use super::memory::Owner;
use super::parts::Whole;
use super::stager::{Name, Stager};
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    /// The replacement of a call of a method, or `None`.
    pub(super) fn method(&mut self, call: &mut ExprMethodCall) -> Option<Expr> {
        let tree = self.is_assigned_tree(call);
        self.method_on(call, false, tree)
    }

    /// The same. `kept`: the other lanes get their values back after the call. `tree`: whether the call, as written, assigns a
    /// tree of operators that does not read the object.
    pub(super) fn method_on(&mut self, call: &mut ExprMethodCall, kept: bool, tree: bool) -> Option<Expr> {
        let first = reads_what_it_changes(call);
        let other = self.staged_method(call, kept, tree);
        match other {
            None if first.iter().any(|first| *first) => Some(self.arguments_first(call, &first)),
            other => other,
        }
    }

    fn staged_method(&mut self, call: &mut ExprMethodCall, kept: bool, tree: bool) -> Option<Expr> {
        if let Some((span, message)) = self.refused_method(call) {
            return Some(self.errors.in_place(span, message));
        }
        if let Some(compared) = self.contained(call) {
            return Some(compared);
        }
        self.closure_of_host_numbers(call);
        if let Some(folded) = self.fold_from_number(call) {
            return Some(folded);
        }
        if self.reads_array(&call.receiver, &call.method) {
            self.method_of_array(call);
            return None;
        }
        let known = self.known_method(call);
        let changed = !kept && known.is_other() && self.is_changeable(&call.receiver);
        let tree = tree && known.converts_trees;
        // Else its shape may follow from that of the receiver.
        let shaped = known.converts_trees && call.args.first().is_some_and(|arg| self.is_shaped(arg));
        self.method_arguments(call, known);
        self.method_receiver(call, known);
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
        self.method_name(call, known);
        if known.assigns { self.assigning(call, known, tree, shaped) } else { None }
    }

    /// Why the call is refused as it is written, and where.
    fn refused_method(&self, call: &ExprMethodCall) -> Option<(Span, &'static str)> {
        let method = call.method.span();
        if call.method == "merge" && call.args.len() == 3 {
            return Some((method, messages::MERGE_OF_TWO));
        }
        if let Some(span) = call.turbofish.as_ref().and_then(|arguments| self.variable_as_size(arguments)) {
            return Some((span, messages::VARIABLE_AS_SIZE));
        }
        if let Some(message) = self.refused_for_numbers(call).or_else(|| self.refused_iteration(call)) {
            return Some((method, message));
        }
        self.refuses_method(&call.receiver, &call.method).then_some((method, messages::ARRAY_CHANGE))
    }

    /// A method that reads an array: of a reference to one, the array is meant.
    fn method_of_array(&mut self, call: &mut ExprMethodCall) {
        if matches!(&*call.receiver, Expr::Path(_)) && !self.is_variable_name(&call.receiver) {
            let reference = &call.receiver;
            *call.receiver = syn::parse_quote_spanned!(ends(reference).0=> (*#reference));
        }
        self.value(&mut call.receiver);
        call.args.iter_mut().for_each(|arg| self.value(arg));
    }

    fn method_arguments(&mut self, call: &mut ExprMethodCall, known: &BuiltIn) {
        let untyped = call.args.last().filter(|_| known.takes_any_elements(call.args.len()));
        let untyped = untyped.and_then(untyped_conversion);
        let by_value = self.written_by_value(call, known);
        if known.assigns
            && let [arg] = call.args.iter_mut().collect::<Vec<_>>().as_mut_slice()
            && self.unsized_read(arg).is_some_and(|(read, _)| read.args.len() > 1)
        {
            // Its elements could have any type; those of a buffer have one.
            self.refuse_unsized_read(arg);
        }
        let mut refused = if known.is_other() { refused_arguments(&call.args) } else { vec![] };
        if known.is_other() {
            refused.extend(self.memory_in_lanes(&call.args));
        }
        let masks = if known.is_other() { self.masks(&call.args) } else { Vec::new() };
        self.arguments(&mut call.args, known);
        for n in masks {
            self.pass_mask(&mut call.args[n]);
        }
        self.refuse_arguments(&mut call.args, refused);
        if let Some(last) = call.args.last_mut() {
            self.refuse_untyped(last, untyped);
            if let Some(span) = by_value {
                *last = self.errors.in_place(span, messages::BLOCK_BY_VALUE);
            }
        }
    }

    fn method_receiver(&mut self, call: &mut ExprMethodCall, known: &BuiltIn) {
        self.refuse_unsized_read(&mut call.receiver);
        let untyped = untyped_conversion(&call.receiver);
        if known.of_registers {
            self.suffix_in_register(&mut call.receiver);
        }
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
    }

    /// The name and the constants of the form that the library has for this call.
    fn method_name(&mut self, call: &mut ExprMethodCall, known: &BuiltIn) {
        self.overload(call, known);
        // The form for this number of constants has its own row.
        let form = if known.is_other() { known } else { of_method(&call.method.to_string()) };
        call.method = self.checked(call.method.clone(), form);
        if let Some((name, generics)) = self.in_file(&call.method, form, call.turbofish.as_ref()) {
            (call.method, call.turbofish) = (name, Some(generics));
        }
    }

    /// A method that writes to its object. `tree`: its argument may be a tree. `shaped`: the argument has a shape.
    fn assigning(
        &mut self,
        call: &mut ExprMethodCall,
        known: &BuiltIn,
        tree: bool,
        shaped: bool,
    ) -> Option<Expr> {
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

    /// Where a block is written by value, as far as syntax shows.
    fn written_by_value(&self, call: &ExprMethodCall, known: &BuiltIn) -> Option<Span> {
        let block = call.args.last()?;
        let takes_block = known.of_memory && known.takes_any_elements(call.args.len());
        let by_value = match block {
            // Other names may be those of references.
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                matches!(self.lookup(name), Some(Name::Plain | Name::Variable(_)))
                    && self.names_register(name)
            }),
            block => self.is_register(block),
        };
        (takes_block && by_value && self.owner(&call.receiver) == Owner::Memory).then(|| ends(block).0)
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
}

/// Whether a receiver goes through a `_mut` method, so that it borrows its object.
fn chain_is_place(receiver: &Expr) -> bool {
    match receiver {
        Expr::MethodCall(call) => gives_place(&call.method) || chain_is_place(&call.receiver),
        Expr::Paren(paren) => chain_is_place(&paren.expr),
        _ => false,
    }
}
