//! The matrix engine.

use cm_macros::op;

use crate::backend::{Backend, Region, Start};
use crate::elem::{Elem, bf16, f16, tf32};
use crate::ops::{Factor, GoesWith, S4, U4};
use crate::registers::Matrix;

/// The sums of [`dpas`]: `Matrix<i32, R, N>` or `Matrix<f32, R, N>` with 1 to 8 rows of 8 or 16 elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the sums of `dpas`",
    label = "not sums of `dpas`",
    note = "sums are `Matrix<i32, R, N>` or `Matrix<f32, R, N>` of 1 to 8 rows of 8 (Xe-HPG) or 16 (from Xe-HPC on)"
)]
pub trait Sums: Copy {
    /// Their backend.
    type Backend: Backend;
    /// The dwords of the factors of all columns.
    type Columns;
    /// The dwords of the factors of all rows.
    type Rows;
    /// The elements.
    type Elem: Elem;

    /// [`Backend::dpas`].
    #[doc(hidden)]
    #[track_caller]
    fn multiplied<P, Q>(self, columns: Self::Columns, rows: Self::Rows) -> Self
    where
        P: Factor<Sum = Self::Elem>,
        Q: Factor<Sum = Self::Elem>;
}

/// The factors of the columns of [`dpas`] for the sums `S`, packed as VNNI.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the packed columns of `dpas` for the sums `{S}`",
    label = "not columns of `dpas`",
    note = "for sums of N columns: `u8` or `i8` of 8 x 4N, `f16` or `bf16` of 8 x 2N, `tf32` of 8 x N, as `math::vnni` \
            packs them; sums of floats have factors that are floats"
)]
pub trait Columns<S: Sums> {
    /// The factors.
    type Factor: Factor<Sum = S::Elem>;
    /// Their bytes.
    #[doc(hidden)]
    #[track_caller]
    fn dwords(self) -> S::Columns;
}

/// The factors of the rows of [`dpas`] for the sums `S`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the rows of `dpas` for the sums `{S}`",
    label = "not rows of `dpas`",
    note = "for sums of R rows: `u8` or `i8` of R x 32, `f16` or `bf16` of R x 16, `tf32` of R x 8; sums of floats have \
            factors that are floats"
)]
pub trait Rows<S: Sums> {
    /// The factors.
    type Factor: Factor<Sum = S::Elem>;
    /// Their bytes.
    #[doc(hidden)]
    #[track_caller]
    fn dwords(self) -> S::Rows;
}

/// A matrix that [`vnni`] packs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be packed as VNNI",
    label = "not factors of `dpas`",
    note = "these can, with N of 8 or 16: `u8` and `i8` of 32 x N, `f16` and `bf16` of 16 x N, `tf32` of 8 x N"
)]
pub trait Vnni {
    /// The packed matrix.
    type Packed;
    /// See [`vnni`].
    #[doc(hidden)]
    #[track_caller]
    fn packed(self) -> Self::Packed;
}

/// `acc` plus the product of the matrices `rows` and `columns`, computed by the matrix engine. CM:
/// `cm_dpas<src1_precision, src2_precision, 8, R>(acc, columns, rows)`.
///
/// | Factors | `acc`, result | `columns` | `rows` |
/// |---|---|---|---|
/// | `u8`, `i8` | `i32`, R x N | 8 x 4N | R x 32 |
/// | `f16`, `bf16` | `f32`, R x N | 8 x 2N | R x 16 |
/// | `tf32` | `f32`, R x N | 8 x N | R x 8 |
///
/// R is 1 to 8, N is 8 or 16. Each dword of `columns` holds consecutive factors of one column, as [`vnni`] packs them.
/// The factors have the same type, or one is `u8` and the other one `i8`.
///
/// Integers wrap. Each sum of floats is rounded to `f32`, starting with the products of the first dword. Matrix engines
/// may round sums of floats differently; they give the same bits as the CPU if all sums are exact.
///
/// On Xe-HPG with N = 8, and from Xe-HPC on with N = 16, it is one instruction (`tf32` from Xe-HPC on). On other GPUs
/// it consists of products and sums of rows, with the same bits as the CPU.
///
/// ```
/// use cm::prelude::*;
///
/// let a = Matrix::from_array([[2u8; 32]; 4]);
/// let b = math::vnni(Matrix::from_array([[-3i8; 16]; 32]));
/// let sums = math::dpas(Matrix::<i32, 4, 16>::splat(1), b, a);
/// assert_eq!(sums.to_array(), [[1 - 32 * 6; 16]; 4]);
/// ```
#[op]
pub fn dpas<A: Sums, C: Columns<A>, R: Rows<A>>(acc: A, columns: C, rows: R) -> A
where
    R::Factor: GoesWith<C::Factor>,
{
    acc.multiplied::<C::Factor, R::Factor>(columns.dwords(), rows.dwords())
}

/// [`dpas`] of 4-bit integers, two in each byte, the first one in its low half. CM: `cm_dpas` with
/// `CM_PRECISION_U4` and `CM_PRECISION_S4`.
///
/// `P` is the type of the column factors, `Q` that of the row factors: [`U4`] or [`S4`]. A dword holds 8 factors, so
/// each sum has 64 products. `acc` and the result are R x N elements of `i32`, `columns` is 8 x 4N bytes, and `rows` is
/// R x 32 bytes.
///
/// ```
/// use cm::prelude::*;
///
/// let a = Matrix::from_array([[0x21u8; 32]; 2]); // 1, 2, 1, 2, ..
/// let b = Matrix::from_array([[0xf4u8; 32]; 8]); // 4, -1, 4, -1, ..
/// let sums = math::dpas_4bit::<math::S4, math::U4, _>(Matrix::<i32, 2, 8>::splat(0), b, a);
/// assert_eq!(sums.to_array(), [[32 * (4 - 2); 8]; 2]);
/// ```
#[op]
pub fn dpas_4bit<P, Q, A>(acc: A, columns: impl Columns<A, Factor = u8>, rows: impl Rows<A, Factor = u8>) -> A
where
    P: FourBits,
    Q: FourBits + GoesWith<P>,
    A: Sums<Elem = i32>,
{
    acc.multiplied::<P, Q>(columns.dwords(), rows.dwords())
}

/// [`U4`] or [`S4`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no integer of 4 bits",
    label = "neither `math::U4` nor `math::S4`"
)]
pub trait FourBits: Factor<Sum = i32> {}

impl FourBits for U4 {}
impl FourBits for S4 {}

/// Packs the column factors for [`dpas`]: the factors of a column that share a dword become neighbours.
///
/// For `u8` and `i8` four rows become one: 32 x N becomes 8 x 4N. For `f16` and `bf16` two rows become one: 16 x N
/// becomes 8 x 2N. For `tf32` 8 x N does not change. N is 8 or 16.
///
/// ```
/// use cm::prelude::*;
///
/// let mut b = Matrix::<u8, 32, 8>::splat(0);
/// b.row_mut(1).assign(Vector::from_array([10, 11, 12, 13, 14, 15, 16, 17]));
/// assert_eq!(math::vnni(b).to_array()[0][..8], [0, 10, 0, 0, 0, 11, 0, 0]);
/// ```
#[op]
pub fn vnni<M: Vnni>(matrix: M) -> M::Packed {
    matrix.packed()
}

macro_rules! sums {
    ($($sum:ty: $($rows:literal)*, $lanes:tt;)*) => {$($(sums!(@lanes $sum, $rows, $lanes);)*)*};
    (@lanes $sum:ty, $rows:literal, [$($lanes:literal)*]) => {$(
        impl<B: Backend> Sums for Matrix<$sum, $rows, $lanes, B> {
            type Backend = B;
            type Columns = B::Reg<u32, 8, $lanes>;
            type Rows = B::Reg<u32, $rows, 8>;
            type Elem = $sum;

            #[op]
            fn multiplied<P, Q>(self, columns: Self::Columns, rows: Self::Rows) -> Self
            where
                P: Factor<Sum = $sum>,
                Q: Factor<Sum = $sum>,
            {
                Self::from_reg(B::dpas::<P, Q, $rows, $lanes>(self.into_reg(), columns, rows))
            }
        }
    )*};
}

sums! {
    i32: 1 2 3 4 5 6 7 8, [8 16];
    f32: 1 2 3 4 5 6 7 8, [8 16];
}

macro_rules! factors {
    ($($factor:ident $sum:ty: $per_dword:literal, $depth:literal, [$($lanes:literal: $packed:literal)*];)*) => {$(
        impl<const R: usize, const N: usize, B: Backend> Rows<Matrix<$sum, R, N, B>> for Matrix<$factor, R, $depth, B>
        where
            Matrix<$sum, R, N, B>: Sums<Elem = $sum, Rows = B::Reg<u32, R, 8>>,
        {
            type Factor = $factor;

            #[op]
            fn dwords(self) -> B::Reg<u32, R, 8> {
                B::format::<$factor, u32, R, $depth, R, 8>(&self.into_reg())
            }
        }

        $(
            impl<const R: usize, B: Backend> Columns<Matrix<$sum, R, $lanes, B>> for Matrix<$factor, 8, $packed, B>
            where
                Matrix<$sum, R, $lanes, B>: Sums<Elem = $sum, Columns = B::Reg<u32, 8, $lanes>>,
            {
                type Factor = $factor;

                #[op]
                fn dwords(self) -> B::Reg<u32, 8, $lanes> {
                    B::format::<$factor, u32, 8, $packed, 8, $lanes>(&self.into_reg())
                }
            }

            impl<B: Backend> Vnni for Matrix<$factor, $depth, $lanes, B> {
                type Packed = Matrix<$factor, 8, $packed, B>;

                #[op]
                fn packed(self) -> Self::Packed {
                    let mut packed = B::splat::<$factor, 8, $packed>(B::constant([[$factor::default()]]));
                    let rows = self.into_reg();
                    for k in 0..$per_dword {
                        let every = Region {
                            offset: Start::Host(k * $lanes),
                            row_stride: $per_dword * $lanes,
                            width: $lanes,
                            column_stride: 1,
                        };
                        let part = B::region::<$factor, $depth, $lanes, 8, $lanes>(&rows, every);
                        let to = Region {
                            offset: Start::Host(k),
                            row_stride: $packed,
                            width: $lanes,
                            column_stride: $per_dword,
                        };
                        let mut place = B::narrow::<$factor>(B::place(&mut packed), $packed, to);
                        B::store_place::<$factor, 8, $lanes>(&mut place, part);
                    }
                    Matrix::from_reg(packed)
                }
            }
        )*
    )*};
}

factors! {
    u8 i32: 4, 32, [8: 32 16: 64];
    i8 i32: 4, 32, [8: 32 16: 64];
    bf16 f32: 2, 16, [8: 16 16: 32];
    f16 f32: 2, 16, [8: 16 16: 32];
    tf32 f32: 1, 8, [8: 8 16: 16];
}
