//! `replicate`: it must not read past the end.

use std::ops::{Add, Mul};

use typenum::{B1, IsLess, Le, Prod, Sum};

use super::count::{Count, Len, Shape, U};
use super::select::Within;

/// Leaf: the last element read.
#[diagnostic::on_unimplemented(
    message = "`replicate` reads past the last element",
    label = "reaches beyond the object",
    note = "element (REP - 1) * VS + (W - 1) * HS after the offset must still be one of the object's"
)]
pub trait ReplicateInside {}
impl ReplicateInside for B1 {}

/// A shape that contains the elements that `replicate` with these constants reads at offset 0:
/// `(REP - 1) * VS + (W - 1) * HS` is less than the number of elements.
pub trait Replicate<const REP: usize, const VS: usize, const W: usize, const HS: usize> {}

/// `REP` rows, `VS` apart, of `W` elements, `HS` apart, from element `AT` of `TOTAL`.
#[derive(Debug)]
pub struct Reach<
    const AT: usize,
    const REP: usize,
    const VS: usize,
    const W: usize,
    const HS: usize,
    const TOTAL: usize,
>;

type Read<const AT: usize, const REP: usize, const VS: usize, const W: usize, const HS: usize> =
    Sum<U<AT>, Sum<Prod<U<REP>, U<VS>>, Prod<U<W>, U<HS>>>>;
type Reserve<N, const VS: usize, const HS: usize> = Sum<Sum<N, U<VS>>, U<HS>>;

// AT + (REP - 1) * VS + (W - 1) * HS < TOTAL, without subtractions.
impl<const AT: usize, const REP: usize, const VS: usize, const W: usize, const HS: usize, const TOTAL: usize>
    Within for Reach<AT, REP, VS, W, HS, TOTAL>
where
    Len<AT>: Count,
    Len<REP>: Count,
    Len<VS>: Count,
    Len<W>: Count,
    Len<HS>: Count,
    Len<TOTAL>: Count,
    U<REP>: Mul<U<VS>>,
    U<W>: Mul<U<HS>>,
    Prod<U<REP>, U<VS>>: Add<Prod<U<W>, U<HS>>>,
    U<AT>: Add<Sum<Prod<U<REP>, U<VS>>, Prod<U<W>, U<HS>>>>,
    U<TOTAL>: Add<U<VS>>,
    Sum<U<TOTAL>, U<VS>>: Add<U<HS>>,
    Read<AT, REP, VS, W, HS>: IsLess<Reserve<U<TOTAL>, VS, HS>>,
{
    type Bit = Le<Read<AT, REP, VS, W, HS>, Reserve<U<TOTAL>, VS, HS>>;
}

impl<const R: usize, const C: usize, const REP: usize, const VS: usize, const W: usize, const HS: usize>
    Replicate<REP, VS, W, HS> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    Len<REP>: Count,
    Len<VS>: Count,
    Len<W>: Count,
    Len<HS>: Count,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: Add<U<VS>>,
    Sum<Prod<U<R>, U<C>>, U<VS>>: Add<U<HS>>,
    U<REP>: Mul<U<VS>>,
    U<W>: Mul<U<HS>>,
    Prod<U<REP>, U<VS>>: Add<Prod<U<W>, U<HS>>>,
    Sum<Prod<U<REP>, U<VS>>, Prod<U<W>, U<HS>>>: IsLess<Reserve<Prod<U<R>, U<C>>, VS, HS>>,
    Le<Sum<Prod<U<REP>, U<VS>>, Prod<U<W>, U<HS>>>, Reserve<Prod<U<R>, U<C>>, VS, HS>>: ReplicateInside,
{
}
