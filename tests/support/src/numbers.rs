//! Element indices for the kernels of buffers: in and out of bounds, some of them repeated.

use crate::noise::stream;

/// The elements that bytes stand for.
pub fn elements<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

/// Two rows of 32 element indices for buffers of `len` elements. With `distinct`, indices in bounds are not
/// repeated.
pub fn numbers(len: u32, seed: u32, distinct: bool) -> Vec<u32> {
    let mut next = stream(seed);
    let mut row = || -> Vec<u32> {
        let outside = [len, len + 1, u32::MAX, u32::MAX / 2 + 1, u32::MAX / 4 + 3, u32::MAX - 31];
        let mut all: Vec<u32> = (0..32)
            .map(|i| match (i % 7, distinct) {
                (3, _) => outside[next() as usize % outside.len()],
                (_, true) => i * (len / 32) + next() % (len / 32),
                (_, false) => next() % 12,
            })
            .collect();
        // Shuffled.
        for i in 0..31 {
            all.swap(i, i + next() as usize % (32 - i));
        }
        all
    };
    [row(), row()].concat()
}
