//! Only a row can be assigned to a row.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut m = m;
    m.row_mut(0) += m.select::<1, 1, 24, 1>(0, 0);
    output.write(0, 0, &m);
}

fn main() {}
