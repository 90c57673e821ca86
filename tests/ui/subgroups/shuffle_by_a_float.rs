//! Work items are numbered by integers.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.write(0, &sub_group_shuffle(x.read::<16>(0), 1.5));
}

fn main() {}
