//! Registers are compared with operators.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let less = m.lt(&m);
    output.write(0, 0, &m);
}

fn main() {}
