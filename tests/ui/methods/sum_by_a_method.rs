//! The sum of all elements is a built-in of sub-groups.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let all = m.row(0).sum();
    output.write(0, 0, &m);
}

fn main() {}
