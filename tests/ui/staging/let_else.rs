//! A block that ends the program, which a kernel cannot.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let Some(x) = Some(1) else { std::process::exit(1) };
    output.write(0, 0, &m);
}

fn main() {}
