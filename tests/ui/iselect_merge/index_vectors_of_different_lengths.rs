//! There are as many row indices as column indices.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let rows = Vector::<u16, 8>::splat(3);
    let columns = Vector::<u16, 9>::splat(3);
    output.write(0, 0, &m.iselect(rows, columns));
}

fn main() {}
