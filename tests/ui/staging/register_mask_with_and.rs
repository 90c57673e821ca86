//! `&&` is for conditions, `&` for masks.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let both = m > 1 && m < 100;
    output.write(0, 0, &m);
}

fn main() {}
