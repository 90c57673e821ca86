//! A field is smaller than the register file.

use cm::prelude::*;

#[registers]
struct Block {
    values: Matrix<u8, 64, 64>,
}

#[function]
fn first(block: &Block) -> Vector<u8, 64> {
    block.values.row(0)
}

fn main() {}
