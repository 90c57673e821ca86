//! The kernels of CM's tutorial 15: push-relabel on a grid of pixels.
//!
//! A pixel has a height, an excess and a residual capacity to each of its four neighbours; capacities to
//! pixels outside of the picture are 0. A pixel with a negative excess can still pass that amount to the
//! sink.

use cm::prelude::*;

/// Columns and rows of a block, in pixels.
pub const BLOCK: usize = 8;
/// The height of pixels that cannot reach the sink.
pub const HIGHEST: u32 = 1 << 24;

/// Lifts each pixel with an excess to 1 above its lowest neighbour with residual capacity, 8 x 8 pixels per
/// thread. All comparisons use the old heights.
#[kernel]
pub fn gc_relabel(
    heights: &Surface2D,
    excess: &Surface2D,
    north: &Surface2D,
    west: &Surface2D,
    east: &Surface2D,
    south: &Surface2D,
    lifted: &mut Surface2D,
) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 8, thread_origin_y().convert::<i32>() * 8);
    let own = heights.read::<u32, 8, 8>(x * 4, y);
    let mut lowest = own;
    let more = excess.read::<i16, 8, 8>(x * 2, y) > 0;
    if more.any() {
        lowest = Matrix::<u32, 8, 8>::splat(HIGHEST - 1);
        lowest = lower(lowest, heights.read::<u32, 8, 8>(x * 4, y - 1), north.read::<i16, 8, 8>(x * 2, y));
        lowest = lower(lowest, heights.read::<u32, 8, 8>(x * 4 - 4, y), west.read::<i16, 8, 8>(x * 2, y));
        lowest = lower(lowest, heights.read::<u32, 8, 8>(x * 4 + 4, y), east.read::<i16, 8, 8>(x * 2, y));
        lowest = lower(lowest, heights.read::<u32, 8, 8>(x * 4, y + 1), south.read::<i16, 8, 8>(x * 2, y));
        lowest += 1;
        lowest.merge(own, &!more);
    }
    lifted.write(x * 4, y, &lowest);
}

/// The smaller of two heights where there is capacity.
#[function]
fn lower(
    lowest: Matrix<u32, 8, 8>,
    heights: Matrix<u32, 8, 8>,
    capacity: Matrix<i16, 8, 8>,
) -> Matrix<u32, 8, 8> {
    let mut lower = lowest;
    lower.merge(heights, &((capacity > 0) & (heights < lowest)));
    lower
}

/// Pushes the excess of pixels to their neighbours above and below, 8 x 8 pixels per thread, from top to
/// bottom. A thread also changes the rows above and below its block: `HORIZONTAL_WAVE`.
#[kernel]
pub fn gc_v_push(heights: &Surface2D, excess: &mut Surface2D, north: &mut Surface2D, south: &mut Surface2D) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 8, thread_origin_y().convert::<i32>() * 8 - 1);
    wait();
    let mut e = excess.read::<i16, 10, 8>(x * 2, y);
    if (e.select::<8, 1, 8, 1>(1, 0) > 0).any() {
        let h = heights.read_block::<u32, 10, 8>(x * 4, y);
        let mut n = north.read::<i16, 10, 8>(x * 2, y);
        let mut s = south.read::<i16, 10, 8>(x * 2, y);
        push(h, &mut e, &mut n, &mut s, 1);
        excess.write(x * 2, y, &e);
        north.write(x * 2, y, &n);
        south.write(x * 2, y, &s);
    }
    fence();
    signal();
}

/// The same to the left and to the right, on blocks that are transposed in registers: `VERTICAL_WAVE`. Two
/// additional columns on each side make whole dwords.
#[kernel]
pub fn gc_h_push(heights: &Surface2D, excess: &mut Surface2D, west: &mut Surface2D, east: &mut Surface2D) {
    let (x, y) = (thread_origin_x().convert::<i32>() * 8 - 2, thread_origin_y().convert::<i32>() * 8);
    wait();
    let read = excess.read::<i16, 8, 12>(x * 2, y);
    if (read.select::<8, 1, 8, 1>(0, 2) > 0).any() {
        let h = heights.read_block::<u32, 8, 12>(x * 4, y).transpose();
        let mut e = read.transpose();
        let mut w = west.read::<i16, 8, 12>(x * 2, y).transpose();
        let mut o = east.read::<i16, 8, 12>(x * 2, y).transpose();
        push(h, &mut e, &mut w, &mut o, 2);
        excess.write(x * 2, y, &e.transpose());
        west.write(x * 2, y, &w.transpose());
        east.write(x * 2, y, &o.transpose());
    }
    fence();
    signal();
}

/// Pushes from each of 8 rows, from row `first` on, to the row before it and to the row after it.
#[function]
fn push<const R: usize>(
    heights: Matrix<u32, R, 8>,
    excess: &mut Matrix<i16, R, 8>,
    back: &mut Matrix<i16, R, 8>,
    forth: &mut Matrix<i16, R, 8>,
    first: usize,
) {
    for row in first..first + 8 {
        let flow = flow(heights.row(row), heights.row(row - 1), excess.row(row), back.row(row));
        excess.row_mut(row) -= flow;
        back.row_mut(row) -= flow;
        excess.row_mut(row - 1) += flow;
        forth.row_mut(row - 1) += flow;
        let flow = self::flow(heights.row(row), heights.row(row + 1), excess.row(row), forth.row(row));
        excess.row_mut(row) -= flow;
        forth.row_mut(row) -= flow;
        excess.row_mut(row + 1) += flow;
        back.row_mut(row + 1) += flow;
    }
}

/// The flow of one step: limited by the excess and by the capacity.
#[function]
fn flow(
    height: Vector<u32, 8>,
    neighbour: Vector<u32, 8>,
    excess: Vector<i16, 8>,
    capacity: Vector<i16, 8>,
) -> Vector<i16, 8> {
    let mut flow = Vector::<i16, 8>::splat(0);
    let down = (height < HIGHEST) & (height == neighbour + 1);
    flow.merge(math::min::<i16, _>(excess, capacity), &((excess > 0) & down));
    flow
}
