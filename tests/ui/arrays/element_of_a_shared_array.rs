//! An array by `&` is only read.

use cm::prelude::*;

#[function]
fn clear(lines: &[Vector<u8, 32>; 4]) {
    lines[1] = Vector::splat(0);
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut lines = [v; 4];
    lines[0] += 1;
    clear(&lines);
    output.write(0, 0, &lines[0]);
}

fn main() {}
