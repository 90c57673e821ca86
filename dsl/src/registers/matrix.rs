//! Methods of matrices.

use cm_compiler::limits;
use cm_macros::op;

use super::common::{
    check_replicate, constructors, conversions, formats, offset, replicates, replicates_any, replicates_in,
    splat_any, start, with_elem,
};
use super::len::{FormatVector, Repeated, Times, VectorLen, VectorOf, VectorRefOf};
use super::objects::{ElementRef, Matrix, MatrixRef, Part, RowOf, Vector, VectorRef, Whole};
use super::offset::{
    ColumnOffset, ElementColumn, ElementRow, Offset, RowOffset, locate, matrix_region, row_major, row_start,
};
use super::scalar::{IntoScalar, Scalar};
use crate::backend::{Backend, Region, Start, Storage, require, require_object};
use crate::elem::{Elem, Int};
use crate::limits::{Fits, FitsLen, FormatMatrix, Len, Replicate, Select, Shape};

/// Constructors.
impl<T: Elem, const R: usize, const C: usize, B: Backend> Matrix<T, R, C, B> {
    /// Number of rows. CM: `n_rows()`.
    pub const ROWS: usize = R;
    /// Number of columns. CM: `n_cols()`.
    pub const COLUMNS: usize = C;

    constructors!(R, C);

    /// Creates a matrix of these rows on any backend. Kernels use `from_array`; generic functions without
    /// `#[function]` use this method.
    ///
    /// ```
    /// use cm::Backend;
    /// use cm::prelude::*;
    /// fn ramp<B: Backend>() -> Matrix<i16, 1, 4, B> {
    ///     Matrix::<i16, 1, 4, B>::constant([[0, 1, 2, 3]])
    /// }
    /// assert_eq!(ramp().to_array(), [[0, 1, 2, 3]]);
    /// ```
    #[op]
    pub fn constant(rows: [[T; C]; R]) -> Self
    where
        Shape<R, C>: Fits<T>,
    {
        Self::constant_any(rows)
    }

    /// [`constant`](Self::constant) in a kernel with a register file of `FILE` bytes.
    #[doc(hidden)]
    #[op]
    pub fn constant_in<const FILE: usize>(rows: [[T; C]; R]) -> Self
    where
        Shape<R, C>: Fits<T, FILE>,
    {
        Self::constant_any(rows)
    }
}

/// Rows and regions.
impl<T: Elem, const R: usize, const C: usize, B: Backend, S: Storage<B>> Matrix<T, R, C, B, S> {
    /// Reads the region of `R2` rows, `VS` apart, and `C2` columns, `HS` apart, that starts at row `i` and
    /// column `j`: element `(a, b)` is element `(i + a * VS, j + b * HS)` of `self`. CM:
    /// `m.select<R2, VS, C2, HS>(i, j)`.
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
    /// let m = Matrix::from_array([[0u8, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]);
    /// assert_eq!(m.select::<2, 2, 2, 1>(0, 1).to_array(), [[1, 2], [9, 10]]);
    /// ```
    #[op]
    pub fn select<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        &self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> Matrix<T, R2, C2, B>
    where
        Shape<R, C>: Select<R2, VS, C2, HS>,
    {
        self.select_any(i, j)
    }

    /// Reads row `i` as a vector. CM: `m.row(i)`. The rules for `i` are those of [`select`](Self::select).
    ///
    /// # Panics
    /// In plain Rust, if there is no row `i`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1i16, 2], [3, 4]]).row(1).to_array(), [3, 4]);
    /// ```
    #[op]
    pub fn row(&self, i: impl Offset<ElementRow<R>, B>) -> Vector<T, C, B, S> {
        let offset = row_start(i, C);
        Vector::from_storage(S::row::<T, R, C>(&self.reg, Region::row(offset, C)))
    }
}

/// Columns, elements, and other ways to read.
impl<T: Elem, const R: usize, const C: usize, B: Backend> Matrix<T, R, C, B> {
    /// Reads column `j` as an `R` x 1 matrix. CM: `m.column(j)`. The rules for `j` are those of
    /// [`select`](Self::select).
    ///
    /// # Panics
    /// In plain Rust, if there is no column `j`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1i16, 2], [3, 4]]).column(1).to_array(), [[2], [4]]);
    /// ```
    #[op]
    pub fn column(&self, j: impl Offset<ElementColumn<C>, B>) -> Matrix<T, R, 1, B> {
        let offset = locate(j.value());
        Matrix::from_reg(B::region::<T, R, C, R, 1>(&self.reg, Region::column(offset, C)))
    }

    /// Reads element `(i, j)`: row `i`, column `j`. CM: `m(i, j)`. The rules for `i` and `j` are those of
    /// [`select`](Self::select).
    ///
    /// # Panics
    /// In plain Rust, if there is no such element.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Matrix::from_array([[1i16, 2], [3, 4]]).get(1, 0).value(), 3);
    /// ```
    #[op]
    pub fn get(&self, i: impl Offset<ElementRow<R>, B>, j: impl Offset<ElementColumn<C>, B>) -> Scalar<T, B> {
        let offset = row_major(i, j, C);
        Scalar::from_reg(B::region::<T, R, C, 1, 1>(&self.reg, Region::row(offset, 1)))
    }

    /// Reads the elements `(rows[k], columns[k])`. CM: `m.iselect(rows, columns)`.
    ///
    /// Indices are unsigned 32-bit numbers, clamped to the last row and the last column.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let m = Matrix::from_array([[1u8, 2], [3, 4]]);
    /// let picked = m.iselect(Vector::from_array([0u16, 1, 1]), Vector::from_array([1u16, 1, 0]));
    /// assert_eq!(picked.to_array(), [2, 4, 3]);
    /// ```
    #[op]
    pub fn iselect<I: Int, J: Int, const N: usize>(
        &self,
        rows: Vector<I, N, B>,
        columns: Vector<J, N, B>,
    ) -> Vector<T, N, B> {
        let row = rows.limited_to(R as u32 - 1);
        let column = columns.limited_to(C as u32 - 1);
        let index = row * C as u32 + column;
        Vector::from_reg(B::iselect(&self.reg, index.into_reg()))
    }

    /// Reads the same bytes as an `R2` x `C2` matrix of `V`. CM: `m.format<V, R2, C2>()`; kernels may also
    /// write `m.format::<V, R2, C2>()`.
    ///
    /// Both sizes in bytes must be equal; `cargo check` enforces this. The first element is in the lowest bytes
    /// (little endian).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let m = Matrix::from_array([[0x0201u16, 0x0403]]);
    /// assert_eq!(m.format_matrix::<u8, 2, 2>().to_array(), [[1, 2], [3, 4]]);
    /// ```
    #[op]
    pub fn format_matrix<V: Elem, const R2: usize, const C2: usize>(&self) -> Matrix<V, R2, C2, B>
    where
        Shape<R, C>: FormatMatrix<T, V, R2, C2>,
    {
        self.format_matrix_any()
    }

    formats!(R, C);

    replicates!(R, C; i: ElementRow R, j: ElementColumn C);
}

/// Places: parts of the matrix to write.
impl<T: Elem, const R: usize, const C: usize, B: Backend> Matrix<T, R, C, B> {
    /// The region of [`select`](Self::select) as a place for writing. CM: `m.select<..>(i, j)`.
    ///
    /// # Panics
    /// In plain Rust, if a computed offset reaches outside.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 4>::splat(0);
    /// m.select_mut::<2, 1, 2, 2>(0, 1).assign(9);
    /// assert_eq!(m.to_array(), [[0, 9, 0, 9], [0, 9, 0, 9]]);
    /// ```
    #[op]
    pub fn select_mut<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        &mut self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> MatrixRef<'_, T, R2, C2, B, Part<C, VS, C2, HS, Whole>>
    where
        Shape<R, C>: Select<R2, VS, C2, HS>,
    {
        self.select_mut_any(i, j)
    }

    /// Row `i` as a place for writing. CM: `m.row(i)`.
    ///
    /// # Panics
    /// In plain Rust, if there is no row `i`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 2>::splat(0);
    /// m.row_mut(1).assign(9);
    /// assert_eq!(m.to_array(), [[0, 0], [9, 9]]);
    /// ```
    #[op]
    pub fn row_mut(&mut self, i: impl Offset<ElementRow<R>, B>) -> VectorRef<'_, T, C, B, RowOf<Whole>> {
        self.select_all_mut().row_mut(i)
    }

    /// Column `j` as a place for writing. CM: `m.column(j)`.
    ///
    /// # Panics
    /// In plain Rust, if there is no column `j`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 2>::splat(0);
    /// m.column_mut(1).assign(9);
    /// assert_eq!(m.to_array(), [[0, 9], [0, 9]]);
    /// ```
    #[op]
    pub fn column_mut(&mut self, j: impl Offset<ElementColumn<C>, B>) -> MatrixRef<'_, T, R, 1, B> {
        self.select_all_mut().column_mut(j)
    }

    /// Element `(i, j)` as a place for writing. CM: `m(i, j)`.
    ///
    /// # Panics
    /// In plain Rust, if there is no element `(i, j)`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 2, 2>::splat(0);
    /// m.get_mut(0, 1).assign(9);
    /// assert_eq!(m.to_array(), [[0, 9], [0, 0]]);
    /// ```
    #[op]
    pub fn get_mut(
        &mut self,
        i: impl Offset<ElementRow<R>, B>,
        j: impl Offset<ElementColumn<C>, B>,
    ) -> ElementRef<'_, T, B> {
        self.select_all_mut().get_mut(i, j)
    }

    /// The whole matrix as a place of `R2` x `C2` elements `V`, for writing. CM: `m.format<V, R2, C2>()`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::<u8, 1, 4>::splat(0);
    /// m.format_matrix_mut::<u32, 1, 1>().assign(0x0403_0201u32);
    /// assert_eq!(m.to_array(), [[1, 2, 3, 4]]);
    /// ```
    #[op]
    pub fn format_matrix_mut<V: Elem, const R2: usize, const C2: usize>(
        &mut self,
    ) -> MatrixRef<'_, V, R2, C2, B, Whole>
    where
        Shape<R, C>: FormatMatrix<T, V, R2, C2>,
    {
        self.select_all_mut().format_matrix_mut()
    }

    /// The whole matrix as a place for writing. CM: `x.select_all()`.
    ///
    /// The matrix itself has the methods of a place too: `x.merge(..)` is the same as
    /// `x.select_all_mut().merge(..)`. To read all elements, use the matrix.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut m = Matrix::from_array([[1u8, 2], [3, 4]]);
    /// m.select_all_mut().merge(0, 0b1001);
    /// assert_eq!(m.to_array(), [[0, 2], [3, 0]]);
    /// ```
    #[op]
    pub fn select_all_mut(&mut self) -> MatrixRef<'_, T, R, C, B, Whole> {
        MatrixRef::from_place(B::place(&mut self.reg))
    }
}

/// Conversions and conditions.
impl<T: Elem, const R: usize, const C: usize, B: Backend> Matrix<T, R, C, B> {
    conversions!(Matrix, R, C);
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<T: Elem, const R: usize, const C: usize, B: Backend, S: Storage<B>> Matrix<T, R, C, B, S> {
    /// [`select`](Self::select) without a bound. Sizes and strides are checked when the kernel is recorded.
    ///
    /// # Panics
    /// In plain Rust, if a size or stride is illegal, or the region reaches outside.
    #[op]
    pub fn select_any<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        &self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> Matrix<T, R2, C2, B> {
        let region = matrix_region::<B, R, C, R2, VS, C2, HS>(i, j);
        Matrix::from_reg(S::region::<T, R, C, R2, C2>(&self.reg, region))
    }
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<T: Elem, const R: usize, const C: usize, B: Backend> Matrix<T, R, C, B> {
    splat_any!(R, C);

    /// [`constant`](Self::constant) without a bound. The size is checked when the kernel is recorded.
    ///
    /// # Panics
    /// In plain Rust, if the object is larger than the largest register file.
    #[op]
    pub fn constant_any(rows: [[T; C]; R]) -> Self {
        require_object::<B>(const { R * C * T::TYPE.bytes() });
        Self::from_reg(B::constant(rows))
    }

    /// [`select_mut`](Self::select_mut) without a bound. Sizes and strides are checked when the kernel is
    /// recorded.
    ///
    /// # Panics
    /// In plain Rust, if a size or stride is illegal, or the region reaches outside.
    #[op]
    pub fn select_mut_any<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        &mut self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> MatrixRef<'_, T, R2, C2, B, Part<C, VS, C2, HS, Whole>> {
        self.select_all_mut().select_mut_any(i, j)
    }

    /// [`format_matrix`](Self::format_matrix) without a bound. The sizes are checked when the kernel is
    /// recorded.
    ///
    /// # Panics
    /// In plain Rust, if the byte sizes differ.
    #[op]
    pub fn format_matrix_any<V: Elem, const R2: usize, const C2: usize>(&self) -> Matrix<V, R2, C2, B> {
        require::<B>(const { limits::format(R * C * T::TYPE.bytes(), R2 * C2 * V::TYPE.bytes()) });
        Matrix::from_reg(B::format::<T, V, R, C, R2, C2>(&self.reg))
    }

    replicates_any!(R, C; i: ElementRow R, j: ElementColumn C; i j);
}
