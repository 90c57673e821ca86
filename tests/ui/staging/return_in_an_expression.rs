//! `return` is a statement, or ends an arm.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let pair = (m, return);
    output.write(0, 0, &pair.0);
}

fn main() {}
