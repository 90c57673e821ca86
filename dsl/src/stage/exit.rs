//! `break`, `continue` and `return`: scopes that are left.

use std::marker::PhantomData;

use cm_macros::op;

use crate::backend::{Backend, Condition};

/// What a `break`, `continue` or `return` leaves: a loop, a round of it, or a function.
#[derive(Debug)]
pub struct Scope<B: Backend> {
    number: u32,
    backend: PhantomData<B>,
}

/// Where the scope begins.
#[op]
#[must_use]
pub fn scope<B: Backend>() -> Scope<B> {
    Scope { number: B::open_scope(), backend: PhantomData }
}

/// Whether Rust's own `break` leaves the scope here. Otherwise the way out is recorded, and what follows is
/// the way of those who stay.
#[op]
#[must_use]
pub fn leave<B: Backend>(scope: &Scope<B>) -> bool {
    B::leave_scope(scope.number)
}

/// Where the scope ends.
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
