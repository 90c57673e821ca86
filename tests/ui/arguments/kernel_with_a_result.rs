//! A kernel writes its results to surfaces.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D) -> u8 {
    let m = input.read::<u8, 8, 32>(0, 0);
    m.get(0, 0)
}

fn main() {}
