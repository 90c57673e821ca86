//! Writes have the same limits of rows as reads.

use cm::media_block_io::sub_group_media_block_write_uc4;
use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let texels = Matrix::<u8, 4, 16>::splat(1);
    sub_group_media_block_write_uc4::<16, 12, 17>(0, 0, texels, output);
}

fn main() {}
