//! Matrices that are transposed, mirrored and rotated.

use cm_macros::op;

use super::objects::Matrix;
use crate::backend::{Backend, Region, Start};
use crate::elem::Elem;

/// Transposed, mirrored and rotated copies. CM: the matrix operations of `cmtl`, which take 16 x 16 or 8 x 8 elements.
impl<T: Elem, const R: usize, const C: usize, B: Backend> Matrix<T, R, C, B> {
    /// Transposes the matrix: element `(i, j)` of the result is element `(j, i)` of `self`. CM:
    /// `cmtl::Transpose_16x16(m, out)`, `cmtl::Transpose_8x8(m, out)`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1u8, 2, 3], [4, 5, 6]]).transpose().to_array(), [[1, 4], [2, 5], [3, 6]]);
    /// ```
    #[op]
    pub fn transpose(&self) -> Matrix<T, C, R, B> {
        let region = Region { offset: Start::Host(0), row_stride: 1, width: R, column_stride: C };
        Matrix::from_reg(B::region::<T, R, C, C, R>(&self.reg, region))
    }

    /// Transposes the matrix about its other diagonal: element `(i, j)` of the result is element
    /// `(R - 1 - j, C - 1 - i)` of `self`. CM: `cmtl::ReverseTranspose_16x16(m, out)`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let m = Matrix::from_array([[1u8, 2, 3], [4, 5, 6]]);
    /// assert_eq!(m.reverse_transpose().to_array(), [[6, 3], [5, 2], [4, 1]]);
    /// ```
    #[op]
    pub fn reverse_transpose(&self) -> Matrix<T, C, R, B> {
        self.mirror_vertical().transpose().mirror_vertical()
    }

    /// Reverses the order of the rows: element `(i, j)` of the result is element `(R - 1 - i, j)` of `self`. CM:
    /// `cmtl::MirrorVertical(m, out)`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1u8, 2], [3, 4]]).mirror_vertical().to_array(), [[3, 4], [1, 2]]);
    /// ```
    #[op]
    pub fn mirror_vertical(&self) -> Self {
        let mut mirrored = B::undefined::<T, R, C>();
        for i in 0..R {
            let row = |i: usize| Region::row(Start::Host(i * C), C);
            let value = B::region::<T, R, C, 1, C>(&self.reg, row(R - 1 - i));
            let mut place = B::narrow::<T>(B::place(&mut mirrored), C, row(i));
            B::store_place::<T, 1, C>(&mut place, value);
        }
        Self::from_reg(B::load(&mirrored))
    }

    /// Reverses the order of the columns: element `(i, j)` of the result is element `(i, C - 1 - j)` of `self`. CM:
    /// `cmtl::MirrorHorizontal_16x16(m, out)`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1u8, 2], [3, 4]]).mirror_horizontal().to_array(), [[2, 1], [4, 3]]);
    /// ```
    #[op]
    pub fn mirror_horizontal(&self) -> Self {
        Self::from_reg(B::mirrored(&self.reg))
    }

    /// Rotates the matrix clockwise by 90 degrees: element `(i, j)` of the result is element `(R - 1 - j, i)` of
    /// `self`. CM: `cmtl::Rotate90_16x16(m, out)`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1u8, 2, 3], [4, 5, 6]]).rotate90().to_array(), [[4, 1], [5, 2], [6, 3]]);
    /// ```
    #[op]
    pub fn rotate90(&self) -> Matrix<T, C, R, B> {
        self.mirror_vertical().transpose()
    }

    /// Rotates the matrix by 180 degrees: element `(i, j)` of the result is element `(R - 1 - i, C - 1 - j)` of
    /// `self`. CM: `cmtl::Rotate180_16x16(m, out)`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1u8, 2], [3, 4]]).rotate180().to_array(), [[4, 3], [2, 1]]);
    /// ```
    #[op]
    pub fn rotate180(&self) -> Self {
        self.mirror_horizontal().mirror_vertical()
    }

    /// Rotates the matrix clockwise by 270 degrees, or counterclockwise by 90: element `(i, j)` of the result is
    /// element `(j, C - 1 - i)` of `self`. CM: `cmtl::Rotate270_16x16(m, out)`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1u8, 2, 3], [4, 5, 6]]).rotate270().to_array(), [[3, 6], [2, 5], [1, 4]]);
    /// ```
    #[op]
    pub fn rotate270(&self) -> Matrix<T, C, R, B> {
        self.transpose().mirror_vertical()
    }
}
