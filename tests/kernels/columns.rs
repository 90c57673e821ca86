//! Kernels that compute columns of matrices, or take every so manieth element of vectors.

use cm::prelude::*;

/// Sums of the numbers up to each one, in rows of 16.
#[kernel]
pub fn prefix_sums(x: &Buffer<u32>, y: &mut Buffer<u32>, start: u32) {
    let offset = thread_origin_x() * 1024 + start;
    let mut m = x.read_linear::<256>(offset).format_matrix::<u32, 16, 16>();
    let a = m.select::<16, 1, 15, 1>(0, 0);
    m.select_mut::<16, 1, 15, 1>(0, 1).assign(m.select::<16, 1, 15, 1>(0, 1) + a);
    let a = m.select::<16, 1, 14, 1>(0, 0);
    m.select_mut::<16, 1, 14, 1>(0, 2).assign(m.select::<16, 1, 14, 1>(0, 2) + a);
    let a = m.select::<16, 1, 12, 1>(0, 0);
    m.select_mut::<16, 1, 12, 1>(0, 4).assign(m.select::<16, 1, 12, 1>(0, 4) + a);
    let a = m.select::<16, 1, 8, 1>(0, 0);
    m.select_mut::<16, 1, 8, 1>(0, 8).assign(m.select::<16, 1, 8, 1>(0, 8) + a);
    y.write_linear(offset, &m.format::<u32>());
}

/// Squares of the lengths of points of three floats.
#[kernel]
pub fn squares(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let n = thread_origin_x();
    let points = x.read_linear::<48>(n * 192).format_matrix::<f32, 16, 3>();
    let (a, b, c) = (points.column(0), points.column(1), points.column(2));
    y.write_linear(n * 64, &(a * a + b * b + c * c).format::<f32>());
}

/// Adds and subtracts the rows of 8 x 8 floats at distances 1, 2 and 4, and then the columns.
#[kernel]
pub fn butterflies(x: &Surface2D, y: &mut Surface2D) {
    let (column, row) = (thread_origin_x() * 32, thread_origin_y() * 8);
    let mut m = x.read_block::<f32, 8, 8>(column, row);
    for distance in [1usize, 2, 4] {
        for i in (0..8usize).filter(|i| i & distance == 0) {
            let (a, b) = (m.row(i), m.row(i + distance));
            m.row_mut(i).assign(a + b);
            m.row_mut(i + distance).assign(a - b);
        }
    }
    for distance in [1usize, 2, 4] {
        for i in (0..8usize).filter(|i| i & distance == 0) {
            let (a, b) = (m.column(i), m.column(i + distance));
            m.column_mut(i).assign(a + b);
            m.column_mut(i + distance).assign(a - b);
        }
    }
    y.write_block(column, row, &m);
}

/// A recursive filter along the rows of 8 x 16 floats.
#[kernel]
pub fn recursive(x: &Surface2D, y: &mut Surface2D, keep: f32) {
    let (column, row) = (thread_origin_x() * 64, thread_origin_y() * 8);
    let mut m = x.read_block::<f32, 8, 16>(column, row);
    let mut before = m.column(0);
    for i in 1..16 {
        before = m.column(i) + (before - m.column(i)) * keep;
        m.column_mut(i).assign(before);
    }
    y.write_block(column, row, &m);
}

/// A recursive filter along the rows of 16 x 16 bytes, in fixed point.
#[kernel]
pub fn smoothed(x: &Surface2D, y: &mut Surface2D) {
    let (column, row) = (thread_origin_x() * 16, thread_origin_y() * 16);
    let mut m = x.read_block::<u8, 16, 16>(column, row);
    let mut before: Matrix<i16, 16, 1> = m.column(0).convert();
    for i in 1..16 {
        before = ((before * 3 + m.column(i) + 2) >> 2).convert();
        m.column_mut(i).assign(before);
    }
    y.write_block(column, row, &m);
}

/// The first step of the inverse transform of H.264, of 4 x 4 blocks beside each other.
#[kernel]
pub fn residuals(x: &Surface2D, y: &mut Surface2D) {
    let (column, row) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let blocks = x.read_block::<i16, 4, 16>(column, row);
    let mut out = Matrix::<i16, 4, 16>::splat(0);
    for n in 0..4 {
        let block = blocks.select::<4, 1, 4, 1>(0, n * 4);
        let (a, b, c, d) = (block.column(0), block.column(1), block.column(2), block.column(3));
        let (e0, e1) = (a + c, a - c);
        let (e2, e3) = ((b >> 1) - d, b + (d >> 1));
        out.column_mut(n * 4).assign(e0 + e3);
        out.column_mut(n * 4 + 1).assign(e1 + e2);
        out.column_mut(n * 4 + 2).assign(e1 - e2);
        out.column_mut(n * 4 + 3).assign(e0 - e3);
    }
    y.write_block(column, row, &out);
}

/// Cosine transforms of rows of 8 words, of 8 x 8 blocks beside each other.
#[kernel]
pub fn cosines(x: &Surface2D, y: &mut Surface2D) {
    let (column, row) = (thread_origin_x() * 32, thread_origin_y() * 8);
    let blocks = x.read_block::<i16, 8, 16>(column, row);
    let mut out = Matrix::<i16, 8, 16>::splat(0);
    for n in 0..2 {
        let block = blocks.select::<8, 1, 8, 1>(0, n * 8);
        let sum = |a: usize| block.column(a) + block.column(7 - a);
        let (a, b, c, d) = (sum(0), sum(1), sum(2), sum(3));
        let (e0, e1, e2, e3) = (a + d, b + c, a - d, b - c);
        out.column_mut(n * 8).assign(((e0 + e1) * 64 + 64) >> 7);
        out.column_mut(n * 8 + 4).assign(((e0 - e1) * 64 + 64) >> 7);
        out.column_mut(n * 8 + 2).assign((e2 * 83 + e3 * 36 + 64) >> 7);
        out.column_mut(n * 8 + 6).assign((e2 * 36 - e3 * 83 + 64) >> 7);
        let difference = |a: usize| block.column(a) - block.column(7 - a);
        let (a, b, c, d) = (difference(0), difference(1), difference(2), difference(3));
        out.column_mut(n * 8 + 1).assign((a * 89 + b * 75 + c * 50 + d * 18 + 64) >> 7);
        out.column_mut(n * 8 + 3).assign((a * 75 - b * 18 - c * 89 - d * 50 + 64) >> 7);
        out.column_mut(n * 8 + 5).assign((a * 50 - b * 89 + c * 18 + d * 75 + 64) >> 7);
        out.column_mut(n * 8 + 7).assign((a * 18 - b * 50 + c * 75 - d * 89 + 64) >> 7);
    }
    y.write_block(column, row, &out);
}
