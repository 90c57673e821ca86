//! `as` converts numbers, not registers.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let wide = m as u32;
    output.write(0, 0, &m);
}

fn main() {}
