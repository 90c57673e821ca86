//! The values have one element for each work item of the sub-group.

use cm::media_block_io::sub_group_media_block_write_uc4;
use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let texels = Matrix::<u8, 4, 8>::splat(1);
    sub_group_media_block_write_uc4::<16, 16, 4>(0, 0, texels, output);
}

fn main() {}
