//! Work items are counted from 0.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let one = sub_group_broadcast(x.read::<16>(0), 16);
    y.write(0, &Vector::<f32, 16>::splat(one));
}

fn main() {}
