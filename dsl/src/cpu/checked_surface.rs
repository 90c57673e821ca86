//! Surfaces of an executor, and the proof that it lets kernel threads touch the blocks that they are about to touch.
//!
//! Reads and writes of surfaces take these instead of coordinates. They are made here and nowhere else, after
//! the executor has been asked, and nobody can keep one: an executor gets them by reference. So its `unsafe`
//! code can rely on its own check, whatever safe code calls it. Those of buffers are in `checked_buffer`.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::fmt::Debug;

use cm_compiler::ir::Part;
use cm_compiler::ops::Texel;
use cm_macros::inlined;

use super::arrays::each;
use super::readable::Memory;
use super::window::{self, Scratch, Window};

/// Rows of a surface, with the edge rule of its format; of a 3-D surface the rows of all slices. Nothing is
/// read or written that was not checked before.
pub trait SurfaceAccess: Memory + Copy + Debug {
    /// Whether the running kernel threads, side by side, may touch these blocks, each of `rows` rows of
    /// `width` bytes. An executor refuses by a panic what they may not.
    fn check(&self, positions: &[[i32; 2]], width: usize, rows: usize, writes: bool);
    /// Fills `bytes` with row `r` of a block, all of it; positions outside repeat the edge texel.
    fn read_row(block: &CheckedBlock<&Self>, r: usize, bytes: &mut [u8]);
    /// Stores `bytes` as row `r` of a block, all of it; bytes outside are dropped.
    fn write_row(block: &mut CheckedBlock<&mut Self>, r: usize, bytes: &[u8]);

    /// How its texels lie, and how many there are in a row, in a column, and one behind the other: the slices of a 3-D
    /// surface, whose rows follow each other; 1 on 2-D surfaces.
    #[must_use]
    fn texels(&self) -> (Texel, [u32; 3]);

    /// Part of the surface, which was borrowed with it. An executor refuses by a panic a part that was not
    /// recorded.
    #[must_use]
    fn part(&self, part: Part) -> Self;

    /// The rows of a block where they are, if they can be read there.
    #[inlined]
    #[must_use]
    fn inside<'a>(_: &CheckedBlock<&'a Self>) -> Option<Window<'a>> {
        None
    }

    /// Stores the rows of a block.
    #[inlined]
    fn write_block(block: &mut CheckedBlock<&mut Self>, from: BlockRows<'_>) {
        for r in 0..block.rows() {
            let at = from.offset + r * from.pitch;
            Self::write_row(block, r, &from.block[at..at + block.width()]);
        }
    }

    /// Fills `bytes` with the rows of a block of any size, one after the other, as [`read_row`](Self::read_row) does.
    fn read_rows(block: &CheckedBlock<&Self>, bytes: &mut [u8]) {
        for (r, row) in bytes.chunks_exact_mut(block.width()).enumerate() {
            Self::read_row(block, r, row);
        }
    }

    /// Stores `bytes` as the rows of a block of any size, one after the other, as [`write_row`](Self::write_row) does.
    fn write_rows(block: &mut CheckedBlock<&mut Self>, bytes: &[u8]) {
        for (r, row) in bytes.chunks_exact(block.width()).enumerate() {
            Self::write_row(block, r, row);
        }
    }
}

/// Ends a kernel thread that has other `things` than its recording, such as coordinates: an executor relies on these where
/// threads run at the same time or side by side.
///
/// # Panics
/// Always.
#[cold]
#[inline(never)]
pub fn not_deterministic(things: &str) -> ! {
    panic!(
        "the host code of a kernel has other {things} than when it was recorded: kernels must be deterministic"
    )
}

/// Rows inside of a block that is in registers.
#[derive(Clone, Copy, Debug)]
pub struct BlockRows<'a> {
    /// The whole block.
    pub block: &'a [u8],
    /// Its byte where the first row starts.
    pub offset: usize,
    /// Bytes from one row to the next.
    pub pitch: usize,
}

/// A block of a surface `S`, a reference, that the running kernel threads may read or, if the reference is
/// exclusive, write.
///
/// Nobody else makes one:
///
/// ```compile_fail,E0451
/// use cm::dsl::cpu::{CheckedBlock, SurfaceAccess};
///
/// fn unchecked<S: SurfaceAccess>(surface: &S) -> CheckedBlock<&S> {
///     CheckedBlock { surface, x: 0, y: 0, width: 64, rows: 4 }
/// }
/// ```
#[derive(Debug)]
pub struct CheckedBlock<S> {
    surface: S,
    x: i32,
    y: i32,
    width: usize,
    rows: usize,
}

impl<S> CheckedBlock<S> {
    /// The surface.
    #[inlined]
    pub fn surface(&self) -> &S {
        &self.surface
    }

    /// The byte column and the row of its first byte.
    #[inlined]
    #[must_use]
    pub fn position(&self) -> [i32; 2] {
        [self.x, self.y]
    }

    /// Bytes of a row.
    #[inlined]
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[inlined]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The row of the surface that is row `r` of the block.
    ///
    /// # Panics
    /// If it has fewer rows.
    #[inlined]
    #[must_use]
    pub fn row(&self, r: usize) -> i32 {
        // Only these rows were checked; executors rely on it in `unsafe` code.
        assert!(r < self.rows, "a row of a block lies inside of it");
        self.y.saturating_add(r as i32)
    }
}

impl<S: Copy> CheckedBlock<&S> {
    /// The same block of a copy of the surface, for a function that is not inlined: so the surface need not have an
    /// address.
    #[inlined]
    pub fn of_copy<'a>(&self, copy: &'a mut Option<S>) -> CheckedBlock<&'a S> {
        CheckedBlock { surface: copy.insert(*self.surface), ..*self }
    }
}

/// The blocks of `N` kernel threads side by side, of the same size.
#[derive(Debug)]
pub(super) struct CheckedBlocks<S, const N: usize> {
    surface: S,
    positions: [[i32; 2]; N],
    width: usize,
    rows: usize,
}

impl<'a, S: SurfaceAccess, const N: usize> CheckedBlocks<&'a S, N> {
    /// Blocks of `rows` rows of `width` bytes, to be read.
    #[inlined]
    pub(super) fn to_read(surface: &'a S, positions: [[i32; 2]; N], width: usize, rows: usize) -> Self {
        surface.check(&positions, width, rows, false);
        Self { surface, positions, width, rows }
    }

    #[inlined]
    pub(super) fn block(&self, n: usize) -> CheckedBlock<&'a S> {
        let ([x, y], surface) = (self.positions[n], self.surface);
        CheckedBlock { surface, x, y, width: self.width, rows: self.rows }
    }

    /// All of them as one, and the bytes from each to the next one, if they lie in the same rows and leave no
    /// gap.
    #[inlined]
    pub(super) fn joined(&self) -> Option<(CheckedBlock<&'a S>, usize)> {
        let step = self.step()?;
        // An executor runs threads side by side only if it has seen that their columns do not wrap.
        if N > 1 && self.positions[N - 1][0] < self.positions[0][0] {
            not_deterministic("coordinates");
        }
        let first = self.block(0);
        Some((CheckedBlock { width: (N - 1) * step + self.width, ..first }, step))
    }

    /// Where each of them is, if it can be read there: later too, if it is kept.
    #[inlined]
    pub(super) fn inside<const KEPT: bool>(&self) -> Option<[Window<'a>; N]> {
        let mut windows = [self.block(0).place::<KEPT>()?; N];
        each!(n < N => {
            windows[n] = self.block(n).place::<KEPT>()?;
        });
        Some(windows)
    }

    /// Copies of them, one beside the other.
    ///
    /// # Panics
    /// If they are more bytes than `scratch` has.
    #[inlined]
    pub(super) fn copied(&self, scratch: &'a mut Scratch) -> Window<'a> {
        copy(*self.surface, self.positions, [self.width, self.rows], scratch)
    }
}

/// Copies of checked blocks. All arguments are passed by value: values with an address would be kept in
/// memory for every read.
#[cold]
#[inline(never)]
fn copy<S: SurfaceAccess, const N: usize>(
    surface: S,
    positions: [[i32; 2]; N],
    [width, rows]: [usize; 2],
    scratch: &mut Scratch,
) -> Window<'_> {
    let blocks = CheckedBlocks { surface: &surface, positions, width, rows };
    let bytes = window::zeroed(scratch, rows * N * width);
    for n in 0..N {
        let block = blocks.block(n);
        for r in 0..rows {
            let at = (r * N + n) * width;
            S::read_row(&block, r, &mut bytes[at..at + width]);
        }
    }
    Window::new(bytes, N * width, rows)
}

impl<'a, S: SurfaceAccess, const N: usize> CheckedBlocks<&'a mut S, N> {
    /// Blocks of `rows` rows of `width` bytes, to be written.
    #[inlined]
    pub(super) fn to_write(surface: &'a mut S, positions: [[i32; 2]; N], width: usize, rows: usize) -> Self {
        surface.check(&positions, width, rows, true);
        Self { surface, positions, width, rows }
    }

    /// That of thread `n`.
    #[inlined]
    pub(super) fn block_mut(&mut self, n: usize) -> CheckedBlock<&mut S> {
        let ([x, y], width, rows) = (self.positions[n], self.width, self.rows);
        CheckedBlock { surface: self.surface, x, y, width, rows }
    }

    /// All of them as one, if each lies right of the one before.
    #[inlined]
    pub(super) fn adjacent_mut(&mut self) -> Option<CheckedBlock<&mut S>> {
        if self.step() != Some(self.width) {
            return None;
        }
        let width = N * self.width;
        Some(CheckedBlock { width, ..self.block_mut(0) })
    }
}

impl<S, const N: usize> CheckedBlocks<S, N> {
    /// Bytes from the block of a thread to that of the next one, if they lie in the same rows and leave no
    /// gap.
    #[inlined]
    fn step(&self) -> Option<usize> {
        let Self { positions, width, .. } = self;
        if N == 1 {
            return Some(*width);
        }
        let [x, y] = positions[0];
        // Wraps, since coordinates can be anywhere in `i32`; `joined` refuses steps that did.
        let step = positions[1][0].wrapping_sub(x);
        let mut all = step >= 0 && step as usize <= *width;
        each!(n < N => {
            all &= positions[n][0].wrapping_sub(x) == (n as i32).wrapping_mul(step) && positions[n][1] == y;
        });
        all.then_some(step as usize)
    }
}

impl<'a, S: SurfaceAccess> CheckedBlock<&'a S> {
    /// Where it is, if it can be read there: later too, if it is kept.
    #[inlined]
    fn place<const KEPT: bool>(&self) -> Option<Window<'a>> {
        if KEPT && !self.surface.is_constant() { None } else { S::inside(self) }
    }

    /// Its bytes: where they are, or copied to `scratch`.
    ///
    /// # Panics
    /// If they are more bytes than `scratch` has.
    #[inlined]
    pub(super) fn window<const KEPT: bool>(self, scratch: &'a mut Scratch) -> Window<'a> {
        match self.place::<KEPT>() {
            Some(window) => window,
            None => {
                let Self { surface, x, y, width, rows } = self;
                CheckedBlocks { surface, positions: [[x, y]], width, rows }.copied(scratch)
            }
        }
    }
}
