//! Surfaces are accessed by coordinates.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Surface2D, y: &mut Surface2D) {
    sub_group_block_write(y, (0, 0), sub_group_block_read::<16>(x, 64));
}

fn main() {}
