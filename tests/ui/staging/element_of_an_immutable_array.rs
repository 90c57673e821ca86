//! Elements of an array are assigned if it is a variable.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let rows = [input.read::<u8, 4, 32>(0, 0); 4];
    rows[1] = rows[0];
    output.write(0, 0, &rows[1]);
}

fn main() {}
