//! Both sources of a shuffle have the same type.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>, z: &Buffer<i32>) {
    y.write(0, &sub_group_shuffle_down(x.read::<16>(0), z.read::<16>(0), 1));
}

fn main() {}
