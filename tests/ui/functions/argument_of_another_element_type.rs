//! Arguments are converted explicitly: sums of bytes are `i32`.

use cm::prelude::*;

#[function]
fn halved(v: Vector<u8, 16>) -> Vector<u8, 16> {
    (v / 2).convert()
}

#[function]
fn largest(v: &Vector<u8, 16>) -> u8 {
    math::reduced_max::<u8, _>(*v)
}

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let v = input.read::<16>(0);
    let sum = v + v;
    output.write(0, &halved(v + 1));
    output.write(16, &Vector::<u8, 16>::splat(largest(&sum)));
}

fn main() {}
