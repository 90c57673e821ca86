//! Kernels with SIMD control flow. The scalar meaning of each is in `tests/language/simd.rs`.
//!
//! Each kernel processes one 4 x 16 block of bytes at the position of the thread.

use cm::prelude::*;

/// Lanes of rows of 16: `simd_if!` with both arms and in a chain, on variables and places.
#[kernel]
pub fn simd_branches(input: &Surface2D, output: &mut Surface2D, limit: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let a = t.row(0);
    let mut v: Vector<i32, 16> = t.row(1).convert();
    let mut rounds = 0u32;
    simd_if! { a > limit => {
        v += 7;
        t.row_mut(2).assign(v);
        rounds += 1;
    } else (v & 1) => {
        let doubled = v * 2;
        v = doubled + 1;
        t.row_mut(2) -= 3;
    } else {
        v.assign(-1);
        t.row_mut(2).merge(9, &(a > 3));
        rounds += 10;
        simd_if! { a > 3 => {
            v.merge(100, &(a == 5));
        } }
    } }
    t.row_mut(1).assign(v);
    t.row_mut(3) += rounds;
    output.write(x, y, &t);
}

/// A loop in which each lane counts the steps of its Collatz sequence, up to a limit.
#[kernel]
pub fn simd_collatz(input: &Surface2D, output: &mut Surface2D, most: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    for r in 0..4 {
        let mut n: Vector<u32, 16> = t.row(r).convert();
        let mut steps = Vector::<u32, 16>::splat(0);
        simd_while! { n > 1 => {
            steps += 1;
            simd_if! { steps > most => {
                break;
            } }
            simd_if! { n & 1 => {
                n = n * 3 + 1;
                simd_if! { n > 5000 => {
                    steps = Vector::<u32, 16>::splat(255);
                    break;
                } }
                continue;
            } }
            n >>= 1;
        } }
        t.row_mut(r).assign(steps);
    }
    output.write(x, y, &t);
}

/// Nested loops over the lanes of a 4 x 8 matrix, inside of a staged loop and with reductions of the active
/// lanes.
#[kernel]
pub fn simd_nested(input: &Surface2D, output: &mut Surface2D, count: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let mut left: Matrix<i16, 4, 8> = t.select::<4, 1, 8, 1>(0, 0).convert();
    let right: Matrix<i16, 4, 8> = t.select::<4, 1, 8, 1>(0, 8).convert();
    let mut sum = Matrix::<i16, 4, 8>::splat(0);
    let mut any_large = 0u32;
    let mut all_large = 0u32;
    for i in 0..count {
        simd_if! { left > i => {
            let mut inner = right & 15;
            simd_while! { inner > 0 => {
                inner -= 3;
                simd_if! { sum > 300 => {
                    break;
                } else (inner & 3) == 2 => {
                    continue;
                } }
                sum += inner;
                simd_if! { (inner > 9).any() => {
                    any_large += 1;
                } }
                simd_if! { (sum > 20).all() => {
                    all_large += 1;
                } }
            } }
            left -= right;
        } }
        if (sum > 900).any() {
            break;
        }
    }
    t.select_mut::<4, 1, 8, 1>(0, 0).assign(sum);
    t.select_mut::<4, 1, 8, 1>(0, 8).assign(left);
    t.get_mut(0, 0).assign(any_large);
    t.get_mut(0, 1).assign(all_large);
    output.write(x, y, &t);
}

/// Sums, minima and maxima of the active lanes, for integers and floats.
#[kernel]
pub fn simd_reductions(input: &Surface2D, output: &mut Surface2D, limit: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let a = t.row(0);
    let signed: Vector<i16, 16> = (t.row(1) - 128).convert();
    let floats: Vector<f32, 16> = (t.row(1) * -0.5f32).convert();
    let mut numbers = Vector::<i32, 16>::splat(0);
    simd_if! { a > limit => {
        numbers.get_mut(0).assign(math::sum::<i32, _>(a));
        numbers.get_mut(1).assign(math::reduced_min::<i32, _>(signed));
        numbers.get_mut(2).assign(math::reduced_max::<i32, _>(signed));
        numbers.get_mut(3).assign(math::reduced_min::<u8, _>(a));
        numbers.get_mut(4).assign(math::sum_sat::<u8, _>(a));
        let least = math::reduced_min::<f32, _>(floats);
        numbers.get_mut(5).assign(least);
        let largest = math::reduced_max::<f32, _>(floats);
        numbers.get_mut(6).assign(largest);
        numbers.get_mut(7).assign(math::sum::<f32, _>(floats));
    } }
    t.row_mut(2).assign(numbers);
    t.row_mut(3).assign(numbers >> 8);
    output.write(x, y, &t);
}

/// Two, four and 32 lanes, scalars as conditions inside, and a function.
#[kernel]
pub fn simd_lanes(input: &Surface2D, output: &mut Surface2D, by: i32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let two = t.row(0).select::<2, 1>(0);
    let mut pair = Vector::<u8, 2>::splat(1);
    simd_if! { two > 100 => {
        pair += 1;
        simd_if! { by > 3 => { pair += two; } else { pair -= two; } }
    } }
    t.row_mut(0).select_mut::<2, 1>(0).assign(pair);
    limited::<4>(&mut t, by);
    let all: Vector<u8, 32> = t.select::<2, 1, 16, 1>(2, 0).format::<u8>();
    let mut flag = false;
    let mut place = t.select::<2, 1, 16, 1>(2, 0).format::<u8>();
    simd_if! { all < 77 => {
        place.assign(all + 1);
        flag = true;
    } else {
        place.assign(by);
    } }
    t.row_mut(2).assign(place.select::<16, 1>(0));
    t.row_mut(3).assign(place.select::<16, 1>(16));
    if flag {
        t.get_mut(1, 15).assign(1);
    }
    output.write(x, y, &t);
}

/// With a size parameter.
#[function]
fn limited<const N: usize>(t: &mut Matrix<u8, 4, 16>, by: i32) {
    let mut v: Vector<i16, N> = t.row(1).select::<N, 1>(4).convert();
    simd_while! { v > 50 => {
        v -= by + 1;
    } }
    t.row_mut(1).select_mut::<N, 1>(4).assign(v);
}

/// Variables behind references, and a loop that only `return` leaves.
#[kernel]
pub fn simd_references(input: &Surface2D, output: &mut Surface2D, limit: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let mut chosen: Vector<i32, 16> = t.row(0).convert();
    larger(&mut chosen, t.row(1).convert());
    t.row_mut(2).assign(chosen);
    t.row_mut(3).assign(Vector::<u32, 16>::splat(power_above(limit)));
    output.write(x, y, &t);
}

#[function]
fn larger(chosen: &mut Vector<i32, 16>, x: Vector<i32, 16>) {
    simd_if! { x > 100 => {
        (*chosen).assign(x);
    } else (x == 5) => {
        (chosen.select_mut::<16, 1>(0)).assign(x + 1);
    } }
}

#[function]
fn power_above(n: u32) -> u32 {
    let mut power = 1u32;
    loop {
        if power > n {
            return power;
        }
        power *= 2;
    }
}

/// Masked and byte-addressed scattered accesses of the active lanes.
#[kernel]
pub fn simd_masked(values: &Buffer<u32>, output: &mut Buffer<u32>, counts: &mut Buffer<u32>, limit: u32) {
    let lanes: Vector<u32, 8> = Vector::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let v = values.read_scattered(0, &lanes);
    simd_if! { v > limit => {
        output.write_scaled(4, &(lanes * 4), &v);
        output.write_scaled_masked(0x0f, 64, &(lanes * 4), &v);
        counts.write_atomic_masked(&(v & 1), atomic::Inc, &(lanes & 3));
    } else {
        output.write_scattered_masked(&(v & 1), 9, &lanes, &(v + 1));
    } }
}

/// Scattered accesses of the active lanes.
#[kernel]
pub fn simd_scattered(values: &Buffer<u32>, output: &mut Buffer<u32>, counts: &mut Buffer<u32>, limit: u32) {
    let lanes: Vector<u32, 8> = Vector::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let base = (thread_origin_x() + thread_origin_y() * 2) * 8;
    let mut v = values.read_scattered(base, &lanes);
    simd_while! { v > limit => {
        output.write_scattered(base, &lanes, &v);
        counts.write_atomic(atomic::Inc, &(lanes & 3));
        v = v >> 1;
        simd_if! { v == 77 => {
            let old = counts.fetch_atomic(atomic::Add(&v), &Vector::<u32, 8>::splat(4));
            v = old & 0;
        } }
    } }
}
