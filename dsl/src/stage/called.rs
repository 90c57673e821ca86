//! Calls of functions without parameters, whose types do not show the backend.

use std::marker::PhantomData;

use cm_macros::op;

use crate::backend::Backend;

/// The parameter by which a `#[function]` gets its backend if neither its parameters nor its result name one.
#[derive(Debug)]
pub struct On<B: Backend>(PhantomData<B>);

/// A function that takes nothing.
#[derive(Debug)]
pub struct Nothing;

/// A function that takes its backend.
#[derive(Debug)]
pub struct ItsBackend;

/// What a kernel can call without arguments. `Takes`, [`Nothing`] or [`ItsBackend`], follows from the function.
#[diagnostic::on_unimplemented(
    message = "this function cannot be called without arguments",
    label = "takes arguments, or is no function"
)]
pub trait Called<B: Backend, Takes> {
    /// The result.
    type Output;
    /// The result.
    fn called(self) -> Self::Output;
}

impl<B: Backend, F: FnOnce() -> T, T> Called<B, Nothing> for F {
    type Output = T;
    #[op]
    fn called(self) -> T {
        self()
    }
}

impl<B: Backend, F: FnOnce(On<B>) -> T, T> Called<B, ItsBackend> for F {
    type Output = T;
    #[op]
    fn called(self) -> T {
        self(On(PhantomData))
    }
}

/// `f()`.
#[op]
pub fn called<B: Backend, Takes, F: Called<B, Takes>>(function: F) -> F::Output {
    function.called()
}
