//! A variable without a type does not determine the target type.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let wide = m.convert();
    output.write(0, 0, &wide);
}

fn main() {}
