//! CM's `m(i, j) = x`.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let mut m = output.read::<u8, 4, 8>(0, 0);
    m(0, 2) = 4;
    output.write(0, 0, &m);
}

fn main() {}
