//! Votes, broadcast, reductions and scans.

use cm_macros::{inlined, op};

use super::exchange::{Partner, SubGroupData};
use crate::backend::{Backend, Region, Start, binary, merge};
use crate::elem::Int;
use crate::limits::{Len, SubGroup, SubGroupElem};
use crate::ops;
use crate::registers::{ElementOffset, Offset, Scalar, Vector};

/// Whether the predicate of every work item is not zero. OpenCL: `sub_group_all(predicate)`.
///
/// The result is a condition: `bool` in plain Rust. To use it as a number, write `if .. { 1 } else { 0 }`.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::sub_group_all;
/// let x = Vector::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
/// assert!(sub_group_all(x) && !sub_group_all(x.simd_gt(1)));
/// ```
#[op]
pub fn sub_group_all<T: Int, const N: usize, B: Backend>(predicate: Vector<T, N, B>) -> B::Cond
where
    Len<N>: SubGroup,
{
    predicate.all()
}

/// Whether the predicate of at least one work item is not zero. OpenCL: `sub_group_any(predicate)`.
///
/// The result is a condition, like that of [`sub_group_all`].
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::sub_group_any;
/// let x = Vector::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
/// assert!(sub_group_any(x.simd_gt(7)) && !sub_group_any(x.simd_gt(8)));
/// ```
#[op]
pub fn sub_group_any<T: Int, const N: usize, B: Backend>(predicate: Vector<T, N, B>) -> B::Cond
where
    Len<N>: SubGroup,
{
    predicate.any()
}

/// Returns the value of one work item to all of them. OpenCL: `sub_group_broadcast(x, sub_group_local_id)`.
///
/// The number is a host integer or a scalar, the same for all work items. `cargo check` refuses a literal out
/// of range; a computed host number out of range is an error when the kernel is recorded; a scalar is clamped
/// to the last work item.
///
/// # Panics
/// In plain Rust, if there is no such work item.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::sub_group_broadcast;
/// let x = Vector::from_array([10, 11, 12, 13, 14, 15, 16, 17]);
/// assert_eq!(sub_group_broadcast(x, 3).value(), 13);
/// ```
#[op]
pub fn sub_group_broadcast<T: SubGroupElem, const N: usize, B: Backend>(
    x: Vector<T, N, B>,
    sub_group_local_id: impl Offset<ElementOffset<N>, B>,
) -> Scalar<T, B>
where
    Len<N>: SubGroup,
{
    x.get(sub_group_local_id)
}

/// How two values become one. The left one is that of work items with smaller numbers.
trait Combine {
    #[track_caller]
    fn combine<T: SubGroupElem, const N: usize, B: Backend>(
        left: B::Reg<T, 1, N>,
        right: B::Reg<T, 1, N>,
    ) -> B::Reg<T, 1, N>;
    /// The value of the first work item of an exclusive scan.
    fn identity<T: SubGroupElem>() -> T;
}

struct Add;
struct Min;
struct Max;

impl Combine for Add {
    #[op]
    fn combine<T: SubGroupElem, const N: usize, B: Backend>(
        left: B::Reg<T, 1, N>,
        right: B::Reg<T, 1, N>,
    ) -> B::Reg<T, 1, N> {
        binary::<B, ops::Add, T, 1, N>(left, right)
    }

    #[inlined]
    fn identity<T: SubGroupElem>() -> T {
        T::default()
    }
}

/// The picked value of a pair, but the right value if the left one is NaN. (Hardware that picks in one
/// instruction does the same, and compilers use that instruction for comparisons.)
#[op]
fn known<T: SubGroupElem, const N: usize, B: Backend>(
    left: B::Reg<T, 1, N>,
    right: B::Reg<T, 1, N>,
    picked: B::Reg<T, 1, N>,
) -> B::Reg<T, 1, N> {
    if !T::TYPE.is_float() {
        return picked;
    }
    let unknown = binary::<B, ops::Ne, T, 1, N>(left, left);
    merge::<B, u16, T, 1, N>(unknown, right, picked)
}

impl Combine for Min {
    #[op]
    fn combine<T: SubGroupElem, const N: usize, B: Backend>(
        left: B::Reg<T, 1, N>,
        right: B::Reg<T, 1, N>,
    ) -> B::Reg<T, 1, N> {
        let less = binary::<B, ops::Lt, T, 1, N>(right, left);
        known::<T, N, B>(left, right, merge::<B, u16, T, 1, N>(less, right, left))
    }

    #[inlined]
    fn identity<T: SubGroupElem>() -> T {
        T::HIGHEST
    }
}

impl Combine for Max {
    #[op]
    fn combine<T: SubGroupElem, const N: usize, B: Backend>(
        left: B::Reg<T, 1, N>,
        right: B::Reg<T, 1, N>,
    ) -> B::Reg<T, 1, N> {
        let greater = binary::<B, ops::Gt, T, 1, N>(right, left);
        known::<T, N, B>(left, right, merge::<B, u16, T, 1, N>(greater, right, left))
    }

    #[inlined]
    fn identity<T: SubGroupElem>() -> T {
        T::LOWEST
    }
}

/// Combines the lower half with the upper half.
#[op]
fn half<O: Combine, T: SubGroupElem, const N: usize, const H: usize, B: Backend>(
    x: B::Reg<T, 1, N>,
) -> B::Reg<T, 1, H> {
    let low = B::region::<T, 1, N, 1, H>(&x, Region::row(Start::Host(0), H));
    let high = B::region::<T, 1, N, 1, H>(&x, Region::row(Start::Host(H), H));
    O::combine::<T, H, B>(low, high)
}

/// Half by half.
#[op]
fn reduce<O: Combine, T: SubGroupElem, const N: usize, B: Backend>(x: Vector<T, N, B>) -> Scalar<T, B> {
    let x = x.into_reg();
    // In halves, in a fixed order: floats have the same bits on every backend.
    let four = match N {
        8 => half::<O, T, N, 4, B>(x),
        16 => half::<O, T, 8, 4, B>(half::<O, T, N, 8, B>(x)),
        _ => half::<O, T, 8, 4, B>(half::<O, T, 16, 8, B>(half::<O, T, N, 16, B>(x))),
    };
    Scalar::from_reg(half::<O, T, 2, 1, B>(half::<O, T, 4, 2, B>(four)))
}

/// In steps of 1, 2, 4, ..: the value of a work item is combined with that of the work item at this distance before
/// it.
#[op]
fn scan<O: Combine, T: SubGroupElem, const N: usize, B: Backend>(x: Vector<T, N, B>) -> Vector<T, N, B> {
    let mut all = x;
    let mut distance = 1;
    while distance < N {
        // Lanes without a lane at this distance before them receive another lane; `there` keeps them unchanged.
        let before = Vector::exchange(all, Some(all), Partner::Window(N - distance));
        let combined = O::combine::<T, N, B>(before.into_reg(), all.into_reg());
        let mut there = [1; N];
        there[..distance].fill(0);
        let there = B::constant::<u16, 1, N>([there]);
        all = Vector::from_reg(merge::<B, u16, T, 1, N>(there, combined, all.into_reg()));
        distance *= 2;
    }
    all
}

/// The scan of the work items before each one.
#[op]
fn scan_before<O: Combine, T: SubGroupElem, const N: usize, B: Backend>(
    x: Vector<T, N, B>,
) -> Vector<T, N, B> {
    // The value before the first lane.
    let first = Vector::from_reg(B::splat::<T, 1, N>(B::constant([[O::identity::<T>()]])));
    Vector::exchange(first, Some(scan::<O, T, N, B>(x)), Partner::Window(N - 1))
}

macro_rules! built_ins {
    ($($(#[$doc:meta])* $name:ident => $kind:ident::<$op:ident>, $result:ident $(<$n:ident>)?;)*) => {$(
        $(#[$doc])*
        #[op]
        pub fn $name<T: SubGroupElem, const N: usize, B: Backend>(
            x: Vector<T, N, B>,
        ) -> $result<T, $($n,)? B>
        where
            Len<N>: SubGroup,
        {
            $kind::<$op, T, N, B>(x)
        }
    )*};
}

built_ins! {
    /// The sum of all work items. OpenCL: `sub_group_reduce_add(x)`.
    ///
    /// Integers wrap. Floats are added in a fixed order: first each work item of the lower half and its
    /// counterpart in the upper half, then the halves of these sums, and so on.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_reduce_add;
    /// let x = Vector::from_array([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    /// assert_eq!(sub_group_reduce_add(x).value(), 36.0); // ((1+5)+(3+7)) + ((2+6)+(4+8))
    /// ```
    sub_group_reduce_add => reduce::<Add>, Scalar;
    /// The smallest value of all work items. OpenCL: `sub_group_reduce_min(x)`.
    ///
    /// Values are compared in the pairs of [`sub_group_reduce_add`]. If the values of a pair are equal, the
    /// left one is kept. NaN is ignored unless all values are NaN.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_reduce_min;
    /// assert_eq!(sub_group_reduce_min(Vector::from_array([4, 7, -2, 9, 3, 3, 8, 5])).value(), -2);
    /// ```
    sub_group_reduce_min => reduce::<Min>, Scalar;
    /// The largest value of all work items. OpenCL: `sub_group_reduce_max(x)`.
    ///
    /// The order of pairs and the rule for NaN are those of [`sub_group_reduce_min`].
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_reduce_max;
    /// assert_eq!(sub_group_reduce_max(Vector::from_array([4, 7, -2, 9, 3, 3, 8, 5])).value(), 9);
    /// ```
    sub_group_reduce_max => reduce::<Max>, Scalar;
    /// For each work item, the sum of all work items up to and including it. OpenCL:
    /// `sub_group_scan_inclusive_add(x)`.
    ///
    /// Integers wrap. Floats are added in a fixed order, in steps of 1, 2, 4 and so on: in each step a work
    /// item adds, from the left, the sum of the work item that many before it.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_scan_inclusive_add;
    /// let x = Vector::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
    /// assert_eq!(sub_group_scan_inclusive_add(x).to_array(), [1, 3, 6, 10, 15, 21, 28, 36]);
    /// ```
    sub_group_scan_inclusive_add => scan::<Add>, Vector<N>;
    /// For each work item, the smallest value of all work items up to and including it. OpenCL:
    /// `sub_group_scan_inclusive_min(x)`.
    ///
    /// The order is that of [`sub_group_scan_inclusive_add`]; pairs are compared as in
    /// [`sub_group_reduce_min`].
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_scan_inclusive_min;
    /// let x = Vector::from_array([4, 7, 2, 9, 3, 1, 8, 0]);
    /// assert_eq!(sub_group_scan_inclusive_min(x).to_array(), [4, 4, 2, 2, 2, 1, 1, 0]);
    /// ```
    sub_group_scan_inclusive_min => scan::<Min>, Vector<N>;
    /// For each work item, the largest value of all work items up to and including it. OpenCL:
    /// `sub_group_scan_inclusive_max(x)`.
    ///
    /// The order is that of [`sub_group_scan_inclusive_add`]; pairs are compared as in
    /// [`sub_group_reduce_max`].
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_scan_inclusive_max;
    /// let x = Vector::from_array([4, 7, 2, 9, 3, 1, 8, 0]);
    /// assert_eq!(sub_group_scan_inclusive_max(x).to_array(), [4, 7, 7, 9, 9, 9, 9, 9]);
    /// ```
    sub_group_scan_inclusive_max => scan::<Max>, Vector<N>;
    /// For each work item, the sum of all work items before it; 0 for the first one. OpenCL:
    /// `sub_group_scan_exclusive_add(x)`.
    ///
    /// The result is that of [`sub_group_scan_inclusive_add`], shifted by one work item.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_scan_exclusive_add;
    /// let x = Vector::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
    /// assert_eq!(sub_group_scan_exclusive_add(x).to_array(), [0, 1, 3, 6, 10, 15, 21, 28]);
    /// ```
    sub_group_scan_exclusive_add => scan_before::<Add>, Vector<N>;
    /// For each work item, the smallest value of all work items before it; the largest number or infinity for
    /// the first one. OpenCL: `sub_group_scan_exclusive_min(x)`.
    ///
    /// The result is that of [`sub_group_scan_inclusive_min`], shifted by one work item.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_scan_exclusive_min;
    /// let x = Vector::from_array([4, 7, 2, 9, 3, 1, 8, 0]);
    /// assert_eq!(sub_group_scan_exclusive_min(x).to_array(), [i32::MAX, 4, 4, 2, 2, 2, 1, 1]);
    /// ```
    sub_group_scan_exclusive_min => scan_before::<Min>, Vector<N>;
    /// For each work item, the largest value of all work items before it; the smallest number or minus
    /// infinity for the first one. OpenCL: `sub_group_scan_exclusive_max(x)`.
    ///
    /// The result is that of [`sub_group_scan_inclusive_max`], shifted by one work item.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::subgroups::sub_group_scan_exclusive_max;
    /// let x = Vector::from_array([4, 7, 2, 9, 3, 1, 8, 0]);
    /// assert_eq!(sub_group_scan_exclusive_max(x).to_array(), [i32::MIN, 4, 7, 7, 9, 9, 9, 9]);
    /// ```
    sub_group_scan_exclusive_max => scan_before::<Max>, Vector<N>;
}
