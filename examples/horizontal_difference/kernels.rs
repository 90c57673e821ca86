//! The port of an OpenCL kernel with sub-groups; `docs/book/src/media-block-io.md` has the original.

use cm::media_block_io::{sub_group_media_block_read_uc8, sub_group_media_block_write_uc8};
use cm::prelude::*;
use cm::subgroups::sub_group_shuffle_down;

/// The difference of every texel and its right neighbour, 16 x 8 texels per sub-group: work item `n`
/// processes column `n`.
#[kernel]
pub fn horizontal_difference(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let here = sub_group_media_block_read_uc8::<16, 16, 8>(x, y, input).convert::<i32>();
    let next = sub_group_media_block_read_uc8::<16, 16, 8>(x + 16, y, input).convert::<i32>();
    let right = sub_group_shuffle_down(here, next, 1);
    let mut difference: Matrix<i32, 8, 16> = here - right;
    difference.merge(right - here, right > here);
    sub_group_media_block_write_uc8::<16, 16, 8>(x, y, difference.convert(), output);
}
