//! Columns count elements, but the limit is in bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<f32, 8, 16>(0, 0);
    output.write(0, 0, &m.select::<4, 1, 16, 1>(0, 0));
}

fn main() {}
