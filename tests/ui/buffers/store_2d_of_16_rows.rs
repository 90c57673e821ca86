//! A 2-D block that is stored has at most 8 rows.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    y.store_2d(64, 16, 64, 0, 0, &x.load_2d::<16, 16>(64, 16, 64, 0, 0));
}

fn main() {}
