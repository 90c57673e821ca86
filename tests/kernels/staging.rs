//! Kernels that use every form of control flow and of assignment, with the scalar meaning of each.
//!
//! Each kernel processes one 4 x 16 block of bytes at the position of the thread.

use cm::prelude::*;

/// The block.
pub type Tile = Matrix<u8, 4, 16>;

/// A data-dependent `if` without a value: darkens blocks with a bright texel.
#[kernel]
pub fn darken_bright(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t: Tile = input.read::<u8, 4, 16>(x, y);
    if (t > 200).any() {
        t.assign(t >> 1);
    } else if (t > 100).all() {
        t += 1;
    }
    output.write(x, y, &t);
}

/// A data-dependent `while`: halves the block until no element exceeds the limit.
#[kernel]
pub fn halve_until(input: &Surface2D, output: &mut Surface2D, limit: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let mut rounds = 0;
    while (t > limit).any() && rounds < 8 {
        t.assign(t / 2);
        rounds += 1;
    }
    t.get_mut(0, 0).assign(rounds);
    output.write(x, y, &t);
}

/// A data-dependent `for`, with a staged row index that may be out of range.
#[kernel]
pub fn add_rows(input: &Surface2D, output: &mut Surface2D, count: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    for i in 0..count {
        t.row_mut(i) += i + 1;
    }
    output.write(x, y, &t);
}

/// `if` with a value on a staged and on a host condition, nested, with numbers and with registers.
#[kernel]
pub fn choose(input: &Surface2D, output: &mut Surface2D, threshold: i32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let t = input.read::<u8, 4, 16>(x, y);
    let first = t.get(0, 0);
    let step = if first > threshold { if first > 2 * threshold { 5 } else { 3 } } else { 1 };
    let rows = 4;
    let chosen = if rows == 4 { t + step } else { t - step };
    let result: Tile = if chosen.all() { chosen.convert() } else { Tile::splat(9) };
    output.write(x, y, &result);
}

/// Host loops are unrolled, host conditions are decided while recording, names are shadowed, and copies are
/// independent values.
#[kernel]
pub fn unrolled(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let before = t;
    for i in 0..4 {
        if i % 2 == 0 {
            t.row_mut(i).assign(before.row(3 - i));
        } else {
            let t = before.row(i);
            let _ = t;
        }
    }
    t += 1;
    let t2: Tile = (before + t).convert();
    for (i, weight) in [1, 2, 3].into_iter().enumerate() {
        t.row_mut(i) += t2.row(i) * weight;
    }
    output.write(x, y, &t);
}

/// Casts of a host number whose type rustc learns later, from the offset.
#[kernel]
pub fn swapped_halves(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = Matrix::<u8, 4, 16>::splat(0);
    for half in 0..2 {
        t.select_mut::<4, 1, 8, 1>(0, 8 - half as usize * 8).assign(input.read::<u8, 4, 8>(x + half * 8, y));
    }
    output.write(x, y, &t);
}

/// A helper with a mutable reference, a number, and constants.
#[function]
pub fn brighten<const R: usize, const C: usize>(m: &mut Matrix<u8, R, C>, mut by: i32) -> bool {
    by += 1;
    *m += by;
    let bright = *m;
    (bright > 128).any()
}

/// Helpers, flags, tuples, casts, `let mut` of everything.
#[kernel]
pub fn helpers(input: &Surface2D, output: &mut Surface2D, gain: f32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let mut bright = brighten(&mut t, 3);
    let scaled = |v: f32| -> f32 { v * gain };
    let (mut low, high) = (t.get(1, 1), t.get(2, 2));
    if !bright || low < high {
        low = high;
        bright = true;
    }
    let factor: f32 = 2.5;
    let size: usize = 2;
    let mut row = 0usize;
    while row < size {
        t.row_mut(row).assign(t.row(row + 2));
        row += 1;
    }
    if bright {
        t.select_mut::<1, 1, 4, 1>(3, 0).assign(scaled(factor));
        t.get_mut(3, 5).assign(low);
        t.get_mut(3, 6).assign(high as i32 - 1);
    }
    output.write(x, y, &t);
}

/// Numbers on the left of registers, and methods called on the results.
#[kernel]
pub fn negative(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let t = input.read::<u8, 4, 16>(x, y);
    let mut inverse: Tile = (255 - t).convert();
    inverse.row_mut(0).assign((2 * (7 & t.row(0)) + 1).saturate::<u8>());
    inverse.row_mut(1).assign(((100.0f32 - t.row(1)) * 0.5f32).convert::<i16>());
    for i in 2..4 {
        inverse.row_mut(i).assign((3 * i - 2 + t.row(i)).convert::<u8>());
    }
    output.write(x, y, &inverse);
}

/// Copies of variables in every form: each keeps the value at the time of the copy.
#[kernel]
pub fn copies(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 16>(x, y);
    let mut pair = (0u32, 1u32);
    let start = pair.0;
    let cloned = m.clone();
    let reference = &m;
    let through = *reference;
    let held = Held { m, n: 3 };
    for _ in 0..thread_origin_x() + 1 {
        pair = (pair.0 + 1, pair.1 * 2);
    }
    m += start + pair.1;
    let changed = increased(&mut m);
    let sum: Tile = (cloned + through + held.m * held.n + changed + same(&m) + m).convert();
    output.write(x, y, &sum);
}

struct Held<T> {
    m: T,
    n: i32,
}

#[function]
fn same(m: &Matrix<u8, 4, 16>) -> Matrix<u8, 4, 16> {
    let a = *m;
    a
}

#[function]
fn increased(m: &mut Matrix<u8, 4, 16>) -> Matrix<u8, 4, 16> {
    let old = m.clone();
    *m += 1;
    old
}
