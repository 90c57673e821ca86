//! Both indices of an element are checked.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let corner = m.get(7, 32);
    output.write(0, 0, &(m + corner).convert::<u8>());
}

fn main() {}
