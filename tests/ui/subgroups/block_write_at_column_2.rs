//! A block of a surface is written at a whole dword.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Surface2D, y: &mut Surface2D) {
    sub_group_block_write2(y, (2, 0), sub_group_block_read2::<16>(x, (2, 0)));
}

fn main() {}
