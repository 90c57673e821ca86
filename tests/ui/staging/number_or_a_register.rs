//! A number in an arm has the type of the other arm, if that is a number too.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let x = if thread_origin_x() > 3 { m } else { 0 };
    output.write(0, 0, &x);
}

fn main() {}
