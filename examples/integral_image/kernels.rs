//! The kernel of CM tutorial 4: dependent threads.

use cm::prelude::*;

/// Sums of all texels above and to the left, 16 x 16 texels per thread (CM tutorial 4's `integral_image`).
#[kernel]
pub fn integral_image(input: &Surface2D, sums: &mut Surface2D) {
    let (h_pos, v_pos) = (thread_origin_x(), thread_origin_y());
    let (x, y) = (h_pos * 64, v_pos * 16);
    let mut m: Matrix<u32, 16, 16> = input.read::<u8, 16, 16>(h_pos * 16, y).convert();
    wait();

    let mut left = Matrix::<u32, 16, 1>::splat(0);
    let mut above = Vector::<u32, 16>::splat(0);
    let mut corner = Vector::<u32, 1>::splat(0);
    if h_pos > 0 {
        left = sums.read::<u32, 16, 1>(x - 4, y);
    }
    if v_pos > 0 {
        above.select_mut::<8, 1>(0).assign(sums.read::<u32, 1, 8>(x, y - 1).row(0));
        above.select_mut::<8, 1>(8).assign(sums.read::<u32, 1, 8>(x + 32, y - 1).row(0));
    }
    if h_pos > 0 && v_pos > 0 {
        corner = sums.read::<u32, 1, 1>(x - 4, y - 1).row(0);
    }

    // Each iteration adds the sums of twice as many texels.
    m.select_mut::<16, 1, 15, 1>(0, 1)
        .assign(m.select::<16, 1, 15, 1>(0, 1) + m.select::<16, 1, 15, 1>(0, 0));
    m.select_mut::<16, 1, 14, 1>(0, 2)
        .assign(m.select::<16, 1, 14, 1>(0, 2) + m.select::<16, 1, 14, 1>(0, 0));
    m.select_mut::<16, 1, 12, 1>(0, 4)
        .assign(m.select::<16, 1, 12, 1>(0, 4) + m.select::<16, 1, 12, 1>(0, 0));
    m.select_mut::<16, 1, 8, 1>(0, 8).assign(m.select::<16, 1, 8, 1>(0, 8) + m.select::<16, 1, 8, 1>(0, 0));
    for i in 1..16 {
        m.row_mut(i).assign(m.row(i) + m.row(i - 1));
    }
    for i in 0..16 {
        m.row_mut(i).assign(m.row(i) + above + left.get(i, 0) - corner.get(0));
    }
    for i in 0..2 {
        for j in 0..2 {
            sums.write(x + j * 32, y + i * 8, &m.select::<8, 1, 8, 1>(i * 8, j * 8));
        }
    }
    fence();
    signal();
}
