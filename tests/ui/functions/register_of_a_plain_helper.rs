//! A helper that returns a register to a kernel is a `#[function]`.

use cm::prelude::*;

fn ones() -> Vector<u8, 32> {
    Vector::splat(1)
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let sum = m.row(0) + ones();
    output.write(0, 0, &m);
}

fn main() {}
