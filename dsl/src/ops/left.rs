//! A literal on the left: `(255 - block).convert()`.

use super::BinaryOp;
use super::operand::IntoScalar;
use crate::backend::Backend;
use crate::elem::{Elem, Promote, Promoted};
use crate::registers::{Matrix, Scalar, Vector};

/// What stands on the right of a literal, where a register method follows.
///
/// As an operator the shape of the result would wait for the type of the literal, and the method could not be found.
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
#[inline(always)]
#[track_caller]
pub fn left<B: Backend, O, L, R: RightOf<O, L, B>>(left: L, right: R) -> R::Output {
    right.after(left)
}

macro_rules! registers {
    ($reg:ident, $ty:ty, $out:ty, $r:tt, $c:tt; $($params:tt)*) => {
        impl<O, L, T, B, $($params)*> RightOf<O, L, B> for $ty
        where
            B: Backend,
            L: IntoScalar<B>,
            T: Elem,
            L::Elem: Promote<T>,
            O: BinaryOp<Promoted<L::Elem, T>>,
        {
            type Output = $out;

            #[inline(always)]
            #[track_caller]
            fn after(self, left: L) -> $out {
                let left = B::splat(left.into_scalar().into_reg());
                $reg::from_reg(B::binary::<O, Promoted<L::Elem, T>, L::Elem, T, $r, $c>(left, self.into_reg()))
            }
        }
    };
}

type Combined<O, L, T> = <O as BinaryOp<Promoted<L, T>>>::Output;

registers!(Matrix, Matrix<T, R, C, B>, Matrix<Combined<O, L::Elem, T>, R, C, B>, R, C; const R: usize, const C: usize);
registers!(Vector, Vector<T, N, B>, Vector<Combined<O, L::Elem, T>, N, B>, 1, N; const N: usize);
registers!(Scalar, Scalar<T, B>, Scalar<Combined<O, L::Elem, T>, B>, 1, 1;);
