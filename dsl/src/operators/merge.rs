//! The operands of `merge`: masks, and values that are converted to the elements of the destination.

use cm_macros::{inlined, op};

use super::pending::Operated;
use crate::backend::{Backend, Operand, convert};
use crate::elem::{Elem, ElemType, Int, Numeric, bf16, f16, tf32};
use crate::limits::{IntegerMask, Len, Reshapes, SameCount, Shape};
use crate::registers::{ElementRef, IntoScalar, Matrix, MatrixRef, Scalar, ScalarLike, Vector, VectorRef};

/// A mask for an `R` x `C` object: a register of integers with as many elements, whose lowest bits count, or
/// an integer whose bit `k` is the mask of element `k` (at most 32 elements).
///
/// `Kind` is `Shape<R, C>` for a matrix and `Len<C>` for a vector, see [`MergeSource`].
#[diagnostic::on_unimplemented(
    message = "this is not a mask for an object of {R} rows and {C} columns",
    label = "not a mask of this shape",
    note = "a mask is a register of integers with as many elements (`&(a < b)`), or for at most 32 elements \
            an integer with a bit for each"
)]
pub trait Mask<const R: usize, const C: usize, B: Backend, Kind> {
    /// The element type of the register form.
    type Elem: Int;
    /// The register form.
    #[track_caller]
    fn into_mask(self) -> B::Reg<Self::Elem, R, C>;
}

impl<T: Int, B: Backend, const R: usize, const C: usize> Mask<R, C, B, Shape<R, C>> for Matrix<T, R, C, B> {
    type Elem = T;
    #[inlined]
    fn into_mask(self) -> B::Reg<T, R, C> {
        self.into_reg()
    }
}

impl<T: Int, B: Backend, const R: usize, const C: usize, const N: usize> Mask<R, C, B, Shape<R, C>>
    for Vector<T, N, B>
where
    Shape<R, C>: SameCount<N>,
{
    type Elem = T;
    #[op]
    fn into_mask(self) -> B::Reg<T, R, C> {
        B::format::<T, T, 1, N, R, C>(&self.into_reg())
    }
}

impl<T: Int, B: Backend, const N: usize> Mask<1, N, B, Len<N>> for Vector<T, N, B> {
    type Elem = T;
    #[inlined]
    fn into_mask(self) -> B::Reg<T, 1, N> {
        self.into_reg()
    }
}

impl<T: Int, B: Backend, const R: usize, const C: usize, const N: usize> Mask<1, N, B, Len<N>>
    for Matrix<T, R, C, B>
where
    Shape<R, C>: SameCount<N>,
{
    type Elem = T;
    #[op]
    fn into_mask(self) -> B::Reg<T, 1, N> {
        B::format::<T, T, R, C, 1, N>(&self.into_reg())
    }
}

impl<X: Mask<R, C, B, Kind> + Copy, B: Backend, Kind, const R: usize, const C: usize> Mask<R, C, B, Kind>
    for &X
{
    type Elem = X::Elem;
    #[op]
    fn into_mask(self) -> B::Reg<X::Elem, R, C> {
        (*self).into_mask()
    }
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl<B: Backend, Kind, const R: usize, const C: usize> Mask<R, C, B, Kind> for $t
        where
            Shape<R, C>: IntegerMask,
        {
            type Elem = u16;
            #[op]
            fn into_mask(self) -> B::Reg<u16, R, C> {
                B::unpack_mask(B::constant([[self as u32]]))
            }
        }
    )*};
}

cm_compiler::for_each_integer!(integers);
integers! { usize isize }

impl<T: Int, B: Backend, Kind, const R: usize, const C: usize> Mask<R, C, B, Kind> for Scalar<T, B>
where
    Shape<R, C>: IntegerMask,
{
    type Elem = u16;
    #[op]
    fn into_mask(self) -> B::Reg<u16, R, C> {
        B::unpack_mask(self.convert::<u32>().into_reg())
    }
}

/// A value that can be assigned to, or merged into, an `R` x `C` object with elements `T`: a register with as
/// many elements or a single number. It is converted as in an assignment.
///
/// `Kind` is the kind of object: `Shape<R, C>` for a matrix, `Len<C>` for a vector. A register of the same
/// kind and shape needs no proof that the numbers of elements are equal, so const-generic kernels can assign
/// it. A matrix in a matrix of another shape is [`Reshaped`]; all others are [`Alike`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be assigned to {R} rows and {C} columns of `{T}`",
    label = "another number of elements, a shape that is not written out, or not a register",
    note = "an assignment takes a register with the same number of elements, or a single number",
    note = "a matrix of another shape with as many elements: `x.format::<T, R, C>()`, with its own `R` and `C`",
    note = "a helper that gives a register to a kernel needs `#[function]`"
)]
pub trait MergeSource<T: Elem, const R: usize, const C: usize, B: Backend, Kind, How = Alike> {
    /// The converted register.
    #[track_caller]
    fn into_source(self) -> B::Reg<T, R, C>;
}

/// The shape of the source may follow from that of the destination.
#[derive(Debug)]
pub struct Alike;

/// The source has another shape.
#[derive(Debug)]
pub struct Reshaped;

impl<T: Elem, V: Elem, B: Backend, const R: usize, const C: usize> MergeSource<T, R, C, B, Shape<R, C>>
    for Matrix<V, R, C, B>
{
    #[op]
    fn into_source(self) -> B::Reg<T, R, C> {
        convert::<B, _, _, _, _>(self.into_reg())
    }
}

impl<T: Elem, V: Elem, B: Backend, const R: usize, const C: usize, const R2: usize, const C2: usize>
    MergeSource<T, R, C, B, Shape<R, C>, Reshaped> for Matrix<V, R2, C2, B>
where
    Shape<R, C>: Reshapes<R2, C2>,
{
    #[op]
    fn into_source(self) -> B::Reg<T, R, C> {
        convert::<B, _, _, _, _>(B::format::<V, V, R2, C2, R, C>(&self.into_reg()))
    }
}

impl<T: Elem, V: Elem, B: Backend, const R: usize, const C: usize, const N: usize>
    MergeSource<T, R, C, B, Shape<R, C>> for Vector<V, N, B>
where
    Shape<R, C>: SameCount<N>,
{
    #[op]
    fn into_source(self) -> B::Reg<T, R, C> {
        convert::<B, _, _, _, _>(B::format::<V, V, 1, N, R, C>(&self.into_reg()))
    }
}

impl<T: Elem, V: Elem, B: Backend, const N: usize> MergeSource<T, 1, N, B, Len<N>> for Vector<V, N, B> {
    #[op]
    fn into_source(self) -> B::Reg<T, 1, N> {
        convert::<B, _, _, _, _>(self.into_reg())
    }
}

impl<T: Elem, V: Elem, B: Backend, const R: usize, const C: usize, const N: usize>
    MergeSource<T, 1, N, B, Len<N>> for Matrix<V, R, C, B>
where
    Shape<R, C>: SameCount<N>,
{
    #[op]
    fn into_source(self) -> B::Reg<T, 1, N> {
        convert::<B, _, _, _, _>(B::format::<V, V, R, C, 1, N>(&self.into_reg()))
    }
}

impl<T: Elem, X, B: Backend, Kind, How, const R: usize, const C: usize> MergeSource<T, R, C, B, Kind, How>
    for &X
where
    X: MergeSource<T, R, C, B, Kind, How> + Copy,
{
    #[op]
    fn into_source(self) -> B::Reg<T, R, C> {
        (*self).into_source()
    }
}

impl<T: Elem, V: Elem, B: Backend, Kind, const R: usize, const C: usize> MergeSource<T, R, C, B, Kind>
    for Scalar<V, B>
{
    #[op]
    fn into_source(self) -> B::Reg<T, R, C> {
        B::splat(convert::<B, _, _, _, _>(self.into_reg()))
    }
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        impl<T: Elem, B: Backend, Kind, const R: usize, const C: usize> MergeSource<T, R, C, B, Kind> for $t {
            #[op]
            fn into_source(self) -> B::Reg<T, R, C> {
                if <<$t as ScalarLike>::Elem as Elem>::TYPE == ElemType::F64 {
                    return B::splat(IntoScalar::<B>::into_converted::<T>(self).into_reg());
                }
                convert::<B, _, _, _, _>(Operand::<R, C, B>::into_operand(IntoScalar::<B>::into_scalar(self)))
            }
        }
    )*};
}

cm_compiler::for_each_element!(numbers);
crate::for_each_storage!(numbers);
numbers! { usize isize }

/// `assign` and `merge` of an object with `$r` rows of `$c` elements.
macro_rules! objects {
    ($reg:ident, $r:tt, $c:tt, $kind:ty, $($size:ident)*) => {
        /// Assignment and merging.
        impl<T: Elem, $(const $size: usize,)* B: Backend> $reg<T, $($size,)* B> {
            /// Assigns the elements of `x`, converted to `T`. A register has any shape with as many elements, and is
            /// assigned row by row; a number is assigned to every element. CM: assignment.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let mut v = Vector::<u8, 2>::splat(0);
            /// v.assign(Vector::from_array([1.9f32, 300.0]));
            /// assert_eq!(v.to_array(), [1, 255]);
            /// ```
            #[op]
            pub fn assign<X: MergeSource<T, $r, $c, B, $kind, How>, How>(&mut self, x: X) {
                B::store(self.reg_mut(), x.into_source());
            }

            #[doc(hidden)]
            #[op]
            pub fn assign_alike<X: MergeSource<T, $r, $c, B, $kind>>(&mut self, x: X) {
                self.assign(x);
            }

            /// Assigns `init`, `init + step`, `init + 2 * step` and so on, row by row. CM:
            /// `cm_vector_assign(v, init, step)`.
            ///
            /// Both numbers are converted to `T` first, and integers wrap. For floats, each element is rounded after
            /// the product and after the sum.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let mut v = Vector::<u8, 4>::splat(0);
            /// v.vector_assign(250, 3);
            /// assert_eq!(v.to_array(), [250, 253, 0, 3]);
            /// ```
            #[op]
            pub fn vector_assign<V: IntoScalar<B>, W: IntoScalar<B>>(&mut self, init: V, step: W)
            where
                T: Numeric,
            {
                let (init, step) = (init.into_scalar().convert::<T>(), step.into_scalar().convert::<T>());
                let ramp = $crate::backend::ramp::<B, T, $r, $c>(init.into_reg(), step.into_reg());
                B::store(self.reg_mut(), ramp);
            }

            /// Assigns the elements of `x` where the mask is set; the other elements do not change. CM:
            /// `dst.merge(x, mask)`.
            ///
            /// A mask is a register of integers, of which the lowest bits count, or an integer with one bit for each
            /// of up to 32 elements.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let mut v = Vector::from_array([1u8, 2, 3, 4]);
            /// v.merge(0, 0b0110);
            /// assert_eq!(v.to_array(), [1, 0, 0, 4]);
            /// ```
            #[op]
            pub fn merge<X: MergeSource<T, $r, $c, B, $kind>, M: Mask<$r, $c, B, $kind>>(
                &mut self,
                x: X,
                mask: M,
            ) {
                let merged = $crate::backend::merge::<B, _, _, $r, $c>(
                    mask.into_mask(),
                    x.into_source(),
                    B::load(self.reg()),
                );
                B::store(self.reg_mut(), merged);
            }

            /// Assigns the elements of `x` where the mask is set, and those of `y` elsewhere. CM:
            /// `dst.merge(x, y, mask)`.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let a = Vector::from_array([1i32, 20, 3]);
            /// let mut high = Vector::<i32, 3>::splat(0);
            /// high.merge_else(a, 10, &a.simd_gt(10));
            /// assert_eq!(high.to_array(), [10, 20, 10]);
            /// ```
            #[op]
            pub fn merge_else<X, Y, M>(&mut self, x: X, y: Y, mask: M)
            where
                X: MergeSource<T, $r, $c, B, $kind>,
                Y: MergeSource<T, $r, $c, B, $kind>,
                M: Mask<$r, $c, B, $kind>,
            {
                let merged =
                    $crate::backend::merge::<B, _, _, $r, $c>(mask.into_mask(), x.into_source(), y.into_source());
                B::store(self.reg_mut(), merged);
            }
        }
    };
}

objects!(Matrix, R, C, Shape<R, C>, R C);
objects!(Vector, 1, N, Len<N>, N);

/// `assign` and `merge` of a place with `$r` rows of `$c` elements.
macro_rules! places {
    ($place:ident, $value:ident, $r:tt, $c:tt, $kind:ty, $($size:ident)*) => {
        impl<T: Elem, $(const $size: usize,)* B: Backend, L> $place<'_, T, $($size,)* B, L> {
            /// Writes the elements of `x`, converted to `T`. A register has any shape with as many elements, and is
            /// written row by row; a number is written to every element. CM: assignment.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let mut m = Matrix::<u8, 2, 2>::splat(1);
            /// m.row_mut(0).assign(7);
            /// assert_eq!(m.to_array(), [[7, 7], [1, 1]]);
            /// m.select_mut::<1, 1, 2, 1>(1, 0).assign(Matrix::from_array([[8], [9]]));
            /// assert_eq!(m.to_array(), [[7, 7], [8, 9]]);
            /// ```
            #[op]
            pub fn assign<X: MergeSource<T, $r, $c, B, $kind, How>, How>(&mut self, x: X) {
                self.put($value::from_reg(x.into_source()));
            }

            #[doc(hidden)]
            #[op]
            pub fn assign_alike<X: MergeSource<T, $r, $c, B, $kind>>(&mut self, x: X) {
                self.assign(x);
            }

            /// Writes `init`, `init + step`, `init + 2 * step` and so on, row by row. CM:
            /// `cm_vector_assign(v, init, step)`.
            ///
            /// Both numbers are converted to `T` first, and integers wrap. For floats, each element is rounded after
            /// the product and after the sum.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let mut m = Matrix::<u8, 2, 2>::splat(1);
            /// m.row_mut(1).vector_assign(5, -2);
            /// assert_eq!(m.to_array(), [[1, 1], [5, 3]]);
            /// ```
            #[op]
            pub fn vector_assign<V: IntoScalar<B>, W: IntoScalar<B>>(&mut self, init: V, step: W)
            where
                T: Numeric,
            {
                let (init, step) = (init.into_scalar().convert::<T>(), step.into_scalar().convert::<T>());
                let ramp = $crate::backend::ramp::<B, T, $r, $c>(init.into_reg(), step.into_reg());
                self.put($value::from_reg(ramp));
            }

            /// Writes the elements of `x` where the mask is set; the other elements do not change. CM:
            /// `dst.merge(x, mask)`.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let mut m = Matrix::<u8, 2, 2>::splat(1);
            /// m.row_mut(0).merge(7, 0b10);
            /// assert_eq!(m.to_array(), [[1, 7], [1, 1]]);
            /// ```
            #[op]
            pub fn merge<X: MergeSource<T, $r, $c, B, $kind>, M: Mask<$r, $c, B, $kind>>(
                &mut self,
                x: X,
                mask: M,
            ) {
                let old = self.value().into_reg();
                let merged = $crate::backend::merge::<B, _, _, $r, $c>(mask.into_mask(), x.into_source(), old);
                self.put($value::from_reg(merged));
            }

            /// Writes the elements of `x` where the mask is set, and those of `y` elsewhere. CM:
            /// `dst.merge(x, y, mask)`.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let mut m = Matrix::<u8, 2, 2>::splat(1);
            /// m.row_mut(0).merge_else(7, 8, 0b10);
            /// assert_eq!(m.to_array(), [[8, 7], [1, 1]]);
            /// ```
            #[op]
            pub fn merge_else<X, Y, M>(&mut self, x: X, y: Y, mask: M)
            where
                X: MergeSource<T, $r, $c, B, $kind>,
                Y: MergeSource<T, $r, $c, B, $kind>,
                M: Mask<$r, $c, B, $kind>,
            {
                let merged =
                    $crate::backend::merge::<B, _, _, $r, $c>(mask.into_mask(), x.into_source(), y.into_source());
                self.put($value::from_reg(merged));
            }
        }
    };
}

places!(MatrixRef, Matrix, R, C, Shape<R, C>, R C);
places!(VectorRef, Vector, 1, N, Len<N>, N);

/// `assign` of trees of operators, which are converted while they are computed.
macro_rules! trees {
    ($($object:ty, $r:tt, $c:tt, $kind:ty; [$($params:tt)*])*) => {$(
        impl<T: Elem, B: Backend, $($params)*> $object {
            #[doc(hidden)]
            #[op]
            pub fn assign_tree<X: Operated<B>, How>(&mut self, x: X)
            where
                X::Converted<T>: MergeSource<T, $r, $c, B, $kind, How>,
            {
                self.assign(x.into_converted::<T>());
            }

            #[doc(hidden)]
            #[op]
            pub fn assign_tree_alike<X: Operated<B>>(&mut self, x: X)
            where
                X::Converted<T>: MergeSource<T, $r, $c, B, $kind>,
            {
                self.assign(x.into_converted::<T>());
            }
        }
    )*};
}

trees! {
    Matrix<T, R, C, B>, R, C, Shape<R, C>; [const R: usize, const C: usize]
    Vector<T, N, B>, 1, N, Len<N>; [const N: usize]
    MatrixRef<'_, T, R, C, B, L>, R, C, Shape<R, C>; [L, const R: usize, const C: usize]
    VectorRef<'_, T, N, B, L>, 1, N, Len<N>; [L, const N: usize]
}

/// The same of single elements, which take numbers only.
macro_rules! elements {
    ($($element:ty)*) => {$(
        impl<T: Elem, B: Backend> $element {
            #[doc(hidden)]
            #[op]
            pub fn assign_tree<X: Operated<B, Value: IntoScalar<B>>>(&mut self, x: X) {
                self.assign(x.into_value());
            }

            #[doc(hidden)]
            #[op]
            pub fn assign_alike<X: IntoScalar<B>>(&mut self, x: X) {
                self.assign(x);
            }

            #[doc(hidden)]
            #[op]
            pub fn assign_tree_alike<X: Operated<B, Value: IntoScalar<B>>>(&mut self, x: X) {
                self.assign(x.into_value());
            }
        }
    )*};
}

elements! { Scalar<T, B> ElementRef<'_, T, B> }
