//! A string is not a kernel value.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let name: String = String::new();
    output.write(0, 0, &m);
}

fn main() {}
