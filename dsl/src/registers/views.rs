//! Regions as operands of trees of operators: they are computed where they are, without a copy.
//!
//! In a tree `#[kernel]` puts [`views`] around the receiver of `select` and `row`, and around blocks that are
//! read in place.

use std::marker::PhantomData;

use cm_macros::{inlined, op};

use super::objects::{Matrix, Vector};
use super::offset::{
    ColumnOffset, ElementRow, Offset, RowOffset, SelectOffset, matrix_region, row_start, vector_region,
};
use crate::backend::{Backend, Bounds, Operand, Region, Sealed, Start, Storage};
use crate::elem::{Elem, is_byte, is_long};
use crate::limits::{Select, SelectElements, Shape};

/// A register object whose regions can be views.
#[diagnostic::on_unimplemented(message = "`{Self}` has no regions", label = "not a register")]
pub trait Views {
    /// The same, with methods that return views.
    type Of<'a>
    where
        Self: 'a;
    /// The same.
    fn views(&self) -> Self::Of<'_>;
}

/// `x`, with methods that return views.
#[inlined]
pub fn views<X: Views>(x: &X) -> X::Of<'_> {
    x.views()
}

impl<X: Views> Views for &X {
    type Of<'a>
        = X::Of<'a>
    where
        Self: 'a;

    #[inlined]
    fn views(&self) -> X::Of<'_> {
        (**self).views()
    }
}

impl<X: Views> Views for &mut X {
    type Of<'a>
        = X::Of<'a>
    where
        Self: 'a;

    #[inlined]
    fn views(&self) -> X::Of<'_> {
        (**self).views()
    }
}

macro_rules! objects {
    ($views:ident, $reg:ident, [$($size:ident)*]) => {
        #[doc = concat!("The regions of a [`", stringify!($reg), "`].")]
        #[expect(missing_debug_implementations, reason = "never seen by a kernel")]
        pub struct $views<'a, T: Elem, $(const $size: usize,)* B: Backend, S: Storage<B>>(&'a $reg<T, $($size,)* B, S>);

        impl<T: Elem, $(const $size: usize,)* B: Backend, S: Storage<B>> Views for $reg<T, $($size,)* B, S> {
            type Of<'a>
                = $views<'a, T, $($size,)* B, S>
            where
                Self: 'a;

            #[inlined]
            fn views(&self) -> $views<'_, T, $($size,)* B, S> {
                $views(self)
            }
        }
    };
}

objects!(MatrixRegions, Matrix, [R C]);
objects!(VectorRegions, Vector, [N]);

macro_rules! views {
    ($view:ident, $r2:tt, $c2:tt, [$($size:ident)*]; $($params:tt)*) => {
        /// A region of neighbouring columns.
        #[expect(missing_debug_implementations, reason = "never seen by a kernel")]
        pub struct $view<'a, T: Elem, $($params)*, const R: usize, const C: usize, const VS: usize, B: Backend, S: Storage<B> + 'a>
        {
            view: S::View<'a, T, R, C, $r2, $c2>,
            /// Whether the position is staged.
            chosen: bool,
            elements: PhantomData<T>,
        }

        impl<'a, T: Elem, $($params)*, const R: usize, const C: usize, const VS: usize, B: Backend, S: Storage<B> + 'a>
            $view<'a, T, $($size,)* R, C, VS, B, S>
        {
            #[op]
            fn new(source: &'a S::Reg<T, R, C>, region: Region<B>) -> Self {
                let chosen = matches!(region.offset, Start::Staged(_));
                Self { view: S::view::<T, R, C, $r2, $c2>(source, region), chosen, elements: PhantomData }
            }
        }
    };
}

views!(MatrixView, R2, C2, [R2 C2]; const R2: usize, const C2: usize);
views!(VectorView, 1, N, [N]; const N: usize);

macro_rules! operands {
    ($view:ident, $r2:tt, $c2:tt, [$($size:ident)*]) => {
        impl<T: Elem, const R: usize, const C: usize, $(const $size: usize,)* const VS: usize, B: Backend, S: Storage<B>>
            Clone for $view<'_, T, $($size,)* R, C, VS, B, S>
        {
            #[inlined]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T: Elem, const R: usize, const C: usize, $(const $size: usize,)* const VS: usize, B: Backend, S: Storage<B>>
            Copy for $view<'_, T, $($size,)* R, C, VS, B, S>
        {
        }

        impl<T: Elem, const R: usize, const C: usize, $(const $size: usize,)* const VS: usize, B: Backend, S: Storage<B>>
            Sealed for $view<'_, T, $($size,)* R, C, VS, B, S>
        {
        }

        #[diagnostic::do_not_recommend]
        impl<T: Elem, const R: usize, const C: usize, $(const $size: usize,)* const VS: usize, B: Backend, S: Storage<B>>
            Operand<$r2, $c2, B> for $view<'_, T, $($size,)* R, C, VS, B, S>
        {
            type Elem = T;
            const LONG: bool = is_long::<T>();
            const LONG_PARTS: bool = is_long::<T>() && Self::PARTS && !S::FROM_SHORT;
            const BYTES: bool = is_byte::<T>();
            // Whole rows are contiguous.
            const PARTS: bool = S::IN_MEMORY || VS != 1 || $c2 != C;
            const IN_MEMORY: bool = S::IN_MEMORY;
            const WHOLE_ROWS: bool = !Self::PARTS;

            #[op]
            fn into_operand(self) -> B::Reg<T, $r2, $c2> {
                S::viewed::<T, R, C, $r2, $c2>(self.view)
            }

            #[inlined]
            fn chosen(&self) -> bool {
                self.chosen
            }

            #[inlined]
            fn is_apart(&self, columns: usize) -> bool {
                (!Self::PARTS && columns == C) || S::view_is_apart::<T, R, C, $r2, $c2>(&self.view, columns)
            }

            #[inlined]
            fn begin(&self) {
                S::begin_view::<T, R, C, $r2, $c2>(&self.view);
            }

            #[inlined]
            fn bounds(&self) -> Bounds {
                S::bounds_of_view::<T, R, C, $r2, $c2>(&self.view)
            }

            #[inlined]
            fn element(&self, lane: B::Lane<$r2, $c2>) -> T {
                S::element_of_view::<T, R, C, $r2, $c2>(&self.view, lane)
            }
        }
    };
}

operands!(MatrixView, R2, C2, [R2 C2]);
operands!(VectorView, 1, N, [N]);

macro_rules! whole {
    ($views:ident, $view:ident, $reg:ident, $r:tt, $c:tt, [$($size:ident)*]) => {
        impl<'a, T: Elem, $(const $size: usize,)* B: Backend, S: Storage<B>> $views<'a, T, $($size,)* B, S> {
            /// The whole register, as an operand of a tree.
            #[inlined]
            pub fn whole(self) -> $view<'a, T, $($size,)* $r, $c, 1, B, S> {
                $view { view: S::whole::<T, $r, $c>(&self.0.reg), chosen: false, elements: PhantomData }
            }

            /// The whole register, copied.
            #[op]
            pub fn loaded(self) -> $reg<T, $($size,)* B> {
                $reg::from_reg(S::loaded::<T, $r, $c>(&self.0.reg))
            }
        }
    };
}

whole!(MatrixRegions, MatrixView, Matrix, R, C, [R C]);
whole!(VectorRegions, VectorView, Vector, 1, N, [N]);

impl<'a, T: Elem, const R: usize, const C: usize, B: Backend, S: Storage<B>>
    MatrixRegions<'a, T, R, C, B, S>
{
    /// [`Matrix::select`] of neighbouring columns.
    #[op]
    pub fn select<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> MatrixView<'a, T, R2, C2, R, C, VS, B, S>
    where
        Shape<R, C>: Select<R2, VS, C2, HS>,
    {
        self.select_any(i, j)
    }

    /// [`Matrix::select_any`] of neighbouring columns.
    #[op]
    pub fn select_any<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> MatrixView<'a, T, R2, C2, R, C, VS, B, S> {
        const { assert!(HS == 1, "views are regions of neighbouring columns") };
        MatrixView::new(&self.0.reg, matrix_region::<B, R, C, R2, VS, C2, HS>(i, j))
    }

    /// [`Matrix::select`] of neighbouring rows and columns, in place.
    #[op]
    pub fn part<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> Matrix<T, R2, C2, B, S>
    where
        Shape<R, C>: Select<R2, VS, C2, HS>,
    {
        self.part_any(i, j)
    }

    /// [`Matrix::select_any`] of neighbouring rows and columns, in place.
    #[op]
    pub fn part_any<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> Matrix<T, R2, C2, B, S> {
        const { assert!(VS == 1 && HS == 1, "parts are regions of neighbouring rows and columns") };
        Matrix::from_storage(S::part::<T, R, C, R2, C2>(
            &self.0.reg,
            matrix_region::<B, R, C, R2, VS, C2, HS>(i, j),
        ))
    }

    /// [`Matrix::row`].
    #[op]
    pub fn row(self, i: impl Offset<ElementRow<R>, B>) -> VectorView<'a, T, C, R, C, 1, B, S> {
        VectorView::new(&self.0.reg, Region::row(row_start(i, C), C))
    }
}

impl<'a, T: Elem, const N: usize, B: Backend, S: Storage<B>> VectorRegions<'a, T, N, B, S> {
    /// [`Vector::select`] of neighbouring elements.
    #[op]
    pub fn select<const SIZE: usize, const STRIDE: usize>(
        self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorView<'a, T, SIZE, 1, N, 1, B, S>
    where
        Shape<1, N>: SelectElements<SIZE, STRIDE>,
    {
        self.select_any(i)
    }

    /// [`Vector::select_any`] of neighbouring elements.
    #[op]
    pub fn select_any<const SIZE: usize, const STRIDE: usize>(
        self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorView<'a, T, SIZE, 1, N, 1, B, S> {
        const { assert!(STRIDE == 1, "views are regions of neighbouring elements") };
        VectorView::new(&self.0.reg, vector_region::<B, N, SIZE, STRIDE>(i))
    }
}
