//! `.convert()` of a block of a surface changes the elements, not its rows and columns.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m: Matrix<i32, 4, 8> = input.read::<u8, 4, 16>(0, 0).convert();
    output.write(0, 0, &m.select::<4, 1, 8, 1>(0, 0));
}

fn main() {}
