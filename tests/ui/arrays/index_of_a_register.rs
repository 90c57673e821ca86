//! Registers have no indices.

use cm::prelude::*;

#[function]
fn doubled(v: Vector<u8, 32>) -> Vector<u8, 32> {
    (v + v).convert()
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut line = doubled(v);
    line[3] += 1;
    output.write(0, 0, &line);
}

fn main() {}
