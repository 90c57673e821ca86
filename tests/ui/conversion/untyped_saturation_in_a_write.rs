//! A saturating conversion must name its target type as well.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    output.write(0, 0, &(m * 2).saturate());
    output.write(0, 0, &m);
}

fn main() {}
