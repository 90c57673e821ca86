//! The merged value has as many elements as the object.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut v = v;
    v.merge(v.select::<16, 1>(0), &(v > 100));
    output.write(0, 0, &v);
}

fn main() {}
