//! Places: parts of a register object that are written. CM's `matrix_ref` and `vector_ref`.

use std::fmt;
use std::marker::PhantomData;

use cm_macros::op;

use super::{Matrix, Scalar, Vector, VectorLen};
use crate::backend::{Backend, Region};
use crate::elem::{Elem, Promote, ShiftBy};
use crate::limits::{
    ColumnOffset, ElementColumn, ElementOffset, ElementRow, Format, FormatMatrix, Len, Offset, Position,
    RowOffset, Select, SelectElements, SelectOffset, Shape, linear, locate,
};
use crate::ops::{IntoScalar, Mask, MergeSource};

/// A place whose elements lie side by side: a whole object, its rows, and what `format_mut` makes of them.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

/// A place that may have gaps.
#[derive(Clone, Copy, Debug)]
pub struct Strided;

/// A place of which `format_mut` can be taken.
#[diagnostic::on_unimplemented(
    message = "`format` of a place that is not contiguous",
    label = "the elements of this place have gaps",
    note = "format the whole object or a row first, then select"
)]
pub trait Contiguous {}
impl Contiguous for Whole {}

/// `R` x `C` elements inside a register object, to be written: CM's `matrix_ref<T, R, C>`.
///
/// Values are read completely before anything is written.
///
/// ```
/// use cm::prelude::*;
/// let mut m = Matrix::from_array([[1u8, 2, 3, 4], [5, 6, 7, 8]]);
/// let mut right = m.select_mut::<2, 1, 2, 1>(0, 2);
/// right += 10;
/// right.row_mut(0).merge(0, 0b10);
/// assert_eq!(m.to_array(), [[1, 2, 13, 0], [5, 6, 17, 18]]);
/// ```
#[must_use = "a place does nothing until it is assigned"]
pub struct MatrixRef<'a, T: Elem, const R: usize, const C: usize, B: Backend, L = Strided> {
    place: B::Place<'a>,
    layout: PhantomData<(T, L)>,
}

/// `N` elements inside a register object, to be written: CM's `vector_ref<T, N>`.
///
/// ```
/// use cm::prelude::*;
/// let mut m = Matrix::<i16, 2, 4>::splat(1);
/// m.row_mut(1).select_mut::<2, 1>(2).assign(Vector::from_array([7.9f32, -7.9]));
/// assert_eq!(m.to_array(), [[1, 1, 1, 1], [1, 1, 7, -7]]);
/// ```
#[must_use = "a place does nothing until it is assigned"]
pub struct VectorRef<'a, T: Elem, const N: usize, B: Backend, L = Strided> {
    place: B::Place<'a>,
    layout: PhantomData<(T, L)>,
}

/// One element inside a register object, to be written.
///
/// ```
/// use cm::prelude::*;
/// let mut v = Vector::from_array([1u8, 2, 3]);
/// let mut last = v.get_mut(2);
/// last += 40;
/// last.assign(last.value() * 2);
/// assert_eq!(v.to_array(), [1, 2, 86]);
/// ```
#[must_use = "a place does nothing until it is assigned"]
pub struct ElementRef<'a, T: Elem, B: Backend> {
    place: B::Place<'a>,
    element: PhantomData<T>,
}

/// The vector place of length `Len`.
pub type VectorRefOf<'a, Len, T, B> = <Len as VectorLen>::VectorRef<'a, T, B>;

/// Methods of a place with `$r` rows of `$c` elements.
macro_rules! methods {
    ($value:ident, $r:tt, $c:tt, $kind:ty) => {
        /// What the place holds.
        #[op]
        pub fn value(&self) -> crate::registers::common::with_elem!($value, T, $r, $c) {
            $value::from_reg(B::load_place::<T, $r, $c>(&self.place))
        }

        /// Writes the elements of `x`, converted, row by row; a number goes to every element. CM: assignment.
        #[op]
        pub fn assign<X: MergeSource<T, $r, $c, B, $kind>>(&mut self, x: X) {
            B::store_place::<T, $r, $c>(&mut self.place, x.into_source());
        }

        /// Writes the elements of `x` where the mask is set. CM: `dst.merge(x, mask)`.
        #[op]
        pub fn merge<X: MergeSource<T, $r, $c, B, $kind>, M: Mask<$r, $c, B, $kind>>(
            &mut self,
            x: X,
            mask: M,
        ) {
            let old = B::load_place::<T, $r, $c>(&self.place);
            let merged = $crate::backend::merge::<B, _, _, $r, $c>(mask.into_mask(), x.into_source(), old);
            B::store_place::<T, $r, $c>(&mut self.place, merged);
        }

        /// Writes the elements of `x` where the mask is set, else those of `y`. CM: `dst.merge(x, y, mask)`.
        #[op]
        pub fn merge_else<X, Y, M>(&mut self, x: X, y: Y, mask: M)
        where
            X: MergeSource<T, $r, $c, B, $kind>,
            Y: MergeSource<T, $r, $c, B, $kind>,
            M: Mask<$r, $c, B, $kind>,
        {
            let merged =
                $crate::backend::merge::<B, _, _, $r, $c>(mask.into_mask(), x.into_source(), y.into_source());
            B::store_place::<T, $r, $c>(&mut self.place, merged);
        }

        /// The same bytes as a place of `V`, as many elements as fit. CM: `x.format<V>()`.
        #[op]
        pub fn format_mut<V: Elem>(self) -> VectorRefOf<'a, <Shape<$r, $c> as Format<T, V>>::Len, V, B>
        where
            Shape<$r, $c>: Format<T, V>,
            L: Contiguous,
        {
            <<Shape<$r, $c> as Format<T, V>>::Len as VectorLen>::format_place::<V, B>(self.place)
        }

        /// The same bytes as a place of `R2` x `C2` elements `V`. CM: `x.format<V, R2, C2>()`.
        #[op]
        pub fn format_matrix_mut<V: Elem, const R2: usize, const C2: usize>(
            self,
        ) -> MatrixRef<'a, V, R2, C2, B, Whole>
        where
            Shape<$r, $c>: FormatMatrix<T, V, R2, C2>,
            L: Contiguous,
        {
            MatrixRef::from_place(B::format_place::<V>(self.place, C2))
        }

        #[inline(always)]
        pub(super) fn from_place(place: B::Place<'a>) -> Self {
            Self { place, layout: PhantomData }
        }

        #[op]
        pub(crate) fn put(&mut self, value: crate::registers::common::with_elem!($value, T, $r, $c)) {
            B::store_place::<T, $r, $c>(&mut self.place, value.into_reg());
        }
    };
}

impl<'a, T: Elem, const R: usize, const C: usize, B: Backend, L> MatrixRef<'a, T, R, C, B, L> {
    methods!(Matrix, R, C, Shape<R, C>);

    /// A region of the place; see [`Matrix::select`].
    #[op]
    pub fn select_mut<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> MatrixRef<'a, T, R2, C2, B>
    where
        Shape<R, C>: Select<R2, VS, C2, HS>,
    {
        self.select_mut_any(i, j)
    }

    /// [`select_mut`](Self::select_mut) without a bound: sizes and strides are checked when the kernel is recorded.
    #[op]
    pub fn select_mut_any<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> MatrixRef<'a, T, R2, C2, B> {
        let region = super::matrix::select_region::<B, R, C, R2, VS, C2, HS>(i, j);
        MatrixRef::from_place(B::narrow::<T>(self.place, C, region))
    }

    /// Row `i` of the place.
    #[op]
    pub fn row_mut(self, i: impl Offset<ElementRow<R>, B>) -> VectorRef<'a, T, C, B, L> {
        let offset = linear::<B>(i.position(), Position::Host(0), C);
        VectorRef::from_place(B::narrow::<T>(self.place, C, Region::row(offset, C)))
    }

    /// Column `j` of the place.
    #[op]
    pub fn column_mut(self, j: impl Offset<ElementColumn<C>, B>) -> MatrixRef<'a, T, R, 1, B> {
        let region = Region::column(locate(j.position()), C);
        MatrixRef::from_place(B::narrow::<T>(self.place, C, region))
    }

    /// Element `(i, j)` of the place.
    #[op]
    pub fn get_mut(
        self,
        i: impl Offset<ElementRow<R>, B>,
        j: impl Offset<ElementColumn<C>, B>,
    ) -> ElementRef<'a, T, B> {
        let offset = linear::<B>(i.position(), j.position(), C);
        ElementRef { place: B::narrow::<T>(self.place, C, Region::row(offset, 1)), element: PhantomData }
    }
}

impl<'a, T: Elem, const N: usize, B: Backend, L> VectorRef<'a, T, N, B, L> {
    methods!(Vector, 1, N, Len<N>);

    /// `SIZE` elements of the place, `STRIDE` apart; see [`Vector::select`].
    #[op]
    pub fn select_mut<const SIZE: usize, const STRIDE: usize>(
        self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorRef<'a, T, SIZE, B>
    where
        Shape<1, N>: SelectElements<SIZE, STRIDE>,
    {
        self.select_mut_any(i)
    }

    /// [`select_mut`](Self::select_mut) without a bound: sizes and strides are checked when the kernel is recorded.
    #[op]
    pub fn select_mut_any<const SIZE: usize, const STRIDE: usize>(
        self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorRef<'a, T, SIZE, B> {
        let region = super::vector::select_region::<B, N, SIZE, STRIDE>(i);
        VectorRef::from_place(B::narrow::<T>(self.place, N, region))
    }

    /// Element `i` of the place.
    #[op]
    pub fn get_mut(self, i: impl Offset<ElementOffset<N>, B>) -> ElementRef<'a, T, B> {
        let region = Region::row(locate(i.position()), 1);
        ElementRef { place: B::narrow::<T>(self.place, N, region), element: PhantomData }
    }
}

impl<T: Elem, B: Backend> ElementRef<'_, T, B> {
    /// What the element is.
    #[op]
    pub fn value(&self) -> Scalar<T, B> {
        Scalar::from_reg(B::load_place::<T, 1, 1>(&self.place))
    }

    /// Writes the element: a host number or a staged scalar, converted.
    #[op]
    pub fn assign<V: IntoScalar<B>>(&mut self, x: V) {
        B::store_place::<T, 1, 1>(&mut self.place, x.into_scalar().convert::<T>().into_reg());
    }
}

macro_rules! element_operators {
    ($($trait:ident::$method:ident, $binary:ident::$operator:ident, $rule:ident;)*) => {$(
        impl<T, V, B> std::ops::$trait<V> for ElementRef<'_, T, B>
        where
            B: Backend,
            V: IntoScalar<B>,
            T: $rule<V::Elem>,
            Scalar<T, B>: std::ops::$binary<V, Output = Scalar<<T as $rule<V::Elem>>::Output, B>>,
        {
            #[op]
            fn $method(&mut self, rhs: V) {
                let value = std::ops::$binary::$operator(self.value(), rhs);
                self.assign(value);
            }
        }
    )*};
}

element_operators! {
    AddAssign::add_assign, Add::add, Promote;
    SubAssign::sub_assign, Sub::sub, Promote;
    MulAssign::mul_assign, Mul::mul, Promote;
    DivAssign::div_assign, Div::div, Promote;
    RemAssign::rem_assign, Rem::rem, Promote;
    BitAndAssign::bitand_assign, BitAnd::bitand, Promote;
    BitOrAssign::bitor_assign, BitOr::bitor, Promote;
    BitXorAssign::bitxor_assign, BitXor::bitxor, Promote;
    ShlAssign::shl_assign, Shl::shl, ShiftBy;
    ShrAssign::shr_assign, Shr::shr, ShiftBy;
}

macro_rules! debug {
    ($($name:ident, $ty:ty, $r:expr, $c:expr; [$($params:tt)*];)*) => {$(
        impl<$($params)*> fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "<{}, {}, {}>"), T::TYPE, $r, $c)
            }
        }
    )*};
}

debug! {
    MatrixRef, MatrixRef<'_, T, R, C, B, L>, R, C; [T: Elem, const R: usize, const C: usize, B: Backend, L];
    VectorRef, VectorRef<'_, T, N, B, L>, 1, N; [T: Elem, const N: usize, B: Backend, L];
    ElementRef, ElementRef<'_, T, B>, 1, 1; [T: Elem, B: Backend];
}
