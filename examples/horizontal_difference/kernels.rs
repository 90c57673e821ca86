//! The port of an OpenCL kernel of sub-groups; `docs/media-block-io.md` has the original.

use cm::media_block_io::{sub_group_media_block_read_uc8, sub_group_media_block_write_uc8};
use cm::prelude::*;

/// The difference of every texel and its right neighbour, 16 x 8 texels a sub-group: work item `n` has column `n`.
#[kernel]
pub(crate) fn horizontal_difference(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let here = sub_group_media_block_read_uc8::<16, 16, 8>(x, y, input).convert::<i32>();
    let next = sub_group_media_block_read_uc8::<16, 16, 8>(x + 16, y, input).convert::<i32>();
    let right = shuffle_down(here, next);
    let mut difference: Matrix<i32, 8, 16> = here - right;
    difference.merge(right - here, right > here);
    sub_group_media_block_write_uc8::<16, 16, 8>(x, y, difference.convert(), output);
}

/// `intel_sub_group_shuffle_down(current, next, 1)`: what the work item to the right has, the last one what the first one has in
/// `next`.
#[function]
fn shuffle_down(current: Matrix<i32, 8, 16>, next: Matrix<i32, 8, 16>) -> Matrix<i32, 8, 16> {
    let mut both = Matrix::<i32, 8, 32>::splat(0);
    both.select_mut::<8, 1, 16, 1>(0, 0).assign(current);
    both.select_mut::<8, 1, 16, 1>(0, 16).assign(next);
    both.select::<8, 1, 16, 1>(0, 1)
}
