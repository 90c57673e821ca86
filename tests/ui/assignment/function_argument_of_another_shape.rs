//! A helper takes only the shape in its signature.

use cm::prelude::*;

#[function]
fn double(v: Vector<u8, 16>) -> Vector<u8, 16> {
    (v * 2).convert()
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let sum = double(m.row(0));
    output.write(0, 0, &sum);
}

fn main() {}
