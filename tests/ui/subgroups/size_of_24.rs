//! The size of a sub-group is 8, 16 or 32.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(y: &mut Buffer<u32>) {
    y.write(0, &Vector::<u32, 8>::splat(sub_group_size::<24>()));
}

fn main() {}
