//! A register has more than one element, so it cannot be matched.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 8, 32>(0, 0);
    match m {
        0 => m += 1,
        _ => m -= 1,
    }
    output.write(0, 0, &m);
}

fn main() {}
