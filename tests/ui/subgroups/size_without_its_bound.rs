//! A size that is a parameter needs its bound.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k<const N: usize>(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    sub_group_block_write(y, 0, sub_group_block_read::<N>(x, 0));
}

fn main() {}
