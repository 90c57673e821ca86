//! A `match` on integers is exhaustive without `_` only for host values.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 8, 32>(0, 0);
    match m.get(0, 0) {
        0..=127 => m += 1,
        128..=255 => m -= 1,
    }
    output.write(0, 0, &m);
}

fn main() {}
