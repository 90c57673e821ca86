//! The kernels of CM's tutorial 12.

use cm::prelude::*;

/// Numbers that a thread sorts in registers.
pub const BASE: usize = 256;
/// Threads of a row of the thread space.
pub const WIDTH: u32 = 512;

/// For each number of a window: whether it is the upper (1) or the lower one of two numbers that are `1 << exponent`
/// apart.
#[function]
fn upper(exponent: usize) -> Vector<u16, 32> {
    let mut numbers = Vector::<u16, 32>::splat(0);
    numbers.vector_assign(0, 1);
    ((numbers >> exponent) & 1).convert()
}

/// Sorts runs of 256 numbers, alternately ascending and descending.
#[kernel]
pub fn cmk_bitonic_sort_256(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let thread = thread_origin_x() + thread_origin_y() * WIDTH;
    let mut numbers = input.read_linear::<256>(thread * 1024);
    // Loops over windows are staged: unrolled, they would take the compiler seconds.
    let mut at = 0u32;
    while at < 256 {
        let mut window = numbers.select::<32, 1>(at);
        for stage in 0..4 {
            for exponent in (0..=stage).rev() {
                // A run of `2 << stage` numbers is ascending, the next one descending.
                let mask = (upper(exponent) ^ upper(stage + 1)).convert::<u16>();
                window = exchanged(window, 1 << exponent, mask);
            }
        }
        numbers.select_mut::<32, 1>(at).assign(window);
        at += 32;
    }
    let mut stage = 4u32;
    while stage < 8 {
        bitonic_merge(thread * 256, &mut numbers, stage, stage);
        stage += 1;
    }
    output.write_linear(thread * 1024, &numbers);
}

/// Merges two halves of bitonic runs of `2 << n` numbers, for runs of `2 << m` numbers that are alternately
/// ascending and descending: a thread processes 256 numbers of the lower half, and those `1 << n` further in
/// the upper half.
#[kernel]
pub fn cmk_bitonic_merge(numbers: &mut Buffer<u32>, n: u32, m: u32) {
    let thread = thread_origin_x() + thread_origin_y() * WIDTH;
    let threads = n - 8; // of a half, as an exponent
    let offset = ((thread >> threads) << (n + 1)) + (thread & ((1 << threads) - 1)) * 256;
    let other = offset + (1 << n);
    let mut a = numbers.read_linear::<256>(offset * 4);
    let mut b = numbers.read_linear::<256>(other * 4);
    let down = (offset >> (m + 1)) & 1;
    let mut at = 0u32;
    while at < 256 {
        let (x, y) = (a.select::<32, 1>(at), b.select::<32, 1>(at));
        let (least, most) = (math::min::<u32, _>(x, y), math::max::<u32, _>(x, y));
        if down == 0 {
            a.select_mut::<32, 1>(at).assign(least);
            b.select_mut::<32, 1>(at).assign(most);
        } else {
            a.select_mut::<32, 1>(at).assign(most);
            b.select_mut::<32, 1>(at).assign(least);
        }
        at += 32;
    }
    if n == 8 {
        bitonic_merge(offset, &mut a, 7, m);
        bitonic_merge(other, &mut b, 7, m);
    }
    numbers.write_linear(offset * 4, &a);
    numbers.write_linear(other * 4, &b);
}

/// Merges in registers numbers that are `1 << n` apart, then half as many, and so on. The first number has
/// the global index `offset`; runs of `2 << m` numbers are alternately ascending and descending.
#[function]
fn bitonic_merge(offset: u32, numbers: &mut Vector<u32, 256>, n: u32, m: u32) {
    let mut distance = 1u32 << n;
    while distance >= 16 {
        let mut low = 0u32;
        while low < 256 {
            let down = ((offset + low) >> (m + 1)) & 1;
            let (x, y) = (numbers.select::<16, 1>(low), numbers.select::<16, 1>(low + distance));
            let (least, most) = (math::min::<u32, _>(x, y), math::max::<u32, _>(x, y));
            if down == 0 {
                numbers.select_mut::<16, 1>(low).assign(least);
                numbers.select_mut::<16, 1>(low + distance).assign(most);
            } else {
                numbers.select_mut::<16, 1>(low).assign(most);
                numbers.select_mut::<16, 1>(low + distance).assign(least);
            }
            // The next 16 numbers of the lower half, or those after the upper half.
            low += 16;
            if low & distance != 0 {
                low += distance;
            }
        }
        distance = distance / 2;
    }
    let mut at = 0u32;
    while at < 256 {
        let down = ((offset + at) >> (m + 1)) & 1;
        let mut window = numbers.select::<32, 1>(at);
        for exponent in (0..4).rev() {
            let mask = (upper(exponent) ^ down).convert::<u16>();
            window = exchanged(window, 1 << exponent, mask);
        }
        numbers.select_mut::<32, 1>(at).assign(window);
        at += 32;
    }
}

/// The minimum of each number and the one at `distance`, or the maximum where the mask is 1.
#[function]
fn exchanged(window: Vector<u32, 32>, distance: usize, flip: Vector<u16, 32>) -> Vector<u32, 32> {
    let mut other = window;
    if distance == 1 {
        other.select_mut::<16, 2>(0).assign(window.select::<16, 2>(1));
        other.select_mut::<16, 2>(1).assign(window.select::<16, 2>(0));
    } else if distance == 2 {
        // Two numbers move as one 64-bit number: an instruction moves four times as many numbers as with two
        // strides.
        let pairs = window.format::<u64>();
        other.format_mut::<u64>().select_mut::<8, 2>(0).assign(pairs.select::<8, 2>(1));
        other.format_mut::<u64>().select_mut::<8, 2>(1).assign(pairs.select::<8, 2>(0));
    } else if distance == 4 {
        let rows = window.format::<u32, 4, 8>();
        other
            .format_mut::<u32, 4, 8>()
            .select_mut::<4, 1, 4, 1>(0, 0)
            .assign(rows.select::<4, 1, 4, 1>(0, 4));
        other
            .format_mut::<u32, 4, 8>()
            .select_mut::<4, 1, 4, 1>(0, 4)
            .assign(rows.select::<4, 1, 4, 1>(0, 0));
    } else {
        for at in [0, 16] {
            other.select_mut::<8, 1>(at).assign(window.select::<8, 1>(at + 8));
            other.select_mut::<8, 1>(at + 8).assign(window.select::<8, 1>(at));
        }
    }
    other.merge(window, &((window < other) ^ flip));
    other
}
