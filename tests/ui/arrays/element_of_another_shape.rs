//! Elements have the shape of the others.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut lines = [v; 4];
    lines[1] = v.select::<16, 1>(0);
    output.write(0, 0, &lines[0]);
}

fn main() {}
