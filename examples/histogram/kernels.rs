//! The kernels of CM's examples of histograms.

use cm::prelude::*;

/// Threads that count.
pub const THREADS: u32 = 60;
/// Threads that add up the counts, those of five threads each.
pub const ADDERS: u32 = 12;

/// CM's `histogram`: each thread counts every 60th block of 8 rows of 32 texels in registers, and writes a
/// row of `counts`.
#[kernel]
pub fn histogram(input: &Surface2D, counts: &mut Buffer<i32>, across: u32, blocks: u32) {
    let thread = thread_origin_x();
    counts.write_linear(thread * 1024, &counted(input, thread, across, blocks));
}

/// CM's `histogram_atomic`: like `histogram`, but the threads add to the same counters.
#[kernel]
pub fn histogram_atomic(input: &Surface2D, bins: &mut Buffer<i32>, across: u32, blocks: u32) {
    add(bins, &counted(input, thread_origin_x(), across, blocks));
}

/// CM's `histogram_256` and `histogram_64`: each thread counts a tile of 32 columns and 64 rows in `BINS`
/// registers, and adds to the same counters. With 64 counters, each is for four greys.
#[kernel]
pub fn histogram_tiles<const BINS: usize>(input: &Surface2D, bins: &mut Buffer<i32>, height: u32) {
    let mut counts = Vector::<i32, BINS>::splat(0);
    let mut row = thread_origin_y() * 64;
    let end = math::min::<u32, _>(row + 64, height);
    while row < end {
        let texels = input.read::<u8, 8, 32>(thread_origin_x() * 32, row);
        for n in 0..8 {
            for column in 0..32 {
                counts.get_mut(texels.get(n, column) >> greys(BINS)) += 1;
            }
        }
        row += 8;
    }
    add(bins, &counts);
}

/// How far greys are shifted right for this number of counters.
const fn greys(bins: usize) -> u32 {
    8 - bins.ilog2()
}

/// Adds the counts of a thread.
#[function]
fn add<const BINS: usize>(bins: &mut Buffer<i32>, counts: &Vector<i32, BINS>) {
    let mut at: Vector<u32, 8> = Vector::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    for first in (0..BINS).step_by(8) {
        bins.write_atomic(atomic::Add(&counts.select::<8, 1>(first)), &at);
        at += 8;
    }
}

#[function]
fn counted(input: &Surface2D, first: u32, across: u32, blocks: u32) -> Vector<i32, 256> {
    let mut counts = Vector::<i32, 256>::splat(0);
    let mut block = first;
    while block < blocks {
        let texels = input.read::<u8, 8, 32>(block % across * 32, block / across * 8);
        let mut row = 0u32;
        while row < 8 {
            for column in 0..32 {
                counts.get_mut(texels.get(row, column)) += 1;
            }
            row += 1;
        }
        block += THREADS;
    }
    counts
}

/// CM's `sum`: each thread adds every twelfth row of `counts`.
#[kernel]
pub fn sum(counts: &Buffer<i32>, sums: &mut Buffer<i32>) {
    let thread = thread_origin_x();
    let mut sum = Vector::<i32, 256>::splat(0);
    let mut row = thread;
    while row < THREADS {
        sum += counts.read_linear::<256>(row * 1024);
        row += ADDERS;
    }
    sums.write_linear(thread * 1024, &sum);
}

/// CM's `final_sum`: one thread adds all rows of `sums`.
#[kernel]
pub fn final_sum(sums: &Buffer<i32>, bins: &mut Buffer<i32>) {
    let mut sum = Vector::<i32, 256>::splat(0);
    let mut row = 0u32;
    while row < ADDERS {
        sum += sums.read_linear::<256>(row * 1024);
        row += 1;
    }
    bins.write_linear(0, &sum);
}

/// CM's `histogram_256_slm` and `histogram_64_slm`: a group counts a strip of 32 columns and 512 rows in
/// shared local memory; each of its 8 threads processes 64 rows.
#[kernel]
pub fn histogram_slm<const BINS: usize>(input: &Surface2D, bins: &mut Buffer<i32>, height: u32) {
    let counts = slm::<i32, BINS>();
    let thread = local_id(0);
    let own = BINS / 8;
    for first in (0..own).step_by(8) {
        counts.write((thread * own + first) * 4, &Vector::<i32, 8>::splat(0));
    }
    barrier();
    let first = group_id(1) * 512 + thread * 64;
    let mut row = first;
    // Reads below the picture would repeat its last row.
    while row < first + 64 && row < height {
        let texels = input.read::<u8, 8, 32>(group_id(0) * 32, row);
        let bin: Matrix<u8, 8, 32> = (texels >> greys(BINS)).convert();
        for n in 0..8 {
            counts.write_atomic(atomic::Inc, &bin.row(n).select::<16, 1>(0));
            counts.write_atomic(atomic::Inc, &bin.row(n).select::<16, 1>(16));
        }
        row += 8;
    }
    barrier();
    let mut at = Vector::<u32, 8>::splat(0);
    at.vector_assign(thread * own, 1);
    for first in (0..own).step_by(8) {
        bins.write_atomic(atomic::Add(&counts.read::<8>((thread * own + first) * 4)), &at);
        at += 8;
    }
}
