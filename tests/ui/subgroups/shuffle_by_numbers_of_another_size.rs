//! A shuffle has one source number for each work item.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.write(0, &sub_group_shuffle(x.read::<16>(0), x.read::<8>(0)));
}

fn main() {}
