//! Registers in plain Rust: arrays in and out, equality, printing.

use std::fmt;

use cm_compiler::printf::Layout;
use cm_macros::{inlined, op};

use super::objects::{Matrix, Vector};
use super::scalar::Scalar;
use crate::backend::Backend;
use crate::elem::Elem;
use crate::limits::{Fits, Shape};

/// From arrays and to arrays.
impl<T: Elem, const R: usize, const C: usize> Matrix<T, R, C> {
    /// Creates a matrix from its rows. In a kernel it is a constant. CM: initialisation by a constant array.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1u8, 2], [3, 4]]).to_array(), [[1, 2], [3, 4]]);
    /// ```
    #[op]
    pub fn from_array(rows: [[T; C]; R]) -> Self
    where
        Shape<R, C>: Fits<T>,
    {
        Self::from_reg(rows.map(|row| [row]))
    }

    /// Returns the rows. For plain Rust only: in a kernel registers have no values while it is recorded.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!((Matrix::from_array([[1u8, 2], [3, 4]]) * 2).to_array(), [[2, 4], [6, 8]]);
    /// ```
    #[inlined]
    #[must_use]
    pub fn to_array(self) -> [[T; C]; R] {
        self.into_reg().map(|[row]| row)
    }
}

/// From arrays and to arrays.
impl<T: Elem, const N: usize> Vector<T, N> {
    /// Creates a vector from its elements. In a kernel it is a constant. CM: initialisation by a constant
    /// array.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Vector::from_array([1.5f32, 2.5]).to_array(), [1.5, 2.5]);
    /// ```
    ///
    /// A constant array is a lookup table: [`iselect`](Self::iselect) looks up an element for each index, and
    /// [`get`](Self::get) one element at an index that the kernel computes.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// const SQUARES: [u16; 16] = [0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225];
    ///
    /// #[kernel]
    /// fn squares(input: &Buffer<u8>, output: &mut Buffer<u16>, first: u32) {
    ///     let table = Vector::from_array(SQUARES);
    ///     let mut found = table.iselect(input.read::<16>(0));
    ///     for i in 0..first {
    ///         found.get_mut(i).assign(table.get(i));
    ///     }
    ///     output.write(0, &found);
    /// }
    /// # fn main() -> cm::Result<()> {
    /// # let device = Device::cpu()?;
    /// # let input = Buffer::from_slice(&device, &[15u8; 16])?;
    /// # let mut output = Buffer::new(&device, 16)?;
    /// # squares::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output, 2)?;
    /// # assert_eq!(output.to_vec()?[..4], [0, 1, 225, 225]);
    /// # Ok(())
    /// # }
    /// ```
    #[op]
    pub fn from_array(elements: [T; N]) -> Self
    where
        Shape<1, N>: Fits<T>,
    {
        Self::from_reg([[elements]])
    }

    /// Returns the elements. For plain Rust only: in a kernel registers have no values while it is recorded.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!((Vector::from_array([1u8, 2]) * 2).to_array(), [2, 4]);
    /// ```
    #[inlined]
    #[must_use]
    pub fn to_array(self) -> [T; N] {
        self.into_reg()[0][0]
    }
}

impl<T: Elem> Scalar<T> {
    /// Returns the number. For plain Rust only: in a kernel scalars have no values while it is recorded.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!((Scalar::<u16>::constant(7) * 2).value(), 14);
    /// ```
    #[inlined]
    #[must_use]
    pub fn value(self) -> T {
        self.into_reg()[0][0][0]
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

impl<T: Elem, const R: usize, const C: usize> From<Matrix<T, R, C>> for [[T; C]; R] {
    /// ```
    /// use cm::prelude::*;
    /// let rows: [[u8; 2]; 3] = Matrix::<u8, 3, 2>::splat(7).into();
    /// assert_eq!(rows, [[7; 2]; 3]);
    /// ```
    fn from(m: Matrix<T, R, C>) -> Self {
        m.to_array()
    }
}

impl<T: Elem, const N: usize> From<Vector<T, N>> for [T; N] {
    /// ```
    /// use cm::prelude::*;
    /// let elements: [u8; 3] = Vector::<u8, 3>::splat(7).into();
    /// assert_eq!(elements, [7; 3]);
    /// ```
    fn from(v: Vector<T, N>) -> Self {
        v.to_array()
    }
}

macro_rules! values {
    ($reg:ident, $layout:ident, $ty:ty; $($params:tt)*) => {
        /// The elements: `{:?}` prints one line, `{:#?}` prints a matrix with one line per row. Width, precision and
        /// style apply to each element, as in `{:02x?}`.
        impl<T: Elem, $($params)* B: Backend> fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($reg), "("))?;
                B::debug(&self.into_reg(), Layout::$layout, f)?;
                f.write_str(")")
            }
        }
    };
}

values!(Matrix, Rows, Matrix<T, R, C, B>; const R: usize, const C: usize,);
values!(Vector, Row, Vector<T, N, B>; const N: usize,);
values!(Scalar, Number, Scalar<T, B>;);

impl<T: Elem, const R: usize, const C: usize> PartialEq for Matrix<T, R, C> {
    fn eq(&self, other: &Self) -> bool {
        self.into_reg() == other.into_reg()
    }
}

impl<T: Elem, const N: usize> PartialEq for Vector<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.into_reg() == other.into_reg()
    }
}

impl<T: Elem> PartialEq for Scalar<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}
