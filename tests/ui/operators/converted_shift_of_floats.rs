//! Floats cannot be shifted, even if the result is converted.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<f32, 4, 8>(0, 0);
    let bytes: Matrix<u8, 4, 8> = (v >> 4).saturate();
    output.write(0, 0, &bytes);
}

fn main() {}
