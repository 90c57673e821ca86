//! A function that takes arguments is called without them.

use cm::prelude::*;

#[function]
fn double(v: Vector<u32, 16>) -> Vector<u32, 16> {
    (v * 2).convert()
}

#[kernel]
fn k(output: &mut Buffer<u32>) {
    output.write(0, &double());
}

fn main() {}
