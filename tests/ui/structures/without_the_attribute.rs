//! A structure of registers has the attribute.

use cm::prelude::*;

#[derive(Clone, Copy)]
struct Line {
    cost: i32,
    values: i32,
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut line = Line { cost: 3, values: 5 };
    line.cost += 1;
    output.write(0, 0, &v);
}

fn main() {}
