//! Registers are not chosen by an `enum`.

use cm::prelude::*;

#[registers]
enum Line {
    Empty,
    Full(Vector<u8, 32>),
}

fn main() {}
