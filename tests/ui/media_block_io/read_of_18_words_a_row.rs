//! A region is at most 16 words wide.

use cm::media_block_io::sub_group_media_block_read_us4;
use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let texels = sub_group_media_block_read_us4::<8, 18, 2>(0, 0, input);
    output.write(0, 0, &texels);
}

fn main() {}
