//! Blocks have elements of `u32`.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<u32>) {
    sub_group_block_write(y, 0, x.read::<16>(0));
}

fn main() {}
