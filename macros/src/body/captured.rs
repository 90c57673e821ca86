//! What calls inside SIMD control flow would change in all lanes: the variables and the memory that a closure uses, and shared
//! memory.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::visit_mut::{VisitMut, visit_expr_mut, visit_pat_ident_mut};
use syn::{Expr, ExprCall, ExprClosure, ExprMethodCall, Ident, PatIdent, Token, Type};

use super::alone::is_of_math;
use super::assign::is_assignment;
use super::lent::{gives_place, object};
use super::parts;
use super::stager::{Name, Stager};
use crate::messages;
use crate::model::{Role, ends, of_register_type};

impl Stager<'_> {
    /// Whether a closure, as written, may change a variable or memory that is not its own.
    pub(super) fn changes_others(&self, closure: &ExprClosure) -> bool {
        let mut changes = Changes { stager: self, own: Vec::new(), found: false };
        let mut closure = closure.clone();
        closure.inputs.iter_mut().for_each(|input| changes.visit_pat_mut(input));
        changes.visit_expr_mut(&mut closure.body);
        changes.found
    }

    /// Whether an expression is shared memory of a group, or a view of it: `slm::<u32, 64>()`, `&shared`,
    /// `shared.format::<f32>()`.
    pub(super) fn is_shared_memory(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_shared_memory(&paren.expr),
            Expr::Reference(reference) => self.is_shared_memory(&reference.expr),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_shared_memory(name)),
            Expr::Call(call) => {
                let slm = matches!(&*call.func, Expr::Path(function)
                    if function.path.segments.last().is_some_and(|last| last.ident == "slm"));
                slm && !self.known_function(call).is_other()
            }
            Expr::MethodCall(call) => call.method == "format" && self.is_shared_memory(&call.receiver),
            _ => false,
        }
    }

    /// Why a call of a closure is refused inside SIMD control flow.
    pub(super) fn refused_closure(&self, call: &ExprCall) -> Option<&'static str> {
        (!self.lanes.is_empty() && self.is_changing_closure(&call.func)).then_some(messages::SIMD_CLOSURE)
    }

    /// Why an argument of a function or method is refused there.
    pub(super) fn refused_argument_in_lanes(&self, arg: &Expr) -> Option<&'static str> {
        if self.is_exclusive(arg) {
            Some(messages::SIMD_REFERENCE)
        } else if self.is_changing_closure(arg) {
            Some(messages::SIMD_CLOSURE)
        } else {
            self.is_shared_memory(arg).then_some(messages::SIMD_SHARED)
        }
    }

    /// The arguments of a function of the user that are refused there, because they may be memory.
    pub(super) fn memory_in_lanes(
        &self,
        args: &Punctuated<Expr, Token![,]>,
    ) -> Vec<(usize, Span, &'static str)> {
        let refused = |arg: &Expr| !self.lanes.is_empty() && self.may_be_memory_of_argument(arg);
        let refused = args.iter().enumerate().filter(|(_, arg)| refused(arg));
        refused.map(|(n, arg)| (n, ends(arg).0, messages::SIMD_ARGUMENT)).collect()
    }

    /// Whether a function may take memory, as far as its name shows.
    pub(super) fn takes_memory(&self, call: &ExprCall) -> bool {
        self.calls_function(call) && !is_of_math(call) || self.calls_local(call)
    }

    /// Whether it is a field of a structure of arguments of a kernel.
    fn may_be_memory_of_argument(&self, arg: &Expr) -> bool {
        let name = match arg {
            Expr::Paren(paren) => return self.may_be_memory_of_argument(&paren.expr),
            Expr::Field(_) | Expr::Index(_) if has_field(arg) => parts::object(arg),
            _ => return false,
        };
        let mut params = self.model.params.iter().filter(|_| self.model.role == Role::Kernel);
        let param = name.and_then(|name| params.find(|param| param.name == *name));
        // A `let` may give the name another meaning.
        let own = name.is_some_and(|name| matches!(self.lookup(name), Some(Name::Plain)));
        let ty = param.filter(|_| own).map(|param| &param.full);
        matches!(ty, Some(Type::Path(ty)) if !of_register_type(&ty.path))
    }

    /// Whether it is the name of a closure that may change what is not its own, or a reference to it.
    fn is_changing_closure(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_changing_closure(&paren.expr),
            Expr::Reference(reference) => self.is_changing_closure(&reference.expr),
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|name| matches!(self.lookup(name), Some(Name::Closure { changes: true, .. }))),
            _ => false,
        }
    }
}

/// Whether an expression is a field, or an element of one.
fn has_field(expr: &Expr) -> bool {
    match expr {
        Expr::Field(_) => true,
        Expr::Index(index) => has_field(&index.expr),
        Expr::Paren(paren) => has_field(&paren.expr),
        _ => false,
    }
}

/// Looks for what a closure changes. (It only reads; syn is built without the read-only visitors.)
struct Changes<'a, 's> {
    stager: &'a Stager<'s>,
    /// The names that it declares.
    own: Vec<Ident>,
    found: bool,
}

impl Changes<'_, '_> {
    /// Whether what changes is not the closure's own, as far as syntax shows.
    fn is_of_others(&self, changed: &Expr) -> bool {
        match changed {
            Expr::Infer(_) => false,
            Expr::Tuple(tuple) => tuple.elems.iter().any(|changed| self.is_of_others(changed)),
            Expr::Array(array) => array.elems.iter().any(|changed| self.is_of_others(changed)),
            changed => object(changed).is_none_or(|name| !self.own.contains(&name.unraw())),
        }
    }

    /// Whether a method may change its object.
    fn changes_object(&self, call: &ExprMethodCall) -> bool {
        let known = self.stager.known_method(call);
        let name = call.method.to_string();
        if known.is_other() {
            return gives_place(&call.method) || self.stager.is_changeable(&call.receiver);
        }
        let writes = known.of_memory && (name.starts_with("write") || name.starts_with("store"));
        known.assigns || known.scatters || writes || gives_place(&call.method)
    }
}

impl VisitMut for Changes<'_, '_> {
    fn visit_pat_ident_mut(&mut self, name: &mut PatIdent) {
        self.own.push(name.ident.unraw());
        visit_pat_ident_mut(self, name);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let changed = match &*expr {
            Expr::Assign(assign) => Some(&*assign.left),
            Expr::Binary(binary) if is_assignment(&binary.op) => Some(&*binary.left),
            Expr::Reference(reference) if reference.mutability.is_some() => Some(&*reference.expr),
            Expr::MethodCall(call) if self.changes_object(call) => Some(&*call.receiver),
            _ => None,
        };
        self.found |= changed.is_some_and(|changed| self.is_of_others(changed));
        if let Expr::Call(call) = &*expr {
            let function = self.stager.takes_memory(call);
            let passes = |arg: &Expr| {
                self.stager.refused_argument_in_lanes(arg).is_some()
                    || function && self.stager.may_be_memory_of_argument(arg)
            };
            self.found |= self.stager.is_changing_closure(&call.func) || call.args.iter().any(passes);
        }
        visit_expr_mut(self, expr);
    }
}
