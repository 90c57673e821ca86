//! A sub-group has 8, 16 or 32 work items.

use cm::media_block_io::sub_group_media_block_read_uc4;
use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let texels = sub_group_media_block_read_uc4::<24, 16, 4>(0, 0, input);
    output.write(0, 0, &texels);
}

fn main() {}
