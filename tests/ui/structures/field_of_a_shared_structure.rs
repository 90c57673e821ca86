//! A structure by `&` is only read.

use cm::prelude::*;

#[registers]
struct Line {
    cost: i32,
    values: Vector<u8, 32>,
}

#[function]
fn clear(line: &Line) {
    line.cost = 0;
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut line = Line { cost: 3, values: v };
    line.cost = 1;
    clear(&line);
    output.write(0, 0, &line.values);
}

fn main() {}
