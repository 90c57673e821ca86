//! Changes to a temporary value would be lost.

use cm::prelude::*;

#[function]
fn increased(v: &mut Vector<u8, 16>) {
    *v += 1;
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    m += 1;
    increased(&mut m.row(0));
    output.write(0, 0, &m);
}

fn main() {}
