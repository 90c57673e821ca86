//! The shuffled value has one element for each work item.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(y: &mut Buffer<u32>, x: u32) {
    let v: Vector<u32, 16> = sub_group_shuffle(x, 3);
    y.write(0, &v);
}

fn main() {}
