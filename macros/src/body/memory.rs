//! What syntax shows of the object of a method: it is a surface or buffer, or a structure of registers, which has methods of its
//! own. These may have the names of those of surfaces and buffers.

use syn::{Expr, ExprMethodCall, UnOp};

use super::alone::is_function_of_type;
use super::built_in::BuiltIn;
use super::built_ins::{OTHER, of_method};
use super::parts::object;
use super::stager::{Name, Stager};

/// What an expression is a part of, as far as syntax shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A parameter that is a surface or buffer. The expression is this parameter, or a view of it: `s.plane(Plane::Uv)`.
    Memory,
    /// A structure of registers.
    Registers,
    /// A host value; or a parameter that may be a structure of arguments, whose fields are surfaces and buffers.
    Unknown,
}

impl Stager<'_> {
    /// The row of a method call, as written.
    pub(super) fn known_method(&self, call: &ExprMethodCall) -> &'static BuiltIn {
        let known = of_method(&call.method.to_string());
        let own = known.of_memory && self.owner(&call.receiver) == Owner::Registers
            || known.takes_literals(call.args.len()) && self.has_own_methods(&call.receiver);
        if own { &OTHER } else { known }
    }

    /// Whether syntax shows that a value is a structure or a constant array, whose methods are its own: `TAPS.get(1)`.
    pub(super) fn has_own_methods(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.has_own_methods(&paren.expr),
            Expr::Reference(reference) => self.has_own_methods(&reference.expr),
            Expr::Struct(_) => true,
            // By convention a value of the type itself, and registers have no functions of these names.
            Expr::Call(call) => {
                is_function_of_type(call)
                    && matches!(&*call.func, Expr::Path(function)
                        if function.path.segments.last().is_some_and(|last| last.ident == "new" || last.ident == "default"))
            }
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.lookup(name).is_some() => self.names_own_methods(name),
                _ => self.is_table(expr),
            },
            Expr::Index(_) => self.is_table(expr),
            _ => false,
        }
    }

    /// What an expression is a part of.
    pub(super) fn owner(&self, expr: &Expr) -> Owner {
        let part_of = |whole: &Expr| match self.owner(whole) {
            Owner::Memory => Owner::Memory,
            Owner::Registers | Owner::Unknown => Owner::Unknown,
        };
        match expr {
            Expr::Paren(paren) => self.owner(&paren.expr),
            Expr::Reference(reference) => self.owner(&reference.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.owner(&unary.expr),
            Expr::Struct(_) => Owner::Registers,
            Expr::Call(call) if is_function_of_type(call) => Owner::Registers,
            Expr::Path(path) => match path.path.get_ident() {
                Some(_) if self.names_memory(expr) => Owner::Memory,
                Some(name) if self.names_structure(name) => Owner::Registers,
                _ => Owner::Unknown,
            },
            Expr::Field(_) | Expr::Index(_)
                if object(expr).is_some_and(|name| name == "self" || self.is_variable(name)) =>
            {
                Owner::Registers
            }
            Expr::Field(field) => part_of(&field.base),
            Expr::Index(index) => part_of(&index.expr),
            Expr::MethodCall(call) => part_of(&call.receiver),
            _ => Owner::Unknown,
        }
    }

    /// Whether an expression is the name of a parameter that is a surface or buffer, or `&*name`: the parameter as a whole.
    pub(super) fn names_memory(&self, expr: &Expr) -> bool {
        let path = match expr {
            Expr::Path(path) => path,
            Expr::Reference(reference) => return self.names_memory(&reference.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                return self.names_memory(&unary.expr);
            }
            _ => return false,
        };
        let Some(name) = path.path.get_ident() else { return false };
        matches!(self.lookup(name), Some(Name::Shared(_) | Name::Exclusive(_)))
            && self.model.params.iter().any(|param| param.name == *name && param.is_memory())
    }
}
