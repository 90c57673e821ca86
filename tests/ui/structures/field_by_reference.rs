//! A structure of registers holds no memory.

use cm::prelude::*;

#[registers]
struct Line {
    input: &'static Surface2D,
    values: Vector<u8, 32>,
}

fn main() {}
