//! Scattered accesses and atomic operations: the tables of their forms, and the elements that they access.

mod atomics;
mod reads;
mod writes;

pub(crate) use atomics::atomic_operations;
pub(crate) use reads::{scattered_prefetches, scattered_reads};
pub(crate) use writes::scattered_writes;

use cm_macros::op;

use crate::address::{ByteBase, ElementBase};
use crate::backend::{Backend, merge};
use crate::elem::{Elem, Int};
use crate::limits::Len;
use crate::operators::Mask;
use crate::registers::{Offset, PerLane, Scalar, Vector};

/// `base + offsets`, in elements.
#[op]
pub(crate) fn elements<I: Int, const L: usize, B: Backend>(
    base: impl Offset<ElementBase, B>,
    offsets: impl PerLane<I, L, B>,
) -> Vector<u32, L, B> {
    sums(base.value(), offsets)
}

/// The elements `T` at the bytes `base + offsets`, rounded down to whole elements.
#[op]
pub(crate) fn scaled<T: Elem, I: Int, const L: usize, B: Backend>(
    base: impl Offset<ByteBase, B>,
    offsets: impl PerLane<I, L, B>,
) -> Vector<u32, L, B> {
    let bytes = sums(base.value(), offsets);
    match T::TYPE.bytes() {
        1 => bytes,
        size => bytes >> size.trailing_zeros(),
    }
}

#[op]
fn sums<I: Int, const L: usize, B: Backend>(
    base: Option<Scalar<u32, B>>,
    offsets: impl PerLane<I, L, B>,
) -> Vector<u32, L, B> {
    let offsets = offsets.per_lane().convert::<u32>();
    match base {
        None => offsets,
        // Wraps in 32 bits, like the addresses of the hardware.
        Some(base) => offsets + base,
    }
}

/// The number of an element that is outside every buffer, like the elements of its channels.
const OUTSIDE: u32 = u32::MAX - 3;

/// The element numbers where the mask is set; elsewhere a number outside every buffer.
#[op]
pub(crate) fn masked<M: Mask<1, L, B, Len<L>>, const L: usize, B: Backend>(
    mask: M,
    elements: Vector<u32, L, B>,
) -> Vector<u32, L, B> {
    let outside = B::constant([[OUTSIDE; L]]);
    Vector::from_reg(merge::<B, M::Elem, u32, 1, L>(mask.into_mask(), elements.into_reg(), outside))
}
