//! `let .. else` would leave the kernel early.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let Some(x) = Some(1) else { loop {} };
    output.write(0, 0, &m);
}

fn main() {}
