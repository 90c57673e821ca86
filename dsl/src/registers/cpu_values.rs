//! Registers in plain Rust: arrays in and out, equality, printing.

use std::fmt;

use super::{Matrix, Scalar, Vector};
use crate::backend::Backend;
use crate::cpu::{Cpu, Environment};
use crate::elem::Elem;
use crate::limits::{Fits, Shape};

impl<T: Elem, const R: usize, const C: usize, B: Backend> Matrix<T, R, C, B> {
    /// A matrix of these rows. CM: initialisation by a constant array.
    #[inline(always)]
    #[track_caller]
    pub fn from_array(rows: [[T; C]; R]) -> Self
    where
        Shape<R, C>: Fits<T>,
    {
        Self::from_array_any(rows)
    }

    /// [`from_array`](Self::from_array) without a bound: the size is checked when the kernel is recorded.
    #[inline(always)]
    #[track_caller]
    pub fn from_array_any(rows: [[T; C]; R]) -> Self {
        super::common::check_object::<B, T>(R * C);
        Self::from_reg(B::constant(rows))
    }
}

impl<T: Elem, const N: usize, B: Backend> Vector<T, N, B> {
    /// A vector of these elements. CM: initialisation by a constant array.
    #[inline(always)]
    #[track_caller]
    pub fn from_array(elements: [T; N]) -> Self
    where
        Shape<1, N>: Fits<T>,
    {
        Self::from_array_any(elements)
    }

    /// [`from_array`](Self::from_array) without a bound: the size is checked when the kernel is recorded.
    #[inline(always)]
    #[track_caller]
    pub fn from_array_any(elements: [T; N]) -> Self {
        super::common::check_object::<B, T>(N);
        Self::from_reg(B::constant([elements]))
    }
}

impl<T: Elem, const R: usize, const C: usize, E: Environment> Matrix<T, R, C, Cpu<E>> {
    /// The rows. Plain Rust only: a kernel's registers have no values while it is recorded.
    #[inline(always)]
    #[must_use]
    pub fn to_array(self) -> [[T; C]; R] {
        self.into_reg()
    }
}

impl<T: Elem, const N: usize, E: Environment> Vector<T, N, Cpu<E>> {
    /// The elements. Plain Rust only: a kernel's registers have no values while it is recorded.
    #[inline(always)]
    #[must_use]
    pub fn to_array(self) -> [T; N] {
        self.into_reg()[0]
    }
}

impl<T: Elem, E: Environment> Scalar<T, Cpu<E>> {
    /// The number. Plain Rust only: a kernel's scalars have no values while it is recorded.
    #[inline(always)]
    #[must_use]
    pub fn value(self) -> T {
        self.into_reg()[0][0]
    }
}

impl<T: Elem> From<T> for Scalar<T> {
    fn from(x: T) -> Self {
        Self::constant(x)
    }
}

impl<T: Elem, const R: usize, const C: usize> From<[[T; C]; R]> for Matrix<T, R, C>
where
    Shape<R, C>: Fits<T>,
{
    fn from(rows: [[T; C]; R]) -> Self {
        Self::from_array(rows)
    }
}

impl<T: Elem, const N: usize> From<[T; N]> for Vector<T, N>
where
    Shape<1, N>: Fits<T>,
{
    fn from(elements: [T; N]) -> Self {
        Self::from_array(elements)
    }
}

macro_rules! values {
    ($reg:ident, $ty:ty; $($params:tt)*) => {
        impl<T: Elem, $($params)* B: Backend> fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($reg)).field(&self.into_reg()).finish()
            }
        }
    };
}

values!(Matrix, Matrix<T, R, C, B>; const R: usize, const C: usize,);
values!(Vector, Vector<T, N, B>; const N: usize,);
values!(Scalar, Scalar<T, B>;);

impl<T: Elem, const R: usize, const C: usize, E: Environment> PartialEq for Matrix<T, R, C, Cpu<E>> {
    fn eq(&self, other: &Self) -> bool {
        self.into_reg() == other.into_reg()
    }
}

impl<T: Elem, const N: usize, E: Environment> PartialEq for Vector<T, N, Cpu<E>> {
    fn eq(&self, other: &Self) -> bool {
        self.into_reg() == other.into_reg()
    }
}

impl<T: Elem, E: Environment> PartialEq for Scalar<T, Cpu<E>> {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}
