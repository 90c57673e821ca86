//! `bool` is not an element type: masks are `u16`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mask: Vector<bool, 32> = v > 100;
    output.write(0, 0, &v);
}

fn main() {}
