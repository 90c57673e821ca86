//! Labels are for `break` and `continue`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    'rows: for i in 0..4 {}
    output.write(0, 0, &m);
}

fn main() {}
