//! The kernels of CM's examples of histograms.

use cm::prelude::*;

/// Threads that count.
pub const THREADS: u32 = 60;
/// Threads that add what these counted, five of them each.
pub const ADDERS: u32 = 12;

/// CM's `histogram`: every 60th block of 8 rows of 32 texels for each thread, counted in registers, to a row of
/// `counts` for each thread.
#[kernel]
pub fn histogram(input: &Surface2D, counts: &mut Buffer<i32>, across: u32, blocks: u32) {
    let thread = thread_origin_x();
    counts.write_linear(thread * 1024, &counted(input, thread, across, blocks));
}

/// CM's `histogram_atomic`: as `histogram`, but the threads add to the same counters.
#[kernel]
pub fn histogram_atomic(input: &Surface2D, bins: &mut Buffer<i32>, across: u32, blocks: u32) {
    let counts = counted(input, thread_origin_x(), across, blocks);
    let mut at: Vector<u32, 8> = Vector::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    for first in (0..256).step_by(8) {
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

/// CM's `sum`: every twelfth row of `counts` added for each thread.
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

/// CM's `final_sum`: all rows of `sums` added by one thread.
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

/// CM's `histogram_256_slm`: a group counts in shared local memory, a strip of 32 columns and 512 rows; its 8 threads
/// have 64 rows each.
#[kernel]
pub fn histogram_slm(input: &Surface2D, bins: &mut Buffer<i32>, height: u32) {
    let counts = slm::<i32, 256>();
    let thread = local_id(0);
    counts.write(thread * 128, &Vector::<i32, 32>::splat(0));
    barrier();
    let first = group_id(1) * 512 + thread * 64;
    let mut row = first;
    // Rows below the picture would repeat its last one.
    while row < first + 64 && row < height {
        let texels = input.read::<u8, 8, 32>(group_id(0) * 32, row);
        for n in 0..8 {
            counts.write_atomic(atomic::Inc, &texels.row(n).select::<16, 1>(0));
            counts.write_atomic(atomic::Inc, &texels.row(n).select::<16, 1>(16));
        }
        row += 8;
    }
    barrier();
    let mut at = Vector::<u32, 8>::splat(0);
    at.vector_assign(thread * 32, 1);
    for part in 0..4 {
        bins.write_atomic(atomic::Add(&counts.read::<8>(thread * 128 + part * 32)), &at);
        at += 8;
    }
}
