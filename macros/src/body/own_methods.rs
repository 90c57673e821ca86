//! Methods of structures of registers. They may have the names of those of surfaces and buffers.

use syn::{Expr, ExprMethodCall, UnOp};

use super::alone::is_function_of_type;
use super::built_in::BuiltIn;
use super::built_ins::{OTHER, of_method};
use super::parts::object;
use super::stager::Stager;

impl Stager<'_> {
    /// The row of a method call, as written. A structure of registers has methods of its own.
    pub(super) fn known_method(&self, call: &ExprMethodCall) -> &'static BuiltIn {
        let known = of_method(&call.method.to_string());
        if known.of_memory && self.is_structure(&call.receiver) { &OTHER } else { known }
    }

    /// Whether syntax shows that it is a structure of registers, or a part of one.
    pub(super) fn is_structure(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_structure(&paren.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) && self.is_structure(&unary.expr),
            Expr::Struct(_) => true,
            Expr::Call(call) => is_function_of_type(call),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_structure(name)),
            // A parameter may be a structure of arguments, whose fields are surfaces and buffers.
            part => object(part).is_some_and(|name| name == "self" || self.is_variable(name)),
        }
    }
}
