//! Each work item writes as many elements as the function name says.

use cm::media_block_io::sub_group_media_block_write_uc2;
use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let texels = Matrix::<u8, 4, 16>::splat(1);
    sub_group_media_block_write_uc2::<16, 16, 2>(0, 0, texels, output);
}

fn main() {}
