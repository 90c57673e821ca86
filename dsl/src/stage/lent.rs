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

macro_rules! places {
    ($([$($params:tt)*] $place:ty: $variable:ty, $write:ident;)*) => {$(
        impl<T: Elem, B: Backend, $($params)*> Lent<B> for $place
        where
            $variable: Stored<B>,
        {
            type Variable = $variable;
            #[op]
            fn elements(&self) -> Self::Variable {
                self.value()
            }
            #[op]
            fn replace(&mut self, elements: Self::Variable) {
                self.$write(elements);
            }
        }
    )*};
}

places! {
    [L, const R: usize, const C: usize] MatrixRef<'_, T, R, C, B, L>: Matrix<T, R, C, B>, put;
    [L, const N: usize] VectorRef<'_, T, N, B, L>: Vector<T, N, B>, put;
    [] ElementRef<'_, T, B>: Scalar<T, B>, assign;
}
