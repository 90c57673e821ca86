//! Buffers of an executor, and the proof that it lets kernel threads touch the bytes that they are about to touch.
//!
//! As in `checked_surface`, only this file makes them, after the executor has been asked.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::fmt::Debug;

use cm_macros::inlined;

use super::arrays::{Lanes, each};
use super::readable::Memory;
use super::window::Window;
use crate::elem::Elem;

/// Bytes of a buffer, by their offset. Nothing is read or written that was not checked before.
pub trait BufferAccess: Memory + Debug + Sized {
    /// Refuses by a panic blocks of `bytes` bytes that kernel threads may not touch: those of so many threads side by side, from the
    /// one with the number `thread` on, one block each, by its first byte.
    fn check<const N: usize>(&self, thread: usize, offsets: [u32; N], bytes: usize, writes: bool);
    /// Refuses by a panic elements of `bytes` bytes that kernel threads may not touch: the number of the thread among those side by
    /// side, and the first byte, of each. Only executors that know which elements a thread may touch make the list.
    fn check_elements<S: Iterator<Item = (usize, u32)>>(
        &self,
        starts: impl FnOnce() -> S,
        bytes: usize,
        writes: bool,
    );
    /// The bytes where they are, if they can be read there.
    #[inlined]
    #[must_use]
    fn inside<'a>(_: &CheckedBytes<&'a Self>) -> Option<Window<'a>> {
        None
    }

    /// Fills `bytes`, as many as there are in `from`; those outside are 0, and an element that is partly outside.
    #[track_caller]
    fn read(from: &CheckedBytes<&Self>, bytes: &mut [u8]);
    /// Stores `bytes`, as many as there are in `to`; those outside are dropped, and an element that is partly outside.
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

    /// [`read`](Self::read), of rows of elements, which `row` gets with their numbers: they need not have an address.
    #[inlined]
    #[track_caller]
    fn load_rows<T: Elem, const R: usize, const C: usize>(
        from: &CheckedBytes<&Self>,
        mut row: impl FnMut(usize, [T; C]),
    ) {
        let mut rows = [[T::default(); C]; R];
        Self::read(from, bytemuck::cast_slice_mut(rows.as_flattened_mut()));
        for r in 0..R {
            row(r, rows[r]);
        }
    }

    /// [`write`](Self::write), of rows of elements by their numbers: they need not have an address.
    #[inlined]
    #[track_caller]
    fn store_rows<T: Elem, const R: usize, const C: usize>(
        to: &mut CheckedBytes<&mut Self>,
        row: impl Fn(usize) -> [T; C],
    ) {
        let mut rows = [[T::default(); C]; R];
        for r in 0..R {
            rows[r] = row(r);
        }
        Self::write(to, bytemuck::cast_slice(rows.as_flattened()));
    }

    /// Reads elements by their numbers; those outside are 0. The row is a parameter: of a result, all elements would be loaded
    /// before one is stored.
    #[inlined]
    #[track_caller]
    fn gather<T: Elem, const C: usize>(from: &CheckedBuffer<&Self>, elements: &[u32; C], row: &mut [T; C]) {
        for c in 0..C {
            row[c] = from.read_one(elements[c]);
        }
    }

    /// Writes elements by their numbers, one after the other; those outside are left out.
    #[inlined]
    #[track_caller]
    fn scatter<T: Elem, const C: usize>(
        to: &mut CheckedBuffer<&mut Self>,
        elements: &[u32; C],
        values: &[T; C],
    ) {
        for c in 0..C {
            to.write_one(elements[c], values[c]);
        }
    }

    /// Changes elements one after the other, by their places in `elements`, where all of them lie inside. `false`, and
    /// nothing is changed, where some do not, or it is slower so than one by one.
    #[inlined]
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

/// What checked bytes are, which decides about those that are only partly inside of the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A block: each of its bytes is inside or outside.
    Block,
    /// An element: it is outside unless all of it is inside.
    Element,
    /// An element that is read and written by one atomic operation.
    Updated,
}

/// Bytes of a buffer `M`, a reference, that the running kernel thread may read or, if the reference is
/// exclusive, write.
#[derive(Debug)]
pub struct CheckedBytes<M> {
    memory: M,
    offset: u32,
    len: usize,
    unit: Unit,
}

impl<M> CheckedBytes<M> {
    /// The buffer.
    #[inlined]
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// The first of the bytes.
    #[inlined]
    #[must_use]
    pub fn offset(&self) -> u32 {
        self.offset
    }

    /// What they are.
    #[inlined]
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// How many they are.
    #[inlined]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "blocks and elements have bytes")]
    pub fn len(&self) -> usize {
        self.len
    }
}

impl<'a, M: BufferAccess> CheckedBytes<&'a M> {
    /// A block that thread `thread` of those side by side reads.
    #[inlined]
    pub(super) fn to_read(memory: &'a M, thread: usize, offset: u32, len: usize) -> Self {
        memory.check(thread, [offset], len, false);
        Self { memory, offset, len, unit: Unit::Block }
    }
}

impl<'a, M: BufferAccess> CheckedBytes<&'a mut M> {
    /// A block that thread `thread` of those side by side writes.
    #[inlined]
    pub(super) fn to_write(memory: &'a mut M, thread: usize, offset: u32, len: usize) -> Self {
        memory.check(thread, [offset], len, true);
        Self { memory, offset, len, unit: Unit::Block }
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
    #[inlined]
    pub(super) fn to_read(memory: &'a M, offsets: [u32; N], len: usize) -> Self {
        memory.check(0, offsets, len, false);
        Self { memory, offsets, len }
    }

    /// That of a thread.
    #[inlined]
    pub(super) fn block(&self, thread: usize) -> CheckedBytes<&'a M> {
        CheckedBytes { memory: self.memory, offset: self.offsets[thread], len: self.len, unit: Unit::Block }
    }

    /// Where each of them is, if all can be read there.
    #[inlined]
    pub(super) fn inside(&self) -> Option<[Window<'a>; N]> {
        let mut windows = [M::inside(&self.block(0))?; N];
        each!(n < N => {
            windows[n] = M::inside(&self.block(n))?;
        });
        Some(windows)
    }
}

impl<'a, M: BufferAccess, const N: usize> CheckedRanges<&'a mut M, N> {
    /// Blocks of `len` bytes each, to be written.
    #[inlined]
    pub(super) fn to_write(memory: &'a mut M, offsets: [u32; N], len: usize) -> Self {
        memory.check(0, offsets, len, true);
        Self { memory, offsets, len }
    }

    /// That of a thread.
    #[inlined]
    pub(super) fn block_mut(&mut self, thread: usize) -> CheckedBytes<&mut M> {
        CheckedBytes { memory: self.memory, offset: self.offsets[thread], len: self.len, unit: Unit::Block }
    }
}

/// Elements of a buffer `M`, a reference, that the running kernel threads may touch: those that were asked for.
#[derive(Debug)]
pub struct CheckedBuffer<M> {
    memory: M,
    unit: Unit,
}

impl<M> CheckedBuffer<M> {
    /// The buffer.
    #[inlined]
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// The first byte of an element; numbers of bytes wrap, as the hardware's do.
#[inlined]
fn first_byte<T>(element: u32) -> u32 {
    element.wrapping_mul(size_of::<T>() as u32)
}

/// The thread and the first byte of each element. The numbers are a value: by a reference they would be kept in memory.
#[inlined]
fn starts_of<T, const N: usize, const R: usize, const C: usize>(
    numbers: Lanes<u32, N, R, C>,
) -> impl Iterator<Item = (usize, u32)> {
    (0..R * N * C).map(move |k| {
        let (row, thread, column) = (k / (N * C), k / C % N, k % C);
        (thread, first_byte::<T>(numbers[row][thread][column]))
    })
}

impl<'a, M: BufferAccess> CheckedBuffer<&'a M> {
    /// A buffer of which threads read elements `T` with these numbers.
    #[inlined]
    pub(super) fn to_read<T, const N: usize, const R: usize, const C: usize>(
        memory: &'a M,
        numbers: &Lanes<u32, N, R, C>,
    ) -> Self {
        memory.check_elements(|| starts_of::<T, N, R, C>(*numbers), size_of::<T>(), false);
        Self { memory, unit: Unit::Element }
    }

    /// A buffer of which one thread reads elements of `size` bytes that begin at these bytes.
    pub(super) fn to_read_at(memory: &'a M, starts: &[u32], size: usize) -> Self {
        memory.check_elements(|| starts.iter().map(|start| (0, *start)), size, false);
        Self { memory, unit: Unit::Element }
    }

    /// An element by its number; 0 if it is outside.
    #[inlined]
    #[track_caller]
    pub(super) fn read_one<T: Elem>(&self, element: u32) -> T {
        let mut x = T::default();
        M::load_rows::<T, 1, 1>(&self.bytes(first_byte::<T>(element), size_of::<T>()), |_, [found]| {
            x = found;
        });
        x
    }

    #[inlined]
    pub(super) fn bytes(&self, offset: u32, len: usize) -> CheckedBytes<&'a M> {
        CheckedBytes { memory: self.memory, offset, len, unit: self.unit }
    }
}

impl<'a, M: BufferAccess> CheckedBuffer<&'a mut M> {
    /// A buffer of which threads write elements `T` with these numbers.
    #[inlined]
    pub(super) fn to_write<T, const N: usize, const R: usize, const C: usize>(
        memory: &'a mut M,
        numbers: &Lanes<u32, N, R, C>,
    ) -> Self {
        memory.check_elements(|| starts_of::<T, N, R, C>(*numbers), size_of::<T>(), true);
        Self { memory, unit: Unit::Element }
    }

    /// A buffer of which threads change elements `T` with these numbers.
    #[inlined]
    pub(super) fn to_update<T, const N: usize, const R: usize, const C: usize>(
        memory: &'a mut M,
        numbers: &Lanes<u32, N, R, C>,
    ) -> Self {
        Self { unit: Unit::Updated, ..Self::to_write::<T, N, R, C>(memory, numbers) }
    }

    /// A buffer of which one thread writes elements of `size` bytes that begin at these bytes.
    pub(super) fn to_write_at(memory: &'a mut M, starts: &[u32], size: usize) -> Self {
        memory.check_elements(|| starts.iter().map(|start| (0, *start)), size, true);
        Self { memory, unit: Unit::Element }
    }

    /// A buffer of which one thread changes elements of `size` bytes that begin at these bytes.
    pub(super) fn to_update_at(memory: &'a mut M, starts: &[u32], size: usize) -> Self {
        Self { unit: Unit::Updated, ..Self::to_write_at(memory, starts, size) }
    }

    /// The same, to be read.
    #[inlined]
    pub(super) fn shared(&self) -> CheckedBuffer<&M> {
        CheckedBuffer { memory: self.memory, unit: self.unit }
    }

    /// Writes an element by its number, unless it is outside.
    #[inlined]
    #[track_caller]
    pub(super) fn write_one<T: Elem>(&mut self, element: u32, x: T) {
        M::store_rows::<T, 1, 1>(&mut self.bytes_mut(first_byte::<T>(element), size_of::<T>()), |_| [x]);
    }

    #[inlined]
    pub(super) fn bytes_mut(&mut self, offset: u32, len: usize) -> CheckedBytes<&mut M> {
        CheckedBytes { memory: self.memory, offset, len, unit: self.unit }
    }
}
