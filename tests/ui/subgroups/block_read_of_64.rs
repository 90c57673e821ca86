//! A block of a sub-group is as wide as the sub-group.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let v = sub_group_block_read2::<64>(x, 0);
    y.write(0, &v.row(0).select::<16, 1>(0));
}

fn main() {}
