//! Named barriers: how many a kernel has.

use typenum::{B1, IsLessOrEqual, LeEq, U32, UInt};

use super::count::{Count, Len, U};

/// Leaf: a group has that many barriers.
#[diagnostic::on_unimplemented(
    message = "a group of threads has at most 32 named barriers",
    label = "more than 32 barriers",
    note = "a barrier is used again and again: reuse one for the next step",
    note = "a kernel that also calls `barrier()` has at most 31 named ones",
    note = "CM: `cm_nbarrier_init`"
)]
pub trait AtMost32Barriers {}
impl AtMost32Barriers for B1 {}

/// Leaf: there is a barrier.
#[diagnostic::on_unimplemented(
    message = "zero named barriers: `named_barriers` creates at least one",
    label = "no barrier",
    note = "without named barriers, do not call it",
    note = "CM: `cm_nbarrier_init`"
)]
pub trait AtLeastOneBarrier {}
impl<N, B> AtLeastOneBarrier for UInt<N, B> {}

/// A number of named barriers that a kernel can have: 1 to 32.
pub trait NamedBarrierCount {}

impl<const N: usize> NamedBarrierCount for Len<N>
where
    Len<N>: Count<UInt: AtLeastOneBarrier>,
    U<N>: IsLessOrEqual<U32>,
    LeEq<U<N>, U32>: AtMost32Barriers,
{
}
