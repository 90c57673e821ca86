//! A written row is a multiple of 4 bytes.

use cm::media_block_io::sub_group_media_block_write_uc4;
use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let texels = Matrix::<u8, 4, 16>::splat(1);
    sub_group_media_block_write_uc4::<16, 6, 4>(0, 0, texels, output);
}

fn main() {}
