//! Kernels do not know the sizes of surfaces.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let right = input.width() - 32;
    output.write(0, 0, &input.read::<u8, 4, 32>(right, 0));
}

fn main() {}
