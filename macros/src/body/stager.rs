//! The state of the traversal of a body: the names in scope, and the spans of added tokens.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::{Expr, ExprClosure, Ident, Macro, Pat, Stmt, Type};

use super::around::{Around, Lanes};
use super::types::OfMasks;
use crate::messages::{self, Errors};
use crate::model::{Model, Referent};

/// The kind of a name in scope.
#[derive(Clone)]
pub(super) enum Name {
    /// A value, or a host object.
    Plain,
    /// A host number, as far as syntax shows: a loop variable, or a name for a literal. Holds whether it is certain.
    Number { certain: bool },
    /// Declared by `let mut`; read through a load, written through a store. Holds the name of its mark.
    Variable(Ident),
    /// A `&mut` reference; its referent is assigned through `*name`. Holds the name of its mark.
    Exclusive(Ident),
    /// A block that is read in place, or a part of it. Holds whether its elements are converted at no cost, and whether it is
    /// a vector.
    InPlace { cheap: bool, vector: bool },
    /// A matrix in a stack slot, or a row of it.
    InStackSlot,
    /// A tree of operators that other trees use.
    Pending(PendingTree),
    /// A closure, with the types of its parameters where they are written, and whether it may change what is outside of it.
    Closure { parameters: Vec<Option<Type>>, changes: bool },
    /// A place; used several times, it is borrowed again.
    Place,
    /// An array of surfaces or buffers, which host numbers index.
    Memories,
    /// A reference; its referent is read through `*name`.
    Shared(Referent),
}

/// A tree of operators that is part of others, with the trees that it names.
#[derive(Clone, Default)]
pub(super) struct PendingTree {
    pub(super) operators: usize,
    /// The most operators of which one is an operand of the next.
    pub(super) depth: usize,
    /// The variables of which it reads regions in place. It borrows them until its last use.
    pub(super) borrowed: Vec<Ident>,
}

/// A name in scope.
struct Bound {
    name: String,
    what: Name,
    /// Whether syntax shows that it is a matrix or vector.
    register: bool,
    /// Whether it is one that a tuple declares: its operators are not parts of trees.
    of_tuple: bool,
    /// Whether rustc knows the type of that register where it is declared.
    typed: bool,
    /// Whether it knows the shape.
    shaped: bool,
    /// Whether syntax shows that it is a staged number, whose type rustc knows.
    scalar: bool,
    /// Whether its elements are masks.
    masks: OfMasks,
    /// Whether syntax shows that it is a structure of registers.
    structure: bool,
    /// Whether syntax shows that it is a structure or a constant array, whose methods are its own.
    own_methods: bool,
    /// Whether syntax shows that it is shared memory, which functions may write through it.
    shared_memory: bool,
    /// Set if syntax shows that it is an array of these, or of arrays of them.
    elements: Option<Nested>,
}

impl Bound {
    /// Keeps what also holds for `before`; returns whether both are of one kind.
    fn also(&mut self, before: &Self) -> bool {
        self.register &= before.register;
        self.of_tuple &= before.of_tuple;
        self.typed &= before.typed;
        self.shaped &= before.shaped;
        self.scalar &= before.scalar;
        self.masks = self.masks.min(before.masks);
        self.structure &= before.structure;
        self.own_methods &= before.own_methods;
        self.shared_memory |= before.shared_memory;
        self.elements = match (self.elements, before.elements) {
            (Some(now), Some(before)) if now.depth == before.depth => {
                Some(Nested { typed: now.typed && before.typed, ..now })
            }
            _ => None,
        };
        match (&mut self.what, &before.what) {
            (Name::Plain, Name::Plain | Name::Number { .. })
            | (Name::Place, Name::Place)
            | (Name::Memories, Name::Memories)
            | (Name::Shared(Referent::Other), Name::Shared(Referent::Other)) => true,
            (now @ Name::Number { .. }, Name::Plain) => {
                *now = Name::Plain;
                true
            }
            (Name::Closure { changes, .. }, Name::Closure { changes: before, .. }) => {
                *changes |= before;
                true
            }
            (Name::Number { certain }, Name::Number { certain: before }) => {
                *certain &= before;
                true
            }
            (Name::Variable(now), Name::Variable(before))
            | (Name::Exclusive(now), Name::Exclusive(before)) => now == before,
            _ => false,
        }
    }
}

/// An array of registers, or of arrays of them.
#[derive(Clone, Copy)]
pub(crate) struct Nested {
    /// The number of indices of a register.
    pub(crate) depth: usize,
    /// Whether rustc knows the type of the registers where the array is declared.
    pub(crate) typed: bool,
}

/// Rewrites the body of one function.
pub(crate) struct Stager<'a> {
    pub(super) model: &'a Model,
    pub(super) errors: &'a mut Errors,
    scopes: Vec<Vec<Bound>>,
    numbers: usize,
    /// The targets of `break`, `continue` and `return` here, from the outermost one on.
    pub(super) around: Vec<Around>,
    /// The number of exits from loops so far, except those to the next iteration.
    pub(super) ways_out: usize,
    /// The number of exits so far.
    pub(super) exits: usize,
    /// The active lanes of the open SIMD control flow.
    pub(super) lanes: Vec<Lanes>,
    /// The number of exits so far by which lanes leave a loop or its iteration.
    pub(super) lanes_left: usize,
    /// The rows that compound assignments change here, if it is not all.
    pub(super) strip: Option<Ident>,
    /// The number of scopes around a statement with a `#[cfg]`, inside of it.
    conditional: Option<usize>,
    /// Whether there are tokens that syn does not parse again.
    pub(crate) has_unparsed: bool,
    /// The declarations of marks of variables that this statement declares, which rustc must not leave out.
    marks: Vec<Stmt>,
    /// The marks of parameters that are no host values, as far as syntax shows.
    staged_marks: Vec<Ident>,
}

impl<'a> Stager<'a> {
    pub(crate) fn new(model: &'a Model, errors: &'a mut Errors) -> Self {
        Self {
            model,
            errors,
            scopes: vec![Vec::new()],
            numbers: 0,
            around: Vec::new(),
            ways_out: 0,
            exits: 0,
            lanes: Vec::new(),
            lanes_left: 0,
            strip: None,
            conditional: None,
            has_unparsed: false,
            marks: Vec::new(),
            staged_marks: Vec::new(),
        }
    }

    /// A parameter that is assigned through `*name`; returns the name of its mark.
    pub(crate) fn exclusive(&mut self, name: &Ident) -> Ident {
        let mark = self.new_mark();
        self.bind(name, Name::Exclusive(mark.clone()));
        mark
    }

    /// The mark of a parameter whose type, by its name, is not of the host.
    pub(crate) fn mark_is_staged(&mut self, mark: &Ident) {
        self.staged_marks.push(mark.clone());
    }

    /// Whether syntax shows that this mark is not that of a host value.
    pub(super) fn is_staged_mark(&self, mark: &Ident) -> bool {
        self.staged_marks.contains(mark)
    }

    /// A name for a reference through which a variable with this mark is assigned.
    pub(super) fn exclusive_of(&mut self, name: &Ident, mark: Ident) {
        self.bind(name, Name::Exclusive(mark));
    }

    /// A name for a reference that is read through `*name`.
    pub(crate) fn shared(&mut self, name: &Ident, referent: Referent) {
        self.bind(name, Name::Shared(referent));
    }

    /// A macro that is called where it cannot be staged, in its place.
    pub(super) fn refused_macro(&mut self, call: &Macro) -> Expr {
        let (span, message) = messages::macro_call(call);
        self.errors.in_place(span, message)
    }

    fn new_mark(&mut self) -> Ident {
        // Hygienic, so that it cannot refer to a name of the kernel.
        Ident::new(&format!("__mark{}", self.new_number()), Span::mixed_site())
    }

    /// A tree of operators that other trees use.
    pub(super) fn pending_tree(&mut self, name: &Ident, tree: PendingTree, typed: bool) {
        self.bind(name, Name::Pending(tree));
        self.bound_register(typed);
    }

    /// The result of the next [`new_number`](Self::new_number).
    pub(super) fn next_number(&self) -> usize {
        self.numbers + 1
    }

    /// A number that no other name of this body has.
    pub(super) fn new_number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// Declares the mark of a parameter or local that is a variable, and binds its name.
    pub(super) fn variable(&mut self, name: &Ident, out: &mut Vec<Stmt>) {
        let before = match self.lookup(name).filter(|_| self.is_conditional()) {
            Some(Name::Variable(mark)) => Some(mark.clone()),
            _ => None,
        };
        let (mark_fn, backend) = (self.library(name.span(), "mark"), self.backend(name.span()));
        let mark = before.clone().unwrap_or_else(|| self.new_mark());
        let declared = syn::parse_quote!(let #mark = #mark_fn::<#backend>(););
        // The mark is that of the variable which rustc sees: it has the name of the one before, like the variable.
        if self.is_conditional() && before.is_none() {
            self.marks.push(declared);
        } else {
            out.push(declared);
        }
        self.bind(name, Name::Variable(mark));
    }

    /// Stages a statement that rustc may leave out, if `conditional`. Returns whether a name that it binds is another kind of
    /// name without it.
    pub(super) fn conditionally(
        &mut self,
        conditional: bool,
        before: &mut Vec<Stmt>,
        stage: impl FnOnce(&mut Self),
    ) -> bool {
        let depth = conditional.then_some(self.scopes.len());
        let outside = (std::mem::replace(&mut self.conditional, depth), std::mem::take(&mut self.marks));
        let first = self.scopes.last().map_or(0, Vec::len);
        stage(self);
        before.append(&mut self.marks);
        (self.conditional, self.marks) = outside;
        conditional && self.is_uncertain(first)
    }

    /// Whether rustc may leave out the statement that declares names in this scope.
    pub(super) fn is_conditional(&self) -> bool {
        self.conditional == Some(self.scopes.len())
    }

    /// Keeps of the names from `first` on in this scope what holds if rustc leaves out their declarations, too. Returns whether
    /// one is another kind of name then.
    fn is_uncertain(&mut self, first: usize) -> bool {
        let Some(scope) = self.scopes.last_mut() else { return false };
        let mut declared = scope.split_off(first.min(scope.len()));
        let mut uncertain = false;
        for now in &mut declared {
            if let Some(before) = self.named(&now.name) {
                uncertain |= !now.also(before);
            }
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.append(&mut declared);
        }
        uncertain
    }

    /// A name for a closure.
    pub(super) fn closure_name(&mut self, name: &Ident, closure: &ExprClosure) {
        let changes = self.changes_others(closure);
        let ty = |input: &Pat| match input {
            Pat::Type(typed) => Some((*typed.ty).clone()),
            _ => None,
        };
        self.bind(name, Name::Closure { parameters: closure.inputs.iter().map(ty).collect(), changes });
    }

    /// A name for an array of surfaces or buffers.
    pub(super) fn memories(&mut self, name: &Ident) {
        self.bind(name, Name::Memories);
    }

    /// A name for a place.
    pub(super) fn place(&mut self, name: &Ident) {
        self.bind(name, Name::Place);
    }

    /// Whether an expression is the name of a place.
    pub(super) fn names_place(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        path.path.get_ident().is_some_and(|name| matches!(self.lookup(name), Some(Name::Place)))
    }

    /// A name that is not a variable.
    pub(crate) fn plain(&mut self, name: &Ident) {
        self.bind(name, Name::Plain);
    }

    /// A name that is a host number: for certain, or unless a staged range says otherwise.
    pub(super) fn number(&mut self, name: &Ident, certain: bool) {
        self.bind(name, Name::Number { certain });
    }

    pub(super) fn bind(&mut self, name: &Ident, what: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(Bound {
                name: name.unraw().to_string(),
                what,
                register: false,
                of_tuple: false,
                typed: false,
                shaped: false,
                scalar: false,
                masks: OfMasks::Perhaps,
                structure: false,
                own_methods: false,
                shared_memory: false,
                elements: None,
            });
        }
    }

    /// The last name bound is that of a matrix or vector, whose type rustc may know.
    pub(crate) fn bound_register(&mut self, typed: bool) {
        if let Some(bound) = self.last_bound() {
            (bound.register, bound.typed) = (true, typed);
        }
    }

    /// The last name bound in this scope.
    fn last_bound(&mut self) -> Option<&mut Bound> {
        self.scopes.last_mut()?.last_mut()
    }

    /// The name in this scope.
    fn bound_here(&mut self, name: &Ident) -> Option<&mut Bound> {
        let name = name.unraw().to_string();
        self.scopes.last_mut()?.iter_mut().rfind(|bound| bound.name == name)
    }

    /// A name in this scope is that of a matrix or vector which a tuple declares.
    pub(super) fn bound_register_of_tuple(&mut self, name: &Ident) {
        if let Some(bound) = self.bound_here(name) {
            bound.of_tuple = true;
        }
    }

    /// Whether a name is known to be that of a matrix or vector, also of one that a tuple declares.
    pub(super) fn names_any_register(&self, name: &Ident) -> bool {
        self.bound(name).is_some_and(|bound| bound.register || bound.of_tuple)
    }

    /// The last name bound is that of a register whose shape rustc knows.
    pub(crate) fn bound_shape(&mut self) {
        if let Some(bound) = self.last_bound() {
            bound.shaped = true;
        }
    }

    /// A name in this scope is that of a staged number.
    pub(crate) fn bound_scalar(&mut self, name: &Ident) {
        if let Some(bound) = self.bound_here(name) {
            bound.scalar = true;
        }
    }

    /// Whether a name is known to be that of a staged number.
    pub(super) fn names_scalar(&self, name: &Ident) -> bool {
        self.bound(name).is_some_and(|bound| bound.scalar)
    }

    /// Whether the elements of the last name bound are masks.
    pub(crate) fn bound_masks(&mut self, masks: OfMasks) {
        if let Some(bound) = self.last_bound() {
            bound.masks = masks;
        }
    }

    /// The same for a name in this scope.
    pub(super) fn bound_masks_of(&mut self, name: &Ident, masks: OfMasks) {
        if let Some(bound) = self.bound_here(name) {
            bound.masks = masks;
        }
    }

    /// Whether the elements of a name are masks.
    pub(super) fn names_masks(&self, name: &Ident) -> OfMasks {
        self.bound(name).map(|bound| bound.masks).unwrap_or_default()
    }

    /// The last name bound is that of a structure of registers.
    pub(super) fn bound_structure(&mut self) {
        if let Some(bound) = self.last_bound() {
            bound.structure = true;
        }
    }

    /// The last name bound is that of shared memory.
    pub(crate) fn bound_shared_memory(&mut self) {
        if let Some(bound) = self.last_bound() {
            bound.shared_memory = true;
        }
    }

    /// Whether a name is known to be that of shared memory.
    pub(super) fn names_shared_memory(&self, name: &Ident) -> bool {
        self.bound(name).is_some_and(|bound| bound.shared_memory)
    }

    /// The last name bound is that of a value whose methods are its own.
    pub(super) fn bound_own_methods(&mut self) {
        if let Some(bound) = self.last_bound() {
            bound.own_methods = true;
        }
    }

    /// Whether a name is known to be that of a value whose methods are its own.
    pub(super) fn names_own_methods(&self, name: &Ident) -> bool {
        self.bound(name).is_some_and(|bound| bound.own_methods)
    }

    /// Whether a name is known to be that of a structure of registers. No variable is a surface or a buffer.
    pub(super) fn names_structure(&self, name: &Ident) -> bool {
        self.bound(name).is_some_and(|bound| bound.structure || matches!(bound.what, Name::Variable(_)))
    }

    /// The last name bound is that of an array of matrices or vectors, or of arrays of them.
    pub(crate) fn bound_elements(&mut self, elements: Nested) {
        if let Some(bound) = self.last_bound() {
            bound.elements = Some(elements);
        }
    }

    /// The array, if a name is known to be that of one of registers.
    pub(super) fn names_elements(&self, name: &Ident) -> Option<Nested> {
        self.bound(name)?.elements
    }

    /// Whether a name is known to be that of a register whose shape rustc knows.
    pub(super) fn names_shaped(&self, name: &Ident) -> bool {
        self.bound(name).is_some_and(|bound| bound.shaped)
    }

    fn bound(&self, name: &Ident) -> Option<&Bound> {
        self.named(&name.unraw().to_string())
    }

    fn named(&self, name: &str) -> Option<&Bound> {
        // From the last to the first: a name shadows those before it.
        self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).find(|bound| bound.name == name)
    }

    pub(super) fn lookup(&self, name: &Ident) -> Option<&Name> {
        Some(&self.bound(name)?.what)
    }

    /// Whether a name is known to be that of a matrix or vector.
    pub(super) fn names_register(&self, name: &Ident) -> bool {
        self.bound(name).is_some_and(|bound| bound.register)
    }

    /// Whether it is, and rustc knows the type.
    pub(super) fn names_typed_register(&self, name: &Ident) -> bool {
        self.bound(name).is_some_and(|bound| bound.typed)
    }

    pub(super) fn is_variable(&self, name: &Ident) -> bool {
        matches!(self.lookup(name), Some(Name::Variable(_)))
    }

    /// Whether an expression is the name of a variable.
    pub(super) fn is_variable_name(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.is_variable(name)))
    }

    /// The mark of a `&mut` parameter, or another name for a reference, if the expression is its name.
    pub(super) fn exclusive_mark(&self, expr: &Expr) -> Option<&Ident> {
        let Expr::Path(path) = expr else { return None };
        match self.lookup(path.path.get_ident()?)? {
            Name::Exclusive(mark) => Some(mark),
            _ => None,
        }
    }

    /// Inside a new scope.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    /// The path of an item of the library, at `span`.
    pub(super) fn library(&self, span: Span, item: &str) -> TokenStream {
        let krate = self.model.krate(span);
        let item = Ident::new(item, span);
        quote_spanned!(span=> #krate::__private::#item)
    }

    /// The macro's own name. It has the span of the user's token, including its context: the caller location of a call
    /// is that of the macro's attribute as soon as one token of the call comes from the macro.
    pub(super) fn internal(&self, span: Span, name: &str) -> Ident {
        Ident::new(name, span)
    }

    /// The backend parameter, at `span`.
    pub(super) fn backend(&self, span: Span) -> Ident {
        Ident::new(&self.model.backend.to_string(), span)
    }
}
