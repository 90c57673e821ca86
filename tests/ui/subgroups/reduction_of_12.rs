//! A sub-group has 8, 16 or 32 work items.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let sum = sub_group_reduce_add(x.read::<12>(0));
    y.write(0, &Vector::<f32, 8>::splat(sum));
}

fn main() {}
