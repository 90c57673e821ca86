//! Results of operators are not converted to the element type of an array.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let o: [Matrix<u8, 4, 32>; 2] = [m * 2, m * 3];
    output.write(0, 0, &m);
}

fn main() {}
