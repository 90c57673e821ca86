//! A structure borrows its buffers.

use cm::prelude::*;

#[derive(Arguments)]
struct Input {
    bytes: Buffer<u8>,
}

fn main() {}
