//! Methods of vectors.

use cm_compiler::limits;
use cm_macros::op;

use super::common::{
    check_replicate, constructors, conversions, formats, offset, replicates, replicates_any, replicates_in,
    splat_any, start, with_elem,
};
use super::len::{FormatVector, Repeated, Times, VectorLen, VectorOf, VectorRefOf};
use super::objects::{ElementRef, Every, Matrix, MatrixRef, Vector, VectorRef, Whole};
use super::offset::{ElementOffset, Offset, ReplicateElement, SelectOffset, locate, vector_region};
use super::scalar::{IntoScalar, Scalar};
use crate::backend::{Backend, Region, Start, Storage, binary, require, require_object};
use crate::elem::{Elem, Int};
use crate::limits::{Fits, FitsLen, FormatMatrix, Len, Replicate, SelectElements, Shape};
use crate::ops::Min;

/// Constructors.
impl<T: Elem, const N: usize, B: Backend> Vector<T, N, B> {
    constructors!(1, N);

    /// Creates a vector of these elements on any backend. Kernels use `from_array`; generic functions without
    /// `#[function]` use this method.
    ///
    /// ```
    /// use cm::Backend;
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

    /// [`constant`](Self::constant) in a kernel with a register file of `FILE` bytes.
    #[doc(hidden)]
    #[op]
    pub fn constant_in<const FILE: usize>(elements: [T; N]) -> Self
    where
        Shape<1, N>: Fits<T, FILE>,
    {
        Self::constant_any(elements)
    }

    /// Creates a vector of numbers of the backend: what `from_array` is in kernels, if some elements are staged.
    #[doc(hidden)]
    #[op]
    pub fn of_elements(elements: [Scalar<T, B>; N]) -> Self
    where
        Shape<1, N>: Fits<T>,
    {
        Self::of_elements_any(elements)
    }

    /// [`of_elements`](Self::of_elements) in a kernel with a register file of `FILE` bytes.
    #[doc(hidden)]
    #[op]
    pub fn of_elements_in<const FILE: usize>(elements: [Scalar<T, B>; N]) -> Self
    where
        Shape<1, N>: Fits<T, FILE>,
    {
        Self::of_elements_any(elements)
    }
}

/// Regions.
impl<T: Elem, const N: usize, B: Backend, S: Storage<B>> Vector<T, N, B, S> {
    /// Reads `SIZE` elements, `STRIDE` apart, starting at element `i`. CM: `v.select<SIZE, STRIDE>(i)`.
    ///
    /// `cargo check` refuses sizes, strides and literal offsets that reach outside. A computed [host] offset
    /// that reaches outside is an error when the kernel is [recorded]. A [staged] offset is limited to the
    /// last legal position.
    ///
    /// # Panics
    /// In plain Rust, if a computed offset reaches outside.
    ///
    /// [host]: ../../cm/guide/glossary/index.html#host
    /// [recorded]: ../../cm/guide/glossary/index.html#recorded
    /// [staged]: ../../cm/guide/glossary/index.html#staged
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
}

/// Elements, and other ways to read.
impl<T: Elem, const N: usize, B: Backend> Vector<T, N, B> {
    /// Reads element `i`. CM: `v(i)`. The rules for `i` are those of [`select`](Self::select).
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

    /// Reads the elements `index[k]`. CM: `v.iselect(index)`.
    ///
    /// Indices are unsigned 32-bit numbers, clamped to the last element.
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

    /// Reads the same bytes as an `R` x `C` matrix of `V`. CM: `v.format<V, R, C>()`; kernels may also write
    /// `v.format::<V, R, C>()`.
    ///
    /// Both sizes in bytes must be equal; `cargo check` enforces this. The first element is in the lowest bytes
    /// (little endian).
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

    formats!(1, N);

    replicates!(1, N; i: ReplicateElement N);
}

/// Places: parts of the vector to write.
impl<T: Elem, const N: usize, B: Backend> Vector<T, N, B> {
    /// The region of [`select`](Self::select) as a place for writing. CM: `v.select<SIZE, STRIDE>(i)`.
    ///
    /// # Panics
    /// In plain Rust, if a computed offset reaches outside.
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
    ) -> VectorRef<'_, T, SIZE, B, Every<STRIDE, Whole>>
    where
        Shape<1, N>: SelectElements<SIZE, STRIDE>,
    {
        self.select_mut_any(i)
    }

    /// Element `i` as a place for writing. CM: `v(i)`.
    ///
    /// # Panics
    /// In plain Rust, if there is no element `i`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut v = Vector::<u8, 3>::splat(0);
    /// v.get_mut(1).assign(9);
    /// assert_eq!(v.to_array(), [0, 9, 0]);
    /// ```
    #[op]
    pub fn get_mut(&mut self, i: impl Offset<ElementOffset<N>, B>) -> ElementRef<'_, T, B> {
        self.select_all_mut().get_mut(i)
    }

    /// The whole vector as a place of `R` x `C` elements `V`, for writing. CM: `v.format<V, R, C>()`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut v = Vector::<u8, 4>::splat(0);
    /// v.format_matrix_mut::<u16, 2, 1>().row_mut(1).assign(0x0201);
    /// assert_eq!(v.to_array(), [0, 0, 1, 2]);
    /// ```
    #[op]
    pub fn format_matrix_mut<V: Elem, const R: usize, const C: usize>(
        &mut self,
    ) -> MatrixRef<'_, V, R, C, B, Whole>
    where
        Shape<1, N>: FormatMatrix<T, V, R, C>,
    {
        self.select_all_mut().format_matrix_mut()
    }

    /// The whole vector as a place for writing. CM: `x.select_all()`.
    ///
    /// The vector itself has the methods of a place too: `x.merge(..)` is the same as
    /// `x.select_all_mut().merge(..)`. To read all elements, use the vector.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut v = Vector::from_array([1u8, 2, 3, 4]);
    /// v.select_all_mut().merge(0, 0b1001);
    /// assert_eq!(v.to_array(), [0, 2, 3, 0]);
    /// ```
    #[op]
    pub fn select_all_mut(&mut self) -> VectorRef<'_, T, N, B, Whole> {
        VectorRef::from_place(B::place(&mut self.reg))
    }
}

/// Conversions and conditions.
impl<T: Elem, const N: usize, B: Backend> Vector<T, N, B> {
    conversions!(Vector, 1, N);
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<T: Elem, const N: usize, B: Backend, S: Storage<B>> Vector<T, N, B, S> {
    /// [`select`](Self::select) without a bound. Sizes and strides are checked when the kernel is recorded.
    ///
    /// # Panics
    /// In plain Rust, if a size or stride is illegal, or the region reaches outside.
    #[op]
    pub fn select_any<const SIZE: usize, const STRIDE: usize>(
        &self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> Vector<T, SIZE, B> {
        let region = vector_region::<B, N, SIZE, STRIDE>(i);
        Vector::from_reg(S::region::<T, 1, N, 1, SIZE>(&self.reg, region))
    }
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<T: Elem, const N: usize, B: Backend> Vector<T, N, B> {
    splat_any!(1, N);

    /// [`constant`](Self::constant) without a bound. The size is checked when the kernel is recorded.
    ///
    /// # Panics
    /// In plain Rust, if the object is larger than the largest register file.
    #[op]
    pub fn constant_any(elements: [T; N]) -> Self {
        require_object::<B>(const { N * T::TYPE.bytes() });
        Self::from_reg(B::constant([elements]))
    }

    /// `of_elements` without a bound. The size is checked when the kernel is recorded.
    #[doc(hidden)]
    #[op]
    pub fn of_elements_any(elements: [Scalar<T, B>; N]) -> Self {
        require_object::<B>(const { N * T::TYPE.bytes() });
        let mut made = B::undefined::<T, 1, N>();
        for (n, x) in elements.into_iter().enumerate() {
            let mut place = B::narrow::<T>(B::place(&mut made), N, Region::row(Start::Host(n), 1));
            B::store_place::<T, 1, 1>(&mut place, x.into_reg());
        }
        Self::from_reg(B::load(&made))
    }

    /// [`select_mut`](Self::select_mut) without a bound. Sizes and strides are checked when the kernel is
    /// recorded.
    ///
    /// # Panics
    /// In plain Rust, if a size or stride is illegal, or the region reaches outside.
    #[op]
    pub fn select_mut_any<const SIZE: usize, const STRIDE: usize>(
        &mut self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> VectorRef<'_, T, SIZE, B, Every<STRIDE, Whole>> {
        self.select_all_mut().select_mut_any(i)
    }

    /// [`format_matrix`](Self::format_matrix) without a bound. The sizes are checked when the kernel is
    /// recorded.
    ///
    /// # Panics
    /// In plain Rust, if the byte sizes differ.
    #[op]
    pub fn format_matrix_any<V: Elem, const R: usize, const C: usize>(&self) -> Matrix<V, R, C, B> {
        require::<B>(const { limits::format(N * T::TYPE.bytes(), R * C * V::TYPE.bytes()) });
        Matrix::from_reg(B::format::<T, V, 1, N, R, C>(&self.reg))
    }

    replicates_any!(1, N; i: ReplicateElement N; i);
}

impl<T: Int, const N: usize, B: Backend> Vector<T, N, B> {
    /// As unsigned numbers, at most `last`.
    #[op]
    pub(super) fn limited_to(self, last: u32) -> Vector<u32, N, B> {
        let last = B::splat::<u32, 1, N>(B::constant([[last]]));
        Vector::from_reg(binary::<B, Min, u32, 1, N>(self.convert::<u32>().reg, last))
    }
}
