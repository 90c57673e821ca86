//! Kernels of thread spaces with dependencies: their threads read data that neighbours wrote in earlier
//! waves.

use cm::prelude::*;

/// Texels around the levels of [`chain`], so that the neighbours of all threads are inside of the surface.
pub const BORDER: usize = 8;

/// The dependency vectors of [`chain`]: those of the named patterns, and others.
pub const VECTORS: [&[[i32; 2]]; 9] = [
    &[[-1, 0]],
    &[[0, -1]],
    &[[-1, 0], [0, -1]],
    &[[-1, 0], [0, -1], [1, -1]],
    &[[-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]],
    &[[-1, 3], [-1, 1], [-1, -1], [0, -1], [0, -2], [0, -3], [1, -3]],
    &[[1, 0], [0, 1]],
    &[[-2, 1], [1, -5], [-8, 7]],
    &[[-1, -1], [1, -1], [2, -1], [-2, -1], [7, -1], [0, -2], [-3, -8], [-8, -3]],
];

/// The vectors of [`edge_chain`].
pub const EDGES: [[i32; 2]; 7] = [[-1, 1], [-2, 0], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]];

/// The length of the longest chain of threads that wait for each other: every thread writes one more than the
/// maximum of the threads that it waits for. `levels` is 0 at first; it has a border of [`BORDER`] texels.
#[kernel]
pub fn chain<const PATTERN: usize>(levels: &mut Surface2D) {
    wait();
    let x = thread_origin_x().convert::<i32>() * 4 + BORDER as i32 * 4;
    let y = thread_origin_y().convert::<i32>() + BORDER as i32;
    let mut most = Vector::<u32, 1>::splat(0);
    for n in 0..VECTORS[PATTERN].len() {
        let other = levels.read::<u32, 1, 1>(x + VECTORS[PATTERN][n][0] * 4, y + VECTORS[PATTERN][n][1]);
        most = math::max::<u32, _>(most, other.row(0));
    }
    most += 1;
    levels.write(x, y, &most);
    fence();
    signal();
}

/// The same for threads that have only some of the vectors: those of the bits of `masks`, a dword per thread.
#[kernel]
pub fn masked_chain<const PATTERN: usize>(masks: &Surface2D, levels: &mut Surface2D) {
    let x = thread_origin_x().convert::<i32>() * 4 + BORDER as i32 * 4;
    let y = thread_origin_y().convert::<i32>() + BORDER as i32;
    let mask = masks.read::<u32, 1, 1>(thread_origin_x() * 4, thread_origin_y()).get(0, 0);
    let mut most = Vector::<u32, 1>::splat(0);
    for n in 0..VECTORS[PATTERN].len() {
        if (mask >> n as u32) & 1 == 1 {
            let other = levels.read::<u32, 1, 1>(x + VECTORS[PATTERN][n][0] * 4, y + VECTORS[PATTERN][n][1]);
            most = math::max::<u32, _>(most, other.row(0));
        }
    }
    most += 1;
    levels.write(x, y, &most);
}

/// The same for the edges of macro blocks of `W` x `H` threads: each thread reads the levels of those that it
/// waits for, which come earlier in its macro block or are in an earlier one.
#[kernel]
pub fn edge_chain<const W: usize, const H: usize>(levels: &mut Surface2D) {
    wait();
    let (x, y) = (thread_origin_x().convert::<i32>(), thread_origin_y().convert::<i32>());
    let mut most = Vector::<u32, 1>::splat(0);
    for n in 0..EDGES.len() {
        let (dx, dy) = (EDGES[n][0], EDGES[n][1]);
        let (ox, oy) = (x + dx, y + dy);
        // Coordinates from -2 on, so that divisions round down.
        let (row, other_row) = ((y + H as i32) / H as i32, (oy + H as i32) / H as i32);
        let (column, other_column) = ((x + 2 * W as i32) / W as i32, (ox + 2 * W as i32) / W as i32);
        let above = other_row < row || (other_row == row && other_column < column);
        let same = other_row == row && other_column == column;
        let (odd, other_odd) = (x & 1, (ox + 2) & 1);
        let before = other_odd < odd || (other_odd == odd && (oy < y || (oy == y && ox < x)));
        if above || (same && before) {
            let other = levels.read::<u32, 1, 1>((ox + BORDER as i32) * 4, oy + BORDER as i32);
            most = math::max::<u32, _>(most, other.row(0));
        }
    }
    most += 1;
    levels.write((x + BORDER as i32) * 4, y + BORDER as i32, &most);
    fence();
    signal();
}

/// Means of 16 texels, the texels above them, and the left and right neighbours of those. Rows of threads run
/// one after the other.
#[kernel]
pub fn smear(image: &mut Surface2D) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 16, thread_origin_y().convert::<i32>());
    let above = image.read::<u8, 1, 24>(x - 4, y);
    let own = image.read::<u8, 1, 16>(x, y + 1);
    let sum = above.select::<1, 1, 16, 1>(0, 3)
        + above.select::<1, 1, 16, 1>(0, 4)
        + above.select::<1, 1, 16, 1>(0, 5)
        + own;
    image.write(x, y + 1, &((sum + 2) >> 2).convert::<u8>());
}

/// Intra prediction of 16 x 16 luma blocks as in H.264, plus a residual, one block per thread. `modes` has a
/// byte for each block: 0 vertical, 1 horizontal, 2 DC, 3 plane. Only blocks with the neighbours that a mode
/// needs use it.
#[kernel]
pub fn intra_16x16(modes: &Surface2D, residual: &Surface2D, picture: &mut Surface2D) {
    let (h_pos, v_pos) = (thread_origin_x(), thread_origin_y());
    let (x, y) = (h_pos * 16, v_pos * 16);
    let mode = modes.read::<u8, 1, 1>(h_pos, v_pos).get(0, 0);
    wait();

    // Texels 15 to 0 of the column to the left, starting at the row above the block; and the row above.
    let mut left = Vector::<i32, 17>::splat(0);
    let mut above = Vector::<i32, 17>::splat(0);
    if h_pos > 0 {
        left.select_mut::<16, 1>(1).assign(picture.read::<u8, 16, 1>(x - 1, y).format::<u8>());
    }
    if v_pos > 0 {
        above.select_mut::<16, 1>(1).assign(picture.read::<u8, 1, 16>(x, y - 1).row(0));
    }
    if h_pos > 0 && v_pos > 0 {
        let corner = picture.read::<u8, 1, 1>(x - 1, y - 1).row(0);
        left.select_mut::<1, 1>(0).assign(corner);
        above.select_mut::<1, 1>(0).assign(corner);
    }

    let mut block = Matrix::<i32, 16, 16>::splat(128);
    match mode {
        0 => {
            for i in 0..16 {
                block.row_mut(i).assign(above.select::<16, 1>(1));
            }
        }
        1 => {
            for i in 0..16 {
                block.row_mut(i).assign(left.get(i + 1));
            }
        }
        2 => {
            let sum =
                math::sum::<i32, _>(above.select::<16, 1>(1)) + math::sum::<i32, _>(left.select::<16, 1>(1));
            if h_pos > 0 && v_pos > 0 {
                block.select_all_mut().assign((sum + 16) >> 5);
            } else {
                if h_pos > 0 || v_pos > 0 {
                    block.select_all_mut().assign((sum + 8) >> 4);
                }
            }
        }
        _ => {
            let weights: Vector<i32, 8> = Vector::<i32, 8>::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
            let back = Vector::<u16, 8>::from_array([7, 6, 5, 4, 3, 2, 1, 0]);
            let h = math::sum::<i32, _>((above.select::<8, 1>(9) - above.iselect(back)) * weights);
            let v = math::sum::<i32, _>((left.select::<8, 1>(9) - left.iselect(back)) * weights);
            let (b, c) = ((h * 5 + 32) >> 6, (v * 5 + 32) >> 6);
            let a = (above.get(16) + left.get(16)) * 16;
            let mut columns = Vector::<i32, 16>::splat(0);
            columns.vector_assign(-7, 1);
            for i in 0..16 {
                let sums: Vector<i32, 16> = columns * b + (a + c * (i as i32 - 7) + 16);
                let texels: Vector<u8, 16> = (sums >> 5).saturate();
                block.row_mut(i).assign(texels);
            }
        }
    }
    for i in 0..2 {
        let rest = residual.read::<i16, 8, 16>(x * 2, y + i * 8);
        let sum = block.select::<8, 1, 16, 1>(i * 8, 0) + rest;
        picture.write(x, y + i * 8, &sum.saturate::<u8>());
    }
    fence();
    signal();
}

/// The largest difference between the texels on both sides of an edge, by the index of the quantiser.
pub const ALPHA: [u8; 52] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 17, 20, 22, 25, 28,
    32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255,
];
/// The largest difference between two adjacent texels on one side.
pub const BETA: [u8; 52] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 6, 6, 7, 7, 8, 8, 9, 9, 10,
    10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18,
];
/// How much texels change at edges of strength 1, 2 and 3.
pub const TC0: [[u8; 52]; 3] = [
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2,
        2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13,
    ],
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
        2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 8, 10, 11, 12, 13, 15, 17,
    ],
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3,
        4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13, 14, 16, 18, 20, 23, 25,
    ],
];

/// The filtered texels across 16 lines of an edge: rows p3 to q3.
#[function]
fn filtered(lines: Matrix<i32, 8, 16>, strength: Vector<i32, 16>, quantiser: u32) -> Matrix<i32, 8, 16> {
    let alpha = Vector::<u8, 52>::from_array(ALPHA).get(quantiser);
    let beta = Vector::<u8, 52>::from_array(BETA).get(quantiser);
    let mut tc0 = Vector::<i32, 16>::splat(0);
    for n in 0..3 {
        let change = Vector::<u8, 52>::from_array(TC0[n]).get(quantiser);
        tc0.merge(change, strength == n as i32 + 1);
    }
    let (p3, p2, p1, p0) = (lines.row(0), lines.row(1), lines.row(2), lines.row(3));
    let (q0, q1, q2, q3) = (lines.row(4), lines.row(5), lines.row(6), lines.row(7));
    let step = math::abs::<i32, _>(p0 - q0);
    let filters = (strength > 0)
        & (step < alpha)
        & (math::abs::<i32, _>(p1 - p0) < beta)
        & (math::abs::<i32, _>(q1 - q0) < beta);
    let (flat_p, flat_q) = (math::abs::<i32, _>(p2 - p0) < beta, math::abs::<i32, _>(q2 - q0) < beta);
    let mut out = lines;

    // Strengths 1 to 3.
    let normal = filters & (strength < 4);
    let limit: Vector<i32, 16> = tc0 + (flat_p & 1) + (flat_q & 1);
    let change = ((q0 - p0) * 4 + (p1 - q1) + 4) >> 3;
    let change = math::max::<i32, _>(math::min::<i32, _>(change, limit), -limit);
    out.row_mut(3).merge((p0 + change).saturate::<u8>(), normal);
    out.row_mut(4).merge((q0 - change).saturate::<u8>(), normal);
    let mean = (p0 + q0 + 1) >> 1;
    let change_p = math::max::<i32, _>(math::min::<i32, _>((p2 + mean - p1 * 2) >> 1, tc0), -tc0);
    let change_q = math::max::<i32, _>(math::min::<i32, _>((q2 + mean - q1 * 2) >> 1, tc0), -tc0);
    out.row_mut(2).merge(p1 + change_p, normal & flat_p);
    out.row_mut(5).merge(q1 + change_q, normal & flat_q);

    // Strength 4.
    let strong = filters & (strength == 4);
    let small = step < ((alpha >> 2) + 2);
    let (wide_p, wide_q) = (strong & small & flat_p, strong & small & flat_q);
    out.row_mut(3).merge((p1 * 2 + p0 + q1 + 2) >> 2, strong);
    out.row_mut(4).merge((q1 * 2 + q0 + p1 + 2) >> 2, strong);
    out.row_mut(3).merge((p2 + p1 * 2 + p0 * 2 + q0 * 2 + q1 + 4) >> 3, wide_p);
    out.row_mut(2).merge((p2 + p1 + p0 + q0 + 2) >> 2, wide_p);
    out.row_mut(1).merge((p3 * 2 + p2 * 3 + p1 + p0 + q0 + 4) >> 3, wide_p);
    out.row_mut(4).merge((q2 + q1 * 2 + q0 * 2 + p0 * 2 + p1 + 4) >> 3, wide_q);
    out.row_mut(5).merge((q2 + q1 + q0 + p0 + 2) >> 2, wide_q);
    out.row_mut(6).merge((q3 * 2 + q2 * 3 + q1 + q0 + p0 + 4) >> 3, wide_q);
    out
}

/// The deblocking filter of H.264 for luma, 16 x 16 texels per thread. `strengths` has 32 bytes for each
/// block: for the four vertical edges from left to right, then for the four horizontal ones from top to
/// bottom, one byte for each 4 texels of the edge. `quantisers` has a byte for each block. The block above
/// and to the right changes texels that this one reads, so this needs `WAVEFRONT26`.
#[kernel]
pub fn deblock(quantisers: &Surface2D, strengths: &Buffer<u8>, columns: u32, picture: &mut Surface2D) {
    let (h_pos, v_pos) = (thread_origin_x(), thread_origin_y());
    let (x, y) = (h_pos.convert::<i32>() * 16, v_pos.convert::<i32>() * 16);
    let strength: Vector<i32, 32> = strengths.read::<32>((v_pos * columns + h_pos) * 32).convert();
    let own = quantisers.read::<u8, 1, 1>(h_pos, v_pos).get(0, 0).convert::<u32>();
    let left = quantisers.read::<u8, 1, 1>(h_pos.convert::<i32>() - 1, v_pos).get(0, 0).convert::<u32>();
    let above = quantisers.read::<u8, 1, 1>(h_pos, v_pos.convert::<i32>() - 1).get(0, 0).convert::<u32>();
    wait();

    // The block, with four texels of the left neighbour and of the one above.
    let mut m = Matrix::<u8, 20, 20>::splat(0);
    m.select_mut::<4, 1, 16, 1>(0, 4).assign(picture.read::<u8, 4, 16>(x, y - 4));
    m.select_mut::<8, 1, 20, 1>(4, 0).assign(picture.read::<u8, 8, 20>(x - 4, y));
    m.select_mut::<8, 1, 20, 1>(12, 0).assign(picture.read::<u8, 8, 20>(x - 4, y + 8));
    for vertical in 0..4 {
        let mut quantiser: u32 = own;
        if vertical == 0 {
            quantiser = (own + left + 1) >> 1;
        }
        let mut lines = Matrix::<i32, 8, 16>::splat(0);
        for n in 0..8 {
            lines.row_mut(n).assign(m.select::<16, 1, 1, 1>(4, vertical * 4 + n).format::<u8>());
        }
        let edge = strength.select::<4, 1>(vertical * 4).replicate::<4, 1, 4, 0>(0);
        let lines = filtered(lines, edge, quantiser);
        for n in 1..7 {
            let texels: Vector<u8, 16> = lines.row(n).convert();
            m.select_mut::<16, 1, 1, 1>(4, vertical * 4 + n).assign(texels.format::<u8, 16, 1>());
        }
    }
    for horizontal in 0..4 {
        let mut quantiser: u32 = own;
        if horizontal == 0 {
            quantiser = (own + above + 1) >> 1;
        }
        let mut lines: Matrix<i32, 8, 16> = m.select::<8, 1, 16, 1>(horizontal * 4, 4).convert();
        let edge = strength.select::<4, 1>(16 + horizontal * 4).replicate::<4, 1, 4, 0>(0);
        lines = filtered(lines, edge, quantiser);
        m.select_mut::<8, 1, 16, 1>(horizontal * 4, 4).assign(lines);
    }
    picture.write(x, y - 4, &m.select::<4, 1, 16, 1>(0, 4));
    picture.write(x - 4, y, &m.select::<8, 1, 20, 1>(4, 0));
    picture.write(x - 4, y + 8, &m.select::<8, 1, 20, 1>(12, 0));
    fence();
    signal();
}
