//! A structure in a structure is one of arguments too.

use cm::prelude::*;

struct Point {
    x: u32,
}

#[derive(Arguments)]
struct Input<'a> {
    bytes: &'a Buffer<u8>,
    at: Point,
}

fn main() {}
