//! A media block has at most 64 rows.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 65, 4>(0, 0);
    output.write(0, 0, &m.select::<64, 1, 4, 1>(0, 0));
}

fn main() {}
