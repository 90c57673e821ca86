//! A structure that changes is declared with `let mut`.

use cm::prelude::*;

#[registers]
struct Line {
    cost: i32,
    values: Vector<u8, 32>,
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let line = Line { cost: 3, values: v };
    line.cost = 1;
    output.write(0, 0, &line.values);
}

fn main() {}
