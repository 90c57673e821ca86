//! A predicate is an integer.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let v = x.read::<16>(0);
    if sub_group_any(v) {
        y.write(0, &v);
    }
}

fn main() {}
