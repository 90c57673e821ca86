//! The result of each built-in for one work item, computed with scalars.

use cm::prelude::*;
use cm_test_support::noise::stream;

/// An element as the model computes with it.
pub(crate) trait Number: Elem {
    const LOWEST: Self;
    const HIGHEST: Self;
    fn plus(self, other: Self) -> Self;
    /// A value from random bits: all integers, finite floats.
    fn random(bits: u64) -> Self;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Number for $t {
            const LOWEST: Self = $t::MIN;
            const HIGHEST: Self = $t::MAX;
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn random(bits: u64) -> Self {
                // Some small numbers, so that there are equal values.
                if bits % 3 == 0 { (bits >> 8 & 7) as $t } else { (bits >> 3) as $t }
            }
        }
    )*};
}

integers! { i32 u32 i64 u64 }

impl Number for f16 {
    const LOWEST: Self = f16::NEG_INFINITY;
    const HIGHEST: Self = f16::INFINITY;
    fn plus(self, other: Self) -> Self {
        // Exact except for one rounding: 24 bits contain everything that decides the rounding of the sum of
        // two halves.
        f16::from_f32(self.to_f32() + other.to_f32())
    }
    fn random(bits: u64) -> Self {
        f16::from_f32((bits as i16 as f32) / [1.0, 64.0, 4096.0, 3.0e7][(bits >> 16) as usize % 4])
    }
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Number for $t {
            const LOWEST: Self = $t::NEG_INFINITY;
            const HIGHEST: Self = $t::INFINITY;
            fn plus(self, other: Self) -> Self {
                self + other
            }
            fn random(bits: u64) -> Self {
                (bits as i32 as $t) / [1.0, 1.0e5, 3.0e9, 7.0e-6][(bits >> 32) as usize % 4]
            }
        }
    )*};
}

floats! { f32 f64 }

/// Values of `count` work items.
pub(crate) fn values<T: Number>(count: usize, seed: u32) -> Vec<T> {
    let mut next = stream(seed);
    (0..count).map(|_| T::random(u64::from(next()) << 32 | u64::from(next()))).collect()
}

/// A register with the elements of the work items.
pub(crate) fn register<T: Number, const N: usize>(elements: &[T]) -> Vector<T, N> {
    Vector::constant_any(std::array::from_fn(|id| elements[id]))
}

/// A row of the output of a kernel: the results of `size` work items.
pub(crate) fn row<T>(size: usize, of: impl Fn(usize) -> T) -> Vec<T> {
    (0..size).map(of).collect()
}

/// Ids of work items: valid, just out of range, far out of range.
pub(crate) fn numbers(count: usize, size: usize, seed: u32) -> Vec<u32> {
    let mut next = stream(seed);
    let size = size as u32;
    let outside = [size, size + 1, 2 * size - 1, 2 * size, 2 * size + 5, u32::MAX, u32::MAX - 7, 1 << 31];
    (0..count)
        .map(|_| match next() % 3 {
            0 => outside[next() as usize % outside.len()],
            _ => next() % size,
        })
        .collect()
}

/// Combines two values; the left one is from work items with lower ids.
pub(crate) type Op<T> = fn(T, T) -> T;

pub(crate) fn add<T: Number>(left: T, right: T) -> T {
    left.plus(right)
}

pub(crate) fn min<T: Number>(left: T, right: T) -> T {
    if right < left || left.partial_cmp(&left).is_none() { right } else { left }
}

pub(crate) fn max<T: Number>(left: T, right: T) -> T {
    if right > left || left.partial_cmp(&left).is_none() { right } else { left }
}

/// The reduction of all work items: integers in any order, floats by combining the lower half with the upper
/// half.
pub(crate) fn reduce<T: Number>(op: Op<T>, x: &[T]) -> T {
    if !T::TYPE.is_float() {
        return x[1..].iter().fold(x[0], |sum, x| op(sum, *x));
    }
    // The value of work item `id` when `count` are left.
    fn of<T: Number>(op: Op<T>, x: &[T], id: usize, count: usize) -> T {
        if count == x.len() {
            return x[id];
        }
        op(of(op, x, id, count * 2), of(op, x, id + count, count * 2))
    }
    of(op, x, 0, 1)
}

/// The scan up to `id`: integers one after the other, floats in steps of 1, 2, 4, ..
pub(crate) fn scan<T: Number>(op: Op<T>, x: &[T], id: usize) -> T {
    if !T::TYPE.is_float() {
        return x[1..=id].iter().fold(x[0], |sum, x| op(sum, *x));
    }
    // The value after the steps below `distance`.
    fn of<T: Number>(op: Op<T>, x: &[T], id: usize, distance: usize) -> T {
        if distance == 1 {
            return x[id];
        }
        let step = distance / 2;
        let mine = of(op, x, id, step);
        if id < step { mine } else { op(of(op, x, id - step, step), mine) }
    }
    of(op, x, id, x.len())
}

/// The scan of the work items before `id`.
pub(crate) fn scan_before<T: Number>(op: Op<T>, identity: T, x: &[T], id: usize) -> T {
    if id == 0 { identity } else { scan(op, x, id - 1) }
}

pub(crate) fn shuffle<T: Copy>(data: &[T], number: u32) -> T {
    data.get(number as usize).copied().unwrap_or(data[data.len() - 1])
}

pub(crate) fn shuffle_down<T: Copy>(current: &[T], next: &[T], id: usize, delta: u32) -> T {
    let size = current.len() as u32;
    let index = (id as u32).wrapping_add(delta);
    if index < size {
        current[index as usize]
    } else if index < 2 * size {
        next[(index - size) as usize]
    } else {
        next[next.len() - 1]
    }
}

pub(crate) fn shuffle_up<T: Copy>(previous: &[T], current: &[T], id: usize, delta: u32) -> T {
    let size = current.len() as i32;
    let index = (id as u32).wrapping_sub(delta) as i32;
    if (0..size).contains(&index) {
        current[index as usize]
    } else if (-size..0).contains(&index) {
        previous[(index + size) as usize]
    } else {
        current[current.len() - 1]
    }
}

pub(crate) fn shuffle_xor<T: Copy>(data: &[T], id: usize, value: u32) -> T {
    shuffle(data, id as u32 ^ value)
}
