//! How work items receive the values of others: from neighbours, from one work item for all, or from one work item
//! per number.

use cm_macros::op;

use crate::backend::{Backend, Region, Start};
use crate::elem::Elem;
use crate::limits::SubGroupElem;
use crate::registers::{Matrix, Vector};

/// The work item whose value each work item receives. The work items of a second source are counted after
/// those of the first source.
#[derive(Debug)]
pub enum Partner<const N: usize, B: Backend> {
    /// `N` neighbours, starting at this work item of the two sources.
    Window(usize),
    /// The same work item for all.
    Same(Start<B>),
    /// One number per work item, clamped to the last work item.
    Each(Vector<u32, N, B>),
}

/// One value per work item, of `N` work items: `Vector<T, N>`, or `Matrix<T, K, N>` for vectors of `K` values,
/// component by component.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of each work item of a sub-group",
    label = "not a register with a column for each work item",
    note = "work items exchange `Vector<T, N>`, and `Matrix<T, K, N>` for vectors of K values"
)]
pub trait SubGroupData<const N: usize, B: Backend>: Copy {
    /// Returns the values that the work items receive.
    #[doc(hidden)]
    #[track_caller]
    fn exchange(first: Self, second: Option<Self>, from: Partner<N, B>) -> Self;
}

impl<T: SubGroupElem, const N: usize, B: Backend> SubGroupData<N, B> for Vector<T, N, B> {
    #[op]
    fn exchange(first: Self, second: Option<Self>, from: Partner<N, B>) -> Self {
        match second {
            None => one::<T, N, B>(first, &from),
            Some(second) => two::<T, N, B>(first, second, &from),
        }
    }
}

impl<T: SubGroupElem, const K: usize, const N: usize, B: Backend> SubGroupData<N, B> for Matrix<T, K, N, B> {
    #[op]
    fn exchange(first: Self, second: Option<Self>, from: Partner<N, B>) -> Self {
        let mut result = B::undefined::<T, K, N>();
        for k in 0..K {
            let row = match second {
                None => one::<T, N, B>(first.row(k), &from),
                Some(second) => two::<T, N, B>(first.row(k), second.row(k), &from),
            };
            put::<T, K, N, 1, N, B>(&mut result, k * N, row.into_reg());
        }
        Self::from_reg(B::load::<T, K, N>(&result))
    }
}

/// From one source.
#[op]
fn one<T: SubGroupElem, const N: usize, B: Backend>(
    source: Vector<T, N, B>,
    from: &Partner<N, B>,
) -> Vector<T, N, B> {
    Vector::from_reg(match from {
        Partner::Window(_) => return two(source, source, from),
        Partner::Same(work_item) => {
            B::splat::<T, 1, N>(B::region::<T, 1, N, 1, 1>(&source.into_reg(), Region::row(*work_item, 1)))
        }
        Partner::Each(numbers) => B::iselect::<T, 1, N, N>(&source.into_reg(), numbers.into_reg()),
    })
}

/// From two sources, the second after the first.
#[op]
fn two<T: SubGroupElem, const N: usize, B: Backend>(
    first: Vector<T, N, B>,
    second: Vector<T, N, B>,
    from: &Partner<N, B>,
) -> Vector<T, N, B> {
    if let Partner::Same(_) = from {
        return one(first, from);
    }
    let mut both = B::undefined::<T, 2, N>();
    put::<T, 2, N, 1, N, B>(&mut both, 0, first.into_reg());
    put::<T, 2, N, 1, N, B>(&mut both, N, second.into_reg());
    Vector::from_reg(match from {
        Partner::Each(numbers) => B::iselect::<T, 2, N, N>(&both, numbers.into_reg()),
        Partner::Window(at) => B::region::<T, 2, N, 1, N>(&both, Region::row(Start::Host(*at), N)),
        Partner::Same(_) => first.into_reg(),
    })
}

/// Replaces `R2` x `C2` elements of an object, from linear position `at` on, which is in the first of their
/// columns.
#[op]
pub(super) fn put<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize, B: Backend>(
    object: &mut B::Reg<T, R, C>,
    at: usize,
    value: B::Reg<T, R2, C2>,
) {
    let region = Region { offset: Start::Host(at), row_stride: C, width: C2, column_stride: 1 };
    let mut place = B::narrow::<T>(B::place::<T, R, C>(object), C, region);
    B::store_place::<T, R2, C2>(&mut place, value);
}
