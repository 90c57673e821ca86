//! Arguments are the fields of a structure.

use cm::prelude::*;

#[derive(Arguments)]
enum Input<'a> {
    Bytes(&'a Buffer<u8>),
    Number(u32),
}

fn main() {}
