//! Regions of 20 bytes a row have at most 8 rows.

use cm::media_block_io::sub_group_media_block_read_uc4;
use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let texels = sub_group_media_block_read_uc4::<16, 20, 9>(0, 0, input);
    output.write(0, 0, &texels);
}

fn main() {}
