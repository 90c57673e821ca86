//! A shared array is not a variable: its methods take it by reference.

use cm::prelude::*;

#[kernel]
fn twice(output: &mut Buffer<u32>) {
    let mut shared = slm::<u32, 64>();
    shared.write(0, &Vector::<u32, 16>::splat(1));
    output.write(0, &shared.read::<16>(0));
}

fn main() {}
