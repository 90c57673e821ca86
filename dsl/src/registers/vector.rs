//! Methods of vectors.

use cm_compiler::limits;
use cm_macros::op;

use super::common::{check_replicate, methods, offset, replicates, start, with_elem};
use super::len::{Format, Repeated, Times, VectorLen, VectorOf, VectorRefOf};
use super::objects::{ElementRef, Matrix, MatrixRef, Vector, VectorRef, Whole};
use super::offset::{ElementOffset, Offset, ReplicateElement, SelectOffset, locate, vector_region};
use super::scalar::{IntoScalar, Scalar};
use crate::backend::{Backend, Region, Start, Storage, binary, require};
use crate::elem::{Elem, Int};
use crate::limits::{Fits, FitsLen, FormatMatrix, Len, Replicate, SelectElements, Shape};
use crate::ops::Min;

impl<T: Elem, const N: usize, B: Backend> Vector<T, N, B> {
    methods!(Vector, 1, N);

    /// These elements, on any backend: what `from_array` is in kernels.
    ///
    /// ```
    /// use cm::dsl::backend::Backend;
    /// use cm::prelude::*;
    /// fn ramp<B: Backend>() -> Vector<i16, 4, B> {
    ///     Vector::<i16, 4, B>::constant([0, 1, 2, 3])
    /// }
    /// assert_eq!(ramp().to_array(), [0, 1, 2, 3]);
    /// ```
    #[op]
    pub fn constant(elements: [T; N]) -> Self
    where
        Shape<1, N>: Fits<T>,
    {
        Self::constant_any(elements)
    }

    /// [`constant`](Self::constant) without a bound: the size is checked when the kernel is recorded.
    #[op]
    pub fn constant_any(elements: [T; N]) -> Self {
        require::<B>(const { limits::object(N * T::TYPE.bytes()) });
        Self::from_reg(B::constant([elements]))
    }

    /// The region as a place; see [`select`](Self::select).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut v = Vector::<u8, 4>::splat(0);
    /// v.select_mut::<2, 2>(1).assign(9);
    /// assert_eq!(v.to_array(), [0, 9, 0, 9]);
    /// ```
    #[op]
    pub fn select_mut<const SIZE: usize, const STRIDE: usize>(
        &mut self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorRef<'_, T, SIZE, B>
    where
        Shape<1, N>: SelectElements<SIZE, STRIDE>,
    {
        self.select_mut_any(i)
    }

    /// [`select_mut`](Self::select_mut) without a bound: sizes and strides are checked when the kernel is
    /// recorded.
    #[op]
    pub fn select_mut_any<const SIZE: usize, const STRIDE: usize>(
        &mut self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorRef<'_, T, SIZE, B> {
        self.as_mut().select_mut_any(i)
    }

    /// Element `i`. CM: `v(i)`.
    ///
    /// # Panics
    /// In plain Rust, if there is no element `i`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Vector::from_array([1i16, 2, 3]).get(2).value(), 3);
    /// ```
    #[op]
    pub fn get(&self, i: impl Offset<ElementOffset<N>, B>) -> Scalar<T, B> {
        Scalar::from_reg(B::region::<T, 1, N, 1, 1>(&self.reg, Region::row(locate(i.value()), 1)))
    }

    /// Element `i` as a place.
    #[op]
    pub fn get_mut(&mut self, i: impl Offset<ElementOffset<N>, B>) -> ElementRef<'_, T, B> {
        self.as_mut().get_mut(i)
    }

    /// The elements `index[k]`. CM: `v.iselect(index)`.
    ///
    /// Indices are taken as unsigned 32-bit numbers and limited to the last element.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let v = Vector::from_array([10u8, 11, 12]);
    /// assert_eq!(v.iselect(Vector::from_array([2u16, 0, 7, 2])).to_array(), [12, 10, 12, 12]);
    /// ```
    #[op]
    pub fn iselect<I: Int, const W: usize>(&self, index: Vector<I, W, B>) -> Vector<T, W, B> {
        Vector::from_reg(B::iselect::<T, 1, N, W>(&self.reg, index.convert::<u32>().into_reg()))
    }

    /// The same bytes as an `R` x `C` matrix of `V`. CM: `v.format<V, R, C>()`; in kernels `format` too.
    ///
    /// The byte sizes must be equal. The first element is in the lowest bytes (little endian).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let v = Vector::from_array([1u8, 2, 3, 4]);
    /// assert_eq!(v.format_matrix::<u16, 2, 1>().to_array(), [[0x0201], [0x0403]]);
    /// ```
    #[op]
    pub fn format_matrix<V: Elem, const R: usize, const C: usize>(&self) -> Matrix<V, R, C, B>
    where
        Shape<1, N>: FormatMatrix<T, V, R, C>,
    {
        self.format_matrix_any()
    }

    /// [`format_matrix`](Self::format_matrix) without a bound: checked when the kernel is recorded.
    ///
    /// # Panics
    /// In plain Rust, if the byte sizes differ.
    #[op]
    pub fn format_matrix_any<V: Elem, const R: usize, const C: usize>(&self) -> Matrix<V, R, C, B> {
        require::<B>(const { limits::format(N * T::TYPE.bytes(), R * C * V::TYPE.bytes()) });
        Matrix::from_reg(B::format::<T, V, 1, N, R, C>(&self.reg))
    }

    /// The whole vector as a place of `R` x `C` elements `V`.
    #[op]
    pub fn format_matrix_mut<V: Elem, const R: usize, const C: usize>(
        &mut self,
    ) -> MatrixRef<'_, V, R, C, B, Whole>
    where
        Shape<1, N>: FormatMatrix<T, V, R, C>,
    {
        self.as_mut().format_matrix_mut()
    }

    /// The whole vector as a place.
    #[inline(always)]
    fn as_mut(&mut self) -> VectorRef<'_, T, N, B, Whole> {
        VectorRef::from_place(B::place(&mut self.reg))
    }

    replicates!(1, N; i: ReplicateElement N; i);
}

/// What is taken of vectors wherever they are.
impl<T: Elem, const N: usize, B: Backend, S: Storage<B>> Vector<T, N, B, S> {
    /// `SIZE` elements, `STRIDE` apart, from element `i`. CM: `v.select<SIZE, STRIDE>(i)`.
    ///
    /// Sizes, strides and literal offsets that reach outside do not pass `cargo check`; a computed host
    /// offset is an error when the kernel is recorded; a staged offset is limited to the last position.
    ///
    /// # Panics
    /// In plain Rust, if a host offset reaches outside.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Vector::from_array([0u8, 1, 2, 3, 4]).select::<2, 3>(1).to_array(), [1, 4]);
    /// ```
    #[op]
    pub fn select<const SIZE: usize, const STRIDE: usize>(
        &self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> Vector<T, SIZE, B>
    where
        Shape<1, N>: SelectElements<SIZE, STRIDE>,
    {
        self.select_any(i)
    }

    /// [`select`](Self::select) without a bound: sizes and strides are checked when the kernel is recorded.
    ///
    /// # Panics
    /// In plain Rust, if the region is illegal or reaches outside.
    #[op]
    pub fn select_any<const SIZE: usize, const STRIDE: usize>(
        &self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> Vector<T, SIZE, B> {
        let region = vector_region::<B, N, SIZE, STRIDE>(i);
        Vector::from_reg(S::region::<T, 1, N, 1, SIZE>(&self.reg, region))
    }
}

impl<T: Int, const N: usize, B: Backend> Vector<T, N, B> {
    /// As unsigned numbers, at most `last`.
    #[op]
    pub(super) fn limited_to(self, last: u32) -> Vector<u32, N, B> {
        let last = B::splat::<u32, 1, N>(B::constant([[last]]));
        Vector::from_reg(binary::<B, Min, u32, 1, N>(self.convert::<u32>().reg, last))
    }
}
