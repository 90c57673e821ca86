//! Functions on groups of neighbouring elements: the number of elements.

use std::ops::{Mul, Rem};

use typenum::{Mod, Prod, UTerm};

use super::count::{Count, Len, Shape, U};

/// Leaf: no element is left over.
#[diagnostic::on_unimplemented(
    message = "this function takes groups of {W} neighbouring elements, and some elements are left over",
    label = "the number of elements is not a multiple of {W}",
    note = "groups follow each other row by row: `select` as many elements as make whole groups",
    note = "CM: `cm_sad2` takes vectors of an even length, `cm_dp4` of a multiple of 4"
)]
pub trait WholeGroups<const W: usize> {}
impl<const W: usize> WholeGroups<W> for UTerm {}

/// A shape whose number of elements is a multiple of `W`.
pub trait Groups<const W: usize> {}

impl<const R: usize, const C: usize, const W: usize> Groups<W> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    Len<W>: Count,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: Rem<U<W>>,
    Mod<Prod<U<R>, U<C>>, U<W>>: WholeGroups<W>,
{
}
