//! The kernels of CM's tutorial 14.

use cm::prelude::*;

/// Tuples of a chunk, which one thread processes.
pub const CHUNK: usize = 256;
/// Threads of a row of the thread space.
pub const WIDTH: u32 = 1024;

/// Replaces the last tuple of each chunk by the sum of the chunk.
#[kernel]
pub fn cmk_sum_tuple_count(table: &mut Buffer<u32>) {
    let chunk = thread_origin_x() + thread_origin_y() * WIDTH;
    let mut sums = Matrix::<u32, 32, 2>::splat(0);
    for group in 0..8 {
        sums += table.read_linear::<64>(chunk * 2048 + group * 256).format::<u32, 32, 2>();
    }
    let sums = sums.select::<16, 1, 2, 1>(0, 0) + sums.select::<16, 1, 2, 1>(16, 0);
    let sums = sums.select::<8, 1, 2, 1>(0, 0) + sums.select::<8, 1, 2, 1>(8, 0);
    let sums = sums.select::<4, 1, 2, 1>(0, 0) + sums.select::<4, 1, 2, 1>(4, 0);
    let sums = sums.select::<2, 1, 2, 1>(0, 0) + sums.select::<2, 1, 2, 1>(2, 0);
    table.write_scattered(chunk * 512 + 510, &Vector::from_array([0u32, 1]), &(sums.row(0) + sums.row(1)));
}

/// Replaces each tuple by the sum of all tuples up to it. The last tuples of chunks already contain such
/// sums.
#[kernel]
pub fn cmk_prefix(table: &mut Buffer<u32>) {
    let chunk = thread_origin_x() + thread_origin_y() * WIDTH;
    let mut sum = Vector::<u32, 2>::splat(0);
    if chunk > 0 {
        sum = table.read_scattered(chunk * 512 - 2, &Vector::from_array([0u32, 1]));
    }
    for group in 0..8 {
        let at = chunk * 2048 + group * 256;
        let mut tuples = table.read_linear::<64>(at).format::<u32, 32, 2>();
        tuples.row_mut(0) += sum;
        for row in 1..if group == 7 { 31 } else { 32 } {
            tuples.row_mut(row) += tuples.row(row - 1);
        }
        table.write_linear(at, &tuples.format::<u32>());
        sum = tuples.row(31);
    }
}
