//! An array that changes is declared with `let mut`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let lines = [v; 4];
    lines[1] = v;
    output.write(0, 0, &lines[0]);
}

fn main() {}
