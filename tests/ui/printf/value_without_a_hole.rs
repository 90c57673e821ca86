//! A value without a placeholder.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    printf!("first {}", m.get(0, 0), m.get(0, 1));
    output.write(0, 0, &m);
}

fn main() {}
