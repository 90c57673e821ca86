//! `format`: the bytes before and after.

use std::ops::Mul;

use typenum::{B0, B1, Eq, IsEqual, Prod, UTerm};

use super::count::{Count, Len, Shape, U};
use super::select::PositiveSize;
use crate::elem::Elem;

/// The bytes of an object.
pub(crate) type Bytes<T, const R: usize, const C: usize> = Prod<Prod<U<R>, U<C>>, <T as Elem>::Size>;

/// Leaf: equal sizes. Silent if the new size is zero, which is already reported.
#[diagnostic::on_unimplemented(
    message = "`format` to a matrix of another size",
    label = "the byte sizes differ",
    note = "`format::<T, R, C>` needs R * C * the size of T to be exactly the bytes of the object"
)]
pub trait SameBytes<Elements> {}
impl<N> SameBytes<N> for B1 {}
impl SameBytes<UTerm> for B0 {}

/// A shape with elements `T` that `format::<V, R2, C2>` reads as an `R2` x `C2` matrix of `V`.
pub trait FormatMatrix<T: Elem, V: Elem, const R2: usize, const C2: usize> {}

impl<T: Elem, V: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>
    FormatMatrix<T, V, R2, C2> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    Len<R2>: Count<UInt: PositiveSize>,
    Len<C2>: Count<UInt: PositiveSize>,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: Mul<T::Size>,
    U<R2>: Mul<U<C2>>,
    Prod<U<R2>, U<C2>>: Mul<V::Size>,
    Bytes<T, R, C>: IsEqual<Bytes<V, R2, C2>>,
    Eq<Bytes<T, R, C>, Bytes<V, R2, C2>>: SameBytes<Prod<U<R2>, U<C2>>>,
{
}
