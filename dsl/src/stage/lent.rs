//! Places that functions take by `&mut`.

use cm_macros::op;

use crate::backend::{Backend, Stored};
use crate::elem::Elem;
use crate::registers::{ElementRef, Matrix, MatrixRef, Scalar, Vector, VectorRef};

/// A place that a function takes by `&mut`. As in CM, the elements are copied into a variable before the call and
/// copied back after it.
#[diagnostic::on_unimplemented(
    message = "`&mut` of `{Self}`, which is not a place",
    label = "not a place",
    note = "a function changes variables (`&mut x`) and places (`&mut m.row_mut(i)`)"
)]
pub trait Lent<B: Backend> {
    /// The variable.
    type Variable;
    /// A variable with the elements of the place.
    #[track_caller]
    fn lend(&self) -> Self::Variable;
    /// The elements of the variable as those of the place.
    #[track_caller]
    fn give_back(&mut self, variable: &Self::Variable);
}

/// A variable with the elements of a place.
#[op]
pub fn lend<B: Backend, P: Lent<B>>(place: &P) -> P::Variable {
    place.lend()
}

/// The elements of the variable as those of the place.
#[op]
pub fn give_back<B: Backend, P: Lent<B>>(place: &mut P, variable: &P::Variable) {
    place.give_back(variable);
}

macro_rules! places {
    ($([$($params:tt)*] $place:ty: $variable:ty, $write:ident;)*) => {$(
        impl<T: Elem, B: Backend, $($params)*> Lent<B> for $place
        where
            $variable: Stored<B>,
        {
            type Variable = $variable;
            #[op]
            fn lend(&self) -> Self::Variable {
                self.value().declare()
            }
            #[op]
            fn give_back(&mut self, variable: &Self::Variable) {
                self.$write(variable.load());
            }
        }
    )*};
}

places! {
    [L, const R: usize, const C: usize] MatrixRef<'_, T, R, C, B, L>: Matrix<T, R, C, B>, put;
    [L, const N: usize] VectorRef<'_, T, N, B, L>: Vector<T, N, B>, put;
    [] ElementRef<'_, T, B>: Scalar<T, B>, assign;
}
