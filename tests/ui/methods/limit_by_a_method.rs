//! Registers have no `clamp`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let some = m.row(0).clamp(16, 235);
    output.write(0, 0, &m);
}

fn main() {}
