//! Accesses of a kernel thread to memory as bytes: for an executor that has the recording of a kernel, where shapes are
//! numbers. The executor is asked as for all accesses.

use super::checked::{BufferAccess, CheckedBlocks, CheckedBuffer, CheckedBytes, SurfaceAccess};

/// Reads a block of a surface: as many rows of `width` bytes as `bytes` has.
pub fn read_block<S: SurfaceAccess>(surface: &S, position: [i32; 2], width: usize, bytes: &mut [u8]) {
    let blocks = CheckedBlocks::<_, 1>::to_read(surface, [position], width, bytes.len() / width);
    let block = blocks.block(0);
    for (r, row) in bytes.chunks_exact_mut(width).enumerate() {
        S::read_row(&block, r, row);
    }
}

/// Writes a block of a surface: as many rows of `width` bytes as `bytes` has.
pub fn write_block<S: SurfaceAccess>(surface: &mut S, position: [i32; 2], width: usize, bytes: &[u8]) {
    let mut blocks = CheckedBlocks::<_, 1>::to_write(surface, [position], width, bytes.len() / width);
    let mut block = blocks.block_mut(0);
    for (r, row) in bytes.chunks_exact(width).enumerate() {
        S::write_row(&mut block, r, row);
    }
}

/// Reads bytes of a buffer from `offset` on.
#[track_caller]
pub fn read_bytes<M: BufferAccess>(memory: &M, offset: u32, bytes: &mut [u8]) {
    M::read(&CheckedBytes::to_read(memory, 0, offset, bytes.len()), bytes);
}

/// Writes bytes of a buffer from `offset` on.
#[track_caller]
pub fn write_bytes<M: BufferAccess>(memory: &mut M, offset: u32, bytes: &[u8]) {
    M::write(&mut CheckedBytes::to_write(memory, 0, offset, bytes.len()), bytes);
}

/// Elements of the running thread, which has none beside it.
fn of_one(starts: &[u32]) -> impl Iterator<Item = (usize, u32)> {
    starts.iter().map(|start| (0, *start))
}

/// Reads the elements of `size` bytes that begin at these bytes of a buffer.
#[track_caller]
pub fn read_elements<M: BufferAccess>(memory: &M, starts: &[u32], size: usize, bytes: &mut [u8]) {
    let memory = CheckedBuffer::to_read(memory, of_one(starts), size);
    for (&start, element) in starts.iter().zip(bytes.chunks_exact_mut(size)) {
        M::read(&memory.bytes(start, size), element);
    }
}

/// Writes the elements of `size` bytes that begin at these bytes of a buffer, in order.
#[track_caller]
pub fn write_elements<M: BufferAccess>(memory: &mut M, starts: &[u32], size: usize, bytes: &[u8]) {
    let mut memory = CheckedBuffer::to_write(memory, of_one(starts), size);
    for (&start, element) in starts.iter().zip(bytes.chunks_exact(size)) {
        M::write(&mut memory.bytes_mut(start, size), element);
    }
}

/// Changes the elements of at most 8 bytes that begin at these bytes of a buffer, one after the other: `change` has
/// the number of the element, and its bytes.
#[track_caller]
pub fn update_elements<M: BufferAccess>(
    memory: &mut M,
    starts: &[u32],
    size: usize,
    change: &mut dyn FnMut(usize, &mut [u8]),
) {
    let mut memory = CheckedBuffer::to_update(memory, of_one(starts), size);
    for (k, &start) in starts.iter().enumerate() {
        let mut element = [0; 8];
        let element = &mut element[..size];
        M::read(&memory.shared().bytes(start, size), element);
        change(k, element);
        M::write(&mut memory.bytes_mut(start, size), element);
    }
}
