//! A block is written at a multiple of 16 bytes.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    sub_group_block_write4(y, 4, sub_group_block_read4::<16>(x, 4));
}

fn main() {}
