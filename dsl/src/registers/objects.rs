//! The types of register objects and of the places inside them. Their methods are in other files.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use cm_macros::{inlined, op};

use crate::backend::{Backend, InRegisters, Storage};
use crate::cpu::Cpu;
use crate::elem::Elem;

/// `R` rows of `C` elements `T` in registers, row by row. CM: `matrix<T, R, C>`.
///
/// A matrix is a `Copy` value:
///
/// - To read a part, use `select`, `row`, `column`, `get`, `replicate`, `iselect` or `format`. They return
///   values.
/// - To write a part, use the forms with `_mut`, such as `select_mut`. They return [places], which are
///   written with `assign`, `merge` and compound operators (`+=`).
/// - Operators are element-wise. The elements of the result are promoted as in CM (`u8 + u8` is `i32`);
///   [`convert`](Self::convert) and [`saturate`](Self::saturate) narrow them.
///
/// A matrix has fewer than 4096 bytes, the size of the register file, or fewer than the `register_file` of its kernel.
///
/// `#[kernel]` and `#[function]` set the last parameters. Leave them out: in plain Rust, registers are arrays.
///
/// [places]: ../../cm/guide/glossary/index.html#place
///
/// ```
/// use cm::prelude::*;
/// let m = Matrix::from_array([[1u8, 2, 3, 4], [5, 6, 7, 8]]);
/// let (even, odd) = (m.select::<2, 1, 2, 2>(0, 0), m.select::<2, 1, 2, 2>(0, 1));
/// let sums: Matrix<u8, 2, 2> = (even + odd).convert();
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

/// `N` elements `T` in registers. CM: `vector<T, N>`.
///
/// Like a [`Matrix`](super::Matrix), a vector is a `Copy` value with the same limit of its size and the
/// same kinds of methods.
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

/// A place without gaps between its elements: a whole object, or a `format_mut`.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

/// A place that may have gaps.
#[derive(Clone, Copy, Debug)]
pub struct Strided;

/// A row of a place `L`.
#[derive(Clone, Copy, Debug)]
pub struct RowOf<L>(PhantomData<L>);

/// Every `STRIDE`th element of a place `L`, a vector.
#[derive(Clone, Copy, Debug)]
pub struct Every<const STRIDE: usize, L>(PhantomData<L>);

/// Every `VS`th row of a place `L` with `C` columns, of which it has `C2` columns, `HS` apart.
#[derive(Clone, Copy, Debug)]
pub struct Part<const C: usize, const VS: usize, const C2: usize, const HS: usize, L>(PhantomData<L>);

/// A place that has `format_mut`: one without gaps between its elements.
#[diagnostic::on_unimplemented(
    message = "`format` of a place that is not contiguous",
    label = "the elements of this place may have gaps",
    note = "these have no gaps: a whole object, a row, `select_mut::<SIZE, 1>` of a vector or a row, and \
            `select_mut::<ROWS, 1, COLUMNS, 1>` of all columns"
)]
pub trait Contiguous {}
impl Contiguous for Whole {}
impl Contiguous for RowOf<Whole> {}
impl<const C: usize, const VS: usize, const C2: usize, L> Contiguous for RowOf<Part<C, VS, C2, 1, L>> where
    RowOf<L>: Contiguous
{
}
impl<L: Contiguous> Contiguous for Every<1, L> {}
impl<const C: usize, L: Contiguous> Contiguous for Part<C, 1, C, 1, L> {}

/// A [place]: `R` x `C` elements of a matrix that can be written. CM: `matrix_ref<T, R, C>`.
///
/// `select_mut`, `column_mut` and `format_matrix_mut` return it. An assignment reads its right side
/// completely before it writes.
///
/// [place]: ../../cm/guide/glossary/index.html#place
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
    pub(super) place: ManuallyDrop<B::Place<'a>>,
    layout: PhantomData<(T, L)>,
}

/// A [place]: `N` elements of a vector or of a row that can be written. CM: `vector_ref<T, N>`.
///
/// [place]: ../../cm/guide/glossary/index.html#place
///
/// ```
/// use cm::prelude::*;
/// let mut m = Matrix::<i16, 2, 4>::splat(1);
/// m.row_mut(1).select_mut::<2, 1>(2).assign(Vector::from_array([7.9f32, -7.9]));
/// assert_eq!(m.to_array(), [[1, 1, 1, 1], [1, 1, 7, -7]]);
/// ```
#[must_use = "a place does nothing until it is assigned"]
pub struct VectorRef<'a, T: Elem, const N: usize, B: Backend, L = Strided> {
    pub(super) place: ManuallyDrop<B::Place<'a>>,
    layout: PhantomData<(T, L)>,
}

/// A [place]: one element of a matrix or a vector that can be written.
///
/// [place]: ../../cm/guide/glossary/index.html#place
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
    pub(super) place: ManuallyDrop<B::Place<'a>>,
    layout: PhantomData<T>,
}

macro_rules! objects {
    ($reg:ident, $r:tt, $c:tt, $($size:ident)*) => {
        impl<T: Elem, $(const $size: usize,)* B: Backend, S: Storage<B>> $reg<T, $($size,)* B, S> {
            #[inlined]
            pub(crate) fn from_storage(reg: S::Reg<T, $r, $c>) -> Self {
                Self { reg, storage: PhantomData }
            }

            #[inlined]
            pub(crate) fn storage(&self) -> S::Reg<T, $r, $c> {
                self.reg
            }
        }

        impl<T: Elem, $(const $size: usize,)* B: Backend> $reg<T, $($size,)* B> {
            #[doc(hidden)]
        #[inlined]
        pub fn from_reg(reg: B::Reg<T, $r, $c>) -> Self {
            Self::from_storage(reg)
        }

        #[doc(hidden)]
        #[inlined]
        #[must_use]
        pub fn into_reg(self) -> B::Reg<T, $r, $c> {
            self.reg
        }

        #[inlined]
        pub(crate) fn reg_mut(&mut self) -> &mut B::Reg<T, $r, $c> {
            &mut self.reg
        }

            #[inlined]
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
            #[inlined]
            pub(super) fn from_place(place: B::Place<'a>) -> Self {
                // A place of any backend is nothing to drop. rustc would take a drop for the last use of a name.
                Self { place: ManuallyDrop::new(place), layout: PhantomData }
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
                write!(f, concat!(stringify!($name), "<{}, {}, {}>"), T::NAME, $r, $c)
            }
        }
    )*};
}

debug! {
    MatrixRef, MatrixRef<'_, T, R, C, B, L>, R, C; [T: Elem, const R: usize, const C: usize, B: Backend, L];
    VectorRef, VectorRef<'_, T, N, B, L>, 1, N; [T: Elem, const N: usize, B: Backend, L];
    ElementRef, ElementRef<'_, T, B>, 1, 1; [T: Elem, B: Backend];
}
