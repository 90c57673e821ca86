//! All registers have rows, so a method does not determine the target type.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    output.write(0, 0, &m.saturate().row(1));
}

fn main() {}
