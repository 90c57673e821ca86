//! Elements and regions as operands, where they are: in a register, or in the memory that a block was read from.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::marker::PhantomData;

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat, rows};
use super::environment::{Cpu, Environment};
use super::in_place::InPlace;
use super::readable::Kept;
use super::regions;
use crate::backend::Region;
use crate::elem::Elem;

/// The position of an element in the registers of `N` threads: row, thread and column. In loops over the rows of all threads
/// the column counts on through the threads, and the thread is 0; in loops over all elements also through all rows, and
/// the row is 0.
#[derive(Clone, Copy, Debug)]
pub struct Lane<const N: usize, const R: usize, const C: usize> {
    row: usize,
    thread: usize,
    column: usize,
}

impl<const N: usize, const R: usize, const C: usize> Lane<N, R, C> {
    /// # Safety
    /// All three are below `R`, `N` and `C`; or `row` is below `R`, `thread` 0 and `column` below `N * C`; or the first two are
    /// 0 and `column` is below `R * N * C`.
    #[inlined]
    pub(super) unsafe fn new(row: usize, thread: usize, column: usize) -> Self {
        Self { row, thread, column }
    }

    /// This element.
    #[inlined]
    pub(super) fn of<T: Elem>(self, x: &Lanes<T, N, R, C>) -> T {
        let index = (self.row * N + self.thread) * C + self.column;
        // SAFETY: all kinds of lanes are below `R * N * C`.
        unsafe { *flat(x).get_unchecked(index) }
    }

    /// The scalar of its thread.
    #[inlined]
    pub(super) fn of_thread<T: Elem>(self, [x]: &Lanes<T, N, 1, 1>) -> T {
        // SAFETY: `thread` is below `N`.
        unsafe { x.get_unchecked(self.thread)[0] }
    }
}

/// `R2` rows of `C2` neighbouring elements of a register of each thread.
#[derive(Clone, Copy, Debug)]
pub struct View<
    'a,
    E: Environment,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
> {
    pub(super) source: &'a Lanes<T, N, R, C>,
    pub(super) region: Region<Cpu<E, N>>,
}

impl<
    E: Environment,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
> View<'_, E, T, N, R, C, R2, C2>
{
    /// The first row and column of each thread's part, and rows from one row to the next.
    #[inlined]
    fn place(&self) -> ([[usize; 2]; N], usize) {
        let at = regions::positions(self.region.offset);
        let mut first = [[0; 2]; N];
        each!(n < N => {
            let row = rows(at[n], C);
            first[n] = [row, at[n] - row * C];
        });
        (first, if const { R2 == 1 } { 0 } else { self.region.row_stride / C })
    }

    /// Whether all of it is inside of its object.
    ///
    /// # Panics
    /// If it is not.
    #[inlined]
    pub(super) fn begin(&self) {
        let (first, stride) = self.place();
        let mut inside = R2 == 1 || stride > 0;
        each!(n < N => {
            let [row, column] = first[n];
            inside &= row + (R2 - 1) * stride < R && column + C2 <= C;
        });
        assert!(inside, "a region lies inside of its object");
    }

    /// One of its elements.
    ///
    /// # Safety
    /// [`begin`](Self::begin) has returned. In loops over the rows of all threads or all elements, the rows are whole rows of
    /// its object, the same of all threads; in loops over all elements they follow each other.
    #[inlined]
    pub(super) unsafe fn element(&self, lane: Lane<N, R2, C2>) -> T {
        let (first, stride) = self.place();
        // SAFETY: `thread` is below `N`.
        let [row, column] = unsafe { *first.get_unchecked(lane.thread) };
        let index = ((row + lane.row * stride) * N + lane.thread) * C + column + lane.column;
        // SAFETY: `begin` has checked that all rows are inside. In other loops `index` is less than `N * C2` elements after
        // the start of a row, or `R2 * N * C2` after the first one, and the source has as many from there on.
        unsafe { *flat(self.source).get_unchecked(index) }
    }
}

/// The same of the block of each thread, in its surface or buffer.
#[derive(Debug)]
pub struct ViewInPlace<
    'a,
    E: Environment,
    K,
    T,
    const N: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
> {
    pub(super) block: InPlace<'a, K, N>,
    pub(super) region: Region<Cpu<E, N>>,
    pub(super) elements: PhantomData<T>,
}

impl<E: Environment, K: Kept, T, const N: usize, const C: usize, const R2: usize, const C2: usize> Clone
    for ViewInPlace<'_, E, K, T, N, C, R2, C2>
{
    #[inlined]
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Environment, K: Kept, T, const N: usize, const C: usize, const R2: usize, const C2: usize> Copy
    for ViewInPlace<'_, E, K, T, N, C, R2, C2>
{
}

impl<E: Environment, K: Kept, T: Elem, const N: usize, const C: usize, const R2: usize, const C2: usize>
    ViewInPlace<'_, E, K, T, N, C, R2, C2>
{
    /// Rows of the block from one row to the next.
    #[inlined]
    fn stride(&self) -> usize {
        if const { R2 == 1 } { 0 } else { self.region.row_stride / C }
    }

    /// Whether it can be read now.
    ///
    /// # Panics
    /// If the launch has ended, or it is not inside of its block.
    #[inlined]
    pub(super) fn begin(&self) {
        let part = self.block.from(regions::positions(self.region.offset), C, size_of::<T>());
        let inside = part.readable().get().contain(R2, self.stride(), C2 * size_of::<T>());
        assert!(inside, "a region lies inside of its block");
    }

    /// Whether the part of each thread begins `columns` after that of the thread before, in all rows.
    #[inlined]
    pub(super) fn is_apart(&self, columns: usize) -> bool {
        let part = self.block.from(regions::positions(self.region.offset), C, size_of::<T>());
        let blocks = part.blocks();
        let mut apart = N == 1 || blocks.step == (columns * size_of::<T>()) as isize;
        each!(n < N => {
            apart &= blocks.rows[n] == blocks.rows[0] && blocks.bytes[n] == blocks.bytes[0];
        });
        apart
    }

    /// One of its elements.
    ///
    /// # Safety
    /// [`begin`](Self::begin) has returned, the launch goes on, and the lane was made of a row, a thread and a column, or is
    /// in the rows of all threads, which are [apart](Self::is_apart) by the columns of a row or less, and in the part of one of
    /// them.
    #[inlined]
    pub(super) unsafe fn element(&self, lane: Lane<N, R2, C2>) -> T {
        let part = self.block.from(regions::positions(self.region.offset), C, size_of::<T>());
        let blocks = part.blocks();
        // SAFETY: `thread` is below `N`.
        let (row, bytes) =
            unsafe { (*blocks.rows.get_unchecked(lane.thread), *blocks.bytes.get_unchecked(lane.thread)) };
        let start = blocks.window.row(row + lane.row * self.stride()).wrapping_add(bytes);
        let start = start.wrapping_offset(lane.thread as isize * blocks.step);
        // SAFETY: `begin` has seen that these rows have so many bytes of each thread, which follow each other where the
        // column counts on through the threads; all bits are elements.
        unsafe { start.wrapping_add(lane.column * size_of::<T>()).cast::<T>().read_unaligned() }
    }
}
