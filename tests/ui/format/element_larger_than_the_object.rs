//! A double does not fit into four bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = Vector::<u8, 4>::splat(0);
    output.write(0, 0, &v.format::<f64>());
}

fn main() {}
