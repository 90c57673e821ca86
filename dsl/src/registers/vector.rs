//! Vectors.

use std::marker::PhantomData;

use cm_macros::op;

use super::{ElementRef, Matrix, MatrixRef, Scalar, VectorRef, Whole};
use crate::backend::{Backend, InRegisters, Offset as LinearOffset, Region, Storage, binary};
use crate::cpu::Cpu;
use crate::elem::{Elem, Int};
use crate::limits::{
    ElementOffset, Fits, FormatMatrix, Len, Offset, Replicate, SelectElements, SelectOffset, Shape, Times,
    locate,
};
use crate::ops::{Mask, MergeSource};

/// `N` elements `T` in registers: CM's `vector<T, N>`.
///
/// A vector is a value, as [`Matrix`](super::Matrix) is, and smaller than 4096 bytes.
///
/// ```
/// use cm::prelude::*;
/// let v = Vector::from_array([1u8, 2, 3, 4]);
/// assert_eq!((v.select::<2, 2>(0) * v.select::<2, 2>(1)).to_array(), [2i32, 12]);
/// ```
#[must_use]
pub struct Vector<T: Elem, const N: usize, B: Backend = Cpu, S: Storage<B> = InRegisters> {
    reg: S::Reg<T, 1, N>,
    storage: PhantomData<S>,
}

#[expect(clippy::non_canonical_clone_impl, reason = "a clone of a variable is its value now")]
impl<T: Elem, const N: usize, B: Backend, S: Storage<B>> Clone for Vector<T, N, B, S> {
    #[op]
    fn clone(&self) -> Self {
        Self::from_storage(S::load(&self.reg))
    }
}
impl<T: Elem, const N: usize, B: Backend, S: Storage<B>> Copy for Vector<T, N, B, S> {}

impl<T: Elem, const N: usize, B: Backend> Vector<T, N, B> {
    super::common::methods!(Vector, 1, N, Len<N>);

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
        super::common::check_object::<B, T>(N);
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

    /// [`select_mut`](Self::select_mut) without a bound: sizes and strides are checked when the kernel is recorded.
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
        Scalar::from_reg(B::region::<T, 1, N, 1, 1>(&self.reg, Region::row(locate(i.position()), 1)))
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
        super::common::check_format::<B, T, V, 1, N, R, C>();
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

    super::common::replicates!(1, N; i: ReplicateElement N; i);
}

/// What is taken of vectors wherever they are.
impl<T: Elem, const N: usize, B: Backend, S: Storage<B>> Vector<T, N, B, S> {
    /// `SIZE` elements, `STRIDE` apart, from element `i`. CM: `v.select<SIZE, STRIDE>(i)`.
    ///
    /// Sizes, strides and literal offsets that reach outside do not pass `cargo check`; a computed host offset is
    /// an error when the kernel is recorded; a staged offset is limited to the last position.
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
        let region = select_region::<B, N, SIZE, STRIDE>(i);
        Vector::from_reg(S::region::<T, 1, N, 1, SIZE>(&self.reg, region))
    }

    #[inline(always)]
    pub(super) fn from_storage(reg: S::Reg<T, 1, N>) -> Self {
        Self { reg, storage: PhantomData }
    }
}

impl<T: Int, const N: usize, B: Backend> Vector<T, N, B> {
    /// As unsigned numbers, at most `last`.
    #[op]
    pub(super) fn limited_to(self, last: u32) -> Vector<u32, N, B> {
        let last = B::splat::<u32, 1, N>(B::constant([[last]]));
        Vector::from_reg(binary::<B, crate::ops::Min, u32, 1, N>(self.convert::<u32>().reg, last))
    }
}

/// The region of a `select`, checked as far as it is known.
#[op]
pub(super) fn select_region<B: Backend, const N: usize, const SIZE: usize, const STRIDE: usize>(
    i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
) -> Region<B> {
    super::common::check_region::<B>(SIZE, STRIDE);
    Region { offset: locate(i.position()), row_stride: SIZE * STRIDE, width: SIZE, column_stride: STRIDE }
}

/// A length, as a type, with the vector that has it: how a length that was computed in types becomes a
/// [`Vector`] again.
pub trait VectorLen {
    /// The vector of this length.
    type Vector<T: Elem, B: Backend>: Copy;
    /// The place of this length.
    type VectorRef<'a, T: Elem, B: Backend>;

    #[doc(hidden)]
    #[track_caller]
    fn region<T: Elem, const R: usize, const C: usize, B: Backend>(
        x: &B::Reg<T, R, C>,
        region: Region<B>,
    ) -> Self::Vector<T, B>;

    #[doc(hidden)]
    #[track_caller]
    fn format<T: Elem, V: Elem, const R: usize, const C: usize, B: Backend>(
        x: &B::Reg<T, R, C>,
    ) -> Self::Vector<V, B>;

    #[doc(hidden)]
    #[track_caller]
    fn format_place<V: Elem, B: Backend>(place: B::Place<'_>) -> Self::VectorRef<'_, V, B>;
}

/// The vector of length `L`.
pub type VectorOf<L, T, B> = <L as VectorLen>::Vector<T, B>;

impl<const N: usize> VectorLen for Len<N> {
    type Vector<T: Elem, B: Backend> = Vector<T, N, B>;
    type VectorRef<'a, T: Elem, B: Backend> = VectorRef<'a, T, N, B, Whole>;

    #[op]
    fn region<T: Elem, const R: usize, const C: usize, B: Backend>(
        x: &B::Reg<T, R, C>,
        region: Region<B>,
    ) -> Vector<T, N, B> {
        Vector::from_reg(B::region::<T, R, C, 1, N>(x, region))
    }

    #[op]
    fn format<T: Elem, V: Elem, const R: usize, const C: usize, B: Backend>(
        x: &B::Reg<T, R, C>,
    ) -> Vector<V, N, B> {
        Vector::from_reg(B::format::<T, V, R, C, 1, N>(x))
    }

    #[op]
    fn format_place<V: Elem, B: Backend>(place: B::Place<'_>) -> VectorRef<'_, V, N, B, Whole> {
        VectorRef::from_place(B::format_place::<V>(place, N))
    }
}
