//! Parts of register objects and of buffers, and the storage of register objects.

use std::fmt::Debug;

use cm_macros::{inlined, op};

use super::{Backend, Bounds};
use crate::elem::Elem;

/// Where a region starts, counted in elements of the linearised (row by row) object.
#[derive(Debug)]
pub enum Start<B: Backend> {
    /// Known while recording, and inside the object.
    Host(usize),
    /// Known when the kernel runs, and clamped to the inside of the object.
    Staged(B::Reg<u32, 1, 1>),
}

impl<B: Backend> Clone for Start<B> {
    #[inlined]
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: Backend> Copy for Start<B> {}

/// A region of an object, in rows of `width` elements: element `(r, c)` of it is element
/// `offset + r * row_stride + c * column_stride` of the linearised object. This is a Gen register region.
#[derive(Debug)]
pub struct Region<B: Backend> {
    /// The first element.
    pub offset: Start<B>,
    /// Elements from one row to the next.
    pub row_stride: usize,
    /// Elements of one row of the region.
    pub width: usize,
    /// Elements from one column to the next.
    pub column_stride: usize,
}

impl<B: Backend> Clone for Region<B> {
    #[inlined]
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: Backend> Copy for Region<B> {}

impl<B: Backend> Region<B> {
    /// `width` neighbouring elements.
    #[inlined]
    pub(crate) fn row(offset: Start<B>, width: usize) -> Self {
        Self { offset, row_stride: width, width, column_stride: 1 }
    }

    /// All of rows of `columns` elements.
    #[inlined]
    pub(crate) fn whole(columns: usize) -> Self {
        Self::row(Start::Host(0), columns)
    }

    /// One column of rows of `columns` elements.
    #[inlined]
    pub(crate) fn column(offset: Start<B>, columns: usize) -> Self {
        Self { offset, row_stride: columns, width: 1, column_stride: 1 }
    }
}

/// The position of a 2-D block of a buffer: in `height` rows of `width` bytes, `pitch` bytes apart, from column `x`, in
/// elements, and row `y` on. The column is rounded down to whole dwords.
#[derive(Debug)]
#[expect(missing_docs, reason = "the line above says what they are")]
pub struct Pitched<B: Backend> {
    pub width: B::Reg<i32, 1, 1>,
    pub height: B::Reg<i32, 1, 1>,
    pub pitch: B::Reg<i32, 1, 1>,
    pub x: B::Reg<i32, 1, 1>,
    pub y: B::Reg<i32, 1, 1>,
}

impl<B: Backend> Clone for Pitched<B> {
    #[inlined]
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: Backend> Copy for Pitched<B> {}

/// The storage of a matrix or vector: in registers, or in memory if the macros found that the elements need not be
/// copied to registers. Regions can be taken of both.
pub trait Storage<B: Backend> {
    /// The representation of `R` x `C` elements.
    type Reg<T: Elem, const R: usize, const C: usize>: Copy;
    /// A region as an operand: `R2` x `C2` of these elements.
    type View<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>: Copy;
    /// Whether rows are those of a surface or buffer, and do not lie one after the other.
    const IN_MEMORY: bool = true;
    /// Whether elements are converted from integers of less than 32 bits, or from floats.
    const FROM_SHORT: bool = false;

    /// A copy.
    #[track_caller]
    fn load<T: Elem, const R: usize, const C: usize>(x: &Self::Reg<T, R, C>) -> Self::Reg<T, R, C>;
    /// A region, in registers.
    #[track_caller]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Self::Reg<T, R, C>,
        region: Region<B>,
    ) -> B::Reg<T, R2, C2>;
    /// A region of neighbouring columns, as an operand.
    #[track_caller]
    fn view<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &'a Self::Reg<T, R, C>,
        region: Region<B>,
    ) -> Self::View<'a, T, R, C, R2, C2>;
    /// Its elements, in registers.
    #[track_caller]
    fn viewed<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: Self::View<'_, T, R, C, R2, C2>,
    ) -> B::Reg<T, R2, C2>;
    /// Asks whether its elements can be read now.
    fn begin_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        _view: &Self::View<'_, T, R, C, R2, C2>,
    ) {
    }
    /// Whether each thread's elements of a row begin `columns` after those of the thread before.
    fn view_is_apart<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        _view: &Self::View<'_, T, R, C, R2, C2>,
        _columns: usize,
    ) -> bool {
        false
    }
    /// The range of its elements.
    #[inlined]
    #[must_use]
    fn bounds_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        _view: &Self::View<'_, T, R, C, R2, C2>,
    ) -> Bounds {
        Bounds::of::<T>()
    }
    /// One of its elements.
    fn element_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &Self::View<'_, T, R, C, R2, C2>,
        lane: B::Lane<R2, C2>,
    ) -> T;
    /// A region of neighbouring rows and columns, in place.
    #[track_caller]
    fn part<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Self::Reg<T, R, C>,
        region: Region<B>,
    ) -> Self::Reg<T, R2, C2>;
    /// All of it, as an operand.
    fn whole<T: Elem, const R: usize, const C: usize>(
        x: &Self::Reg<T, R, C>,
    ) -> Self::View<'_, T, R, C, R, C>;
    /// All of it, in registers.
    #[track_caller]
    fn loaded<T: Elem, const R: usize, const C: usize>(x: &Self::Reg<T, R, C>) -> B::Reg<T, R, C>;
    /// A row, in place.
    #[track_caller]
    fn row<T: Elem, const R: usize, const C: usize>(
        x: &Self::Reg<T, R, C>,
        row: Region<B>,
    ) -> Self::Reg<T, 1, C>;
}

/// In registers: the default, unless the macros choose otherwise.
#[derive(Clone, Copy, Debug)]
pub struct InRegisters;

impl<B: Backend> Storage<B> for InRegisters {
    type Reg<T: Elem, const R: usize, const C: usize> = B::Reg<T, R, C>;
    type View<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize> =
        B::View<'a, T, R, C, R2, C2>;
    const IN_MEMORY: bool = false;

    #[op]
    fn load<T: Elem, const R: usize, const C: usize>(x: &B::Reg<T, R, C>) -> B::Reg<T, R, C> {
        B::load(x)
    }

    #[op]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &B::Reg<T, R, C>,
        region: Region<B>,
    ) -> B::Reg<T, R2, C2> {
        B::region::<T, R, C, R2, C2>(x, region)
    }

    #[op]
    fn view<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &'a B::Reg<T, R, C>,
        region: Region<B>,
    ) -> B::View<'a, T, R, C, R2, C2> {
        B::view::<T, R, C, R2, C2>(x, region)
    }

    #[op]
    fn viewed<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: B::View<'_, T, R, C, R2, C2>,
    ) -> B::Reg<T, R2, C2> {
        B::viewed::<T, R, C, R2, C2>(view)
    }

    #[inlined]
    fn begin_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &B::View<'_, T, R, C, R2, C2>,
    ) {
        B::begin_view::<T, R, C, R2, C2>(view);
    }

    #[inlined]
    fn element_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &B::View<'_, T, R, C, R2, C2>,
        lane: B::Lane<R2, C2>,
    ) -> T {
        B::element_of_view::<T, R, C, R2, C2>(view, lane)
    }

    #[op]
    fn part<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &B::Reg<T, R, C>,
        region: Region<B>,
    ) -> B::Reg<T, R2, C2> {
        B::region::<T, R, C, R2, C2>(x, region)
    }

    #[inlined]
    fn whole<T: Elem, const R: usize, const C: usize>(x: &B::Reg<T, R, C>) -> B::View<'_, T, R, C, R, C> {
        B::whole(x)
    }

    #[inlined]
    fn loaded<T: Elem, const R: usize, const C: usize>(x: &B::Reg<T, R, C>) -> B::Reg<T, R, C> {
        *x
    }

    #[op]
    fn row<T: Elem, const R: usize, const C: usize>(x: &B::Reg<T, R, C>, row: Region<B>) -> B::Reg<T, 1, C> {
        B::region::<T, R, C, 1, C>(x, row)
    }
}
