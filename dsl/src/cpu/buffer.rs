//! Accesses to buffers, in terms of their bytes: by one of the threads side by side after the other.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_compiler::ops::{AccessKind, Address, vector_element};
use cm_macros::inlined;

use super::arrays::{Lanes, each, zeroed};
use super::checked_buffer::{BufferAccess, CheckedBuffer, CheckedRanges};
use crate::elem::Elem;
use crate::ops::AtomicOp;

/// The first byte of the block of each thread, rounded down to the alignment of the access.
#[inlined]
pub(super) fn starts<const N: usize>(kind: AccessKind, [offsets]: Lanes<u32, N, 1, 1>) -> [u32; N] {
    let aligned = match kind.spec().address {
        Address::Bytes { alignment } => !(alignment.bytes() as u32 - 1),
        Address::Block | Address::Elements | Address::Vectors | Address::Texels(_) | Address::Pitched => !0,
    };
    let mut starts = [0; N];
    each!(n < N => {
        starts[n] = offsets[n][0] & aligned;
    });
    starts
}

#[inlined]
#[track_caller]
pub(super) fn read_block<T: Elem, const N: usize, const R: usize, const C: usize>(
    memory: &impl BufferAccess,
    kind: AccessKind,
    offsets: Lanes<u32, N, 1, 1>,
) -> Lanes<T, N, R, C> {
    let mut rows: Lanes<T, N, R, C> = zeroed();
    let blocks = CheckedRanges::to_read(memory, starts(kind, offsets), R * C * size_of::<T>());
    for n in 0..N {
        BufferAccess::load_rows::<T, R, C>(&blocks.block(n), |r, row| rows[r][n] = row);
    }
    rows
}

#[inlined]
#[track_caller]
pub(super) fn write_block<T: Elem, const N: usize, const R: usize, const C: usize>(
    memory: &mut impl BufferAccess,
    kind: AccessKind,
    offsets: Lanes<u32, N, 1, 1>,
    rows: Lanes<T, N, R, C>,
) {
    let mut blocks = CheckedRanges::to_write(memory, starts(kind, offsets), R * C * size_of::<T>());
    for n in 0..N {
        BufferAccess::store_rows::<T, R, C>(&mut blocks.block_mut(n), |r| rows[r][n]);
    }
}

#[inlined]
#[track_caller]
pub(super) fn gather<T: Elem, const N: usize, const R: usize, const C: usize>(
    memory: &impl BufferAccess,
    elements: Lanes<u32, N, R, C>,
) -> Lanes<T, N, R, C> {
    let mut values: Lanes<T, N, R, C> = zeroed();
    let memory = CheckedBuffer::to_read::<T, N, R, C>(memory, &elements);
    // No loop over threads, in which the compiler would keep the elements in memory: a vector of all threads that is loaded from there
    // waits until those of each have been stored.
    each!(n < N => {
        for r in 0..R {
            BufferAccess::gather(&memory, &elements[r][n], &mut values[r][n]);
        }
    });
    values
}

#[inlined]
#[track_caller]
pub(super) fn scatter<T: Elem, const N: usize, const R: usize, const C: usize>(
    memory: &mut impl BufferAccess,
    elements: Lanes<u32, N, R, C>,
    values: Lanes<T, N, R, C>,
) {
    let mut memory = CheckedBuffer::to_write::<T, N, R, C>(memory, &elements);
    for n in 0..N {
        for r in 0..R {
            BufferAccess::scatter(&mut memory, &elements[r][n], &values[r][n]);
        }
    }
}

/// The elements of vectors that begin with these elements, row by row.
#[inlined]
pub(super) fn vectors<T: Elem, const N: usize, const R: usize, const C: usize>(
    [firsts]: Lanes<u32, N, 1, C>,
) -> Lanes<u32, N, R, C> {
    let mut elements: Lanes<u32, N, R, C> = zeroed();
    each!(r < R => {
        for n in 0..N {
            for c in 0..C {
                elements[r][n][c] = vector_element(firsts[n][c], r, R, size_of::<T>());
            }
        }
    });
    elements
}

/// One element after the other: kernel threads do not use a buffer with atomic operations at the same time.
#[inlined]
#[track_caller]
pub(super) fn atomic<O: AtomicOp<T>, T: Elem, const N: usize, const R: usize, const C: usize>(
    memory: &mut impl BufferAccess,
    elements: Lanes<u32, N, R, C>,
    source: Lanes<T, N, R, C>,
    compare: Lanes<T, N, R, C>,
) -> Lanes<T, N, R, C> {
    let mut before: Lanes<T, N, R, C> = zeroed();
    let mut memory = CheckedBuffer::to_update::<T, N, R, C>(memory, &elements);
    // Elements of one thread after those of the other: they stay in registers, where a loop would load them from memory.
    each!(n < N => {
        for r in 0..R {
            // One element after the other, so that equal numbers see what those before them left.
            let changed = |c: usize, old: T| {
                before[r][n][c] = old;
                O::changed(old, source[r][n][c], compare[r][n][c])
            };
            if BufferAccess::change(&mut memory, &elements[r][n], changed) {
                continue;
            }
            for c in 0..C {
                let old = memory.shared().read_one(elements[r][n][c]);
                before[r][n][c] = old;
                let new = O::changed(old, source[r][n][c], compare[r][n][c]);
                memory.write_one(elements[r][n][c], new);
            }
        }
    });
    before
}
