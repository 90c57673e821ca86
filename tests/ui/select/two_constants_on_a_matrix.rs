//! A region of a matrix takes four constants.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let _part = m.select::<6, 24>(0, 0);
    output.write(0, 0, &m);
}

fn main() {}
