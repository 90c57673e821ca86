//! `break`, `continue` and `return`: leaving scopes.

use std::marker::PhantomData;

use cm_macros::op;

use crate::backend::{Backend, Condition};

/// The scope that a `break`, `continue` or `return` leaves: a loop, an iteration of it, or a function.
#[derive(Debug)]
pub struct Scope<B: Backend> {
    number: u32,
    backend: PhantomData<B>,
}

/// The start of the scope.
#[op]
#[must_use]
pub fn scope<B: Backend>() -> Scope<B> {
    Scope { number: B::open_scope(), backend: PhantomData }
}

/// Whether Rust's own `break` leaves the scope here. Otherwise the exit is recorded, and the recording continues with
/// the path of the threads that stay.
#[op]
#[must_use]
pub fn leave<B: Backend>(scope: &Scope<B>) -> bool {
    B::leave_scope(scope.number)
}

/// Whether the rest of an arm is left out: the kernel has left it, but the exit was recorded only.
#[op]
#[must_use]
pub fn unreached<B: Backend>() -> bool {
    B::unreached()
}

/// The end of the scope.
#[op]
pub fn end_scope<B: Backend>(scope: Scope<B>) {
    B::close_scope(scope.number);
}

/// The condition of `loop`.
#[op]
#[must_use]
pub fn endless<B: Backend>() -> B::Cond {
    <B::Cond as Condition<B>>::known(true)
}
