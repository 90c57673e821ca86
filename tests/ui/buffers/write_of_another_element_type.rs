//! Elements are not converted implicitly.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<i32>, y: &mut Buffer<f32>) {
    y.write(0, &x.read::<8>(0));
}

fn main() {}
