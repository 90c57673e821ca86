//! Calls of functions without parameters, whose types do not show the backend.

use std::marker::PhantomData;

use cm_macros::{inlined, op};

use crate::backend::Backend;
use crate::elem::Elem;
use crate::registers::{Matrix, Scalar, Vector};

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

/// The type itself. A function of a structure of registers with const parameters repeats the backend of its block by it: a call
/// that names the constants of a function leaves a place for the backend.
pub trait Same<T> {}

impl<T> Same<T> for T {}

/// The result of a function without parameters that shows its backend.
#[diagnostic::on_unimplemented(
    message = "this function has no parameters and returns `{Self}` under another name",
    label = "the macros cannot see that it is `{Self}`",
    note = "write the type itself, `-> usize`, `-> bool` or a tuple of these"
)]
pub trait ShowsBackend {}

impl<T: Elem, B: Backend> ShowsBackend for Scalar<T, B> {}
impl<T: Elem, const N: usize, B: Backend> ShowsBackend for Vector<T, N, B> {}
impl<T: Elem, const R: usize, const C: usize, B: Backend> ShowsBackend for Matrix<T, R, C, B> {}
impl<X: ShowsBackend, const N: usize> ShowsBackend for [X; N] {}

macro_rules! tuples {
    ($(($($x:ident)*);)*) => {$(
        impl<$($x: ShowsBackend),*> ShowsBackend for ($($x,)*) {}
    )*};
}

// Every element must show the backend: the macros see none of the types behind another name.
tuples! { (X0 X1); (X0 X1 X2); (X0 X1 X2 X3); (X0 X1 X2 X3 X4); (X0 X1 X2 X3 X4 X5); }

/// In a function without parameters, for its result.
#[inlined]
pub fn shows_backend<X: ShowsBackend>() {}
