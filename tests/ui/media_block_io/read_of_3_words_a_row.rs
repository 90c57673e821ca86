//! The width counts words: 2 of them are a dword.

use cm::media_block_io::sub_group_media_block_read_us4;
use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let texels = sub_group_media_block_read_us4::<8, 3, 4>(0, 0, input);
    output.write(0, 0, &texels);
}

fn main() {}
