//! Register objects and the places inside them: the types. Their methods stand in files of their own.

use std::fmt;
use std::marker::PhantomData;

use cm_macros::op;

use crate::backend::{Backend, InRegisters, Storage};
use crate::cpu::Cpu;
use crate::elem::Elem;

/// `R` rows of `C` elements `T` in registers, row by row: CM's `matrix<T, R, C>`.
///
/// A matrix is a value: it is `Copy`, and `select`, `row`, `column`, `replicate`, `iselect` and `format` give
/// values. The `_mut` forms give places that are written with `assign`, `merge` and the compound operators.
/// Objects are smaller than the register file, 4096 bytes.
///
/// The last parameter is the backend. Outside of kernels leave it away: the registers are plain arrays.
///
/// ```
/// use cm::prelude::*;
/// let m = Matrix::from_array([[1u8, 2, 3, 4], [5, 6, 7, 8]]);
/// let sums: Matrix<u8, 2, 2> = (m.select::<2, 1, 2, 2>(0, 0) + m.select::<2, 1, 2, 2>(0, 1)).convert();
/// assert_eq!(sums.to_array(), [[3, 7], [11, 15]]);
/// ```
#[must_use]
pub struct Matrix<T: Elem, const R: usize, const C: usize, B: Backend = Cpu, S: Storage<B> = InRegisters> {
    pub(super) reg: S::Reg<T, R, C>,
    storage: PhantomData<S>,
}

#[expect(clippy::non_canonical_clone_impl, reason = "a clone of a variable is its value now")]
impl<T: Elem, const R: usize, const C: usize, B: Backend, S: Storage<B>> Clone for Matrix<T, R, C, B, S> {
    #[op]
    fn clone(&self) -> Self {
        Self::from_storage(S::load(&self.reg))
    }
}
impl<T: Elem, const R: usize, const C: usize, B: Backend, S: Storage<B>> Copy for Matrix<T, R, C, B, S> {}

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
    pub(super) reg: S::Reg<T, 1, N>,
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
    pub(super) place: B::Place<'a>,
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
    pub(super) place: B::Place<'a>,
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
    pub(super) place: B::Place<'a>,
    layout: PhantomData<T>,
}

macro_rules! objects {
    ($reg:ident, $r:tt, $c:tt, $($size:ident)*) => {
        impl<T: Elem, $(const $size: usize,)* B: Backend, S: Storage<B>> $reg<T, $($size,)* B, S> {
            #[inline(always)]
            pub(crate) fn from_storage(reg: S::Reg<T, $r, $c>) -> Self {
                Self { reg, storage: PhantomData }
            }
        }

        impl<T: Elem, $(const $size: usize,)* B: Backend> $reg<T, $($size,)* B> {
            #[doc(hidden)]
        #[inline(always)]
        pub fn from_reg(reg: B::Reg<T, $r, $c>) -> Self {
            Self::from_storage(reg)
        }

        #[doc(hidden)]
        #[inline(always)]
        #[must_use]
        pub fn into_reg(self) -> B::Reg<T, $r, $c> {
            self.reg
        }

        #[inline(always)]
        pub(crate) fn reg_mut(&mut self) -> &mut B::Reg<T, $r, $c> {
            &mut self.reg
        }

            #[inline(always)]
            pub(crate) fn reg(&self) -> &B::Reg<T, $r, $c> {
                &self.reg
            }
        }
    };
}

objects!(Matrix, R, C, R C);
objects!(Vector, 1, N, N);

macro_rules! places {
    ($place:ident, [$($size:ident)*], $($layout:ident)?) => {
        impl<'a, T: Elem, $(const $size: usize,)* B: Backend $(, $layout)?> $place<'a, T, $($size,)* B $(, $layout)?> {
            #[inline(always)]
            pub(super) fn from_place(place: B::Place<'a>) -> Self {
                Self { place, layout: PhantomData }
            }
        }
    };
}

places!(MatrixRef, [R C], L);
places!(VectorRef, [N], L);
places!(ElementRef, [],);

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
