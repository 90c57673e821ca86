//! The values that a sub-group writes.

use cm_macros::op;

use crate::backend::Backend;
use crate::elem::Elem;
use crate::registers::{Matrix, Vector};
use crate::stage::SameElement;

/// The values of a sub-group: `K` elements `T` of each of `SG` work items.
///
/// A `Vector<T, SG>` has one element per work item. Row `k` of a `Matrix<T, K, SG>` has component `k` of each work
/// item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what {SG} work items write: each of them {K} of `{T}`",
    label = "not the values of this sub-group",
    note = "one value of each work item is a `Vector<T, SG>`, K of them are a `Matrix<T, K, SG>`; both are \
            passed by value"
)]
pub trait Texels<T: Elem, const K: usize, const SG: usize, B: Backend> {
    /// One row of each component.
    #[track_caller]
    fn into_texels(self) -> B::Reg<T, K, SG>;
}

impl<T: SameElement<V>, V: Elem, const K: usize, const SG: usize, B: Backend> Texels<T, K, SG, B>
    for Matrix<V, K, SG, B>
{
    #[op]
    fn into_texels(self) -> B::Reg<T, K, SG> {
        T::same::<B, K, SG>(self.into_reg())
    }
}

impl<T: SameElement<V>, V: Elem, const SG: usize, B: Backend> Texels<T, 1, SG, B> for Vector<V, SG, B> {
    #[op]
    fn into_texels(self) -> B::Reg<T, 1, SG> {
        T::same::<B, 1, SG>(self.into_reg())
    }
}
