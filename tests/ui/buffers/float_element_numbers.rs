//! Numbers of elements are integers.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let at = x.read::<16>(0);
    y.write(0, &x.read_scattered(0, &at));
}

fn main() {}
