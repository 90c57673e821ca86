//! Places that functions take by `&mut`.

use cm_macros::op;

use crate::backend::{Backend, Stored};
use crate::elem::Elem;
use crate::registers::{ElementRef, Matrix, MatrixRef, Scalar, Vector, VectorRef};

/// A place that a function takes by `&mut`. As in CM the elements are copied into a variable before the call,
/// and back after it.
#[diagnostic::on_unimplemented(
    message = "`&mut` of `{Self}`, which is not a place",
    label = "not a place",
    note = "a function changes variables (`&mut x`) and places (`&mut m.row_mut(i)`)"
)]
pub trait Lent<B: Backend> {
    /// The variable.
    type Variable: Stored<B>;
    /// The elements of the place.
    #[track_caller]
    fn elements(&self) -> Self::Variable;
    /// Writes all elements of the place.
    #[track_caller]
    fn replace(&mut self, elements: Self::Variable);
}

/// A variable with the elements of a place.
#[op]
pub fn lend<B: Backend, P: Lent<B>>(place: &P) -> P::Variable {
    place.elements().declare()
}

/// The elements of the variable as those of the place.
#[op]
pub fn give_back<B: Backend, P: Lent<B>>(place: &mut P, variable: &P::Variable) {
    place.replace(variable.load());
}

impl<T: Elem, const R: usize, const C: usize, B: Backend, L> Lent<B> for MatrixRef<'_, T, R, C, B, L> {
    type Variable = Matrix<T, R, C, B>;
    #[op]
    fn elements(&self) -> Self::Variable {
        self.value()
    }
    #[op]
    fn replace(&mut self, elements: Self::Variable) {
        self.put(elements);
    }
}

impl<T: Elem, const N: usize, B: Backend, L> Lent<B> for VectorRef<'_, T, N, B, L> {
    type Variable = Vector<T, N, B>;
    #[op]
    fn elements(&self) -> Self::Variable {
        self.value()
    }
    #[op]
    fn replace(&mut self, elements: Self::Variable) {
        self.put(elements);
    }
}

impl<T: Elem, B: Backend> Lent<B> for ElementRef<'_, T, B>
where
    Scalar<T, B>: Stored<B>,
{
    type Variable = Scalar<T, B>;
    #[op]
    fn elements(&self) -> Self::Variable {
        self.value()
    }
    #[op]
    fn replace(&mut self, elements: Self::Variable) {
        self.assign(elements);
    }
}
