//! A broadcast has one source.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let v = x.read::<16>(0);
    y.write(0, &Vector::<u32, 16>::splat(sub_group_broadcast(v, v)));
}

fn main() {}
