//! A number on the left: `(255 - block).convert()`.

use cm_macros::op;

use super::computes::Computes;
use crate::backend::Backend;
use crate::elem::{Elem, f16};
use crate::ops::BinaryOp;
use crate::registers::{IntoScalar, Matrix, Scalar, Vector};

/// The right side of an operator whose left side is a number, if a register method follows.
///
/// With an operator, the shape of the result would depend on the type of the literal, and rustc could not find the
/// method.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods of registers",
    label = "not a register",
    note = "the method belongs to registers and staged scalars"
)]
pub trait RightOf<O, L, B: Backend> {
    /// Shape and elements of the result.
    type Output;
    /// The result.
    #[track_caller]
    fn after(self, left: L) -> Self::Output;
}

/// `left O right`.
#[op]
pub fn left<B: Backend, O, L, R: RightOf<O, L, B>>(left: L, right: R) -> R::Output {
    right.after(left)
}

macro_rules! registers {
    ($reg:ident, $ty:ty, $out:ty, $r:tt, $c:tt; $($params:tt)*) => {
        #[doc(hidden)]
        impl<O, L, T, B, $($params)*> RightOf<O, L, B> for $ty
        where
            B: Backend,
            L: IntoScalar<B>,
            T: Elem,
            O: Computes<L::Elem, T> + BinaryOp<<O as Computes<L::Elem, T>>::In>,
        {
            type Output = $out;

            #[op]
            fn after(self, left: L) -> $out {
                let left = B::splat(left.into_scalar().into_reg());
                $reg::from_reg(B::map2::<O, <O as Computes<L::Elem, T>>::In, L::Elem, T, _, false, $r, $c>(left, self.into_reg()))
            }
        }
    };
}

type Combined<O, L, T> = <O as BinaryOp<<O as Computes<L, T>>::In>>::Output;

registers!(Matrix, Matrix<T, R, C, B>, Matrix<Combined<O, L::Elem, T>, R, C, B>, R, C; const R: usize, const C: usize);
registers!(Vector, Vector<T, N, B>, Vector<Combined<O, L::Elem, T>, N, B>, 1, N; const N: usize);
registers!(Scalar, Scalar<T, B>, Scalar<Combined<O, L::Elem, T>, B>, 1, 1;);

/// A host number on the right of a staged scalar.
macro_rules! hosts {
    ($($element:ident)*) => {
        hosts! { $($element as $element),* }
    };
    ($($host:ident as $elem:ident),*) => {$(
        #[doc(hidden)]
        impl<O, T, B> RightOf<O, Scalar<T, B>, B> for $host
        where
            B: Backend,
            T: Elem,
            O: Computes<T, $elem> + BinaryOp<<O as Computes<T, $elem>>::In>,
        {
            type Output = Scalar<Combined<O, T, $elem>, B>;

            #[op]
            fn after(self, left: Scalar<T, B>) -> Self::Output {
                RightOf::<O, _, B>::after(IntoScalar::<B>::into_scalar(self), left)
            }
        }
    )*};
}

cm_compiler::for_each_element!(hosts);
hosts! { usize as i32, isize as i32 }
