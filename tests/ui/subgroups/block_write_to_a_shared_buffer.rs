//! The written buffer is borrowed exclusively.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u32>) {
    sub_group_block_write(x, 0, sub_group_block_read::<16>(x, 64));
}

fn main() {}
