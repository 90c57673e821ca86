//! Shuffles: each work item receives the value of another one.

use cm_macros::{inlined, op};

use super::exchange::{Partner, SubGroupData};
use super::queries::work_items;
use crate::backend::{Backend, Start};
use crate::elem::{Int, host_integers};
use crate::limits::{Len, SubGroup};
use crate::registers::{Scalar, Vector};

/// The number of a shuffle, as `u32`.
#[derive(Debug)]
pub enum WorkItems<const N: usize, B: Backend> {
    /// The same for all work items, known when the kernel is recorded.
    Host(u32),
    /// The same for all work items.
    Uniform(Scalar<u32, B>),
    /// One number per work item.
    Each(Vector<u32, N, B>),
}

impl<const N: usize, B: Backend> WorkItems<N, B> {
    /// As one number per work item; `Err` if it is known.
    #[op]
    fn each(self) -> Result<Vector<u32, N, B>, u32> {
        match self {
            Self::Host(number) => Err(number),
            Self::Uniform(number) => Ok(Vector::from_reg(B::splat(number.into_reg()))),
            Self::Each(numbers) => Ok(numbers),
        }
    }
}

/// Numbers of work items that are known when the kernel is recorded.
#[op]
fn constant<const N: usize, B: Backend>(numbers: [u32; N]) -> Partner<N, B> {
    Partner::Each(Vector::from_reg(B::constant([numbers])))
}

/// The `uint` of a shuffle: one integer per work item, or one integer for all work items, as a scalar or a host
/// number. It is an unsigned 32-bit number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of a work item, nor one for each of the {N}",
    label = "not an integer or a vector of {N} integers",
    note = "shuffles take an integer, host or staged, or a `Vector` of integers with an element for each \
            work item"
)]
pub trait LaneNumber<const N: usize, B: Backend> {
    /// As `u32`.
    #[track_caller]
    fn into_numbers(self) -> WorkItems<N, B>;
}

host_integers! {
    impl [const N: usize, B: Backend] LaneNumber<N, B> {
        #[inlined]
        fn into_numbers(self) -> WorkItems<N, B> {
            // Numbers of any type are treated as unsigned 32-bit numbers, like OpenCL's `uint`.
            WorkItems::Host(self as i128 as u32)
        }
    }
}

impl<T: Int, const N: usize, B: Backend> LaneNumber<N, B> for Scalar<T, B> {
    #[op]
    fn into_numbers(self) -> WorkItems<N, B> {
        WorkItems::Uniform(self.convert::<u32>())
    }
}

impl<T: Int, const N: usize, B: Backend> LaneNumber<N, B> for Vector<T, N, B> {
    #[op]
    fn into_numbers(self) -> WorkItems<N, B> {
        WorkItems::Each(self.convert::<u32>())
    }
}

#[op]
fn local_id<const N: usize, B: Backend>() -> Vector<u32, N, B> {
    Vector::from_reg(B::constant([work_items::<N>()]))
}

/// Each work item receives the `data` of work item `c`. OpenCL: `intel_sub_group_shuffle(data, c)`.
///
/// Numbers are unsigned and clamped to the last work item.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::sub_group_shuffle;
/// let data = Vector::from_array([10, 11, 12, 13, 14, 15, 16, 17]);
/// let c = Vector::from_array([7u32, 7, 0, 1, 3, 2, 8, 5]);
/// assert_eq!(sub_group_shuffle(data, c).to_array(), [17, 17, 10, 11, 13, 12, 17, 15]);
/// assert_eq!(sub_group_shuffle(data, 2).to_array(), [12; 8]);
/// ```
#[op]
pub fn sub_group_shuffle<D: SubGroupData<N, B>, const N: usize, B: Backend>(
    data: D,
    c: impl LaneNumber<N, B>,
) -> D
where
    Len<N>: SubGroup,
{
    let from = match c.into_numbers() {
        WorkItems::Host(c) => Partner::Same(Start::Host((c as usize).min(N - 1))),
        WorkItems::Uniform(c) => Partner::Same(Start::Staged(c.limited_to(N as u32 - 1).into_reg())),
        WorkItems::Each(c) => Partner::Each(c),
    };
    D::exchange(data, None, from)
}

/// Each work item receives the value of the one `delta` after it: `current` of work item `id + delta`, or
/// `next` of work item `id + delta - N` if that is `N` or more. OpenCL:
/// `intel_sub_group_shuffle_down(current, next, delta)`.
///
/// The sum is an unsigned 32-bit number, clamped to the last work item of `next`.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::sub_group_shuffle_down;
/// let current = Vector::from_array([10, 11, 12, 13, 14, 15, 16, 17]);
/// let next = Vector::from_array([20, 21, 22, 23, 24, 25, 26, 27]);
/// assert_eq!(sub_group_shuffle_down(current, next, 3).to_array(), [13, 14, 15, 16, 17, 20, 21, 22]);
/// ```
#[op]
pub fn sub_group_shuffle_down<D: SubGroupData<N, B>, const N: usize, B: Backend>(
    current: D,
    next: D,
    delta: impl LaneNumber<N, B>,
) -> D
where
    Len<N>: SubGroup,
{
    let from = match delta.into_numbers().each() {
        // A known number is one region; others are read lane by lane.
        Err(delta) if delta as usize <= N => Partner::Window(delta as usize),
        Err(delta) => {
            let mut numbers = work_items::<N>();
            for number in &mut numbers {
                // Wraps, like the sum of a staged number.
                *number = number.wrapping_add(delta);
            }
            constant(numbers)
        }
        Ok(delta) => Partner::Each(local_id() + delta),
    };
    D::exchange(current, Some(next), from)
}

/// Each work item receives the value of the one `delta` before it: `current` of work item `id - delta`, or
/// `previous` of work item `id - delta + N` if that is negative. OpenCL:
/// `intel_sub_group_shuffle_up(previous, current, delta)`.
///
/// The difference is a signed 32-bit number. If it is less than `-N`, or `N` or more, the value is `current`
/// of the last work item.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::sub_group_shuffle_up;
/// let previous = Vector::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
/// let current = Vector::from_array([10, 11, 12, 13, 14, 15, 16, 17]);
/// assert_eq!(sub_group_shuffle_up(previous, current, 3).to_array(), [5, 6, 7, 10, 11, 12, 13, 14]);
/// ```
#[op]
pub fn sub_group_shuffle_up<D: SubGroupData<N, B>, const N: usize, B: Backend>(
    previous: D,
    current: D,
    delta: impl LaneNumber<N, B>,
) -> D
where
    Len<N>: SubGroup,
{
    let from = match delta.into_numbers().each() {
        Err(delta) if delta as usize <= N => Partner::Window(N - delta as usize),
        Err(delta) => {
            let mut numbers = work_items::<N>();
            for number in &mut numbers {
                *number = (*number + N as u32).wrapping_sub(delta);
            }
            constant(numbers)
        }
        Ok(delta) => Partner::Each(local_id() + N as u32 - delta),
    };
    D::exchange(previous, Some(current), from)
}

/// Each work item receives the `data` of work item `id ^ value`. OpenCL:
/// `intel_sub_group_shuffle_xor(data, value)`.
///
/// The number is unsigned and clamped to the last work item.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::sub_group_shuffle_xor;
/// let data = Vector::from_array([10, 11, 12, 13, 14, 15, 16, 17]);
/// assert_eq!(sub_group_shuffle_xor(data, 1).to_array(), [11, 10, 13, 12, 15, 14, 17, 16]);
/// ```
#[op]
pub fn sub_group_shuffle_xor<D: SubGroupData<N, B>, const N: usize, B: Backend>(
    data: D,
    value: impl LaneNumber<N, B>,
) -> D
where
    Len<N>: SubGroup,
{
    let from = match value.into_numbers().each() {
        Err(value) => {
            let mut numbers = work_items::<N>();
            for number in &mut numbers {
                *number ^= value;
            }
            constant(numbers)
        }
        Ok(value) => Partner::Each(local_id() ^ value),
    };
    D::exchange(data, None, from)
}
