//! CM's `vector<SurfaceIndex, 2>` is a parameter for each surface.

use cm::prelude::*;

#[kernel]
fn k(inputs: [&Surface2D; 2], output: &mut Surface2D) {
    output.write(0, 0, &inputs[0].read::<u8, 8, 32>(0, 0));
}

fn main() {}
