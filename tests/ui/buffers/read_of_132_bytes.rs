//! An oword block read has at most 8 owords.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let v = x.read::<33>(0);
    y.write(0, &v.select::<32, 1>(0));
}

fn main() {}
