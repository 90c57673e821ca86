//! A helper is a `#[function]`, also if its result is bound to a name with a type.

use cm::prelude::*;

fn ones() -> Vector<u8, 32> {
    Vector::splat(1)
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let v: Vector<u8, 32> = ones();
    output.write(0, 0, &m);
}

fn main() {}
