//! A kernel takes a structure by value.

use cm::prelude::*;

#[derive(Arguments)]
struct Input<'a> {
    bytes: &'a Buffer<u8>,
}

#[kernel]
fn k(input: &Input<'_>, output: &mut Buffer<u8>) {
    output.write(0, &input.bytes.read::<16>(0));
}

fn main() {}
