//! The kernels of `plain.c`, as a CM programmer writes them first.

use cm::prelude::*;

/// Gradients of 3 x 3 bytes (Sobel): the sum of their sizes, limited.
#[kernel]
pub fn gradients(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 10, 18>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let m: Matrix<i16, 10, 18> = block.convert();
    let across: Matrix<i16, 8, 16> = (m.select::<8, 1, 16, 1>(0, 2) - m.select::<8, 1, 16, 1>(0, 0)
        + (m.select::<8, 1, 16, 1>(1, 2) - m.select::<8, 1, 16, 1>(1, 0)) * 2
        + (m.select::<8, 1, 16, 1>(2, 2) - m.select::<8, 1, 16, 1>(2, 0)))
    .convert();
    let down: Matrix<i16, 8, 16> = (m.select::<8, 1, 16, 1>(2, 0) - m.select::<8, 1, 16, 1>(0, 0)
        + (m.select::<8, 1, 16, 1>(2, 1) - m.select::<8, 1, 16, 1>(0, 1)) * 2
        + (m.select::<8, 1, 16, 1>(2, 2) - m.select::<8, 1, 16, 1>(0, 2)))
    .convert();
    let size = math::abs::<i16, _>(across) + math::abs::<i16, _>(down);
    output.write(x, y, &size.saturate::<u8>());
}

/// The largest of 3 x 3 bytes.
#[kernel]
pub fn dilate(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 10, 18>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let mut largest: Matrix<u8, 8, 16> = block.select::<8, 1, 16, 1>(0, 0).convert();
    for i in 0..3 {
        for j in 0..3 {
            largest = math::max::<u8, _>(largest, block.select::<8, 1, 16, 1>(i, j));
        }
    }
    output.write(x, y, &largest);
}

/// Five times a byte without its four neighbours.
#[kernel]
pub fn sharpen(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let m = input.read_block::<u8, 10, 18>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let mut sum: Matrix<i16, 8, 16> = (m.select::<8, 1, 16, 1>(1, 1) * 5).convert();
    sum -= m.select::<8, 1, 16, 1>(0, 1);
    sum -= m.select::<8, 1, 16, 1>(1, 0);
    sum -= m.select::<8, 1, 16, 1>(1, 2);
    sum -= m.select::<8, 1, 16, 1>(2, 1);
    output.write(x, y, &sum.saturate::<u8>());
}

/// The smaller ones to the left, by `merge`.
#[function]
fn ordered(a: Matrix<u8, 8, 16>, b: Matrix<u8, 8, 16>) -> (Matrix<u8, 8, 16>, Matrix<u8, 8, 16>) {
    let exchange = b < a;
    let (mut low, mut high) = (a, b);
    low.merge(b, exchange);
    high.merge(a, exchange);
    (low, high)
}

/// The median of 3 x 3 bytes, by exchanges.
#[kernel]
pub fn median(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let m = input.read_block::<u8, 10, 18>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let (a, b) = ordered(m.select::<8, 1, 16, 1>(0, 0), m.select::<8, 1, 16, 1>(0, 1));
    let (b, c) = ordered(b, m.select::<8, 1, 16, 1>(0, 2));
    let (a, b) = ordered(a, b);
    let (d, e) = ordered(m.select::<8, 1, 16, 1>(1, 0), m.select::<8, 1, 16, 1>(1, 1));
    let (e, f) = ordered(e, m.select::<8, 1, 16, 1>(1, 2));
    let (d, e) = ordered(d, e);
    let (g, h) = ordered(m.select::<8, 1, 16, 1>(2, 0), m.select::<8, 1, 16, 1>(2, 1));
    let (h, i) = ordered(h, m.select::<8, 1, 16, 1>(2, 2));
    let (g, h) = ordered(g, h);
    let (_, low) = ordered(a, d);
    let (_, low) = ordered(low, g);
    let (high, _) = ordered(c, f);
    let (high, _) = ordered(high, i);
    let (b, e) = ordered(b, e);
    let (e, _) = ordered(e, h);
    let (_, e) = ordered(b, e);
    let (low, e) = ordered(low, e);
    let (e, _) = ordered(e, high);
    let (_, e) = ordered(low, e);
    output.write(x, y, &e);
}

/// A binomial filter of 5 x 5 floats, the columns and then the rows.
#[kernel]
pub fn blur5(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
    let m = input.read_block::<f32, 12, 12>(x.convert::<i32>() - 8, y.convert::<i32>() - 2);
    let sums = (m.select::<8, 1, 12, 1>(0, 0) + m.select::<8, 1, 12, 1>(4, 0)) * 0.0625f32
        + (m.select::<8, 1, 12, 1>(1, 0) + m.select::<8, 1, 12, 1>(3, 0)) * 0.25f32
        + m.select::<8, 1, 12, 1>(2, 0) * 0.375f32;
    let out = (sums.select::<8, 1, 8, 1>(0, 0) + sums.select::<8, 1, 8, 1>(0, 4)) * 0.0625f32
        + (sums.select::<8, 1, 8, 1>(0, 1) + sums.select::<8, 1, 8, 1>(0, 3)) * 0.25f32
        + sums.select::<8, 1, 8, 1>(0, 2) * 0.375f32;
    output.write(x, y, &out);
}

/// Half of the width and height: means of four.
#[kernel]
pub fn halve(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read::<u8, 8, 32>(x * 2, y * 2);
    let sum = block.select::<4, 2, 16, 2>(0, 0)
        + block.select::<4, 2, 16, 2>(0, 1)
        + block.select::<4, 2, 16, 2>(1, 0)
        + block.select::<4, 2, 16, 2>(1, 1);
    output.write(x, y, &((sum + 2) >> 2).convert::<u8>());
}

/// Twice the width and height: each byte four times.
#[kernel]
pub fn twice(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 16>(x, y);
    let mut out = Matrix::<u8, 8, 32>::splat(0);
    for i in 0..2 {
        for j in 0..2 {
            out.select_mut::<4, 2, 16, 2>(i, j).assign(block);
        }
    }
    output.write(x * 2, y * 2, &out);
}

/// Packed RGB to three planes.
#[kernel]
pub fn planes(input: &Surface2D, luma: &mut Surface2D, cb: &mut Surface2D, cr: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let pixels = input.read_block::<u8, 8, 48>(x * 3, y);
    let r: Matrix<i16, 8, 16> = pixels.select::<8, 1, 16, 3>(0, 0).convert();
    let g: Matrix<i16, 8, 16> = pixels.select::<8, 1, 16, 3>(0, 1).convert();
    let b: Matrix<i16, 8, 16> = pixels.select::<8, 1, 16, 3>(0, 2).convert();
    let bright = (r * 77 + g * 150 + b * 29 + 128) >> 8;
    luma.write(x, y, &bright.convert::<u8>());
    let blue = ((b * 128 - r * 43 - g * 85 + 128) >> 8) + 128;
    cb.write(x, y, &blue.saturate::<u8>());
    let red = ((r * 128 - g * 107 - b * 21 + 128) >> 8) + 128;
    cr.write(x, y, &red.saturate::<u8>());
}

/// Packed Y U Y V to packed R G B A.
#[kernel]
pub fn packed(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let m = input.read::<u8, 4, 32>(x, y);
    let u = m.select::<4, 1, 8, 4>(0, 1) - 128;
    let v = m.select::<4, 1, 8, 4>(0, 3) - 128;
    let mut out = Matrix::<u8, 4, 64>::splat(255);
    for k in 0..2 {
        let bright = (m.select::<4, 1, 8, 4>(0, 2 * k) - 16) * 298 + 128;
        out.select_mut::<4, 1, 8, 8>(0, 4 * k).assign(((bright + v * 409) >> 8).saturate::<u8>());
        out.select_mut::<4, 1, 8, 8>(0, 4 * k + 1)
            .assign(((bright - u * 100 - v * 208) >> 8).saturate::<u8>());
        out.select_mut::<4, 1, 8, 8>(0, 4 * k + 2).assign(((bright + u * 516) >> 8).saturate::<u8>());
    }
    output.write(x * 2, y, &out);
}

/// The upper half of the picture over the lower one, by the fourth byte of each texel.
#[kernel]
pub fn blend(input: &Surface2D, output: &mut Surface2D, rows: u32) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let (over, under) = (input.read::<u8, 4, 32>(x, y), input.read::<u8, 4, 32>(x, y + rows));
    let alpha: Matrix<u16, 4, 8> = over.select::<4, 1, 8, 4>(0, 3).convert();
    let mut out = over;
    for channel in 0..4 {
        let (a, b) = (over.select::<4, 1, 8, 4>(0, channel), under.select::<4, 1, 8, 4>(0, channel));
        let sum = a * alpha + b * (255 - alpha) + 128;
        out.select_mut::<4, 1, 8, 4>(0, channel).assign((sum + (sum >> 8)) >> 8);
    }
    output.write(x, y, &out);
}

/// The Hadamard transform of four blocks of 8 x 8, as `i16`.
#[kernel]
pub fn transform(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
    let mut m: Matrix<i16, 8, 32> = input.read::<u8, 8, 32>(x, y).convert();
    for (a, b) in PAIRS {
        let (left, right) = (m.select::<8, 1, 4, 8>(0, a), m.select::<8, 1, 4, 8>(0, b));
        let (sum, difference) = (left + right, left - right);
        m.select_mut::<8, 1, 4, 8>(0, a).assign(sum);
        m.select_mut::<8, 1, 4, 8>(0, b).assign(difference);
    }
    for (a, b) in PAIRS {
        let (sum, difference) = (m.row(a) + m.row(b), m.row(a) - m.row(b));
        m.row_mut(a).assign(sum);
        m.row_mut(b).assign(difference);
    }
    output.write_block(x * 2, y, &m);
}

/// What a transform of eight numbers adds and subtracts.
const PAIRS: [(usize, usize); 12] =
    [(0, 4), (1, 5), (2, 6), (3, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 1), (2, 3), (4, 5), (6, 7)];

/// `y = a * x + y`, 32 elements a thread.
#[kernel]
pub fn axpy(input: &Buffer<f32>, output: &mut Buffer<f32>, threads: u32, a: f32) {
    let offset = (thread_origin_y() * threads + thread_origin_x()) * 128;
    let sum = input.read::<32>(offset) * a + output.read::<32>(offset);
    output.write(offset, &sum);
}

/// Prefix sums of the 256 elements of a thread.
#[kernel]
pub fn sums(input: &Buffer<u32>, output: &mut Buffer<u32>, threads: u32) {
    let offset = (thread_origin_y() * threads + thread_origin_x()) * 1024;
    let mut carry = Vector::<u32, 1>::splat(0);
    for block in 0..16 {
        let mut v = input.read::<16>(offset + block * 64);
        let shifted = v.select::<15, 1>(0) + 0;
        v.select_mut::<15, 1>(1) += shifted;
        let shifted = v.select::<14, 1>(0) + 0;
        v.select_mut::<14, 1>(2) += shifted;
        let shifted = v.select::<12, 1>(0) + 0;
        v.select_mut::<12, 1>(4) += shifted;
        let shifted = v.select::<8, 1>(0) + 0;
        v.select_mut::<8, 1>(8) += shifted;
        v += carry.replicate::<16>();
        carry.assign(v.select::<1, 1>(15));
        output.write(offset + block * 64, &v);
    }
}

/// Counts the values of 64 bytes a thread.
#[kernel]
pub fn histogram(input: &Buffer<u8>, output: &mut Buffer<u32>, threads: u32) {
    let offset = (thread_origin_y() * threads + thread_origin_x()) * 64;
    let values = input.read::<64>(offset);
    for i in 0..4 {
        output.write_atomic(atomic::Inc, &values.select::<16, 1>(i * 16));
    }
}

/// 8 rows of 16 elements of the product of a square of `n` x `n` with itself.
#[kernel]
pub fn product(input: &Buffer<f32>, output: &mut Buffer<f32>, n: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let mut sum = Matrix::<f32, 8, 16>::splat(0.0);
    let mut k = 0u32;
    while k < n {
        let mut a = Matrix::<f32, 8, 16>::splat(0.0);
        for row in 0..8 {
            a.row_mut(row).assign(input.read::<16>(((y + row as u32) * n + k) * 4));
        }
        for step in 0..16 {
            let b = input.read::<16>(((k + step as u32) * n + x) * 4);
            for row in 0..8 {
                sum.row_mut(row) += b * a.get(row, step);
            }
        }
        k += 16;
    }
    for row in 0..8 {
        output.write(((y + row as u32) * n + x) * 4, &sum.row(row));
    }
}

/// A binomial filter of 5 x 5 bytes, the columns and then the rows, in integers.
#[kernel]
pub fn binomial(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let m = input.read_block::<u8, 12, 20>(x.convert::<i32>() - 2, y.convert::<i32>() - 2);
    let sums: Matrix<u16, 8, 20> = (m.select::<8, 1, 20, 1>(0, 0)
        + m.select::<8, 1, 20, 1>(4, 0)
        + (m.select::<8, 1, 20, 1>(1, 0) + m.select::<8, 1, 20, 1>(3, 0)) * 4
        + m.select::<8, 1, 20, 1>(2, 0) * 6)
        .convert();
    let out = sums.select::<8, 1, 16, 1>(0, 0)
        + sums.select::<8, 1, 16, 1>(0, 4)
        + (sums.select::<8, 1, 16, 1>(0, 1) + sums.select::<8, 1, 16, 1>(0, 3)) * 4
        + sums.select::<8, 1, 16, 1>(0, 2) * 6;
    output.write(x, y, &((out + 128) >> 8).convert::<u8>());
}

/// Means of 5 x 5 words, by sums of columns that go down with the row.
#[kernel]
pub fn means(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let m = input.read_block::<u16, 12, 20>(x.convert::<i32>() * 2 - 4, y.convert::<i32>() - 2);
    let mut columns: Vector<u32, 20> = (m.row(0) + m.row(1) + m.row(2) + m.row(3) + m.row(4)).convert();
    let mut out = Matrix::<u16, 8, 16>::splat(0);
    for i in 0..8 {
        let sum = columns.select::<16, 1>(0)
            + columns.select::<16, 1>(1)
            + columns.select::<16, 1>(2)
            + columns.select::<16, 1>(3)
            + columns.select::<16, 1>(4);
        out.row_mut(i).assign((sum * 1311u32) >> 15);
        if i < 7 {
            columns += m.row(i + 5);
            columns -= m.row(i);
        }
    }
    output.write(x * 2, y, &out);
}

/// The upper half of the picture, which is premultiplied, over the lower one.
#[kernel]
pub fn over(input: &Surface2D, output: &mut Surface2D, rows: u32) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let (over, under) = (input.read::<u8, 4, 32>(x, y), input.read::<u8, 4, 32>(x, y + rows));
    let mut alpha = Matrix::<u8, 4, 32>::splat(0);
    for channel in 0..4 {
        alpha.select_mut::<4, 1, 8, 4>(0, channel).assign(over.select::<4, 1, 8, 4>(0, 3));
    }
    let rest: Matrix<u16, 4, 32> = (255 - alpha).convert();
    let out = over + ((under * rest + 128) >> 8);
    output.write(x, y, &out.saturate::<u8>());
}

/// Twice the width and height: between bytes their means.
#[kernel]
pub fn enlarge(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let m = input.read_block::<u8, 5, 17>(x, y);
    let a: Matrix<i16, 4, 16> = m.select::<4, 1, 16, 1>(0, 0).convert();
    let b: Matrix<i16, 4, 16> = m.select::<4, 1, 16, 1>(0, 1).convert();
    let c: Matrix<i16, 4, 16> = m.select::<4, 1, 16, 1>(1, 0).convert();
    let d: Matrix<i16, 4, 16> = m.select::<4, 1, 16, 1>(1, 1).convert();
    let mut out = Matrix::<u8, 8, 32>::splat(0);
    out.select_mut::<4, 2, 16, 2>(0, 0).assign(a);
    out.select_mut::<4, 2, 16, 2>(0, 1).assign((a + b + 1) >> 1);
    out.select_mut::<4, 2, 16, 2>(1, 0).assign((a + c + 1) >> 1);
    out.select_mut::<4, 2, 16, 2>(1, 1).assign((a + b + c + d + 2) >> 2);
    output.write(x * 2, y * 2, &out);
}

/// Red, green, green and blue of 2 x 2 bytes as packed RGB.
#[kernel]
pub fn bayer(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let m = input.read::<u8, 8, 16>(x, y);
    let green = (m.select::<4, 2, 8, 2>(0, 1) + m.select::<4, 2, 8, 2>(1, 0) + 1) >> 1;
    let mut out = Matrix::<u8, 4, 24>::splat(0);
    out.select_mut::<4, 1, 8, 3>(0, 0).assign(m.select::<4, 2, 8, 2>(0, 0));
    out.select_mut::<4, 1, 8, 3>(0, 1).assign(green);
    out.select_mut::<4, 1, 8, 3>(0, 2).assign(m.select::<4, 2, 8, 2>(1, 1));
    output.write(x / 2 * 3, y / 2, &out);
}

/// Bytes above two thresholds, by masks.
#[kernel]
pub fn levels(input: &Surface2D, output: &mut Surface2D, low: u8, high: u8) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let m = input.read::<u8, 8, 16>(x, y);
    let mut out = Matrix::<u8, 8, 16>::splat(0);
    out.merge(128u8, m > low);
    out.merge(255u8, m > high);
    output.write(x, y, &out);
}

/// Prefix sums of four rows; a thread walks along them.
#[kernel]
pub fn integral(input: &Surface2D, output: &mut Surface2D, width: u32) {
    let y = thread_origin_y() * 4;
    let mut carry = Matrix::<u32, 4, 1>::splat(0);
    let mut x = 0u32;
    while x < width {
        let mut m: Matrix<u32, 4, 16> = input.read::<u8, 4, 16>(x, y).convert();
        for i in 0..4 {
            let shifted = m.select::<1, 1, 15, 1>(i, 0) + 0;
            m.select_mut::<1, 1, 15, 1>(i, 1) += shifted;
            let shifted = m.select::<1, 1, 14, 1>(i, 0) + 0;
            m.select_mut::<1, 1, 14, 1>(i, 2) += shifted;
            let shifted = m.select::<1, 1, 12, 1>(i, 0) + 0;
            m.select_mut::<1, 1, 12, 1>(i, 4) += shifted;
            let shifted = m.select::<1, 1, 8, 1>(i, 0) + 0;
            m.select_mut::<1, 1, 8, 1>(i, 8) += shifted;
            m.row_mut(i) += carry.get(i, 0);
        }
        carry.assign(m.column(15));
        output.write(x * 4, y, &m);
        x += 16;
    }
}
