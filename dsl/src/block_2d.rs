//! 2-D blocks of buffers: loads, stores and prefetches.
//!
//! A buffer holds `height` rows of `width` bytes, `pitch` bytes apart. A block is a range of columns in a range of
//! rows, such as a tile of a matrix. GPUs from Xe-HPC on move a block with one message; other GPUs and the CPU move the
//! same bytes row by row. CM: `cm_load`, `cm_store` and `cm_prefetch` of 2-D blocks.
//!
//! | Form | In registers | Rows in memory | A row in memory |
//! |---|---|---|---|
//! | [`Plain<N>`] | as in memory; `N` blocks next to each other are loaded one below the other | 1 to 32 | 4 to 64 bytes, all blocks together |
//! | [`Transpose`] | rows become columns | 1 to 32 for dwords, 8 for 8-byte elements | 1 to 8 dwords; 1, 2 or 4 elements of 8 bytes |
//! | [`Pack<N>`] | each dword holds consecutive elements of a column (CM: VNNI); `N` blocks | 1 to 32 | 4 bytes to 16 elements of 1 or 2 bytes; at most 64 bytes, all blocks together |
//!
//! `N` is 1, 2 or 4; with 4-byte elements it is 1 or 2, with 8-byte elements 1. The size of a row of a block is a
//! multiple of 4 bytes. A stored block has 1 to 8 rows of 4 to 64 bytes.
//!
//! # Numbers
//!
//! All methods first take the rows in memory, then the position of the block:
//!
//! | Number | Meaning | Range |
//! |---|---|---|
//! | `width` | bytes of a row | 64 to 2^24, a multiple of 4 and of the element size |
//! | `height` | rows | 1 to 2^24 |
//! | `pitch` | bytes from one row to the next | at least `width`, up to 2^24, a multiple of 16 |
//! | `x` | column of the first element, in elements | a signed 32-bit number, at a whole dword |
//! | `y` | row of the first element | a signed 32-bit number |
//!
//! - The first row starts at the beginning of the buffer, and the last row must end inside it.
//! - `width`, `height` and `pitch` are known when the kernel is launched: host numbers, arguments of the kernel, or
//!   numbers computed from these.
//! - Host numbers are checked when the kernel is recorded. The launch checks all others, and `x` if it depends only on
//!   the thread's coordinates and on arguments; it returns [`Error::Block2d`](../../cm/enum.Error.html). Any other `x`
//!   is rounded down to a whole dword.
//! - Elements outside the rows, also between `width` and `pitch`, read as 0; writes there are dropped.
//!
//! CM's functions take `width - 1`, `height - 1` and `pitch - 1`.
//!
//! # Example
//!
//! ```
//! use cm::block_2d::Plain;
//! use cm::cache::{Cached, Streaming};
//! use cm::prelude::*;
//!
//! /// Adds the left half of 16 columns to the right half, 8 rows a thread.
//! #[kernel]
//! fn halves(x: &Buffer<f32>, y: &mut Buffer<f32>, height: u32) {
//!     let row = thread_origin_y() * 8;
//!     // Two blocks of 8 columns, one below the other.
//!     let both = x.load_2d_as::<16, 8, Plain<2>, Streaming, Cached>(64, height, 64, 0, row);
//!     let sums = both.select::<8, 1, 8, 1>(0, 0) + both.select::<8, 1, 8, 1>(8, 0);
//!     y.store_2d(64, height, 64, 0, row, &sums);
//! }
//!
//! let device = Device::cpu()?;
//! let x = Buffer::from_slice(&device, &[1.5; 16 * 20])?;
//! let mut y = Buffer::<f32>::new(&device, 16 * 20)?;
//! halves::launch(&device, ThreadSpace::new(1, 3)?, &x, &mut y, 20)?;
//! let sums = y.to_vec()?;
//! assert!(sums.chunks(16).all(|row| row[..8] == [3.0; 8] && row[8..] == [0.0; 8]));
//! # Ok::<(), cm::Error>(())
//! ```

use std::marker::PhantomData;

use cm_compiler::limits::{self, BlockForm};
use cm_compiler::ops::AccessKind;
use cm_macros::op;

use crate::address::Coordinate;
use crate::backend::{Backend, Pitched, require};
use crate::buffer::{LinearBlock, LinearBuffer};
use crate::cache::{Cached, Default, LoadCaching, PrefetchCaching, StoreCaching};
use crate::elem::{Elem, Int};
pub use crate::limits::{Form, Pack, Plain, Transpose};
use crate::limits::{Load2d, Shape, Store2d};
use crate::registers::{Counts, Matrix, Offset, Scalar};

/// The column of a 2-D block in elements `T`: a signed 32-bit number, at a whole dword.
#[derive(Debug)]
pub struct Column<T>(PhantomData<T>);

impl<T: Elem, B: Backend> Counts<B> for Column<T> {
    type Value = B::Reg<i32, 1, 1>;

    #[op]
    fn host(number: i128) -> Self::Value {
        require::<B>(limits::column_2d(number, T::TYPE.bytes()));
        <Coordinate as Counts<B>>::host(number)
    }

    #[op]
    fn staged<I: Int>(number: Scalar<I, B>) -> Self::Value {
        <Coordinate as Counts<B>>::staged(number)
    }
}

/// 2-D blocks: one message to the load/store cache from Xe-HPC on. [`block_2d`](crate::block_2d) has the rules.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// Reads a block of `R` rows and `C` columns. CM:
    /// `cm_load<T, C, R>(pointer, width - 1, height - 1, pitch - 1, x, y)`.
    ///
    /// The block has 1 to 32 rows of 4 to 64 bytes, a multiple of 4; `cargo check` enforces this. The
    /// [rules for the numbers](crate::block_2d#numbers) are those of all 2-D blocks.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Copies tiles of 16 x 8.
    /// #[kernel]
    /// fn copy(x: &Buffer<u16>, y: &mut Buffer<u16>, columns: u32, rows: u32) {
    ///     let (column, row) = (thread_origin_x() * 16, thread_origin_y() * 8);
    ///     let tile = x.load_2d::<8, 16>(columns * 2, rows, columns * 2, column, row);
    ///     y.store_2d(columns * 2, rows, columns * 2, column, row, &tile);
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let numbers: Vec<u16> = (0..40 * 20).collect();
    /// let x = Buffer::from_slice(&device, &numbers)?;
    /// let mut y = Buffer::<u16>::new(&device, 40 * 20)?;
    /// copy::launch(&device, ThreadSpace::new(3, 3)?, &x, &mut y, 40, 20)?;
    /// assert_eq!(y.to_vec()?, numbers);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn load_2d<const R: usize, const C: usize>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B>
    where
        Shape<R, C>: Load2d<T, Plain<1>>,
    {
        self.load_2d_any(width, height, pitch, x, y)
    }

    /// Reads a block and transposes it: `R` rows and `C` columns are `C` rows and `R` columns in memory. CM: `cm_load`
    /// with `Transposed`.
    ///
    /// Elements have 4 bytes, with 1 to 8 rows and 1 to 32 columns, or 8 bytes, with 1, 2 or 4 rows and 8 columns;
    /// `cargo check` enforces this. The [rules for the numbers](crate::block_2d#numbers) are those of all 2-D blocks.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn transpose(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    ///     let (column, row) = (thread_origin_x() * 8, thread_origin_y() * 8);
    ///     y.store_2d(64, 16, 64, row, column, &x.load_2d_transposed::<8, 8>(64, 16, 64, column, row));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &Vec::from_iter(0..256))?;
    /// let mut y = Buffer::<u32>::new(&device, 256)?;
    /// transpose::launch(&device, ThreadSpace::new(2, 2)?, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, Vec::from_iter((0..256).map(|n| n % 16 * 16 + n / 16)));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn load_2d_transposed<const R: usize, const C: usize>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B>
    where
        Shape<R, C>: Load2d<T, Transpose>,
    {
        self.load_2d_transposed_any(width, height, pitch, x, y)
    }

    /// Reads a block and packs it as the columns of [`math::dpas`](crate::math::dpas), like
    /// [`math::vnni`](crate::math::vnni): each dword holds consecutive elements of a column. CM: `cm_load` with
    /// `Transformed`.
    ///
    /// `R` and `C` are the size of the packed matrix. In memory the block has `2R` rows and `C / 2` columns of 2-byte
    /// elements, or `4R` rows and `C / 4` columns of 1-byte elements. There are 1 to 32 rows in memory. Each has at
    /// least 4 bytes and at most 16 elements, and its size is a multiple of 4 bytes; `cargo check` enforces this. The
    /// [rules for the numbers](crate::block_2d#numbers) are those of all 2-D blocks.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// The product of 8 x 16 and 16 x 16 numbers.
    /// #[kernel]
    /// fn product(a: &Buffer<f16>, b: &Buffer<f16>, c: &mut Buffer<f32>) {
    ///     let rows = a.load_2d::<8, 16>(64, 8, 64, 0, 0);
    ///     let columns = b.load_2d_vnni::<8, 32>(64, 16, 64, 0, 0);
    ///     c.store_2d(64, 8, 64, 0, 0, &math::dpas(Matrix::<f32, 8, 16>::splat(0.0), columns, rows));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let [a, b] = [8, 16].map(|rows| vec![f16::from_f32(0.5); rows * 32]);
    /// let (a, b) = (Buffer::from_slice(&device, &a)?, Buffer::from_slice(&device, &b)?);
    /// let mut c = Buffer::<f32>::new(&device, 8 * 16)?;
    /// product::launch(&device, ThreadSpace::new(1, 1)?, &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?, [4.0; 8 * 16]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn load_2d_vnni<const R: usize, const C: usize>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B>
    where
        Shape<R, C>: Load2d<T, Pack<1>>,
    {
        self.load_2d_vnni_any(width, height, pitch, x, y)
    }

    /// Reads one or several blocks in form `F`, with [hints](crate::cache) for the L1 and the L3 cache. CM:
    /// `cm_load<T, C, R, N, Transposed, Transformed, L1, L3>`.
    ///
    /// `R` and `C` are the size of the result, in which the blocks are one below the other. The table of
    /// [`block_2d`](crate::block_2d) has the sizes, which `cargo check` enforces. The
    /// [rules for the numbers](crate::block_2d#numbers) are those of all 2-D blocks.
    ///
    /// ```
    /// use cm::block_2d::Plain;
    /// use cm::cache::{Cached, Uncached};
    /// use cm::prelude::*;
    ///
    /// /// Two blocks of 2 x 8 elements, next to each other in memory.
    /// #[kernel]
    /// fn pair(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    ///     let blocks = x.load_2d_as::<4, 8, Plain<2>, Uncached, Cached>(64, 2, 64, 0, 0);
    ///     y.write_linear(0, &blocks.format::<f32>());
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let numbers: Vec<f32> = (0..32).map(|n| n as f32).collect();
    /// let x = Buffer::from_slice(&device, &numbers)?;
    /// let mut y = Buffer::<f32>::new(&device, 32)?;
    /// pair::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
    /// let rows = [&numbers[..8], &numbers[16..24], &numbers[8..16], &numbers[24..]];
    /// assert_eq!(y.to_vec()?, rows.concat());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn load_2d_as<const R: usize, const C: usize, F: Form, L1: LoadCaching<L3>, L3>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B>
    where
        Shape<R, C>: Load2d<T, F>,
    {
        self.load_2d_as_any::<R, C, F, L1, L3>(width, height, pitch, x, y)
    }

    /// Writes a matrix, or a vector as one row. CM:
    /// `cm_store<T, C, R>(pointer, width - 1, height - 1, pitch - 1, x, y, m)`.
    ///
    /// The block has 1 to 8 rows of 4 to 64 bytes, a multiple of 4; `cargo check` enforces this. The
    /// [rules for the numbers](crate::block_2d#numbers) are those of all 2-D blocks.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn corner(y: &mut Buffer<u8>) {
    ///     y.store_2d(64, 2, 80, -4, 1, &Matrix::<u8, 3, 8>::splat(7));
    /// }
    ///
    /// let mut y = Buffer::<u8>::new(&Device::cpu()?, 144)?;
    /// corner::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
    /// let bytes = y.to_vec()?;
    /// assert!(bytes[80..84] == [7; 4] && bytes.iter().filter(|byte| **byte != 0).count() == 4);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn store_2d<M: LinearBlock<T, B>>(
        &mut self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
        block: &M,
    ) where
        M::Shape: Store2d<T>,
    {
        self.store_2d_any(width, height, pitch, x, y, block);
    }

    /// Writes a block like [`store_2d`](Self::store_2d), with [hints](crate::cache) for the L1 and the L3 cache. CM:
    /// `cm_store<T, C, R, L1, L3>`.
    ///
    /// ```
    /// use cm::cache::{Uncached, WriteBack};
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn fill(y: &mut Buffer<u32>) {
    ///     y.store_2d_cached::<Uncached, WriteBack, _>(64, 1, 64, 0, 0, &Vector::<u32, 16>::splat(7));
    /// }
    ///
    /// let mut y = Buffer::<u32>::new(&Device::cpu()?, 16)?;
    /// fill::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
    /// assert_eq!(y.to_vec()?, [7; 16]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn store_2d_cached<L1: StoreCaching<L3>, L3, M: LinearBlock<T, B>>(
        &mut self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
        block: &M,
    ) where
        M::Shape: Store2d<T>,
    {
        self.store_2d_cached_any::<L1, L3, M>(width, height, pitch, x, y, block);
    }

    /// Loads a block of `R` rows and `C` columns into both caches. CM: `cm_prefetch<T, C, R>`.
    ///
    /// The size and the rules for the numbers are those of [`load_2d`](Self::load_2d). A prefetch changes only the
    /// speed of a kernel. Devices without such messages ignore it.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    ///     for i in 0..4 {
    ///         x.prefetch_2d::<8, 16>(64, 32, 64, 0, (i + 1) * 8);
    ///         y.store_2d(64, 32, 64, 0, i * 8, &x.load_2d::<8, 16>(64, 32, 64, 0, i * 8));
    ///     }
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &[0.5; 512])?;
    /// let mut y = Buffer::<f32>::new(&device, 512)?;
    /// copy::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [0.5; 512]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn prefetch_2d<const R: usize, const C: usize>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) where
        Shape<R, C>: Load2d<T, Plain<1>>,
    {
        self.prefetch_2d_any::<R, C>(width, height, pitch, x, y);
    }

    /// Loads a block into the caches like [`prefetch_2d`](Self::prefetch_2d), with [hints](crate::cache) for the L1 and
    /// the L3 cache. CM: `cm_prefetch<T, C, R, N, L1, L3>`.
    ///
    /// ```
    /// use cm::cache::{Cached, Uncached};
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn warm(x: &Buffer<u8>) {
    ///     x.prefetch_2d_cached::<32, 64, Uncached, Cached>(64, 32, 64, 0, 0);
    /// }
    ///
    /// let x = Buffer::<u8>::new(&Device::cpu()?, 64 * 32)?;
    /// warm::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &x)?;
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn prefetch_2d_cached<const R: usize, const C: usize, L1: PrefetchCaching<L3>, L3>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) where
        Shape<R, C>: Load2d<T, Plain<1>>,
    {
        self.prefetch_2d_cached_any::<R, C, L1, L3>(width, height, pitch, x, y);
    }
}

/// The numbers of a block, as backends take them.
#[op]
fn pitched<T: Elem, B: Backend>(
    width: impl Offset<Coordinate, B>,
    height: impl Offset<Coordinate, B>,
    pitch: impl Offset<Coordinate, B>,
    x: impl Offset<Column<T>, B>,
    y: impl Offset<Coordinate, B>,
) -> Pitched<B> {
    Pitched { width: width.value(), height: height.value(), pitch: pitch.value(), x: x.value(), y: y.value() }
}

/// 2-D blocks without bounds: the size is checked when the kernel is recorded.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// [`load_2d`](Self::load_2d) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn load_2d_any<const R: usize, const C: usize>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        self.load_2d_as_any::<R, C, Plain<1>, Default, Default>(width, height, pitch, x, y)
    }

    /// [`load_2d_transposed`](Self::load_2d_transposed) without a bound. The size is checked when the kernel is
    /// recorded.
    #[op]
    pub fn load_2d_transposed_any<const R: usize, const C: usize>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        self.load_2d_as_any::<R, C, Transpose, Default, Default>(width, height, pitch, x, y)
    }

    /// [`load_2d_vnni`](Self::load_2d_vnni) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn load_2d_vnni_any<const R: usize, const C: usize>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        self.load_2d_as_any::<R, C, Pack<1>, Default, Default>(width, height, pitch, x, y)
    }

    /// [`load_2d_as`](Self::load_2d_as) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn load_2d_as_any<const R: usize, const C: usize, F: Form, L1: LoadCaching<L3>, L3>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        require::<B>(const { limits::load_2d(F::FORM, T::TYPE.bytes(), R, C) });
        let block = pitched::<T, B>(width, height, pitch, x, y);
        let kind = AccessKind::Load2d(L1::HINTS, F::FORM);
        Matrix::from_reg(B::read_pitched::<T, R, C>(kind, self.handle(), block))
    }

    /// [`store_2d`](Self::store_2d) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn store_2d_any<M: LinearBlock<T, B>>(
        &mut self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
        block: &M,
    ) {
        self.store_2d_cached_any::<Default, Default, M>(width, height, pitch, x, y, block);
    }

    /// [`store_2d_cached`](Self::store_2d_cached) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn store_2d_cached_any<L1: StoreCaching<L3>, L3, M: LinearBlock<T, B>>(
        &mut self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
        block: &M,
    ) {
        require::<B>(const { limits::store_2d(T::TYPE.bytes(), M::ROWS, M::COLUMNS) });
        let to = pitched::<T, B>(width, height, pitch, x, y);
        block.write_2d_to(AccessKind::Store2d(L1::HINTS), self.handle_mut(), to);
    }

    /// [`prefetch_2d`](Self::prefetch_2d) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn prefetch_2d_any<const R: usize, const C: usize>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) {
        self.prefetch_2d_cached_any::<R, C, Cached, Cached>(width, height, pitch, x, y);
    }

    /// [`prefetch_2d_cached`](Self::prefetch_2d_cached) without a bound. The size is checked when the kernel is
    /// recorded.
    #[op]
    pub fn prefetch_2d_cached_any<const R: usize, const C: usize, L1: PrefetchCaching<L3>, L3>(
        &self,
        width: impl Offset<Coordinate, B>,
        height: impl Offset<Coordinate, B>,
        pitch: impl Offset<Coordinate, B>,
        x: impl Offset<Column<T>, B>,
        y: impl Offset<Coordinate, B>,
    ) {
        require::<B>(const { limits::load_2d(BlockForm::Normal, T::TYPE.bytes(), R, C) });
        let block = pitched::<T, B>(width, height, pitch, x, y);
        B::prefetch_pitched::<T, R, C>(AccessKind::Prefetch2d(L1::HINTS), self.handle(), block);
    }
}
