//! A field is one of the arguments of kernels.

use cm::prelude::*;

#[derive(Arguments)]
struct Input<'a> {
    bytes: &'a Buffer<u8>,
    flag: bool,
}

fn main() {}
