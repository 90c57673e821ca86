//! The type of a value that a pattern takes apart is written at the value.

use cm::prelude::*;

fn tap(n: u32) -> Option<u32> {
    Some(n)
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let Some(x): Option<u32> = tap(2) else { return };
    output.write(0, 0, &(m + x));
}

fn main() {}
