//! Accesses of a kernel thread to memory as bytes: for an executor that has the recording of a kernel, where shapes are
//! numbers. The executor is asked as for all accesses.

use super::checked_buffer::{BufferAccess, CheckedBuffer, CheckedBytes};
use super::checked_surface::{CheckedBlocks, SurfaceAccess};
use crate::elem::Elem;

/// Reads a block of a surface: as many rows of `width` bytes as `bytes` has.
pub fn read_block<S: SurfaceAccess>(surface: &S, position: [i32; 2], width: usize, bytes: &mut [u8]) {
    let blocks = CheckedBlocks::<_, 1>::to_read(surface, [position], width, bytes.len() / width);
    S::read_rows(&blocks.block(0), bytes);
}

/// Writes a block of a surface: as many rows of `width` bytes as `bytes` has.
pub fn write_block<S: SurfaceAccess>(surface: &mut S, position: [i32; 2], width: usize, bytes: &[u8]) {
    let mut blocks = CheckedBlocks::<_, 1>::to_write(surface, [position], width, bytes.len() / width);
    S::write_rows(&mut blocks.block_mut(0), bytes);
}

/// Reads bytes of a buffer from `offset` on.
#[track_caller]
pub fn read_bytes<M: BufferAccess>(memory: &M, offset: u32, bytes: &mut [u8]) {
    M::read_any(&CheckedBytes::to_read(memory, 0, offset, bytes.len()), bytes);
}

/// Writes bytes of a buffer from `offset` on.
#[track_caller]
pub fn write_bytes<M: BufferAccess>(memory: &mut M, offset: u32, bytes: &[u8]) {
    M::write_any(&mut CheckedBytes::to_write(memory, 0, offset, bytes.len()), bytes);
}

/// Reads the elements of `size` bytes that begin at these bytes of a buffer.
#[track_caller]
pub fn read_elements<M: BufferAccess>(memory: &M, starts: &[u32], size: usize, bytes: &mut [u8]) {
    let memory = CheckedBuffer::to_read_at(memory, starts, size);
    for (&start, element) in starts.iter().zip(bytes.chunks_exact_mut(size)) {
        M::read(&memory.bytes(start, size), element);
    }
}

/// Writes the elements of `size` bytes that begin at these bytes of a buffer, in order.
#[track_caller]
pub fn write_elements<M: BufferAccess>(memory: &mut M, starts: &[u32], size: usize, bytes: &[u8]) {
    let mut memory = CheckedBuffer::to_write_at(memory, starts, size);
    for (&start, element) in starts.iter().zip(bytes.chunks_exact(size)) {
        M::write(&mut memory.bytes_mut(start, size), element);
    }
}

/// Changes elements of a buffer, one after the other: `change` has the place of the number among `elements`,
/// and the element.
#[track_caller]
pub fn update_elements<M: BufferAccess, T: Elem>(
    memory: &mut M,
    elements: &[u32],
    mut change: impl FnMut(usize, T) -> T,
) {
    let size = size_of::<T>();
    let start = |element: u32| element.wrapping_mul(size as u32);
    let starts: Vec<u32> = elements.iter().map(|&element| start(element)).collect();
    let mut memory = CheckedBuffer::to_update_at(memory, &starts, size);
    let mut place = 0;
    while place < elements.len() {
        let first = place;
        place += M::change_first(&mut memory, &elements[first..], |n, old| change(first + n, old));
        if let Some(&element) = elements.get(place) {
            let (start, mut bits) = (start(element), [T::default()]);
            M::read(&memory.shared().bytes(start, size), bytemuck::cast_slice_mut(&mut bits));
            bits[0] = change(place, bits[0]);
            M::write(&mut memory.bytes_mut(start, size), bytemuck::cast_slice(&bits));
            place += 1;
        }
    }
}
