//! A surface passed by `&` is read-only.

use cm::media_block_io::sub_group_media_block_write_uc4;
use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D) {
    let texels = Matrix::<u8, 4, 16>::splat(1);
    sub_group_media_block_write_uc4::<16, 16, 4>(0, 0, texels, input);
}

fn main() {}
