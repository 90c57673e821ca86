//! A field that is borrowed shared is not written.

use cm::prelude::*;

#[derive(Arguments)]
struct Input<'a> {
    bytes: &'a Buffer<u8>,
}

#[kernel]
fn k(input: Input<'_>) {
    input.bytes.write(0, &Vector::<u8, 16>::splat(0));
}

fn main() {}
