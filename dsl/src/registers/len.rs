//! Lengths that are computed in types: those of the results of `format` and `replicate`.

use std::ops::Mul;

use cm_macros::op;
use typenum::{Prod, U1, U2, U4, U8, UInt, UTerm};

use super::objects::{Vector, VectorRef, Whole};
use crate::backend::{Backend, Region};
use crate::elem::Elem;
use crate::limits::{Bytes, Count, Len, PositiveSize, Shape, ToLen, U};

/// A length as a type, with the [`Vector`] of this length.
pub trait VectorLen {
    /// The vector of this length.
    type Vector<T: Elem, B: Backend>: Copy;
    /// The place of this length.
    type VectorRef<'a, T: Elem, B: Backend>;

    #[doc(hidden)]
    #[track_caller]
    fn region<T: Elem, const R: usize, const C: usize, B: Backend>(
        x: &B::Reg<T, R, C>,
        region: Region<B>,
    ) -> Self::Vector<T, B>;

    #[doc(hidden)]
    #[track_caller]
    fn format<T: Elem, V: Elem, const R: usize, const C: usize, B: Backend>(
        x: &B::Reg<T, R, C>,
    ) -> Self::Vector<V, B>;

    #[doc(hidden)]
    #[track_caller]
    fn format_place<V: Elem, B: Backend>(place: B::Place<'_>) -> Self::VectorRef<'_, V, B>;
}

/// The vector of length `L`.
pub type VectorOf<L, T, B> = <L as VectorLen>::Vector<T, B>;

impl<const N: usize> VectorLen for Len<N> {
    type Vector<T: Elem, B: Backend> = Vector<T, N, B>;
    type VectorRef<'a, T: Elem, B: Backend> = VectorRef<'a, T, N, B, Whole>;

    #[op]
    fn region<T: Elem, const R: usize, const C: usize, B: Backend>(
        x: &B::Reg<T, R, C>,
        region: Region<B>,
    ) -> Vector<T, N, B> {
        Vector::from_reg(B::region::<T, R, C, 1, N>(x, region))
    }

    #[op]
    fn format<T: Elem, V: Elem, const R: usize, const C: usize, B: Backend>(
        x: &B::Reg<T, R, C>,
    ) -> Vector<V, N, B> {
        Vector::from_reg(B::format::<T, V, R, C, 1, N>(x))
    }

    #[op]
    fn format_place<V: Elem, B: Backend>(place: B::Place<'_>) -> VectorRef<'_, V, N, B, Whole> {
        VectorRef::from_place(B::format_place::<V>(place, N))
    }
}

/// The vector place of length `Len`.
pub type VectorRefOf<'a, Len, T, B> = <Len as VectorLen>::VectorRef<'a, T, B>;

/// The length of `REP` repetitions of `W` elements.
pub trait Times<const W: usize> {
    /// The length of the result.
    type Len: VectorLen;
}

impl<const REP: usize, const W: usize> Times<W> for Len<REP>
where
    Len<REP>: Count<UInt: PositiveSize>,
    Len<W>: Count<UInt: PositiveSize>,
    U<REP>: Mul<U<W>>,
    Prod<U<REP>, U<W>>: ToLen<Len: VectorLen>,
{
    type Len = <Prod<U<REP>, U<W>> as ToLen>::Len;
}

/// The length of `REP` repetitions of all elements of a shape.
pub trait Repeated<const REP: usize> {
    /// The length of the result.
    type Len: VectorLen;
}

impl<const R: usize, const C: usize, const REP: usize> Repeated<REP> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    Len<REP>: Count<UInt: PositiveSize>,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: Mul<U<REP>>,
    Prod<Prod<U<R>, U<C>>, U<REP>>: ToLen<Len: VectorLen>,
{
    type Len = <Prod<Prod<U<R>, U<C>>, U<REP>> as ToLen>::Len;
}

/// Leaf: something is left.
#[diagnostic::on_unimplemented(
    message = "`format` to an element type that is larger than the whole object",
    label = "no element of this type fits",
    note = "`format::<T>` gives as many elements as fit, at least one"
)]
pub trait AtLeastOne {}
impl<N, B> AtLeastOne for UInt<N, B> {}

/// A number divided by the size of an element, 1, 2, 4 or 8: it has fewer bits. (typenum's `Div` takes rustc half a
/// second for 256 bytes, and 7 seconds for 2048.)
pub trait Divided<Size> {
    /// The quotient, rounded down.
    type Output;
}

impl<N> Divided<U1> for N {
    type Output = N;
}

impl Divided<U2> for UTerm {
    type Output = UTerm;
}

impl<N, B> Divided<U2> for UInt<N, B> {
    type Output = N;
}

impl<N: Divided<U2, Output: Divided<U2>>> Divided<U4> for N {
    type Output = <N::Output as Divided<U2>>::Output;
}

impl<N: Divided<U4, Output: Divided<U2>>> Divided<U8> for N {
    type Output = <N::Output as Divided<U2>>::Output;
}

/// A shape with elements `T` that `format::<V>` reads as a vector of `V`.
pub trait FormatVector<T: Elem, V: Elem> {
    /// The length of that vector.
    type Len: VectorLen;
}

impl<T: Elem, V: Elem, const R: usize, const C: usize> FormatVector<T, V> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: Mul<T::Size>,
    Bytes<T, R, C>: Divided<V::Size, Output: AtLeastOne + ToLen<Len: VectorLen>>,
{
    type Len = <<Bytes<T, R, C> as Divided<V::Size>>::Output as ToLen>::Len;
}
