//! Accesses to buffers, in terms of their bytes: each by one of the threads side by side.

use super::environment::BufferAccess;
use crate::elem::{Elem, Int};
use crate::ops::{AtomicKind, changed};
use cm_compiler::ir::Alignment;

/// The byte of an element; numbers of bytes wrap, as the hardware's do.
#[inline(always)]
fn byte<T: Elem>(element: u32) -> u32 {
    element.wrapping_mul(T::TYPE.bytes() as u32)
}

#[inline(always)]
fn rounded(offset: u32, alignment: Alignment) -> u32 {
    offset & !(alignment.bytes() as u32 - 1)
}

#[inline(always)]
pub(super) fn read_block<T: Elem, const N: usize>(
    memory: &impl BufferAccess,
    thread: usize,
    alignment: Alignment,
    offset: u32,
) -> [T; N] {
    let offset = rounded(offset, alignment);
    let mut block = [T::default(); N];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut block);
    memory.enter(thread, Some((offset, bytes.len())), false);
    memory.read(offset, bytes);
    block
}

#[inline(always)]
pub(super) fn write_block<T: Elem>(memory: &mut impl BufferAccess, thread: usize, offset: u32, block: &[T]) {
    let offset = rounded(offset, Alignment::Oword);
    let bytes: &[u8] = bytemuck::cast_slice(block);
    memory.enter(thread, Some((offset, bytes.len())), true);
    memory.write(offset, bytes);
}

#[inline(always)]
fn read_one<T: Elem>(memory: &impl BufferAccess, element: u32) -> T {
    let mut x = T::default();
    memory.read(byte::<T>(element), bytemuck::bytes_of_mut(&mut x));
    x
}

#[inline(always)]
fn write_one<T: Elem>(memory: &mut impl BufferAccess, element: u32, x: T) {
    memory.write(byte::<T>(element), bytemuck::bytes_of(&x));
}

#[inline(always)]
pub(super) fn gather<T: Elem, const N: usize>(
    memory: &impl BufferAccess,
    thread: usize,
    elements: [u32; N],
) -> [T; N] {
    memory.enter(thread, None, false);
    let mut values = [T::default(); N];
    for (value, element) in values.iter_mut().zip(elements) {
        *value = read_one(memory, element);
    }
    values
}

#[inline(always)]
pub(super) fn scatter<T: Elem, const N: usize>(
    memory: &mut impl BufferAccess,
    thread: usize,
    elements: [u32; N],
    values: [T; N],
) {
    memory.enter(thread, None, true);
    for (value, element) in values.into_iter().zip(elements) {
        write_one(memory, element, value);
    }
}

/// One element after the other: kernel threads do not use a buffer with atomic operations at the same time.
#[inline(always)]
pub(super) fn atomic<T: Int, const N: usize>(
    memory: &mut impl BufferAccess,
    thread: usize,
    kind: AtomicKind,
    elements: [u32; N],
    source: [T; N],
    compare: [T; N],
) -> [T; N] {
    memory.enter(thread, None, true);
    let mut before = [T::default(); N];
    for n in 0..N {
        before[n] = read_one(memory, elements[n]);
        write_one(memory, elements[n], changed(kind, before[n], source[n], compare[n]));
    }
    before
}
