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

/// Places of vectors of up to 8 elements, in buffers of some hundred elements. No two overlap, also after 32 bits have
/// wrapped. Some vectors are partly outside, some begin outside, and some would wrap.
#[must_use]
pub fn vector_places(size: u32, len: u32) -> Vec<u32> {
    let wrapped = (u32::MAX / size + 1).wrapping_add(len - 83);
    let far = [len - 3, len + 9, 1 << 27, u32::MAX / size - 2, u32::MAX / 2 + 99, wrapped];
    let near = (0..64).map(|k| (k * 23 % 64) * 10 + k % 3);
    near.enumerate().map(|(k, near)| if k % 9 == 4 { far[k / 9 % far.len()] } else { near }).collect()
}

/// For kernels that access an array of 256 elements of each group: 8 places of vectors for each of the `threads` threads,
/// some of them partly or completely outside; and 8 more to which they write vectors of 3 elements that do not overlap.
#[must_use]
pub fn shared_places(threads: u32) -> Vec<u32> {
    let read = (0..threads * 8).map(|k| match k % 11 {
        3 => 254,
        7 => 1 << 20,
        _ => k * 37 % 259,
    });
    let written = (0..threads * 8).map(|k| match k * 19 % 32 {
        31 => 254,
        9 => 1 << 20,
        place => place * 8,
    });
    read.chain(written).collect()
}
