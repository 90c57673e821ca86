//! Fields are registers and numbers.

use cm::prelude::*;

#[registers]
struct Line {
    name: String,
    values: Vector<u8, 32>,
}

fn main() {}
