//! A block is read at a multiple of 4 bytes.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    sub_group_block_write(y, 0, sub_group_block_read::<16>(x, 6));
}

fn main() {}
