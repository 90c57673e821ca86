//! Elements are written with `get_mut`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let mut o = m;
    o[(0, 0)] = 3;
    output.write(0, 0, &m);
}

fn main() {}
