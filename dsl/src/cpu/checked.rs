//! Memory of an executor, and the proof that it lets kernel threads touch what they are about to touch.
//!
//! Reads and writes of surfaces and buffers take these instead of coordinates. They are made here and nowhere
//! else, after the executor has been asked, and nobody can keep one: an executor gets them by reference. So
//! its `unsafe` code can rely on its own check, whatever safe code calls it.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::fmt::Debug;

use cm_compiler::ir::Part;
use cm_compiler::ops::Texel;

use super::arrays::each;
use super::window::{self, Scratch, Window};
use crate::elem::Elem;

/// Rows of a surface, with the edge rule of its format; of a 3-D surface the rows of all slices. Nothing is
/// read or written that was not checked before.
pub trait SurfaceAccess: Copy + Debug {
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

    /// Whether a block that was checked may still be read where it is: safe code can keep one that is read
    /// in place. An executor refuses by a panic what the kernel may not touch any more.
    fn check_again(&self);

    /// The rows of a block where they are, if they can be read there.
    #[inline(always)]
    #[must_use]
    fn inside<'a>(_: &CheckedBlock<&'a Self>) -> Option<Window<'a>> {
        None
    }

    /// Stores the rows of a block.
    #[inline(always)]
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

/// Ends a kernel thread that is elsewhere than its recording said: an executor relies on that where threads
/// run at the same time or side by side.
///
/// # Panics
/// Always.
#[cold]
#[inline(never)]
pub fn not_deterministic() -> ! {
    panic!(
        "the host code of a kernel computes other coordinates than when it was recorded: kernels must be \
         deterministic"
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

/// Bytes of a buffer, by their offset. Nothing is read or written that was not checked before.
pub trait BufferAccess: Debug {
    /// Whether kernel threads may touch blocks: so many of those side by side, from the one with the number
    /// `thread` on, one block each, by its first byte, all of so many bytes. `None` is any elements, of any
    /// of the threads. An executor refuses by a panic what they may not.
    fn check<const N: usize>(&self, thread: usize, blocks: Option<([u32; N], usize)>, writes: bool);
    /// Whether kernel threads may touch elements of `size` bytes: the number of each one's thread among those
    /// side by side, and its first byte. An executor that knows nothing of single elements asks for any.
    #[inline(always)]
    fn check_elements(&self, elements: impl Iterator<Item = (usize, u32)>, size: usize, writes: bool) {
        let _ = (elements, size);
        self.check::<1>(0, None, writes);
    }
    /// Fills `bytes`, as many as there are in `from`; those outside are 0.
    #[track_caller]
    fn read(from: &CheckedBytes<&Self>, bytes: &mut [u8]);
    /// Stores `bytes`, as many as there are in `to`; those outside are dropped.
    #[track_caller]
    fn write(to: &mut CheckedBytes<&mut Self>, bytes: &[u8]);

    /// [`read`](Self::read), of any number of bytes.
    #[track_caller]
    fn read_any(from: &CheckedBytes<&Self>, bytes: &mut [u8]) {
        Self::read(from, bytes);
    }

    /// [`write`](Self::write), of any number of bytes.
    #[track_caller]
    fn write_any(to: &mut CheckedBytes<&mut Self>, bytes: &[u8]) {
        Self::write(to, bytes);
    }

    /// [`read`](Self::read), of elements: they need not have an address.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    fn load<T: Elem, const C: usize>(from: &CheckedBytes<&Self>) -> [T; C] {
        let mut elements = [T::default(); C];
        Self::read(from, bytemuck::cast_slice_mut(&mut elements));
        elements
    }

    /// [`write`](Self::write), of elements: they need not have an address.
    #[inline(always)]
    #[track_caller]
    fn store<T: Elem, const C: usize>(to: &mut CheckedBytes<&mut Self>, elements: [T; C]) {
        Self::write(to, bytemuck::cast_slice(&elements));
    }

    /// Reads elements by their numbers, where all of them lie inside. `false` where some do not, or it is
    /// slower so than one by one. The row is a parameter: of a result, all elements would be loaded before
    /// one is stored.
    #[inline(always)]
    #[must_use]
    fn gather<T: Elem, const C: usize>(
        _: &CheckedBuffer<&Self>,
        _elements: &[u32; C],
        _row: &mut [T; C],
    ) -> bool {
        false
    }

    /// Changes elements one after the other, by their places in `elements`. `false`, and nothing is changed, as in
    /// [`gather`](Self::gather).
    #[inline(always)]
    #[must_use]
    fn change<T: Elem, const C: usize>(
        _: &mut CheckedBuffer<&mut Self>,
        _elements: &[u32; C],
        _changed: impl FnMut(usize, T) -> T,
    ) -> bool {
        false
    }

    /// [`change`](Self::change) of the first ones of any number of elements, as far as they lie inside as a
    /// whole: how many.
    #[must_use]
    fn change_first<T: Elem>(
        _: &mut CheckedBuffer<&mut Self>,
        _elements: &[u32],
        _changed: impl FnMut(usize, T) -> T,
    ) -> usize {
        0
    }
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
    #[inline(always)]
    pub fn surface(&self) -> &S {
        &self.surface
    }

    /// The byte column and the row of its first byte.
    #[inline(always)]
    #[must_use]
    pub fn position(&self) -> [i32; 2] {
        [self.x, self.y]
    }

    /// Bytes of a row.
    #[inline(always)]
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[inline(always)]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The row of the surface that is row `r` of the block.
    ///
    /// # Panics
    /// If it has fewer rows.
    #[inline(always)]
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
    #[inline(always)]
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
    #[inline(always)]
    pub(super) fn to_read(surface: &'a S, positions: [[i32; 2]; N], width: usize, rows: usize) -> Self {
        surface.check(&positions, width, rows, false);
        Self { surface, positions, width, rows }
    }

    #[inline(always)]
    pub(super) fn block(&self, n: usize) -> CheckedBlock<&'a S> {
        let ([x, y], surface) = (self.positions[n], self.surface);
        CheckedBlock { surface, x, y, width: self.width, rows: self.rows }
    }

    /// What was found of these blocks.
    #[inline(always)]
    pub(super) fn readable<T>(&self, found: T) -> Readable<T> {
        Readable(found)
    }

    /// All of them as one, and the bytes from each to the next one, if they lie in the same rows and leave no
    /// gap.
    #[inline(always)]
    pub(super) fn joined(&self) -> Option<(CheckedBlock<&'a S>, usize)> {
        let step = self.step()?;
        // An executor runs threads side by side only if it has seen that their columns do not wrap.
        if N > 1 && self.positions[N - 1][0] < self.positions[0][0] {
            not_deterministic();
        }
        let first = self.block(0);
        Some((CheckedBlock { width: (N - 1) * step + self.width, ..first }, step))
    }

    /// Where each of them is, if it can be read there.
    #[inline(always)]
    pub(super) fn inside(&self) -> Option<[Window<'a>; N]> {
        let mut windows = [S::inside(&self.block(0))?; N];
        each!(n < N => {
            windows[n] = S::inside(&self.block(n))?;
        });
        Some(windows)
    }

    /// Copies of them, one beside the other.
    ///
    /// # Panics
    /// If they are more bytes than `scratch` has.
    #[inline(always)]
    pub(super) fn copied(&self, scratch: &'a mut Scratch) -> Window<'a> {
        copy(*self.surface, self.positions, [self.width, self.rows], scratch)
    }
}

/// What was found of checked blocks and may be read now. It is used up by the read; what is kept for later
/// reads is without this proof, and is checked again.
#[derive(Debug)]
pub(super) struct Readable<T>(T);

impl<T> Readable<T> {
    /// What was kept, if the executor still lets it be read.
    #[inline(always)]
    pub(super) fn again<S: SurfaceAccess>(surface: &S, kept: T) -> Self {
        surface.check_again();
        Self(kept)
    }

    /// To be read.
    #[inline(always)]
    pub(super) fn get(&self) -> &T {
        &self.0
    }

    /// `part`, a part of it, to be read.
    #[inline(always)]
    pub(super) fn part(&self, part: T) -> Self {
        Self(part)
    }

    /// To be kept.
    #[inline(always)]
    pub(super) fn keep(self) -> T {
        self.0
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
    #[inline(always)]
    pub(super) fn to_write(surface: &'a mut S, positions: [[i32; 2]; N], width: usize, rows: usize) -> Self {
        surface.check(&positions, width, rows, true);
        Self { surface, positions, width, rows }
    }

    /// That of thread `n`.
    #[inline(always)]
    pub(super) fn block_mut(&mut self, n: usize) -> CheckedBlock<&mut S> {
        let ([x, y], width, rows) = (self.positions[n], self.width, self.rows);
        CheckedBlock { surface: self.surface, x, y, width, rows }
    }

    /// All of them as one, if each lies right of the one before.
    #[inline(always)]
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
    #[inline(always)]
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
    /// Its bytes: where they are, or copied to `scratch`.
    ///
    /// # Panics
    /// If they are more bytes than `scratch` has.
    #[inline(always)]
    pub(super) fn window(self, scratch: &'a mut Scratch) -> Window<'a> {
        match S::inside(&self) {
            Some(window) => window,
            None => {
                let Self { surface, x, y, width, rows } = self;
                CheckedBlocks { surface, positions: [[x, y]], width, rows }.copied(scratch)
            }
        }
    }
}

/// Bytes of a buffer `M`, a reference, that the running kernel thread may read or, if the reference is
/// exclusive, write.
#[derive(Debug)]
pub struct CheckedBytes<M> {
    memory: M,
    offset: u32,
    len: usize,
    atomic: bool,
}

impl<M> CheckedBytes<M> {
    /// The buffer.
    #[inline(always)]
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// The first of the bytes.
    #[inline(always)]
    #[must_use]
    pub fn offset(&self) -> u32 {
        self.offset
    }

    /// Whether they are read and written by one atomic operation.
    #[inline(always)]
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        self.atomic
    }

    /// How many they are.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "blocks and elements have bytes")]
    pub fn len(&self) -> usize {
        self.len
    }
}

impl<M> CheckedBytes<&M> {
    /// Part `r` of `len` bytes.
    ///
    /// # Panics
    /// If there are less.
    #[inline(always)]
    pub(super) fn part(&self, r: usize, len: usize) -> Self {
        assert!((r + 1) * len <= self.len, "a part of a block lies inside of it");
        Self { offset: self.offset.wrapping_add((r * len) as u32), len, ..*self }
    }
}

impl<M> CheckedBytes<&mut M> {
    /// The same, to be written.
    ///
    /// # Panics
    /// If there are less.
    #[inline(always)]
    pub(super) fn part_mut(&mut self, r: usize, len: usize) -> CheckedBytes<&mut M> {
        assert!((r + 1) * len <= self.len, "a part of a block lies inside of it");
        CheckedBytes {
            memory: self.memory,
            offset: self.offset.wrapping_add((r * len) as u32),
            len,
            atomic: self.atomic,
        }
    }
}

impl<'a, M: BufferAccess> CheckedBytes<&'a M> {
    /// A block that thread `thread` of those side by side reads.
    #[inline(always)]
    pub(super) fn to_read(memory: &'a M, thread: usize, offset: u32, len: usize) -> Self {
        memory.check(thread, Some(([offset], len)), false);
        Self { memory, offset, len, atomic: false }
    }
}

impl<'a, M: BufferAccess> CheckedBytes<&'a mut M> {
    /// A block that thread `thread` of those side by side writes.
    #[inline(always)]
    pub(super) fn to_write(memory: &'a mut M, thread: usize, offset: u32, len: usize) -> Self {
        memory.check(thread, Some(([offset], len)), true);
        Self { memory, offset, len, atomic: false }
    }
}

/// Blocks of a buffer `M`, a reference: one of each kernel thread side by side. They are asked for together.
#[derive(Debug)]
pub(super) struct CheckedRanges<M, const N: usize> {
    memory: M,
    offsets: [u32; N],
    len: usize,
}

impl<'a, M: BufferAccess, const N: usize> CheckedRanges<&'a M, N> {
    /// Blocks of `len` bytes each, to be read.
    #[inline(always)]
    pub(super) fn to_read(memory: &'a M, offsets: [u32; N], len: usize) -> Self {
        memory.check(0, Some((offsets, len)), false);
        Self { memory, offsets, len }
    }

    /// That of a thread.
    #[inline(always)]
    pub(super) fn block(&self, thread: usize) -> CheckedBytes<&'a M> {
        CheckedBytes { memory: self.memory, offset: self.offsets[thread], len: self.len, atomic: false }
    }
}

impl<'a, M: BufferAccess, const N: usize> CheckedRanges<&'a mut M, N> {
    /// Blocks of `len` bytes each, to be written.
    #[inline(always)]
    pub(super) fn to_write(memory: &'a mut M, offsets: [u32; N], len: usize) -> Self {
        memory.check(0, Some((offsets, len)), true);
        Self { memory, offsets, len }
    }

    /// That of a thread.
    #[inline(always)]
    pub(super) fn block_mut(&mut self, thread: usize) -> CheckedBytes<&mut M> {
        CheckedBytes { memory: self.memory, offset: self.offsets[thread], len: self.len, atomic: false }
    }
}

/// Elements of a buffer `M`, a reference, that the running kernel threads may touch: those that were asked for.
#[derive(Debug)]
pub struct CheckedBuffer<M> {
    memory: M,
    atomic: bool,
}

impl<M> CheckedBuffer<M> {
    /// The buffer.
    #[inline(always)]
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

impl<'a, M: BufferAccess> CheckedBuffer<&'a M> {
    /// A buffer of which threads read these elements of `size` bytes: the number of each one's thread, and
    /// its first byte.
    #[inline(always)]
    pub(super) fn to_read(memory: &'a M, elements: impl Iterator<Item = (usize, u32)>, size: usize) -> Self {
        memory.check_elements(elements, size, false);
        Self { memory, atomic: false }
    }

    #[inline(always)]
    pub(super) fn bytes(&self, offset: u32, len: usize) -> CheckedBytes<&'a M> {
        CheckedBytes { memory: self.memory, offset, len, atomic: self.atomic }
    }
}

impl<'a, M: BufferAccess> CheckedBuffer<&'a mut M> {
    /// A buffer of which threads write these elements.
    #[inline(always)]
    pub(super) fn to_write(
        memory: &'a mut M,
        elements: impl Iterator<Item = (usize, u32)>,
        size: usize,
    ) -> Self {
        memory.check_elements(elements, size, true);
        Self { memory, atomic: false }
    }

    /// A buffer of which threads change these elements.
    #[inline(always)]
    pub(super) fn to_update(
        memory: &'a mut M,
        elements: impl Iterator<Item = (usize, u32)>,
        size: usize,
    ) -> Self {
        Self { atomic: true, ..Self::to_write(memory, elements, size) }
    }

    /// The same, to be read.
    #[inline(always)]
    pub(super) fn shared(&self) -> CheckedBuffer<&M> {
        CheckedBuffer { memory: self.memory, atomic: self.atomic }
    }

    #[inline(always)]
    pub(super) fn bytes_mut(&mut self, offset: u32, len: usize) -> CheckedBytes<&mut M> {
        CheckedBytes { memory: self.memory, offset, len, atomic: self.atomic }
    }
}
