//! Accesses to buffers, in terms of their bytes: each by one of the threads side by side.

use super::BufferAccess;
use super::checked::{CheckedBuffer, CheckedBytes};
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
    BufferAccess::read(&CheckedBytes::to_read(memory, thread, offset, bytes.len()), bytes);
    block
}

#[inline(always)]
pub(super) fn write_block<T: Elem>(memory: &mut impl BufferAccess, thread: usize, offset: u32, block: &[T]) {
    let offset = rounded(offset, Alignment::Oword);
    let bytes: &[u8] = bytemuck::cast_slice(block);
    BufferAccess::write(&mut CheckedBytes::to_write(memory, thread, offset, bytes.len()), bytes);
}

#[inline(always)]
fn read_one<T: Elem>(memory: &CheckedBuffer<&impl BufferAccess>, element: u32) -> T {
    let mut x = T::default();
    BufferAccess::read(&memory.bytes(byte::<T>(element), size_of::<T>()), bytemuck::bytes_of_mut(&mut x));
    x
}

#[inline(always)]
fn write_one<T: Elem>(memory: &mut CheckedBuffer<&mut impl BufferAccess>, element: u32, x: T) {
    BufferAccess::write(&mut memory.bytes_mut(byte::<T>(element), size_of::<T>()), bytemuck::bytes_of(&x));
}

#[inline(always)]
pub(super) fn gather<T: Elem, const N: usize>(
    memory: &impl BufferAccess,
    thread: usize,
    elements: [u32; N],
) -> [T; N] {
    let memory = CheckedBuffer::to_read(memory, thread);
    let mut values = [T::default(); N];
    for (value, element) in values.iter_mut().zip(elements) {
        *value = read_one(&memory, element);
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
    let mut memory = CheckedBuffer::to_write(memory, thread);
    for (value, element) in values.into_iter().zip(elements) {
        write_one(&mut memory, element, value);
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
    let mut memory = CheckedBuffer::to_write(memory, thread);
    let mut before = [T::default(); N];
    for n in 0..N {
        before[n] = read_one(&memory.shared(), elements[n]);
        write_one(&mut memory, elements[n], changed(kind, before[n], source[n], compare[n]));
    }
    before
}
