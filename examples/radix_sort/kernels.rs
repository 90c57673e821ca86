//! The kernels of CM's tutorial 13.

use cm::prelude::*;

/// Numbers of a thread.
pub const CHUNK: usize = 256;
/// Threads of a row of the thread space.
pub const WIDTH: u32 = 512;

/// Counts how many numbers of each thread have 0, 1, 2 and 3 in the two bits from bit `n` on.
#[kernel]
pub fn cmk_radix_count(input: &Buffer<u32>, counts: &mut Buffer<u32>, n: u32) {
    let thread = thread_origin_x() + thread_origin_y() * WIDTH;
    let numbers = input.read_linear::<256>(thread * 1024);
    // Each lane has its own counter, so no lane waits for another.
    let mut counters = Matrix::<u16, 4, 32>::splat(0);
    for window in 0..8 {
        let bin = (numbers.select::<32, 1>(window * 32) >> n) & 3;
        for k in 0..4 {
            let mut more = counters.row(k);
            more += 1;
            counters.row_mut(k).merge(more, &(bin == k));
        }
    }
    // All four rows at once: an instruction can add more elements than one row has.
    let sums = counters.select::<4, 1, 16, 1>(0, 0) + counters.select::<4, 1, 16, 1>(0, 16);
    let sums = sums.select::<4, 1, 8, 1>(0, 0) + sums.select::<4, 1, 8, 1>(0, 8);
    let sums = sums.select::<4, 1, 4, 1>(0, 0) + sums.select::<4, 1, 4, 1>(0, 4);
    let sums = sums.select::<4, 1, 2, 1>(0, 0) + sums.select::<4, 1, 2, 1>(0, 2);
    let sums: Matrix<u32, 4, 1> = (sums.column(0) + sums.column(1)).convert();
    counts.write(thread * 16, &sums.format::<u32>());
}

/// Moves each number to its bin, after the earlier numbers of the bin. `ends` contains the counts of
/// [`cmk_radix_count`], added up to and including each thread; `starts` contains the start of each bin.
#[kernel]
pub fn cmk_radix_bucket(
    input: &Buffer<u32>,
    ends: &Buffer<u32>,
    output: &mut Buffer<u32>,
    starts: Vector<u32, 4>,
    n: u32,
) {
    let thread = thread_origin_x() + thread_origin_y() * WIDTH;
    let numbers = input.read_linear::<256>(thread * 1024);
    let mut next = starts;
    if thread > 0 {
        next += ends.read::<4>((thread - 1) * 16);
    }
    for window in 0..8 {
        let window = numbers.select::<32, 1>(window * 32);
        let bin = (window >> n) & 3;
        let mut places = Matrix::<u16, 4, 32>::splat(0);
        for k in 0..4 {
            places.row_mut(k).assign(bin == k);
        }
        counted(&mut places);
        let mut to = Vector::<u32, 32>::splat(0);
        for k in 0..4 {
            to.merge(places.row(k) + next.get(k) - 1, &(bin == k));
            next.get_mut(k) += math::cbit(math::pack_mask(bin == k));
        }
        for half in [0, 16] {
            output.write_scattered(0, &to.select::<16, 1>(half), &window.select::<16, 1>(half));
        }
    }
}

/// The prefix sums of each row: of pairs, then of four elements, of eight, and so on.
#[function]
fn counted(places: &mut Matrix<u16, 4, 32>) {
    places.select_mut::<4, 1, 16, 2>(0, 1) += places.select::<4, 1, 16, 2>(0, 0);
    places.select_mut::<4, 1, 8, 4>(0, 2) += places.select::<4, 1, 8, 4>(0, 1);
    places.select_mut::<4, 1, 8, 4>(0, 3) += places.select::<4, 1, 8, 4>(0, 1);
    // Four words are added as one 64-bit number. None of them exceeds 32, so there is no carry.
    let fourth = places.replicate::<16, 8, 4, 0>(0, 3).format::<u64, 4, 4>();
    places.format_mut::<u64, 4, 8>().select_mut::<4, 1, 4, 2>(0, 1) += fourth;
    for row in 0..4 {
        places.row_mut(row).select_mut::<8, 1>(8) += places.get(row, 7);
        places.row_mut(row).select_mut::<8, 1>(24) += places.get(row, 23);
        places.row_mut(row).select_mut::<16, 1>(16) += places.get(row, 15);
    }
}
