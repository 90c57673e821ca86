//! The `uc` functions write bytes.

use cm::media_block_io::sub_group_media_block_write_uc4;
use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let texels = Matrix::<i16, 4, 16>::splat(1);
    sub_group_media_block_write_uc4::<16, 16, 4>(0, 0, texels, output);
}

fn main() {}
