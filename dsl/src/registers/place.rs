//! Methods of places: parts of a register object that can be written. CM's `matrix_ref` and `vector_ref`.

use std::mem::ManuallyDrop;

use cm_macros::{inlined, op};

use super::common::with_elem;
use super::len::{FormatVector, VectorLen, VectorRefOf};
use super::objects::{
    Contiguous, ElementRef, Every, Matrix, MatrixRef, Part, RowOf, Vector, VectorRef, Whole,
};
use super::offset::{
    ColumnOffset, ElementColumn, ElementOffset, ElementRow, Offset, RowOffset, SelectOffset, locate,
    matrix_region, row_major, row_start, vector_region,
};
use super::scalar::{IntoScalar, Scalar};
use crate::backend::{Backend, Region};
use crate::elem::Elem;
use crate::limits::{FormatMatrix, Select, SelectElements, Shape};

/// Methods of a place with `$r` rows of `$c` elements.
macro_rules! methods {
    ($value:ident, $place:ty, $r:tt, $c:tt) => {
        /// The whole place, for a shorter time: the other methods with `_mut` use the place up. Kernels, which add this
        /// to the names of places, do not need it.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let mut m = Matrix::<u8, 2, 4>::splat(0);
        /// let mut row = m.row_mut(1);
        /// row.select_all_mut().select_mut::<2, 1>(0).assign(1);
        /// row.select_mut::<2, 1>(2).assign(2);
        /// assert_eq!(m.to_array(), [[0; 4], [1, 1, 2, 2]]);
        /// ```
        #[op]
        pub fn select_all_mut(&mut self) -> $place {
            <$place>::from_place(B::place_again(&mut self.place))
        }

        /// Reads the elements of the place.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let mut m = Matrix::from_array([[1u8, 2], [3, 4]]);
        /// assert_eq!(m.row_mut(1).value().to_array(), [3, 4]);
        /// ```
        #[op]
        pub fn value(&self) -> with_elem!($value, T, $r, $c) {
            $value::from_reg(B::load_place::<T, $r, $c>(&self.place))
        }

        /// The same bytes as a place of as many `V` as fit. CM: `x.format<V>()`.
        ///
        /// The place has no gaps: it is a whole object or a row, or a region of neighbouring elements of these, or of
        /// neighbouring whole rows.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let mut m = Matrix::<u8, 2, 4>::splat(0);
        /// m.row_mut(1).format_mut::<u32>().assign(0x0403_0201);
        /// m.row_mut(0).select_mut::<2, 1>(1).format_mut::<u16>().assign(0x0605);
        /// assert_eq!(m.to_array(), [[0, 5, 6, 0], [1, 2, 3, 4]]);
        /// ```
        #[op]
        pub fn format_mut<V: Elem>(self) -> VectorRefOf<'a, <Shape<$r, $c> as FormatVector<T, V>>::Len, V, B>
        where
            Shape<$r, $c>: FormatVector<T, V>,
            L: Contiguous,
        {
            <<Shape<$r, $c> as FormatVector<T, V>>::Len as VectorLen>::format_place::<V, B>(self.into_place())
        }

        /// The same bytes as a place of `R2` x `C2` elements `V`. CM: `x.format<V, R2, C2>()`.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let mut m = Matrix::<u8, 2, 4>::splat(0);
        /// m.row_mut(1).format_matrix_mut::<u16, 2, 1>().row_mut(0).assign(0x0201);
        /// assert_eq!(m.to_array(), [[0; 4], [1, 2, 0, 0]]);
        /// ```
        #[op]
        pub fn format_matrix_mut<V: Elem, const R2: usize, const C2: usize>(
            self,
        ) -> MatrixRef<'a, V, R2, C2, B, Whole>
        where
            Shape<$r, $c>: FormatMatrix<T, V, R2, C2>,
            L: Contiguous,
        {
            MatrixRef::from_place(B::format_place::<V>(self.into_place(), C2))
        }

        #[inlined]
        fn into_place(self) -> B::Place<'a> {
            ManuallyDrop::into_inner(self.place)
        }

        #[op]
        pub(crate) fn put(&mut self, value: with_elem!($value, T, $r, $c)) {
            B::store_place::<T, $r, $c>(&mut self.place, value.into_reg());
        }
    };
}

impl<'a, T: Elem, const R: usize, const C: usize, B: Backend, L> MatrixRef<'a, T, R, C, B, L> {
    methods!(Matrix, MatrixRef<'_, T, R, C, B, L>, R, C);

    /// A region of the place; the arguments are those of [`Matrix::select`].
    ///
    /// # Panics
    /// In plain Rust, if a computed offset reaches outside.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 4>::splat(0);
    /// m.select_mut::<2, 1, 2, 1>(0, 2).select_mut::<1, 1, 2, 1>(1, 0).assign(9);
    /// assert_eq!(m.to_array(), [[0; 4], [0, 0, 9, 9]]);
    /// ```
    #[op]
    pub fn select_mut<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> MatrixRef<'a, T, R2, C2, B, Part<C, VS, C2, HS, L>>
    where
        Shape<R, C>: Select<R2, VS, C2, HS>,
    {
        self.select_mut_any(i, j)
    }

    /// Row `i` of the place; see [`Matrix::row`].
    ///
    /// # Panics
    /// In plain Rust, if there is no row `i`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 2>::splat(0);
    /// m.select_mut::<2, 1, 1, 1>(0, 1).row_mut(0).assign(9);
    /// assert_eq!(m.to_array(), [[0, 9], [0, 0]]);
    /// ```
    #[op]
    pub fn row_mut(self, i: impl Offset<ElementRow<R>, B>) -> VectorRef<'a, T, C, B, RowOf<L>> {
        let offset = row_start(i, C);
        VectorRef::from_place(B::narrow::<T>(self.into_place(), C, Region::row(offset, C)))
    }

    /// Column `j` of the place; see [`Matrix::column`].
    ///
    /// # Panics
    /// In plain Rust, if there is no column `j`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 2>::splat(0);
    /// m.select_mut::<1, 1, 2, 1>(1, 0).column_mut(0).assign(9);
    /// assert_eq!(m.to_array(), [[0, 0], [9, 0]]);
    /// ```
    #[op]
    pub fn column_mut(self, j: impl Offset<ElementColumn<C>, B>) -> MatrixRef<'a, T, R, 1, B> {
        let region = Region::column(locate(j.value()), C);
        MatrixRef::from_place(B::narrow::<T>(self.into_place(), C, region))
    }

    /// Element `(i, j)` of the place; see [`Matrix::get`].
    ///
    /// # Panics
    /// In plain Rust, if there is no such element.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 2>::splat(0);
    /// m.select_mut::<1, 1, 2, 1>(1, 0).get_mut(0, 1).assign(9);
    /// assert_eq!(m.to_array(), [[0, 0], [0, 9]]);
    /// ```
    #[op]
    pub fn get_mut(
        self,
        i: impl Offset<ElementRow<R>, B>,
        j: impl Offset<ElementColumn<C>, B>,
    ) -> ElementRef<'a, T, B> {
        let offset = row_major(i, j, C);
        ElementRef::from_place(B::narrow::<T>(self.into_place(), C, Region::row(offset, 1)))
    }
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<'a, T: Elem, const R: usize, const C: usize, B: Backend, L> MatrixRef<'a, T, R, C, B, L> {
    /// [`select_mut`](Self::select_mut) without a bound. Sizes and strides are checked when the kernel is
    /// recorded.
    ///
    /// # Panics
    /// In plain Rust, if a size or stride is illegal, or the region reaches outside.
    #[op]
    pub fn select_mut_any<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> MatrixRef<'a, T, R2, C2, B, Part<C, VS, C2, HS, L>> {
        let region = matrix_region::<B, R, C, R2, VS, C2, HS>(i, j);
        MatrixRef::from_place(B::narrow::<T>(self.into_place(), C, region))
    }
}

impl<'a, T: Elem, const N: usize, B: Backend, L> VectorRef<'a, T, N, B, L> {
    methods!(Vector, VectorRef<'_, T, N, B, L>, 1, N);

    /// `SIZE` elements of the place, `STRIDE` apart; see [`Vector::select`].
    ///
    /// # Panics
    /// In plain Rust, if a computed offset reaches outside.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 4>::splat(0);
    /// m.row_mut(1).select_mut::<2, 2>(0).assign(9);
    /// assert_eq!(m.to_array(), [[0; 4], [9, 0, 9, 0]]);
    /// ```
    #[op]
    pub fn select_mut<const SIZE: usize, const STRIDE: usize>(
        self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorRef<'a, T, SIZE, B, Every<STRIDE, L>>
    where
        Shape<1, N>: SelectElements<SIZE, STRIDE>,
    {
        self.select_mut_any(i)
    }

    /// Element `i` of the place; see [`Vector::get`].
    ///
    /// # Panics
    /// In plain Rust, if there is no element `i`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 2>::splat(0);
    /// m.row_mut(1).get_mut(0).assign(9);
    /// assert_eq!(m.to_array(), [[0, 0], [9, 0]]);
    /// ```
    #[op]
    pub fn get_mut(self, i: impl Offset<ElementOffset<N>, B>) -> ElementRef<'a, T, B> {
        let region = Region::row(locate(i.value()), 1);
        ElementRef::from_place(B::narrow::<T>(self.into_place(), N, region))
    }
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<'a, T: Elem, const N: usize, B: Backend, L> VectorRef<'a, T, N, B, L> {
    /// [`select_mut`](Self::select_mut) without a bound. Sizes and strides are checked when the kernel is
    /// recorded.
    ///
    /// # Panics
    /// In plain Rust, if a size or stride is illegal, or the region reaches outside.
    #[op]
    pub fn select_mut_any<const SIZE: usize, const STRIDE: usize>(
        self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorRef<'a, T, SIZE, B, Every<STRIDE, L>> {
        let region = vector_region::<B, N, SIZE, STRIDE>(i);
        VectorRef::from_place(B::narrow::<T>(self.into_place(), N, region))
    }
}

impl<T: Elem, B: Backend> ElementRef<'_, T, B> {
    // Kernels add this to the names of all places.
    #[doc(hidden)]
    #[op]
    pub fn select_all_mut(&mut self) -> ElementRef<'_, T, B> {
        ElementRef::from_place(B::place_again(&mut self.place))
    }

    /// Reads the element.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut v = Vector::from_array([1u8, 2, 3]);
    /// assert_eq!(v.get_mut(1).value().value(), 2);
    /// ```
    #[op]
    pub fn value(&self) -> Scalar<T, B> {
        Scalar::from_reg(B::load_place::<T, 1, 1>(&self.place))
    }

    /// Writes a number or a scalar to the element, converted to `T`. CM: assignment.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut v = Vector::<u8, 3>::splat(0);
    /// v.get_mut(1).assign(7.9f32);
    /// assert_eq!(v.to_array(), [0, 7, 0]);
    /// ```
    #[op]
    pub fn assign<V: IntoScalar<B>>(&mut self, x: V) {
        B::store_place::<T, 1, 1>(&mut self.place, x.into_converted::<T>().into_reg());
    }
}
