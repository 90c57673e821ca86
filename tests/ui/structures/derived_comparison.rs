//! A structure of registers does not derive comparisons.

use cm::prelude::*;

#[registers]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Best {
    cost: i32,
    line: Vector<u8, 16>,
}

#[kernel]
fn k(output: &mut Buffer<u8>) {
    let best = Best { cost: 0, line: Vector::splat(0) };
    output.write(0, &best.line);
}

fn main() {}
