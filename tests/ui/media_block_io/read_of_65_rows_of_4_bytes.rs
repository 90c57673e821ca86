//! Regions of 4 bytes a row have at most 64 rows.

use cm::media_block_io::sub_group_media_block_read_ui2;
use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let texels = sub_group_media_block_read_ui2::<8, 1, 65>(0, 0, input);
    output.write(0, 0, &texels);
}

fn main() {}
